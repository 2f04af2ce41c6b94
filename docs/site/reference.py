"""The reference: pages made of the public headers and of what Doxygen reads in them.

Doxygen knows declarations and their doc comments. What the headers say of several
declarations at once, in plain comments between them, is taken from the source, so
that a page reads as its header does, from top to bottom.
"""

import pathlib
import re
import xml.etree.ElementTree as ET

# Pages: file name, title, and the folders and headers that are on it, in order;
# a header goes to the first page that has it or its folder. Every public name has
# to be on one of them.
PAGES = [
    ("job", "Start, end and PEs",
     ["Kokkos_SymmetricSpace/space/Initialize.hpp", "runtime/symm_job.hpp",
      "runtime/symm_mpi.hpp", "runtime/bootstrap", "runtime/base",
      "runtime/memory", "runtime/heap", "runtime/pes"]),
    ("views", "Memory spaces and Views",
     ["Kokkos_SymmetricSpace/Kokkos_SymmetricSpace_Space.hpp",
      "Kokkos_SymmetricSpace/space", "Kokkos_SymmetricSpace/kokkos_impl",
      "Kokkos_SymmetricSpace/no_gpu",
      "Kokkos_SymmetricSpace/Kokkos_SymmetricSpace_Views.hpp",
      "Kokkos_SymmetricSpace/view/PeerView.hpp",
      "Kokkos_SymmetricSpace/view/GlobalView.hpp",
      "Kokkos_SymmetricSpace/view/RemoteView.hpp",
      "Kokkos_SymmetricSpace/view/UnevenView.hpp",
      "Kokkos_SymmetricSpace/places/Places.hpp",
      "Kokkos_SymmetricSpace/places/Gather.hpp"]),
    ("registration", "Memory that the program has",
     ["Kokkos_SymmetricSpace/view/RegisteredView.hpp",
      "Kokkos_SymmetricSpace/view/SharedView.hpp",
      "runtime/symm_shared_buffers.hpp", "Kokkos_SymmetricSpace/view"]),
    ("memory", "Memory as in OpenSHMEM", ["runtime/symm_memory.hpp"]),
    ("rma", "Put and get, fence and quiet",
     ["runtime/symm_rma.hpp", "runtime/symm_rma_blocks.hpp",
      "runtime/access/PeOperations.hpp"]),
    ("atomics", "Atomic operations", ["runtime/symm_atomics.hpp"]),
    ("signals", "Signals and waiting", ["runtime/symm_signals.hpp",
                                        "runtime/one_sided/Signal.hpp",
                                        "runtime/waiting/Waiting.hpp"]),
    ("locks", "Locks", ["runtime/symm_locks.hpp"]),
    ("teams", "Teams of PEs", ["runtime/symm_teams.hpp",
                               "runtime/teams/PeTeam.hpp"]),
    ("collectives", "Collective operations", ["runtime/symm_collectives.hpp"]),
    ("operations", "With execution spaces, thread teams and Views",
     ["Kokkos_SymmetricSpace/Kokkos_SymmetricSpace_Operations.hpp",
      "Kokkos_SymmetricSpace/operations"]),
    ("exchange", "Exchanges and migration",
     ["Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Exchange.hpp",
      "Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Migration.hpp",
      "Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_TrackedMigration.hpp",
      "Kokkos_SymmetricContainers/exchange"]),
    ("sort", "Sorting and counting",
     ["Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Sort.hpp",
      "Kokkos_SymmetricContainers/sort"]),
    ("mailbox", "Mailboxes",
     ["Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Mailbox.hpp",
      "Kokkos_SymmetricContainers/mail"]),
    ("containers", "Hash maps, work queues, distributions and copies of the whole",
     ["Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_HashMap.hpp",
      "Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_WorkQueue.hpp",
      "Kokkos_SymmetricContainers"]),
    ("contexts", "Contexts and requests", ["runtime/symm_contexts.hpp"]),
    ("pools", "Memory pools",
     ["Kokkos_SymmetricSpace/Kokkos_SymmetricSpace_Pools.hpp",
      "runtime/symm_pools.hpp", "runtime/pools"]),
    ("more", "Errors, and what is left",
     ["runtime/symm_errors.hpp", "runtime/job", "runtime", "."]),
]


# What the same name is in a build for GPUs, whose headers are not read here.
ON_GPUS = {
    "SymmetricSpace": "GPU memory in a build for CUDA (`SymmetricCudaSpace`) or HIP "
                      "(`SymmetricHipSpace`, which nobody has run on AMD GPUs).",
}


# What only authors of containers use; its header describes it.
NOT_FOR_PROGRAMS = {"edge"}


class Problem(Exception):
    """Why there is no reference."""


# --- what Doxygen has written -------------------------------------------------


def inline(node):
    """The text of a node as Markdown on one line."""
    text = escape(node.text or "")
    for child in node:
        body = inline(child)
        if child.tag == "computeroutput":
            text += f"`{plain(child)}`"
        elif child.tag in ("bold", "emphasis"):
            mark = "**" if child.tag == "bold" else "*"
            text += f"{mark}{body}{mark}"
        elif child.tag == "linebreak":
            text += " "
        elif child.tag in ("ndash", "mdash"):  # Doxygen's for -- and ---
            text += "--" if child.tag == "ndash" else "–"
        else:
            text += body
        text += escape(child.tail or "")
    return re.sub(r"\s+", " ", text)


def plain(node):
    return re.sub(r"\s+", " ", "".join(node.itertext())).strip()


def escape(text):
    return re.sub(r"([*_`<>\[\]\\|{}$#])", r"\\\1", text)


def escape_prose(text):
    """The same for a plain comment, whose `code` and *word* stay."""
    parts = re.split(r"(`[^`]+`|\*\w+\*)", text)
    return "".join(part if i % 2 else escape(part)
                   for i, part in enumerate(parts))


def linked(text, where):
    """Markdown in which name() of a public name leads to it."""
    def link(match):
        name = match[2].replace("\\", "")
        if name not in where:
            return match[0]
        return f"[`{match[1] or ''}{name}()`]({where[name][1]})"

    parts = re.split(r"(^```.*?^```$|`[^`]*`|\[[^\]]*\]\([^)]*\))", text,
                     flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else re.sub(
        r"(?<![\w:.>])(symm::)?((?:\w|\\_)+)\(\)", link, part)
        for i, part in enumerate(parts))


BLOCKS = {"simplesect", "parameterlist", "itemizedlist", "orderedlist",
          "verbatim", "preformatted", "programlisting", "table"}


def paragraphs(node):
    """The blocks of Markdown of a description."""
    out = []
    for para in node:
        if para.tag in BLOCKS:
            out += block(para)
            continue
        if para.tag == "title":
            continue
        # A <para> has text and blocks in turns.
        shell = ET.Element("para")
        shell.text = para.text
        for child in para:
            if child.tag in BLOCKS:
                if inline(shell).strip():
                    out.append(inline(shell).strip())
                out += block(child)
                shell = ET.Element("para")
                shell.text = child.tail
            else:
                shell.append(child)
        if inline(shell).strip():
            out.append(inline(shell).strip())
    return out


def block(node):
    if node.tag in ("verbatim", "preformatted", "programlisting"):
        return ["```text\n" + "".join(node.itertext()).strip("\n") + "\n```"]
    if node.tag in ("itemizedlist", "orderedlist"):
        mark = "-" if node.tag == "itemizedlist" else "1."
        return ["\n".join(f"{mark} " + " ".join(paragraphs(item))
                          for item in node.findall("listitem"))]
    if node.tag == "parameterlist":
        heading = {"param": "Parameters", "templateparam": "Template parameters",
                   "exception": "Throws"}.get(node.get("kind"), "Values")
        lines = []
        for item in node.findall("parameteritem"):
            names = ", ".join(f"`{plain(n)}`" for n in
                              item.iter("parametername"))
            if heading == "Throws":  # "what f() throws" begins with no name
                names = re.sub(r"`([a-z]+)`", r"\1", names)
            said = " ".join(paragraphs(item.find("parameterdescription")))
            lines.append(f"- {names}: {said}" if heading != "Throws"
                         else f"- {names} {said}")
        return [f"*{heading}*\n\n" + "\n".join(lines)]
    if node.tag == "simplesect":
        heading = {"return": "Returns", "pre": "Requires",
                   "note": "Note"}.get(node.get("kind"), "See")
        return [f"*{heading}* " + " ".join(paragraphs(node))]
    return [inline(node).strip()]


def description(member):
    found = []
    for tag in ("briefdescription", "detaileddescription"):
        node = member.find(tag)
        if node is not None:
            found += paragraphs(node)
    values = [(plain(value.find("name")), " ".join(description(value)))
              for value in member.findall("enumvalue")]
    if any(said for _, said in values):
        found.append("\n".join(f"- `{name}`" + (f": {said}" if said else "")
                               for name, said in values))
    return found


def signature(member):
    """The declaration as C++."""
    kind = member.get("kind")
    lines = []
    template = member.find("templateparamlist")
    if template is not None:
        names = []
        for parameter in template.findall("param"):
            name = parameter.findtext("declname") or ""
            kind_of = plain(parameter.find("type"))
            default = parameter.find("defval")
            default = f" = {plain(default)}" if default is not None else ""
            names.append(f"{kind_of} {name}".strip() + default)
        lines.append(f"template <{', '.join(names)}>")
    requires = member.find("requiresclause")
    if requires is not None:
        lines.append("requires " + plain(requires))
    name = plain(member.find("name"))
    kind_of = plain(member.find("type")) if member.find("type") is not None else ""
    if kind == "using":
        return f"{name}"
    if kind == "enum":
        values = ", ".join(plain(v.find("name")) + (
            " " + plain(v.find("initializer"))
            if v.find("initializer") is not None else "")
            for v in member.findall("enumvalue"))
        one = f"enum class {name} {{ {values} }};"
        if len(one) > 78:
            one = one.replace(", ", ",\n  ").replace("{ ", "{\n  ").replace(" }", "\n}")
        lines.append(one)
    elif kind == "typedef":
        lines.append(plain(member.find("definition")) + ";")
    elif kind == "variable":
        value = member.find("initializer")
        value = " " + plain(value) if value is not None else ""
        lines.append(f"{kind_of} {name}{value};")
    else:
        parameters = []
        for parameter in member.findall("param"):
            text = plain(parameter.find("type"))
            given = parameter.findtext("declname") or ""
            array = parameter.findtext("array") or ""
            default = parameter.find("defval")
            default = f" = {plain(default)}" if default is not None else ""
            parameters.append((f"{text} {given}".strip() + array + default))
        one = f"{kind_of} {name}({', '.join(parameters)})".strip()
        if len(one) > 78 and parameters:
            head = f"{kind_of} {name}(".strip()
            joint = ",\n" + " " * 4
            one = head + "\n    " + joint.join(parameters) + ")"
        arguments = plain(member.find("argsstring")) if member.find(
            "argsstring") is not None else ""
        tail = re.search(r"\)\s*((?:const|noexcept|=\s*\w+|\s)*)$", arguments)
        tail = " " + tail[1].strip() if tail and tail[1].strip() else ""
        lines.append(one + tail + ";")
    return tidy("\n".join(lines))


def tidy(code):
    """Doxygen's C++ as people write it."""
    code = re.sub(r"\bImpl::(?=\w)", "", code)
    code = code.replace("< ", "<").replace(" >", ">").replace("= typedef ", "= ")
    code = code.replace("using symm::", "using ").replace("=default", "= default")
    code = code.replace("* ,", "*,").replace(">&& ", "> && ")
    code = "\n".join(folded(line) for line in code.split("\n"))
    return re.sub(r" ([&*]+) ?(?=[\w.,)])", r"\1 ", code)


def folded(line):
    """A long alias, constant or requirement on several lines."""
    if len(line) <= 92 or not re.match("using|constexpr|requires", line):
        return line
    line = re.sub(r" (=|&&) ", r"\n    \1 ", line, count=1)
    depth, out = 0, ""
    for i, char in enumerate(line):
        depth += (char in "<(") - (char in ">)")
        out += char
        if char == "," and depth == 1:
            out += "\n     "
    return out


# --- what the source has between declarations -----------------------------------


def prose(lines):
    """Markdown of the lines of a plain comment, without their slashes."""
    out = []
    for part in re.split(r"\n\s*\n", "\n".join(lines)):
        rows = part.split("\n")
        rows = [row[1:] if row.startswith(" ") else row for row in rows]
        text = []
        literal = []
        for row in rows + [""]:
            if row.startswith("  ") and not (text and is_item(text[-1])):
                literal.append(row)
                continue
            if literal:
                if text:
                    out.append(markdown_of(text))
                out.append("```text\n" + "\n".join(literal) + "\n```")
                text, literal = [], []
            if row:
                text.append(row)
        if text:
            out.append(markdown_of(text))
    return out


def is_item(row):
    return row.startswith("- ") or row.startswith("  ")


def markdown_of(rows):
    out = []
    for row in rows:
        if row.startswith("- "):
            out.append("- " + row[2:])
        elif out:
            out[-1] += " " + row.strip()
        else:
            out.append(row)
    out = [escape_prose(line) if not line.startswith("- ")
           else "- " + escape_prose(line[2:]) for line in out]
    return "\n" .join(
        ("\n" + line if line.startswith("- ") and not out[i - 1].startswith("- ")
         and i else line) for i, line in enumerate(out))


def comments_of(source):
    """Plain comments at the left margin in namespace symm, and the one before it:
    (line where it ends, its text). Comments of Impl are not for users."""
    found = []
    current = []
    space = None  # the namespace that a line is in
    for number, line in enumerate(source.splitlines(), 1):
        opened = re.match(r"namespace ([\w:]+) \{", line)
        if opened:
            space = opened[1]
        elif re.match(r"\}  // namespace", line):
            space = None
        if re.match(r"//($|[^/])", line) and "SPDX" not in line:
            current.append(line[2:])
            continue
        if current and (space == "symm" or space is None):
            found.append((number - 1, current))
        current = []
    return found


# --- pages ----------------------------------------------------------------------


class Reference:
    """All public declarations, by header."""

    def __init__(self, xml, src, names):
        self.src = src
        self.names = {name.removeprefix("symm::")
                      for name in names} - NOT_FOR_PROGRAMS
        self.members = {}  # header -> [(line, kind, XML)]
        self.where = {}    # name -> (page, anchor)
        self.facts = {}    # name -> (what it is, who calls)
        space = ET.parse(xml / "namespacesymm.xml").getroot()
        for member in space.iter("memberdef"):
            self.add(member, plain(member.find("name")))
        for inner in space.iter("innerclass"):
            name = plain(inner).removeprefix("symm::")
            if "::" in name or "<" in name:
                continue
            root = ET.parse(xml / f"{inner.get('refid')}.xml").getroot()
            self.add(root.find("compounddef"), name)
        for header in sorted(src.rglob("*.hpp")):
            self.add_used(header)
        for members in self.members.values():
            members.sort(key=lambda item: item[0])

    def add(self, node, name):
        if name not in self.names:
            return
        location = node.find("location")
        # Where it is declared, if that is elsewhere.
        file = location.get("declfile") or location.get("file")
        line = int(location.get("declline") or location.get("line"))
        header = file.split("src/", 1)[-1]
        self.members.setdefault(header, []).append((line, name, node))

    def add_used(self, header):
        """Public names that are `using Impl::name;`, with the comment before."""
        comment = []
        for number, line in enumerate(
                header.read_text(encoding="utf-8").splitlines(), 1):
            used = re.match(r"using Impl::(\w+);", line)
            if used and used[1] in self.names:
                node = ET.Element("memberdef", kind="using")
                ET.SubElement(node, "name").text = used[1]
                said = ET.SubElement(node, "detaileddescription")
                if comment:
                    ET.SubElement(said, "para").text = " ".join(comment)
                self.members.setdefault(
                    str(header.relative_to(self.src)), []).append(
                        (number, used[1], node))
            comment = (comment + [line[3:].strip()] if line.startswith("///")
                       else [])

    def page_of(self, header):
        best = None
        for number, (_, _, places) in enumerate(PAGES):
            for order, place in enumerate(places):
                if header == place or place == "." or header.startswith(
                        place + "/"):
                    key = (-len(place) if place != "." else 0, number, order)
                    if best is None or key < best:
                        best = key
        return best[1], best[2]

    def write(self, folder):
        """Writes the pages. Returns the names of their files, in order."""
        folder.mkdir(parents=True, exist_ok=True)
        contents = {}
        headers = {str(p.relative_to(self.src)) for p in self.src.rglob("*.hpp")}
        for header in sorted(headers):
            if header in self.members or header in sum(
                    (page[2] for page in PAGES), []):
                page, order = self.page_of(header)
                contents.setdefault(page, []).append((order, header))
        for page, (file, title, _) in enumerate(PAGES):
            text = [f"# {title}"]
            for _, header in sorted(contents.get(page, [])):
                text += self.section(header, file)
            (folder / f"{file}.md").write_text("\n\n".join(text) + "\n",
                                               encoding="utf-8")
        for file, _, _ in PAGES:
            page = folder / f"{file}.md"
            page.write_text(linked(page.read_text(encoding="utf-8"), self.where),
                            encoding="utf-8")
        missing = sorted(self.names - set(self.where))
        if missing:
            raise Problem("no declaration found of: " + ", ".join(missing))
        self.write_index(folder)
        return [file for file, _, _ in PAGES]

    def write_index(self, folder):
        rows = []
        for name in sorted(self.names, key=lambda n: (n.lower(), n)):
            _, anchor = self.where[name]
            what, who = self.facts[name]
            what = what.replace("[", "\\[").replace("]", "\\]")
            rows.append(f"| [`{name}`]({anchor}) | {who} | {what} |")
        text = f"""# Reference

Every public name, all in namespace `symm`. The pages are made of the headers, in
which the same is to be read.

"Who" calls: *all PEs* in the same order and with equal arguments (a collective
call); *PEs of a team*; *one PE* alone. What a call says of order and of errors stands
with it, or at the beginning of its part of a page, for all calls that follow.
[What orders what](../docs/memory_model.md) has the calls side by side.

| name | who | what |
|---|---|---|
""" + "\n".join(rows) + "\n"
        (folder / "index.md").write_text(text, encoding="utf-8")

    def section(self, header, page):
        """What a page has of one header."""
        source = (self.src / header).read_text(encoding="utf-8")
        members = self.members.get(header, [])
        is_public = "/" not in header.split("/", 1)[1]
        if not members and not is_public:
            return []
        out = []
        comments = comments_of(source)
        first = members[0][0] if members else None
        about = self.doc_of_namespace(source)
        if is_public:
            include = header.split("/", 1)[1]
            out.append(f"## `<{include}>`")
        for paragraph in about:
            out.append(paragraph)
        if not is_public:
            comments = [c for c in comments if first and c[0] < first][:0] + [
                c for c in comments if members]
        heading = None
        told = None   # the latest with a text of its own
        pending = []  # declarations without a text of their own
        said = []     # what stands before them

        def flush():
            if pending:
                out.append("```cpp\n" + "\n\n".join(pending) + "\n```")
                pending.clear()

        for line, name, node in members:
            while comments and comments[0][0] < line:
                flush()
                said = prose(comments.pop(0)[1])
                if len(said) == 1 and len(said[0]) < 60:  # a heading
                    said[0] = "## " + said[0].rstrip(".")
                out.extend(said)
                heading = None
            text = description(node)
            if text and name in ON_GPUS:
                text.append(ON_GPUS[name])
            is_class = node.tag == "compounddef"
            if heading != name or text or is_class:
                flush()
            if heading != name:
                anchor = self.anchor(name, page, text, said, node)
                out.append(f"({anchor})=\n### `{name}`")
                heading = name
            if text:
                told = name
            elif told and not self.facts[name][0] and told != name:
                self.facts[name] = (f"with `{told}`", self.facts[name][1])
            if is_class:
                out += self.class_of(name, node)
                continue
            pending.append(signature(node))
            if text:
                flush()
                out += text
        flush()
        return out

    def doc_of_namespace(self, source):
        """The doc comment in front of the namespace, or of all of a header that
        declares nothing."""
        found = re.search(r"((?:^///[^\n]*\n)+)\s*(?:namespace symm \{|#include|$)",
                          source, re.MULTILINE)
        if not found:
            return []
        return prose([line[3:] for line in found[1].splitlines()])

    def anchor(self, name, page, text, said, node):
        """Notes a place of a name. Returns the label for it."""
        is_new = name not in self.where
        label = f"symm-{name.replace('_', '-')}".lower()
        if name[0].isupper():
            label += "-type"
        self.where.setdefault(name, (page, label))
        what, who = self.facts.get(name, ("", ""))
        if text and (not what or what.startswith("with `")):
            what = first_sentence(text[0])
        if is_new:
            who = who_calls(name, node, text, said, page)
        self.facts[name] = (what, who)
        if is_new:
            return label
        self.number = getattr(self, "number", 0) + 1
        return f"symm-more-{self.number}"

    def class_of(self, name, node):
        template = node.find("templateparamlist")
        head = ""
        if template is not None:
            head = "template <" + ", ".join(
                f"{plain(p.find('type'))} {p.findtext('declname') or ''}".strip()
                for p in template.findall("param")) + ">\n"
        out = [f"```cpp\n{head}{node.get('kind')} {name};\n```"]
        out += description(node)
        for section in node.findall("sectiondef"):
            if not section.get("kind").startswith(("public", "user")):
                continue
            members = [m for m in section.findall("memberdef")
                       if m.get("prot") == "public" and m.get("kind") != "friend"
                       and "delete" not in (m.findtext("argsstring") or "")]
            for member in sorted(members,
                                 key=lambda m: int(m.find("location").get("line"))):
                code = "```cpp\n" + signature(member) + "\n```"
                if out and not description(member) and out[-1].startswith(
                        "```cpp") and len(out) > 1:
                    out[-1] = out[-1][:-4] + "\n" + signature(member) + "\n```"
                else:
                    out.append(code)
                out += description(member)
        return out


def first_sentence(text):
    text = text.split("\n")[0].replace("\\[", "[").replace("\\]", "]")
    if text.startswith(("```", "*Throws*", "*Parameters*", "*Returns*", "## ", "- ")):
        return ""
    # Who calls has a column of its own.
    text, n = re.subn(r"^(Not collective|Collective( over `\w+`)?(, with equal "
                      r"arguments)?)[:.] (?=\S)", "", text)
    if n and re.match(r"[a-z]+[ ,]", text):
        text = text[0].upper() + text[1:]
    found = re.match(r"(.{8,}?(?<![.])[.])(\s|$)", text)
    text = found[1] if found else text
    if len(text) > 130:
        text = re.split(r"[:;] ", text)[0]
    return text.rstrip(":;.") + "."


# How the comments say who calls.
COLLECTIVE = re.compile(r"\bCollective\b(?! (functions|operations))|"
                        r"\b(calls? (is|are)|is a|are all) collective\b|"
                        r"\bAll PEs (must )?(make|call)\b")
LOCAL = re.compile(r"\bLocal\b|\bcalls? (is|are) local\b")


def who_calls(name, node, text, said, page):
    joint = " ".join(text)
    around = " ".join(said)
    if node.tag == "compounddef" or node.get("kind") in ("enum", "variable",
                                                         "typedef"):
        if COLLECTIVE.search(joint) or name in (
                "ScopeGuard", "RuntimeGuard", "UniqueMemPool"):
            return "all PEs"
        return ""
    if LOCAL.search(joint):
        return "one PE"
    if page in ("collectives", "teams") and name not in (
            "sync_all", "barrier_all"):
        return "PEs of a team"
    if COLLECTIVE.search(joint) or re.search(
            r"\b(like|Like|Calls) malloc\(\)|same as initialize_runtime\(\)",
            joint):
        return "all PEs"
    if page == "pools":
        return ("all PEs, of a symmetric pool" if re.search(
            "alloc|free|create|destroy|set_(mem|attr)|trim", name) else "one PE")
    if COLLECTIVE.search(around) and page != "memory":
        return "all PEs"
    return "one PE"


def write(xml, src, names, folder):
    names = pathlib.Path(names).read_text(encoding="utf-8").split()
    return Reference(pathlib.Path(xml), pathlib.Path(src), names).write(
        pathlib.Path(folder))

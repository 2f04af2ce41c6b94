#!/usr/bin/env python3
"""Checks the Markdown pages of the repository: links, tables and snippets.

    check_pages.py ROOT            checks the tree
    check_pages.py ROOT --update   writes the snippets into the pages first
    check_pages.py --self-test     shows that each rule can fail

Links. What a relative link points to is there, and so is the heading that it
names behind a '#' (anchors are made as forges make them).

Tables. All rows of a table have as many cells as its head: a forge drops what is more.

Snippets. C++ that a page of docs/ or README shows stands in a source that is
compiled and run. A comment in front of the block names it:

    <!-- snippet: examples/snippets/snippets.cpp halo -->
    what is between the lines '// [halo' and '// halo]' of the source, without
    the indentation: --update writes it

    <!-- snippet: examples/heat3d/heat3d.cpp -->
    a part of the source, but for white space; a line that starts with ... leaves
    something out

Blocks ```cpp without such a comment are failures; so is a marker that is not
there or has nothing in it.
"""

import pathlib
import re
import sys
import tempfile

# Folders that are no pages of this repository's, and files that others own.
SKIPPED = {"build", ".git", "_deps"}

LINK = re.compile(r"(?<!\\)!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^[ ]*(```+|~~~+)[^\n]*\n.*?^[ ]*\1[ ]*$",
                   re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
BLOCK = re.compile(
    r"(?:^<!-- snippet: (?P<file>\S+)(?: (?P<name>\S+))? -->\n)?"
    r"^```(?P<language>cpp|c\+\+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL)


def slug(heading):
    """The anchor that forges make of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors_in(text):
    found = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        name = slug(heading)
        number = found.get(name, 0)
        found[name] = number + 1
        if number:
            found[f"{name}-{number}"] = 1
    return set(found)


def links_in(text):
    """Targets of all links and pictures, but not those in code."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    return LINK.findall(text)


def is_foreign(target):
    return re.match(r"[a-z][a-z0-9+.\-]*:", target) is not None


def pages_of(root):
    return sorted(page for page in root.rglob("*.md")
                  if not SKIPPED.intersection(page.relative_to(root).parts))


def check_links(root):
    problems = []
    texts = {page.resolve(): page.read_text(encoding="utf-8")
             for page in pages_of(root)}
    for page, text in texts.items():
        name = page.relative_to(root.resolve())
        for target in links_in(text):
            if is_foreign(target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                problems.append(f"{name}: dead link {target}")
            elif anchor:
                goal = file / "README.md" if file.is_dir() else file
                if goal not in texts or anchor not in anchors_in(texts[goal]):
                    problems.append(f"{name}: no heading for {target}")
    return problems


def check_tables(root):
    problems = []
    for page in pages_of(root):
        text = FENCE.sub(lambda m: "\n" * m.group().count("\n"),
                         page.read_text(encoding="utf-8"))
        head = None
        for number, line in enumerate(text.split("\n"), 1):
            if not line.lstrip().startswith("|"):
                head = None
                continue
            cells = line.replace("\\|", "").count("|") - 1
            if head is None:
                head = cells
            elif cells != head:
                problems.append(f"{page.relative_to(root)}:{number}: a row of "
                                f"{cells} cells in a table of {head}")
    return problems


def joined(text):
    return re.sub(r"\s+", " ", text).strip()


def is_part(snippet, source):
    """Whether the parts between lines of ... are in the source, in order."""
    source = joined(source)
    begin = 0
    for part in re.split(r"^\s*\.\.\.[^\n]*\n", snippet, flags=re.MULTILINE):
        begin = source.find(joined(part), begin)
        if begin < 0:
            return False
        begin += len(joined(part))
    return True


def marked(source, name):
    """The text between the markers without its indentation, or None."""
    found = re.search(rf"^[ ]*// \[{re.escape(name)}\n(.*?)"
                      rf"^[ ]*// {re.escape(name)}\]$",
                      source, re.MULTILINE | re.DOTALL)
    if not found:
        return None
    lines = [line for line in found[1].splitlines()
             if not re.match(r"\s*// (\[[\w-]+|[\w-]+\])$", line)]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(indents, default=0)
    return "".join(line[cut:].rstrip() + "\n" for line in lines)


def check_snippets(root, update):
    problems = []
    count = 0
    for page in pages_of(root):
        name = page.relative_to(root)
        if name.parts[0] != "docs" and str(name) != "README.md":
            continue

        def look(block):
            nonlocal count
            count += 1
            first = block["text"].strip().split("\n")[0]
            if not block["file"]:
                problems.append(f"{name}: where is this compiled? {first}")
                return block[0]
            if not (root / block["file"]).is_file():
                problems.append(f"{name}: there is no {block['file']}")
                return block[0]
            source = (root / block["file"]).read_text(encoding="utf-8")
            if not block["name"]:
                if not is_part(block["text"], source):
                    problems.append(f"{name}: not in {block['file']}: {first}")
                return block[0]
            text = marked(source, block["name"])
            if not text:
                problems.append(f"{name}: {block['file']} has nothing between "
                                f"'// [{block['name']}' and "
                                f"'// {block['name']}]'")
            elif text != block["text"]:
                if update:
                    return block[0].replace(
                        f"```{block['language']}\n{block['text']}```",
                        f"```{block['language']}\n{text}```")
                problems.append(
                    f"{name}: differs from '{block['name']}' of "
                    f"{block['file']}; scripts/docs.sh --update writes it")
            return block[0]

        before = page.read_text(encoding="utf-8")
        after = BLOCK.sub(look, before)
        if after != before:
            page.write_text(after, encoding="utf-8")
    return count, problems


def check(root, update=False):
    count, problems = check_snippets(root, update)
    if update:
        count, problems = check_snippets(root, False)
    return count, check_links(root) + check_tables(root) + problems


SOURCE = """int main() {
  // [one
  int const x = 1;
  if (x) {
    return 0;
  }
  // one]
  // [empty
  // empty]
}
"""


def self_test():
    """Breaks each rule once. Returns the exit status."""
    block = "<!-- snippet: {} -->\n```cpp\n{}```\n"
    one = "int const x = 1;\nif (x) {\n  return 0;\n}\n"
    # A page of docs/, and what is said of it.
    cases = [
        ("[a](../README.md#the-c-way) and ![b](b.svg)", None),
        ("`[a](nowhere)` and\n```\n[a](nowhere)\n```\n[h](https://x/y)", None),
        ("[a](nowhere.md)", "dead link nowhere.md"),
        ("![a](../docs/c.svg)", "dead link ../docs/c.svg"),
        ("[a](../README.md#the-way)", "no heading for ../README.md#the-way"),
        ("# Here\n[a](#there)", "no heading for #there"),
        ("| a | b |\n|---|---|\n| 1 \\| 2 | 3 |\n\n| c |\n", None),
        ("| a | b |\n|---|---|\n| 1 | 2 | | 3 | 4 |\n", "a row of 5 cells"),
        (block.format("source.cpp one", one), None),
        (block.format("source.cpp", "int const  x = 1;\n"), None),
        (block.format("source.cpp", "int main() {\n  ...  // much\nreturn 0;\n"),
         None),
        (block.format("source.cpp", "return 0;\n...\nint main() {\n"),
         "not in source.cpp: return 0;"),
        (block.format("source.cpp one", "int x;\n"), "differs from 'one'"),
        (block.format("source.cpp empty", ""), "nothing between '// [empty'"),
        (block.format("source.cpp two", ""), "nothing between '// [two'"),
        (block.format("other.cpp two", ""), "there is no other.cpp"),
        ("```cpp\nint y;\n```\n", "where is this compiled? int y;"),
    ]
    failures = []
    for number, (text, expected) in enumerate(cases):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "README.md").write_text("## The `C++` way\n",
                                            encoding="utf-8")
            (root / "source.cpp").write_text(SOURCE, encoding="utf-8")
            (root / "docs/b.svg").write_text("", encoding="utf-8")
            page = root / "docs/page.md"
            page.write_text(text, encoding="utf-8")
            _, problems = check(root)
            if (expected is None) != (not problems) or (
                    expected and not (len(problems) == 1
                                      and expected in problems[0])):
                failures.append(f"case {number}: expected {expected!r}, got "
                                f"{problems}")
            if expected == "differs from 'one'":
                check(root, update=True)
                if page.read_text(encoding="utf-8") != block.format(
                        "source.cpp one", one):
                    failures.append("--update has not written the snippet")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(cases)} cases, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    update = "--update" in arguments
    arguments = [a for a in arguments if a != "--update"]
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0])
    count, problems = check(root, update)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(pages_of(root))} pages with {count} snippets, "
          f"{len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

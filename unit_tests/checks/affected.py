#!/usr/bin/env python3
"""Says what a change concerns, and which programs of a build are near it.

    affected.py kind COMMIT
    affected.py programs COMMIT BUILD_DIR TURN OF MOST
    affected.py --self-test

The change is what differs from COMMIT, in commits or in the work tree.

kind: "nothing", "pages" (documents only), "code", or "all" (how everything is
built, or COMMIT is not known).

programs: a line each, of those that BUILD_DIR (configured with Ninja) links. First
the nearest ones, at most MOST: a changed file is their own source or header, or a
header of src/ that they name. Up to MOST, near ones: it is the umbrella's header of a
name that they use, one of the same library that such a header includes, or that one
in its folder includes. A source of src/ counts as the headers of its folder that it
includes. Of too many, and of all others one in OF (0: none), by turns: TURN is a
number that grows.
What was chosen, and why, goes to the standard error.
"""

import os
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile

PRODUCT = "src/"
FOLDERS = (PRODUCT, "unit_tests/", "perf_tests/", "examples/")
CODE = (".cpp", ".hpp", ".cu", ".in")
# They include all public headers. Who includes one gets those whose names it uses.
UMBRELLAS = ("src/Kokkos_SymmetricSpace/Kokkos_SymmetricSpace.hpp",
             "src/Kokkos_SymmetricContainers/Kokkos_SymmetricContainers.hpp",
             "src/runtime/symm.hpp")
NAMES = "unit_tests/checks/public_names.txt"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
WORD = re.compile(r"\w+")
# Namespaces are not indented: a declaration starts a line, or goes on from one.
DECLARED = re.compile(r"^(?:[\w\[].*?[\s*&])??(?:"
                      r"(?:class|struct|enum|using|concept|bool|int) (?:class )?(\w+)|"
                      r"(\w+)\()", re.MULTILINE)


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


class Tree:
    """The code of a project and what includes what."""

    def __init__(self, project):
        self.project = project
        self.files = set()
        for folder in FOLDERS:
            for path in (project / folder).rglob("*"):
                if path.suffix in CODE:
                    self.files.add(path.relative_to(project).as_posix())
        self.by_name = {}
        for file in sorted(self.files):
            self.by_name.setdefault(posixpath.basename(file), []).append(file)
        self.texts = {}
        self.included = {}
        self.names = self._names_of_headers()

    def text(self, file):
        if file not in self.texts:
            self.texts[file] = read(self.project / file)
        return self.texts[file]

    def includes(self, file):
        """Files of the project; more than one if a path fits several."""
        if file not in self.included:
            self.included[file] = {
                found for written in INCLUDE.findall(self.text(file))
                for found in self._find(file, written)}
        return self.included[file]

    def _find(self, file, written):
        beside = posixpath.normpath(
            posixpath.join(posixpath.dirname(file), written))
        if beside in self.files:
            return [beside]
        while written.startswith("../"):
            written = written[3:]
        return [other for other in self.by_name.get(posixpath.basename(written), [])
                if other.endswith("/" + written)]

    def names_in(self, file):
        """What a file may mean by names of namespace symm."""
        text = self.text(file)
        if "using namespace symm" in text:
            return set(WORD.findall(text))
        return set(re.findall(r"\bsymm::(\w+)", text))

    def _names_of_headers(self):
        """Of each public header the public names that it declares, or a private
        header that no other public one includes. A name that is found nowhere is
        of the one header that has the word: a macro declares it."""
        path = self.project / NAMES
        if not path.is_file():
            return {}
        public = {line.split("::")[-1] for line in read(path).split()}
        headers = {header for umbrella in UMBRELLAS if umbrella in self.files
                   for header in self.includes(umbrella)} - set(UMBRELLAS)
        private = [file for header in headers
                   for file in self.near_headers(header) - headers]
        found, words = {}, {}
        for header in headers:
            own = {file for file in self.near_headers(header)
                   if private.count(file) == 1} | {header}
            found[header] = public & {
                name for file in own for names in DECLARED.findall(self.text(file))
                for name in names}
            words[header] = {word for file in own
                             for word in WORD.findall(self.text(file))}
        for name in public - set().union(*found.values()):
            having = [header for header in headers if name in words[header]]
            if len(having) == 1:
                found[having[0]].add(name)
        return found

    def near_headers(self, header):
        """Those of the same library that a public header includes, and what these
        include in their own folders."""
        library = "/".join(header.split("/")[:2]) + "/"
        found = {file for file in self.includes(header) if file.startswith(library)}
        waiting = list(found)
        while waiting:
            file = waiting.pop()
            folder = posixpath.dirname(file)
            for other in self.includes(file) - found:
                if posixpath.dirname(other) == folder and folder + "/" != library:
                    found.add(other)
                    waiting.append(other)
        return found


class Program:
    """What a program is made of: its own files, and product headers near it."""

    def __init__(self, tree, sources):
        self.own = set()
        direct = set()
        waiting = [file for file in sources if file in tree.files]
        while waiting:
            file = waiting.pop()
            if file.startswith(PRODUCT):
                direct.add(file)
            elif file not in self.own:
                self.own.add(file)
                waiting += tree.includes(file)
        used = set()
        if direct & set(UMBRELLAS):
            words = set().union(*(tree.names_in(file) for file in self.own))
            used = {header for header, names in tree.names.items()
                    if names & words}
        self.direct = direct - set(UMBRELLAS)
        self.near = direct | used
        for header in (direct | used) - set(UMBRELLAS):
            self.near |= tree.near_headers(header)


def statements(ninja):
    """Of build.ninja: output, rule, inputs, implicit inputs."""
    text = read(ninja).replace("$\n", "")
    for line in text.splitlines():
        if not line.startswith("build "):
            continue
        left, _, right = line[len("build "):].partition(": ")
        right = right.split(" || ")[0]
        inputs, _, implicit = right.partition(" | ")
        rule, *inputs = inputs.split()
        yield left.split(" | ")[0].split(), rule, inputs, implicit.split()


def sources_of_programs(project, build_dir):
    """Of each linked program its sources and those of its own libraries."""
    objects, libraries, programs = {}, {}, {}
    for outputs, rule, inputs, implicit in statements(build_dir / "build.ninja"):
        if rule.startswith(("CXX_COMPILER", "CUDA_COMPILER")):
            objects[outputs[0]] = inputs[0]
        elif rule.startswith(("CXX_STATIC", "CXX_SHARED_LIBRARY")):
            libraries[outputs[0]] = inputs
        if rule.startswith(("CXX_EXECUTABLE_LINKER", "CXX_SHARED_LIBRARY_LINKER",
                            "CXX_MODULE_LIBRARY_LINKER")):
            programs[outputs[0]] = (inputs, implicit)

    def relative(source):
        return os.path.relpath(os.path.join(build_dir, source), project)

    def files_of(source):
        """The file, or those that a source made by CMake includes."""
        file = relative(source)
        if not file.startswith("build/"):
            return {file}
        path = project / file
        if not path.is_file():
            return set()
        return {os.path.relpath(written, project)
                for written in INCLUDE.findall(read(path)) if os.path.isabs(written)}

    result = {}
    for program, (inputs, implicit) in programs.items():
        if program.startswith(("_deps/", "src/")):
            continue
        for library in implicit:
            if not library.startswith(("_deps/", "src/", "/")):
                inputs = inputs + libraries.get(library, [])
        found = set()
        for its in inputs:
            if its in objects:
                found |= files_of(objects[its])
        result[program] = found
    return result


def counted(tree, changed):
    """Changed files, and for sources of src/ what they are the sources of."""
    result = set(changed)
    for file in changed:
        if file.startswith(PRODUCT) and file.endswith(".cpp") and file in tree.files:
            folder, stem = posixpath.split(file)
            stem = posixpath.splitext(stem)[0]
            result |= {header for header in tree.includes(file)
                       if posixpath.dirname(header) == folder or
                       posixpath.basename(header) == stem + ".hpp"}
    return result


def near_programs(tree, programs, changed):
    """The nearest ones, and the near ones."""
    counts = counted(tree, changed)
    folders = {posixpath.dirname(file) + "/" for file in changed
               if posixpath.basename(file) == "CMakeLists.txt"}
    nearest, near = [], []
    for program, sources in sorted(programs.items()):
        made = Program(tree, sources)
        if (made.own | made.direct) & counts or program.startswith(tuple(folders)):
            nearest.append(program)
        elif made.near & counts:
            near.append(program)
    return nearest, near


def in_turn(items, turn, of):
    return [item for k, item in enumerate(items) if of and (k + turn) % of == 0]


def at_most(items, turn, most):
    """All, or `most` of them, others in the next turn."""
    if len(items) <= most:
        return items
    begin = turn * most % len(items)
    return (items + items)[begin:begin + most]


def choose(programs, nearest, near, turn, of, most):
    """Near ones, and of all others some."""
    chosen = at_most(nearest, turn, most)
    chosen = chosen + at_most(near, turn, most - len(chosen))
    others = sorted(set(programs) - set(nearest) - set(near))
    return chosen, in_turn(others, turn, of)


def changed_files(project, commit):
    """None if the commit is not known."""
    result = subprocess.run(
        ["git", "-C", str(project), "diff", "--name-only", "--no-renames", commit],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return result.stdout.split() if commit and result.returncode == 0 else None


def kind_of(changed):
    if changed is None:
        return "all"
    kinds = set()
    for file in changed:
        if file.endswith(".md") or file.startswith("docs/"):
            kinds.add("pages")
        elif file.startswith(FOLDERS) and not (
                file.startswith(PRODUCT) and file.endswith("CMakeLists.txt")):
            kinds.add("code")
        elif file == ".ci/green" or file.startswith("perf_tests/results/"):
            kinds.add("pages")
        else:
            kinds.add("all")
    for kind in ("all", "code", "pages"):
        if kind in kinds:
            return kind
    return "nothing"


def self_test():
    files = {
        UMBRELLAS[0]: '#include "../runtime/symm.hpp"\n',
        UMBRELLAS[1]: '#include <Kokkos_SymmetricSpace.hpp>\n'
                      '#include <Kokkos_SymmetricContainers_Sort.hpp>\n'
                      '#include <Kokkos_SymmetricContainers_Mail.hpp>\n',
        UMBRELLAS[2]: '#include "symm_rma.hpp"\n',
        "src/runtime/symm_rma.hpp": '#include "base/Text.hpp"\n#include "memory/Map.hpp"\n'
                                    "void put(int);\n",
        "src/runtime/base/Text.hpp": "struct Text {};\n",
        "src/runtime/base/Text.cpp": '#include "Text.hpp"\n',
        "src/runtime/memory/Map.hpp": '#include "../base/Word.hpp"\n',
        "src/runtime/base/Word.hpp": "",
        "src/Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Sort.hpp":
            '#include "sort/Ranks.hpp"\nvoid sort(int);\n',
        "src/Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Mail.hpp":
            "class Mailbox {\n  void call() { sort(1); }\n};\n",
        "src/Kokkos_SymmetricContainers/sort/Ranks.hpp": '#include "Deep.hpp"\n',
        "src/Kokkos_SymmetricContainers/sort/Ranks.cpp": '#include "Ranks.hpp"\n',
        "src/Kokkos_SymmetricContainers/sort/Deep.hpp": "",
        "unit_tests/support/pes.hpp": "",
        "unit_tests/sort/sort.cpp":
            '#include <Kokkos_SymmetricContainers.hpp>\n#include "support/pes.hpp"\n'
            "int x = symm::sort(1);\n",
        "unit_tests/mail/mail.cpp":
            "#include <Kokkos_SymmetricContainers.hpp>\nsymm::Mailbox box;\n",
        "unit_tests/runtime/text.cpp": "#include <runtime/base/Text.hpp>\n",
        "unit_tests/runtime/rma.cpp": "#include <symm.hpp>\nsymm::put(1);\n",
        NAMES: "symm::sort\nsymm::Mailbox\nsymm::put\n",
        "build/unity.cxx": "",
    }
    ninja = """
build a/sort.o: CXX_COMPILER__x /P/build/unity.cxx | pch || order
build unit_tests/sort/test_sort: CXX_EXECUTABLE_LINKER__x a/sort.o | $
    src/libsymm.a
build a/mail.o: CXX_COMPILER__x /P/unit_tests/mail/mail.cpp
build unit_tests/mail/test_mail: CXX_EXECUTABLE_LINKER__x a/mail.o
build a/text.o: CXX_COMPILER__x /P/unit_tests/runtime/text.cpp
build unit_tests/runtime/libt.a: CXX_STATIC_LIBRARY_LINKER__x a/text.o
build unit_tests/runtime/test_text: CXX_EXECUTABLE_LINKER__x | unit_tests/runtime/libt.a
build a/rma.o: CXX_COMPILER__x /P/unit_tests/runtime/rma.cpp
build unit_tests/runtime/test_rma: CXX_EXECUTABLE_LINKER__x a/rma.o
"""
    sort, mail = "unit_tests/sort/test_sort", "unit_tests/mail/test_mail"
    text, rma = "unit_tests/runtime/test_text", "unit_tests/runtime/test_rma"
    cases = [  # the nearest, the near
        ("unit_tests/sort/sort.cpp", [sort], []),
        ("unit_tests/support/pes.hpp", [sort], []),
        ("src/Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Sort.hpp", [], [sort]),
        ("src/Kokkos_SymmetricContainers/sort/Ranks.hpp", [], [sort]),
        ("src/Kokkos_SymmetricContainers/sort/Ranks.cpp", [], [sort]),
        ("src/Kokkos_SymmetricContainers/sort/Deep.hpp", [], [sort]),
        ("src/runtime/base/Word.hpp", [], []),
        ("src/Kokkos_SymmetricContainers/Kokkos_SymmetricContainers_Mail.hpp", [], [mail]),
        ("src/runtime/base/Text.cpp", [text], [rma]),
        ("src/runtime/symm_rma.hpp", [], [rma]),
        ("unit_tests/mail/CMakeLists.txt", [mail], []),
        (UMBRELLAS[0], [], []),
        (UMBRELLAS[1], [], [mail, sort]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder).resolve()
        for file, content in files.items():
            path = project / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        (project / "build/unity.cxx").write_text(
            f'#include "{project}/unit_tests/sort/sort.cpp"\n', encoding="utf-8")
        (project / "build/build.ninja").write_text(
            ninja.replace("/P/", f"{project}/"), encoding="utf-8")
        tree = Tree(project)
        programs = sources_of_programs(project, project / "build")
        wrong = []
        for changed, *expected in cases:
            found = near_programs(tree, programs, [changed])
            if found != tuple(expected):
                wrong.append(f"{changed}: {found}, not {expected}")
    all_programs = [f"p{k}" for k in range(10)]
    taken = [choose(all_programs, all_programs[:2], all_programs[2:7], turn, 0, 3)[0]
             for turn in range(5)]
    seen = {p for chosen in taken for p in chosen}
    wrong += [] if seen == set(all_programs[:7]) else [f"near by turns: {seen}"]
    if any(len(chosen) != 3 or chosen[:2] != all_programs[:2] for chosen in taken):
        wrong.append(f"the nearest first: {taken}")
    seen = {p for turn in range(4)
            for p in choose(all_programs, [], [], turn, 4, 3)[1]}
    wrong += [] if seen == set(all_programs) else [f"others by turns: {seen}"]
    for changed, expected in [
            (None, "all"), ([], "nothing"), (["docs/a.md", "README.md"], "pages"),
            (["docs/a.md", "src/a.cpp"], "code"), (["src/a/CMakeLists.txt"], "all"),
            (["unit_tests/a/CMakeLists.txt"], "code"), ([".ci/run", "a.md"], "all")]:
        if kind_of(changed) != expected:
            wrong.append(f"kind of {changed}: {kind_of(changed)}, not {expected}")
    for line in wrong:
        print(line)
    print(f"{len(wrong)} problems")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    project = pathlib.Path(__file__).resolve().parents[2]
    if len(arguments) == 2 and arguments[0] == "kind":
        print(kind_of(changed_files(project, arguments[1])))
        return 0
    if len(arguments) != 6 or arguments[0] != "programs":
        sys.exit(__doc__)
    turn, of, most = map(int, arguments[3:])
    programs = sources_of_programs(project, pathlib.Path(arguments[2]).resolve())
    changed = changed_files(project, arguments[1])
    if changed is None:  # by turns only
        print(f"commit {arguments[1]} is not known: ", end="", file=sys.stderr)
        changed = []
    nearest, near = near_programs(Tree(project), programs, changed)
    chosen, others = choose(programs, nearest, near, turn, of, most)
    print(f"{len(changed)} changed files; {len(chosen)} of {len(nearest)} nearest and "
          f"{len(near)} near programs, {len(others)} of the others of {len(programs)}",
          file=sys.stderr)
    print("\n".join(chosen + others))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Checks which names users get: all that the public headers declare in namespace
symm outside of symm::Impl, and every macro.

    check_names.py CLANG LIST COMMANDS SOURCE [--write]

CLANG is a Clang compiler. LIST is the file with the public names, a line each,
sorted. SOURCE includes all public headers; COMMANDS, a compile_commands.json,
says how it is compiled. A name that is not listed is a failure, and so is a
listed one that is not there: what users may write changes on purpose only.
--write writes LIST.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

PRIVATE = "symm::Impl"
MACRO_PREFIXES = ("SYMM_", "KOKKOS_SYMMETRICSPACE", "KOKKOS_SYMMETRICCONTAINERS")


def arguments_of(commands, source):
    """The arguments that matter to any compiler, of the source's command."""
    for entry in json.loads(commands.read_text(encoding="utf-8")):
        if pathlib.Path(entry["file"]).resolve() != source.resolve():
            continue
        words = iter(shlex.split(entry["command"]))
        result = []
        for word in words:
            if word in ("-isystem", "-I", "-D"):
                result += [word, next(words)]
            elif word.startswith(("-I", "-D", "-std=")):
                result.append(word)
        return result
    raise SystemExit(f"{commands} does not say how {source} is compiled")


def names_in(dump):
    """The sorted names that Clang's dump of namespace symm has, once each."""
    names = set(re.findall(r"^Dumping (symm::\w+):$", dump, re.MULTILINE))
    return sorted(names - {PRIVATE})


# Macros that change what a vendor's header declares.
OF_VENDORS = {"__HIP_DISABLE_CPP_FUNCTIONS__"}


def foreign_macros(src):
    """Macros of the headers without a prefix of this project."""
    found = []
    for header in sorted(src.rglob("*.hpp")):
        for name in re.findall(r"^\s*#\s*define\s+(\w+)",
                               header.read_text(encoding="utf-8"), re.MULTILINE):
            if name not in OF_VENDORS and not name.startswith(MACRO_PREFIXES):
                found.append(f"{header.name}: macro {name} has no prefix")
    return found


def main(arguments):
    write = "--write" in arguments
    arguments = [a for a in arguments if a != "--write"]
    if len(arguments) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    clang = arguments[0]
    listed, commands, source = [pathlib.Path(a) for a in arguments[1:]]
    result = subprocess.run(
        [clang, *arguments_of(commands, source), "-fsyntax-only", "-Xclang",
         "-ast-dump", "-Xclang", "-ast-dump-filter=symm::", str(source)],
        capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(result.stderr, file=sys.stderr)
        return 1
    names = names_in(result.stdout)
    if write:
        listed.write_text("".join(name + "\n" for name in names),
                          encoding="utf-8")
    expected = set(listed.read_text(encoding="utf-8").split())
    problems = [f"{name}: not in {listed.name}: is it for users? Private names "
                f"are in {PRIVATE}" for name in names if name not in expected]
    problems += [f"{name}: in {listed.name}, but no public header has it"
                 for name in sorted(expected.difference(names))]
    problems += foreign_macros(
        pathlib.Path(__file__).resolve().parents[2] / "src")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(names)} public names, {len(problems)} problems")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Compiles sources of this project alone, where builds take several at a time: one
that forgets an include does not compile. Writes no objects.

    compile_alone.py BUILD_DIR [PART OF]

BUILD_DIR is configured with SYMM_UNITY=OFF and SYMM_PRECOMPILE=OFF, and need not be
built. PART OF: of tests, benchmarks, examples and headers only one of OF parts, PART
modulo OF; the libraries, and what uses most of their headers, always.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ALWAYS = ("src/", "unit_tests/checks/using_namespace.cpp",
          "unit_tests/kokkos/compile_fail.cpp",
          "unit_tests/kokkos/compile_fail_cuda.cpp")
IN_TURN = ("unit_tests/", "perf_tests/", "examples/")
HEADERS = "/checks/headers/"  # sources in the build folder, of a header each


def commands(build_dir, project, part, n_parts):
    """Of each chosen source; once, if several targets have it."""
    found = {}
    with open(build_dir / "compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            source = os.path.relpath(entry["file"], project)
            found.setdefault(source, entry)  # the first target
    always = [source for source in sorted(found) if source.startswith(ALWAYS)]
    others = [source for source in sorted(found)
              if source not in always and (source.startswith(IN_TURN) or
                                           HEADERS in source)]
    return [found[source] for source in always + others[part % n_parts::n_parts]]


def compile_one(entry):
    words = shlex.split(entry["command"])
    place = words.index("-o")
    words[place:place + 2] = ["-fsyntax-only"]
    return entry["file"], subprocess.run(
        words, cwd=entry["directory"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False)


def main(arguments):
    if len(arguments) not in (1, 3):
        sys.exit(__doc__)
    build_dir = pathlib.Path(arguments[0])
    part, n_parts = map(int, arguments[1:] or (0, 1))
    project = pathlib.Path(__file__).resolve().parents[2]
    chosen = commands(build_dir, project, part, n_parts)
    n_failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, result in pool.map(compile_one, chosen):
            if result.returncode != 0:
                n_failed += 1
                print(f"{source} does not compile alone:\n{result.stdout}")
    print(f"{len(chosen)} sources alone, {n_failed} problems")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Checks that the headers that are installed are those that users' programs reach:
the public ones, directly in a library's folder, and what they include, on and on.

    check_installed.py SRC
    check_installed.py --self-test

Each library's CMakeLists.txt lists what it installs in the file set HEADERS, with
those of its folders about GPUs in these folders' own CMakeLists.txt. A header that
is installed and not reached is a failure, and so is one that is reached and not
installed.
"""

import pathlib
import re
import sys
import tempfile

LIBRARIES = ("runtime", "Kokkos_SymmetricSpace", "Kokkos_SymmetricContainers")


def gpu_folders(src):
    """The folders about GPUs of each build: a vendor's and gpu, or no_gpu."""
    folders = {folder.parent.name for folder in src.glob("*/*/symm_gpu")}
    return [*((vendor, "gpu") for vendor in sorted(folders - {"gpu", "no_gpu"})),
            ("no_gpu",)]


def reached(src, gpu):
    """Headers of a build for `gpu` that are reached from public ones."""
    roots = [src] + [src / library for library in LIBRARIES]
    roots += [src / library / folder for library in LIBRARIES for folder in gpu]
    waiting = [header for library in LIBRARIES
               for header in sorted((src / library).glob("*.hpp"))]
    found = set()
    while waiting:
        header = waiting.pop()
        if header in found:
            continue
        found.add(header)
        text = header.read_text(encoding="utf-8")
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text,
                               re.MULTILINE):
            for folder in [header.parent] + roots:
                path = (folder / name).resolve()
                if path.is_file():
                    waiting.append(path)
                    break
    return found


def installed(src, gpu):
    """What the file sets HEADERS list."""
    found = set()
    for library in LIBRARIES:
        for folder in [src / library] + [src / library / name for name in gpu]:
            lists = folder / "CMakeLists.txt"
            if not lists.is_file():
                continue
            text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
            for files in re.findall(
                    r"PUBLIC\s+FILE_SET\s+HEADERS\s.*?FILES\s(.*?)(?:\)|PRIVATE)",
                    text, re.DOTALL):
                for name in files.split():
                    found.add((folder / name).resolve())
    return found


def complaints(src):
    """What is wrong, a line each."""
    src = src.resolve()
    result = []
    for gpu in gpu_folders(src):
        used, listed = reached(src, gpu), installed(src, gpu)
        for header in sorted(listed - used):
            result.append(f"{header.relative_to(src)} ({gpu[0]}): installed, and "
                          "reached from no public header")
        for header in sorted(used - listed):
            result.append(f"{header.relative_to(src)} ({gpu[0]}): reached from a "
                          "public header, and not installed")
    return result


def self_test():
    """That it finds both."""
    builds = [("cuda", "gpu"), ("hip", "gpu"), ("no_gpu",)]
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder)
        files = {
            "runtime/symm.hpp": '#include "a/Used.hpp"\n#include <symm_gpu/Gpu.hpp>\n',
            "runtime/a/Used.hpp": '#include "../a/Missing.hpp"\n',
            "runtime/a/Missing.hpp": "#include <vector>\n",
            "runtime/a/Unused.hpp": "",
            "runtime/cuda/symm_gpu/Gpu.hpp": "#include <symm_gpu/Common.hpp>\n",
            "runtime/cuda/CMakeLists.txt":
                "target_sources(x PUBLIC FILE_SET HEADERS FILES symm_gpu/Gpu.hpp)\n",
            "runtime/hip/symm_gpu/Gpu.hpp": "#include <symm_gpu/Common.hpp>\n",
            "runtime/hip/CMakeLists.txt":
                "target_sources(x PUBLIC FILE_SET HEADERS FILES symm_gpu/Gpu.hpp)\n",
            "runtime/gpu/symm_gpu/Common.hpp": "",
            "runtime/gpu/CMakeLists.txt":
                "target_sources(x PUBLIC FILE_SET HEADERS FILES symm_gpu/Common.hpp)\n",
            "runtime/no_gpu/symm_gpu/Gpu.hpp": "",
            "runtime/no_gpu/CMakeLists.txt":
                "target_sources(x PUBLIC FILE_SET HEADERS FILES symm_gpu/Gpu.hpp)\n",
            "runtime/CMakeLists.txt":
                "target_sources(x PUBLIC FILE_SET HEADERS BASE_DIRS d FILES symm.hpp\n"
                " a/Used.hpp a/Unused.hpp # text\n"
                " PRIVATE FILE_SET internal TYPE HEADERS FILES a/Other.hpp)\n",
        }
        for name, text in files.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text, encoding="utf-8")
        found = complaints(src)
    expected = [f"runtime/a/{name}.hpp ({gpu[0]}): {what}" for gpu in builds
                for name, what in (
                    ("Unused", "installed, and reached from no public header"),
                    ("Missing",
                     "reached from a public header, and not installed"))]
    if found != expected:
        print("\n".join(found))
        return 1
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__)
        return 2
    found = complaints(pathlib.Path(arguments[0]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

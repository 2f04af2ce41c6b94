#!/usr/bin/env python3
"""Checks the layers of src/: who may include whom, and who owns what.

    check_layers.py SRC_FOLDER    checks the tree
    check_layers.py --self-test   shows that each rule can fail

A unit is a header and the source file of the same name. A unit may include
units of its own layer, as long as there is no cycle, and of the layers below.
A new unit is added to LAYERS; a unit that needs a foreign header to OWNERS.
"""

import pathlib
import re
import sys
import tempfile

RUNTIME = "runtime/"
KOKKOS = "Kokkos_SymmetricSpace/Kokkos_SymmetricSpace"

# From bottom to top.
LAYERS = [
    ("base",
     [RUNTIME + unit for unit in
      ("Types", "Text", "Error", "LastError", "Env", "UniqueFd")]),
    ("bootstrap",
     [RUNTIME + unit for unit in ("Bootstrap", "Bootstrap_Mpi", "Mesh", "FdExchange")]),
    ("memory",
     [RUNTIME + unit for unit in
      ("HostCopy", "HostMemory", "Vmm", "VmmLedger", "Vmm_HostMemfd", "CudaDriver",
       "Vmm_Cuda", "Vmm_CudaForeign", "Device", "Device_Cuda", "Device_None",
       "HeapMap", "SymmetricRange")]),
    ("PEs",
     [RUNTIME + unit for unit in ("Backoff", "Operation", "Rendezvous", "PeTeamMemory")]),
    ("heap",
     [RUNTIME + unit for unit in
      ("ChunkMap", "OffsetMap", "OffsetAllocator", "Poison", "RetiredList",
       "SymmetricHeap", "SymmetricHeap_Blocks", "SymmetricHeap_Registration",
       "BufferRegistry", "RegistrableMemory")]),
    ("top", [RUNTIME + unit for unit in
             ("Runtime", "SymmetricMemory", "Registration", "SharedBuffer")]),
    ("Kokkos space",
     [KOKKOS + unit for unit in
      ("_Fwd", "_CudaCheck", "_KernelText", "_AtomicView", "_MemorySpace", "_MemorySpaceAccess",
       "_DeepCopy", "_ViewFill", "_SharedAlloc")]),
    ("Kokkos Views",
     [KOKKOS + unit for unit in
      ("_PeerView", "_GlobalView", "_OwnedView", "_ViewBytes", "_Register", "_SharedView")]),
    ("operations",
     [KOKKOS + unit for unit in
      ("_Access", "_Atomics", "_Ordering", "_Copy",
       "_ViewCopy", "_Rma", "_RmaStrided", "_RmaInKernels", "_Signal",
       "_Waiting")]),
    ("PE teams",
     [KOKKOS + unit for unit in ("_Launch", "_PeTeam", "_TeamSync", "_TeamSplit", "_CollectiveWork",
                            "_CollectiveCall", "_Collectives",
                            "_ViewCollectives")]),
    ("Kokkos start", [KOKKOS + "_Initialize"]),
    ("umbrella", [KOKKOS]),
]

IN_KOKKOS_LAYER = [unit for _, units in LAYERS for unit in units
                   if unit.startswith(KOKKOS)]

# Foreign header (a regular expression) -> the units that may include it.
OWNERS = {
    r"mpi\.h": [RUNTIME + "Bootstrap_Mpi", KOKKOS + "_Initialize"],
    r"cuda.*\.h": [RUNTIME + "CudaDriver", RUNTIME + "Vmm_Cuda",
                    RUNTIME + "Vmm_CudaForeign"],
    r"sys/mman\.h": [RUNTIME + "Vmm_HostMemfd"],
    r"sys/socket\.h": [RUNTIME + "Mesh", RUNTIME + "FdExchange"],
    r"sys/un\.h": [RUNTIME + "Mesh"],
    r"sys/uio\.h": [RUNTIME + "SharedBuffer"],
    r"uc[pst]/.*": [],
    r"(impl/)?Kokkos_.*|desul/.*": IN_KOKKOS_LAYER,
}

# Text outside comments (a regular expression) -> the units that may have it.
TEXT_OWNERS = {
    r"\bKokkos::Impl\b|\bKOKKOS_IMPL_":
        [KOKKOS + unit for unit in
         ("_AtomicView", "_MemorySpaceAccess", "_DeepCopy", "_SharedAlloc",
          "_OwnedView", "_ViewFill")],
    r"\bKokkos::|\bKOKKOS_": IN_KOKKOS_LAYER,
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)


def find_cycle(graph):
    """Returns the nodes of a cycle of the graph, or None."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        for successor in sorted(graph.get(node, ())):
            cycle = visit(successor, path + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


def check(src):
    """Returns a list of messages, one for each broken rule."""
    problems = []
    layer_of = {unit: level for level, (_, units) in enumerate(LAYERS)
                for unit in units}
    graph = {}
    seen = set()

    for path in sorted(src.rglob("*")):
        if path.suffix not in (".hpp", ".h", ".cpp", ".cu"):
            continue
        name = path.relative_to(src).as_posix()
        unit = name[:-len(path.suffix)]
        seen.add(unit)
        if unit not in layer_of:
            problems.append(f"{name}: not listed in any layer")
            continue
        code = COMMENT.sub(" ", path.read_text(encoding="utf-8"))

        for quote, header in INCLUDE.findall(code):
            # Relative to the file that includes: a user's own folder "runtime"
            # in the search path cannot come before ours.
            is_relative = header.startswith("../runtime/")
            if (quote == '"') != is_relative or header.startswith("runtime/"):
                problems.append(f'{name}: {header}: write "../runtime/X.hpp" '
                                "for ours, <...> for all others")
                continue
            target = re.sub(r"\.hpp$", "", header.removeprefix("../"))
            if target.startswith("Kokkos_SymmetricSpace"):
                target = "Kokkos_SymmetricSpace/" + target
            if target in layer_of:
                if layer_of[target] > layer_of[unit]:
                    problems.append(
                        f"{name}: includes {header} of the later layer "
                        f"'{LAYERS[layer_of[target]][0]}'")
                elif target != unit:
                    graph.setdefault(unit, set()).add(target)
                continue
            for pattern, owners in OWNERS.items():
                if re.fullmatch(pattern, header) and unit not in owners:
                    problems.append(f"{name}: does not own <{header}>")

        for pattern, owners in TEXT_OWNERS.items():
            match = re.search(pattern, INCLUDE.sub("", code))
            if match and unit not in owners:
                problems.append(f"{name}: does not own {match.group()}")

    for unit in sorted(layer_of.keys() - seen):
        problems.append(f"{unit}: listed in a layer, but there is no such file")
    cycle = find_cycle(graph)
    if cycle:
        problems.append("include cycle: " + " -> ".join(cycle))
    return problems


def self_test():
    """Breaks each rule once in a small tree. Returns the exit status."""
    space = KOKKOS + "_MemorySpace.hpp"
    # File; line added to it, None: the file is removed; expected message, None:
    # no message.
    cases = [
        ("runtime/Error.hpp", "#include \"../runtime/Types.hpp\"", None),
        ("runtime/Vmm.hpp", "#include \"../runtime/Error.hpp\"", None),
        ("runtime/Bootstrap_Mpi.cpp", "#include <mpi.h>", None),
        ("runtime/Types.hpp", "// <mpi.h> and Kokkos::Impl in a comment", None),
        (space, "#include <Kokkos_Core.hpp>", None),
        (space, "#include \"../runtime/Runtime.hpp\"", None),
        ("runtime/Types.hpp", "#include \"../runtime/Vmm.hpp\"", "later layer"),
        ("runtime/Runtime.cpp", "#include <Kokkos_SymmetricSpace.hpp>",
         "later layer"),
        ("runtime/Unknown.hpp", "", "not listed"),
        ("runtime/Types.hpp", None, "there is no such file"),
        ("runtime/Error.cpp", '#include "Error.hpp"', "write"),
        ("runtime/Error.cpp", "#include <runtime/Error.hpp>", "write"),
        ("runtime/Runtime.cpp", "#include <mpi.h>", "does not own <mpi.h>"),
        ("runtime/Runtime.cpp", "# include <cuda.h>", "does not own <cuda.h>"),
        ("runtime/Runtime.cpp", "#include <sys/mman.h>", "does not own <sys/"),
        ("runtime/Runtime.cpp", "#include <sys/socket.h>",
         "does not own <sys/"),
        ("runtime/Runtime.cpp", "#include <sys/uio.h>", "does not own <sys/"),
        ("runtime/Runtime.cpp", "#include <ucp/api/ucp.h>",
         "does not own <ucp/"),
        ("runtime/Runtime.cpp", "#include <Kokkos_Core.hpp>",
         "does not own <Kokkos_Core.hpp>"),
        ("runtime/Runtime.cpp", "Kokkos::fence();", "does not own Kokkos::"),
        (space, "namespace Kokkos::Impl {", "does not own Kokkos::Impl"),
        ("runtime/Types.hpp", "#include \"../runtime/Error.hpp\"", "include cycle"),
    ]
    failures = []
    for number, (file, line, expected) in enumerate(cases):
        with tempfile.TemporaryDirectory() as folder:
            src = pathlib.Path(folder)
            for _, units in LAYERS:
                for unit in units:
                    header = src / (unit + ".hpp")
                    header.parent.mkdir(parents=True, exist_ok=True)
                    header.write_text("#include <string>\n", encoding="utf-8")
            if expected == "include cycle":
                (src / "runtime/Error.hpp").write_text(
                    '#include "../runtime/Types.hpp"\n', encoding="utf-8")
            if line is None:
                (src / file).unlink()
            else:
                with (src / file).open("a", encoding="utf-8") as stream:
                    stream.write(line + "\n")
            problems = check(src)
        as_expected = (not problems if expected is None
                       else len(problems) == 1 and expected in problems[0])
        if not as_expected:
            failures.append(f"case {number}, {file}: {line!r}: expected "
                            f"{expected!r}, got {problems}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(cases) - len(failures)} of {len(cases)} cases as expected")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    problems = check(pathlib.Path(arguments[0]))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} problems in the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

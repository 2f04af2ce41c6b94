#!/usr/bin/env python3
"""Checks the layers of src/: who may include whom, and who owns what.

    check_layers.py SRC_FOLDER    checks the tree
    check_layers.py --self-test   shows that each rule can fail

A unit is a header and the source file of the same name; its folder is its layer.
A unit may include units of its own layer, as long as there is no cycle, and of
the layers below. A new folder is added to LAYERS; a unit that needs a foreign
header to OWNERS.
"""

import pathlib
import posixpath
import re
import sys
import tempfile

RUNTIME = "runtime"
KOKKOS = "Kokkos_SymmetricSpace"
CONTAINERS = "Kokkos_SymmetricContainers"

# The folders, from bottom to top. What is in none of them, directly in the
# folder of a library, is its public face.
LAYERS = [
    RUNTIME + "/base",
    RUNTIME + "/bootstrap",
    RUNTIME + "/memory",
    RUNTIME + "/check",
    RUNTIME + "/gpu",
    RUNTIME + "/cuda",
    RUNTIME + "/hip",
    RUNTIME + "/no_gpu",
    RUNTIME + "/engines",
    RUNTIME + "/transport",
    RUNTIME + "/pes",
    RUNTIME + "/registration",
    RUNTIME + "/heap",
    RUNTIME + "/network",
    RUNTIME + "/job",
    RUNTIME + "/groups",
    RUNTIME + "/access",
    RUNTIME + "/waiting",
    RUNTIME + "/teams",
    RUNTIME + "/one_sided",
    RUNTIME + "/collectives",
    RUNTIME + "/shared_buffers",
    RUNTIME + "/pools",
    RUNTIME,
    KOKKOS + "/space",
    KOKKOS + "/kokkos_impl",
    KOKKOS + "/view",
    KOKKOS + "/gpu",
    KOKKOS + "/no_gpu",
    KOKKOS + "/operations",
    KOKKOS + "/places",
    KOKKOS + "/edge",
    KOKKOS,
    CONTAINERS + "/base",
    CONTAINERS + "/exchange",
    CONTAINERS + "/mail",
    CONTAINERS + "/hash_map",
    CONTAINERS + "/work_queue",
    CONTAINERS + "/distributed",
    CONTAINERS + "/sort",
    CONTAINERS,
    "tools/symm_info",
]

# Public headers that belong to the layer which implements them; the others are
# above all folders of their library.
LAYER_OF_UNIT = {
    RUNTIME + "/symm_errors": RUNTIME + "/base",
    RUNTIME + "/symm_check": RUNTIME + "/check",
    RUNTIME + "/symm_job": RUNTIME + "/job",
    RUNTIME + "/symm_memory": RUNTIME + "/job",
    RUNTIME + "/symm_atomics": RUNTIME + "/one_sided",
    RUNTIME + "/symm_pools": RUNTIME + "/pools",
    RUNTIME + "/symm_collectives": RUNTIME + "/collectives",
    RUNTIME + "/symm_contexts": RUNTIME + "/one_sided",
    RUNTIME + "/symm_signals": RUNTIME + "/one_sided",
    RUNTIME + "/symm_locks": RUNTIME + "/one_sided",
    RUNTIME + "/symm_teams": RUNTIME + "/teams",
    KOKKOS + "/Kokkos_SymmetricSpace_Space": KOKKOS + "/kokkos_impl",
    KOKKOS + "/Kokkos_SymmetricSpace_Edge": KOKKOS + "/edge",
}

# The folders about GPUs of a library, of which CMake chooses no_gpu, or gpu and a
# vendor's. Headers in them are included as <symm_gpu/X.hpp>; X's layer is that of
# what it adds GPUs to. X is either in gpu or in the folder of each vendor, and in
# no_gpu.
VENDORS = ["cuda", "hip"]
GPU_FOLDERS = ["gpu", *VENDORS, "no_gpu"]
LAYER_OF_GPU_HEADER = {
    RUNTIME: {"CheckCalls": RUNTIME + "/base",
              "KernelAbort": RUNTIME + "/base",
              "KernelCheck": RUNTIME + "/check",
              "KernelWords": RUNTIME + "/base",
              "Launch": RUNTIME + "/access",
              "ProxyOfModule": RUNTIME + "/access",
              "ShadowKernels": RUNTIME + "/access",
              "CollectiveKernels": RUNTIME + "/collectives",
              "ThreadBlock": RUNTIME + "/groups"},
    KOKKOS: {"ExecutionSpaceQueue": KOKKOS + "/space",
             "Space": KOKKOS + "/space",
             "KokkosImpl": KOKKOS + "/kokkos_impl",
             "Views": KOKKOS + "/view"},
}
# Those that no_gpu has not.
LAYER_OF_GPU_ONLY_HEADER = {
    RUNTIME: {"DriverNames": RUNTIME + "/base",
              "KernelRuntime": RUNTIME + "/base",
              "LaunchKernel": RUNTIME + "/groups",
              "RuntimeNames": RUNTIME + "/base",
              "WordTypes": RUNTIME + "/base"},
    KOKKOS: {"KokkosNames": KOKKOS + "/space"},
}
for library, headers in [*LAYER_OF_GPU_HEADER.items(),
                         *LAYER_OF_GPU_ONLY_HEADER.items()]:
    for unit, layer in headers.items():
        for folder in GPU_FOLDERS:
            LAYER_OF_UNIT[f"{library}/{folder}/symm_gpu/{unit}"] = layer

# Foreign header (a regular expression) -> the folders and units that may include
# it.
OWNERS = {
    r"mpi\.h": [RUNTIME + "/bootstrap/Bootstrap_Mpi", RUNTIME + "/symm_mpi"] +
              [f"{RUNTIME}/check/Mpi{part}" for part in
               ("Collectives", "Communicator", "Messages", "Requests",
                "Start")],
    r"pmix.*\.h": [RUNTIME + "/bootstrap/Bootstrap_Pmix"],
    r"cuda.*\.h": [RUNTIME + "/cuda"],
    r"hip/.*": [RUNTIME + "/hip", RUNTIME + "/base/Function"],
    r"sys/mman\.h": [RUNTIME + "/memory/Vmm_HostMemfd",
                     RUNTIME + "/check/CheckMemory"],
    r"sys/socket\.h": [RUNTIME + "/bootstrap", RUNTIME + "/engines/Descriptors"],
    r"sys/un\.h": [RUNTIME + "/bootstrap/Mesh"],
    r"sys/uio\.h": [RUNTIME + "/shared_buffers/SharedBuffer",
                     RUNTIME + "/engines/ProcessMemory"],
    r"uc[pst]/.*": [RUNTIME + "/engines"],
    r"rdma/.*": [RUNTIME + "/engines"],
    r"(impl/)?Kokkos_.*|desul/.*": [KOKKOS, CONTAINERS],
}

# Text outside comments (a regular expression) -> the folders and units that may
# have it.
TEXT_OWNERS = {
    r"\bgetenv\b": [RUNTIME + "/base/Env"],
    # Whether the detector of races is there; others ask check::has_detector.
    r"\bSYMM_CHECK\b": [RUNTIME + "/check", RUNTIME + "/base/Check",
                        RUNTIME + "/symm_check",
                        RUNTIME + "/gpu/symm_gpu/CheckCalls",
                        RUNTIME + "/gpu/symm_gpu/KernelCheck"],
    # All but the choice goes by JobStart and Bootstrap.
    r"\bstart_by_\w+\b": [RUNTIME + "/bootstrap", RUNTIME + "/job/Job"],
    # KernelText checks preconditions where Kokkos does.
    r"\bKokkos::|\bKOKKOS_": [KOKKOS, CONTAINERS, RUNTIME + "/base/KernelText",
                              RUNTIME + "/base/EnvironmentTable"],
    r"\bKokkos::Impl\b|\bKOKKOS_IMPL_":
        [KOKKOS + "/kokkos_impl", KOKKOS + "/gpu/AllocationRecord_Gpu"] +
        [f"{KOKKOS}/{folder}/symm_gpu/{unit}" for folder in GPU_FOLDERS
         for unit in ("KokkosImpl", "KokkosNames")],
    r"\b__CUDA\w+|\b__HIP\w+":
        [RUNTIME + "/base/Function", RUNTIME + "/cuda", RUNTIME + "/hip"],
    r"\bKOKKOS_ENABLE_CUDA\b|\bKokkos::Cuda": [KOKKOS + "/cuda"],
    r"\bKOKKOS_ENABLE_HIP\b|\bKokkos::HIP": [KOKKOS + "/hip"],
}

# What no public header of these libraries leads to: users do not wait for its
# compilation.
FACES = [RUNTIME, KOKKOS, CONTAINERS]
UNSEEN = [RUNTIME + "/bootstrap/FdExchange", RUNTIME + "/heap/SymmetricHeap",
          RUNTIME + "/job/Runtime", RUNTIME + "/pes/Rendezvous"]

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


def reachable(graph, unit):
    """Returns all units that the unit includes, however indirectly."""
    found = set()
    waiting = [unit]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def owns(owners, unit):
    """Whether the unit, or a folder around it, is among the owners."""
    return any(unit == owner or unit.startswith(owner + "/")
               for owner in owners)


def gpu_targets(src, header):
    """The headers that <symm_gpu/X.hpp> has to be, one in each folder."""
    name = posixpath.basename(header).removesuffix(".hpp")
    for layers, others in ((LAYER_OF_GPU_ONLY_HEADER, []),
                           (LAYER_OF_GPU_HEADER, ["no_gpu"])):
        for library, headers in layers.items():
            if name not in headers:
                continue
            is_common = (src / library / "gpu" / header).is_file()
            return [f"{library}/{folder}/{header}"
                    for folder in (["gpu"] if is_common else VENDORS) + others]
    return [header]


def layer_of(unit):
    """The number of the unit's layer, or None."""
    layer = LAYER_OF_UNIT.get(unit, posixpath.dirname(unit))
    return LAYERS.index(layer) if layer in LAYERS else None


def check(src):
    """Returns a list of messages, one for each broken rule."""
    problems = []
    graph = {}
    headers = {}  # the graph of the headers alone
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".hpp", ".h", ".cpp", ".cu"):
            continue
        name = path.relative_to(src).as_posix()
        unit = name[:-len(path.suffix)]
        if layer_of(unit) is None:
            problems.append(f"{name}: its folder is not listed in LAYERS")
            continue
        code = COMMENT.sub(" ", path.read_text(encoding="utf-8"))

        for quote, header in INCLUDE.findall(code):
            # Relative to the file that includes, so that no folder in a user's
            # search path can come before ours.
            target = posixpath.normpath(
                posixpath.join(posixpath.dirname(name), header))
            for library in (KOKKOS, CONTAINERS):
                if quote == "<" and (src / library / header).is_file():
                    target = library + "/" + header  # a public one
            if quote == "<" and header.startswith("symm_gpu/"):
                candidates = gpu_targets(src, header)
                problems += [f"{name}: there is no {candidate}"
                             for candidate in candidates
                             if not (src / candidate).is_file()]
                target = candidates[0]
            is_ours = (src / target).is_file()
            if (quote == '"' and not is_ours) or (
                    quote == "<" and (src / header).is_file()):
                problems.append(f"{name}: {header}: write the path from this "
                                'file in "" for ours, <...> for all others')
                continue
            if is_ours:
                target = target.removesuffix(".hpp")
                if (unit.startswith(CONTAINERS + "/") and
                        not target.startswith(CONTAINERS + "/") and
                        posixpath.dirname(target) not in FACES):
                    problems.append(f"{name}: {header} is private: containers "
                                    "include public headers")
                if layer_of(target) > layer_of(unit):
                    problems.append(
                        f"{name}: includes {header} of the later layer "
                        f"'{LAYERS[layer_of(target)]}'")
                elif target != unit:
                    graph.setdefault(unit, set()).add(target)
                    if path.suffix == ".hpp":
                        headers.setdefault(unit, set()).add(target)
                continue
            for pattern, owners in OWNERS.items():
                if re.fullmatch(pattern, header) and not owns(owners, unit):
                    problems.append(f"{name}: does not own <{header}>")

        for pattern, owners in TEXT_OWNERS.items():
            match = re.search(pattern, INCLUDE.sub("", code))
            if match and not owns(owners, unit):
                problems.append(f"{name}: does not own {match.group()}")

    for unit in headers:
        if posixpath.dirname(unit) in FACES:
            problems += [f"{unit}.hpp: leads to {unseen}.hpp, which is private"
                         for unseen in UNSEEN
                         if unseen in reachable(headers, unit)]

    cycle = find_cycle(graph)
    if cycle:
        problems.append("include cycle: " + " -> ".join(cycle))
    return problems


def self_test():
    """Breaks each rule once in a small tree. Returns the exit status."""
    space = KOKKOS + "/space/MemorySpace.hpp"
    mail = CONTAINERS + "/mail/Mail.hpp"
    files = ["runtime/base/Types.hpp", "runtime/base/Error.hpp",
             "runtime/base/Error.cpp", "runtime/memory/Vmm.hpp",
             "runtime/bootstrap/Bootstrap_Mpi.cpp", "runtime/job/Runtime.hpp",
             "runtime/job/Runtime.cpp", "runtime/symm.hpp", space,
             "runtime/cuda/symm_gpu/KernelAbort.hpp",
             "runtime/hip/symm_gpu/KernelAbort.hpp",
             "Kokkos_SymmetricSpace/Kokkos_SymmetricSpace.hpp"]
    # File; line added to it; expected message, None: no message.
    cases = [
        ("runtime/base/Error.hpp", '#include "Types.hpp"', None),
        ("runtime/memory/Vmm.hpp", '#include "../base/Error.hpp"', None),
        ("runtime/symm.hpp", '#include "base/Types.hpp"', None),
        ("runtime/symm.hpp", '#include "job/Runtime.hpp"',
         "symm.hpp: leads to runtime/job/Runtime.hpp"),
        ("Kokkos_SymmetricSpace/Kokkos_SymmetricSpace.hpp",
         '#include "../runtime/job/Runtime.hpp"',
         "SymmetricSpace.hpp: leads to runtime/job/Runtime.hpp"),
        ("runtime/bootstrap/Bootstrap_Mpi.cpp", "#include <mpi.h>", None),
        ("runtime/base/Types.hpp", "// <mpi.h> and Kokkos::Impl in a comment",
         None),
        (space, "#include <Kokkos_Core.hpp>", None),
        (space, '#include "../../runtime/job/Runtime.hpp"', None),
        ("runtime/base/Types.hpp", '#include "../memory/Vmm.hpp"',
         "later layer"),
        ("runtime/job/Runtime.hpp", '#include "../symm.hpp"', "later layer"),
        ("runtime/job/Runtime.cpp", "#include <Kokkos_SymmetricSpace.hpp>",
         "later layer"),
        ("runtime/unknown/X.hpp", "", "not listed"),
        ("runtime/base/Error.cpp", '#include "base/Types.hpp"', "write"),
        ("runtime/base/Error.cpp", "#include <runtime/base/Error.hpp>",
         "write"),
        ("runtime/job/Runtime.cpp", "#include <mpi.h>", "does not own <mpi.h>"),
        ("runtime/job/Runtime.cpp", "# include <cuda.h>",
         "does not own <cuda.h>"),
        ("runtime/job/Runtime.cpp", "#include <sys/mman.h>",
         "does not own <sys/"),
        ("runtime/job/Runtime.cpp", "#include <sys/socket.h>",
         "does not own <sys/"),
        ("runtime/job/Runtime.cpp", "#include <sys/uio.h>",
         "does not own <sys/"),
        ("runtime/job/Runtime.cpp", "#include <ucp/api/ucp.h>",
         "does not own <ucp/"),
        ("runtime/job/Runtime.cpp", "#include <Kokkos_Core.hpp>",
         "does not own <Kokkos_Core.hpp>"),
        ("runtime/job/Runtime.cpp", "Kokkos::fence();",
         "does not own Kokkos::"),
        ("runtime/job/Runtime.cpp", 'std::getenv("X");',
         "does not own getenv"),
        ("runtime/job/Runtime.cpp", "#ifdef SYMM_CHECK",
         "does not own SYMM_CHECK"),
        (space, "namespace Kokkos::Impl {", "does not own Kokkos::Impl"),
        (space, "#ifdef KOKKOS_ENABLE_CUDA",
         "does not own KOKKOS_ENABLE_CUDA"),
        ("runtime/memory/Vmm.hpp", "#ifdef __CUDA_ARCH__",
         "does not own __CUDA_ARCH__"),
        ("runtime/base/Error.cpp", "#include <symm_gpu/KernelAbort.hpp>",
         "there is no runtime/no_gpu/symm_gpu/KernelAbort.hpp"),
        ("runtime/base/Error.cpp", "#include <symm_gpu/Unknown.hpp>",
         "there is no symm_gpu/Unknown.hpp"),
        ("runtime/base/Types.hpp", '#include "Error.hpp"', "include cycle"),
        (mail, '#include "../../runtime/symm.hpp"', None),
        (mail, '#include "../../runtime/memory/Vmm.hpp"', "is private"),
        (mail, '#include "../../Kokkos_SymmetricSpace/space/MemorySpace.hpp"',
         "is private"),
    ]
    failures = []
    for number, (file, line, expected) in enumerate(cases):
        with tempfile.TemporaryDirectory() as folder:
            src = pathlib.Path(folder)
            for name in [*files, file]:
                header = src / name
                header.parent.mkdir(parents=True, exist_ok=True)
                header.write_text("#include <string>\n", encoding="utf-8")
            if expected == "include cycle":
                (src / "runtime/base/Error.hpp").write_text(
                    '#include "Types.hpp"\n', encoding="utf-8")
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

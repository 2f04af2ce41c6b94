#!/usr/bin/env python3
"""Checks what Clang has made of kernels.cu for AMD's GPUs.

    check_amd_code.py ARCHITECTURE ASSEMBLY
    check_amd_code.py --self-test

Elements of a GlobalView are stored without a call, and without a stack. Words
that other PEs access at the same time are loaded and stored in the scope of the
system. On gfx90a, loads go past the first cache only.
"""

import pathlib
import re
import sys

NEAR = ("element_global", "element_local", "row_global", "row_local",
        "scatter_global", "scatter_local")
# What an instruction has whose scope is the system.
SYSTEM = {"gfx90a": "glc", "gfx942": "sc0 sc1"}


def kernels_of(text):
    """Returns {name: (instructions, bytes of its stack)}."""
    result = {}
    for match in re.finditer(r"^(\w+):[^\n]*\n(.*?)\.amdhsa_kernel \1\n(.*?)"
                             r"\.end_amdhsa_kernel", text, re.M | re.S):
        name, body, facts = match.groups()
        lines = [line.split(";")[0].strip() for line in body.splitlines()]
        stack = re.search(r"private_segment_fixed_size (\d+)", facts)
        result[name] = ([line for line in lines if line], int(stack.group(1)))
    return result


def check(architecture, text):
    problems = []
    kernels = kernels_of(text)
    for name in NEAR + ("words",):
        if name not in kernels:
            problems.append(f"{name}: not found")
            continue
        body, stack = kernels[name]
        if stack != 0:
            problems.append(f"{name}: a stack of {stack} bytes")
        if any("s_swappc" in line for line in body):
            problems.append(f"{name}: calls a function")
        if any(line.startswith(("flat_", "scratch_")) for line in body):
            problems.append(f"{name}: an access that is not to global memory")
    body = kernels.get("words", ([], 0))[0]
    scope = SYSTEM[architecture]
    loads = [line for line in body if line.startswith("global_load")]
    if len(loads) != 2 or not all(line.endswith(scope) for line in loads):
        problems.append(f"words: loads that are not '{scope}': {loads}")
    stores = [line for line in body if line.startswith("global_store")]
    # On gfx90a, stores of this scope have no bits, and stay in the second cache; a
    # release writes back what is stored before it.
    if len(stores) != 2 or (architecture != "gfx90a" and not all(
            line.endswith(scope) for line in stores)):
        problems.append(f"words: stores that are not '{scope}': {stores}")
    if not any(re.match(r"buffer_wbl2", line) for line in body):
        problems.append("words: a release that writes no cache back")
    if not any(re.match(r"buffer_(inv|wbinv|invl2)", line) for line in body):
        problems.append("words: an acquire that keeps old data in a cache")
    if not any(line.startswith("global_atomic_add") for line in body):
        problems.append("words: no instruction that adds")
    return problems


def self_test():
    def kernel(name, body, stack=0):
        return (f"{name}:\n{body}\n\ts_endpgm\n\t.amdhsa_kernel {name}\n"
                f"\t\t.amdhsa_private_segment_fixed_size {stack}\n"
                f"\t.end_amdhsa_kernel\n")

    words = "\n".join(["\tglobal_load_dwordx2 v[2:3], v0, s[2:3] glc",
                       "\tglobal_store_dwordx2 v0, v[2:3], s[0:1]",
                       "\tglobal_load_dwordx2 v[2:3], v0, s[2:3] offset:8 glc",
                       "\tbuffer_invl2", "\tbuffer_wbl2",
                       "\tglobal_store_dwordx2 v0, v[2:3], s[0:1] offset:8",
                       "\tglobal_atomic_add_x2 v0, v[2:3], s[0:1] offset:16"])
    good = "".join(kernel(name, "\tglobal_store_dwordx2 v0, v[2:3], s[0:1]")
                   for name in NEAR) + kernel("words", words)
    broken = {
        "a stack of 16": good.replace("fixed_size 0", "fixed_size 16", 1),
        "calls a function": good.replace("\ts_endpgm", "\ts_swappc_b64 s[30:31], "
                                         "s[4:5]\n\ts_endpgm", 1),
        "not to global": good.replace("\tglobal_store", "\tflat_store", 1),
        "loads that are not": good.replace(" glc", "", 1),
        "writes no cache": good.replace("buffer_wbl2", "s_nop 0"),
        "keeps old data": good.replace("buffer_invl2", "s_nop 0"),
        "no instruction that adds": good.replace("global_atomic_add_x2", "s_nop"),
        "row_local: not found": good.replace("row_local", "row_other"),
    }
    problems = check("gfx90a", good)
    for expected, text in broken.items():
        if not any(expected in problem for problem in check("gfx90a", text)):
            problems.append(f"not reported: {expected}")
    print("\n".join(problems + [f"{len(problems)} problems"]))
    return 1 if problems else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    problems = check(sys.argv[1], pathlib.Path(sys.argv[2]).read_text())
    print("\n".join(problems + [f"{sys.argv[1]}: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks what a compiler has made of kernels.cu.

    check_machine_code.py PTX [--ptxas PROGRAM [--cuobjdump PROGRAM]]
    check_machine_code.py --self-test

A GlobalView costs one multiplication and one addition for every PE that a
kernel addresses, and nothing else: no table, no constant memory, no call. If
the PE is the same for a loop, the loop is that of a View of this PE.

Operations that reach PEs of other nodes, too, keep nothing in a stack, and a
store or an addition leaves a GPU full of threads (32 registers). A group's
collective operation reads nothing from its stack, and its kernel has registers
for 512 threads. An addition without a result does not wait for one. No kernel spills
registers, those of the library included.

The PTX is always checked; registers and machine code too, where the two
programs are.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

PAIRS = ("element", "row", "scatter")
# Kernels, and the registers that each may have.
FAR = {"far_p": 32, "far_add": 32, "far_put": 128, "far_get": 128}
GROUP = {"group_work": 128}  # a stack only for arguments of what is called


def ptx_kernels(text):
    """Returns {name: [instruction, ...]}; a label is an item that ends in ':'."""
    kernels = {}
    for match in re.finditer(r"\.entry (\w+)\(.*?\)\s*(?:\.\w+[^\n{]*)?\n?\{(.*?)\n\}",
                             text, re.DOTALL):
        body = []
        for line in match.group(2).splitlines():
            line = line.split("//")[0].strip()
            if not line or line.startswith("."):
                continue
            body.append(line.rstrip(";"))
        kernels[match.group(1)] = body
    return kernels


def opcode(instruction):
    """`@%p1 bra $L` -> `bra`; the types of a load do not matter."""
    name = re.sub(r"^@!?%\w+\s+", "", instruction).split()[0]
    return re.sub(r"^(ld\.\w+)\..*", r"\1", name)


def loop_of(body):
    """Instructions from the label that is branched back to, to the branch."""
    for end, instruction in enumerate(body):
        match = re.search(r"\bbra(?:\.\w+)?\s+(\S+)", instruction)
        if match and f"{match.group(1)}:" in body[:end]:
            start = body.index(f"{match.group(1)}:")
            return body[start + 1:end + 1]
    return []


def counts(body):
    return collections.Counter(
        opcode(line) for line in body if not line.endswith(":"))


def is_translation(extra):
    """One multiply-add, in one instruction or in two."""
    return extra in ({"mad.lo.s64": 1}, {"mul.lo.s64": 1, "add.s64": 1})


def check_ptx(text):
    problems = []
    kernels = ptx_kernels(text)
    # The library's own kernels, which are in every source, reach PEs of other
    # nodes: by a constant of the source, and calls.
    checked = "\n".join(
        line for name, body in kernels.items()
        if re.fullmatch("(" + "|".join(PAIRS) + ")_(global|local)", name)
        for line in body)
    for word, where, meaning in (
            # Kokkos and desul have variables of their own.
            (r"^\s*\.(visible \.|weak \.)?(const|global)\b"
             r".*symm(?!.*ring_of_module)", text, "a variable of this library"),
            (r"^\s*\.extern\b.*symm", text,
             "an external symbol of this library"),
            (r"\bld\.const\b", checked, "a load from constant memory"),
            (r"\bcall(\.uni)?\b", checked, "a call"),
            (r"\b(ld|st)\.local\b", checked, "local memory")):
        match = re.search(word, where, re.MULTILINE)
        if match:
            problems.append(f"PTX: {meaning}: {match.group().strip()}")
    for name in GROUP:
        if name not in kernels:
            problems.append(f"PTX: no kernel {name}")
        for line in kernels.get(name, []):
            if re.search(r"\bld\.local\b", line):
                problems.append(f"PTX: {name}: {line}")
    added = [opcode(line) for line in kernels.get("far_add", [])
             if re.match(r"(red|atom)\.", opcode(line))]
    if [name.split(".")[0] for name in added] != ["red"]:
        problems.append(f"PTX: far_add: not one red, but {added}")
    for name in PAIRS:
        missing = [kernel for kernel in (f"{name}_global", f"{name}_local")
                   if kernel not in kernels]
        if missing:
            return problems + [f"PTX: no kernel {kernel}" for kernel in missing]
        mine, other = (kernels[f"{name}_{way}"] for way in ("local", "global"))
        if name != "element":
            mine, other = loop_of(mine), loop_of(other)
            if not mine or not other:
                problems.append(f"PTX: {name}: no loop found")
                continue
        extra = counts(other)
        extra.subtract(counts(mine))
        extra = {key: number for key, number in extra.items() if number}
        if name == "element":  # with the stride and the PE as parameters
            for free in ("ld.param",):
                extra.pop(free, None)
            extra.pop("cvt.s64.s32", None)
        if name == "scatter":  # and the numbers of the PEs are read
            if extra.pop("ld.global", 0) != 1:
                problems.append("PTX: scatter: not one load more, of the PE")
            pointer = extra.get("add.s64", 0)
            extra["add.s64"] = pointer - 1  # and the pointer to them moves on
            extra.pop("cvt.s64.s32", None)
            extra = {key: number for key, number in extra.items() if number}
        if name == "row" and extra:
            problems.append(f"PTX: row: the loop differs: {extra}")
        if name != "row" and not is_translation(extra):
            problems.append(f"PTX: {name}: not one multiply-add, but {extra}")
    return problems


def sass_kernels(text):
    """Returns {name: [(address, instruction), ...]}."""
    kernels = {}
    name = None
    for line in text.splitlines():
        function = re.search(r"Function : (\w+)", line)
        if function:
            name = function.group(1)
            kernels[name] = []
        match = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+([^;]+);", line)
        if match and name:
            kernels[name].append((int(match.group(1), 16),
                                  match.group(2).strip()))
    return kernels


def sass_loop(body):
    for address, instruction in body:
        match = re.search(r"\bBRA(?:\.\w+)*\s+(?:U?P\w+,\s*)?`?\(?(0x[0-9a-f]+)", instruction)
        if match and int(match.group(1), 16) < address:
            start = int(match.group(1), 16)
            return [text for at, text in body if start <= at <= address]
    return []


def check_sass(text):
    problems = []
    kernels = sass_kernels(text)
    for name in PAIRS:
        mine, other = (kernels.get(f"{name}_{way}", [])
                       for way in ("local", "global"))
        if not mine or not other:
            problems.append(f"machine code: no kernels {name}_*")
            continue
        for _, instruction in other:
            # Constant banks 3 and 4 hold variables; 0 has the parameters.
            if re.search(r"\b(CALL|LDL|STL)\b|c\[0x[34]\]", instruction):
                problems.append(f"machine code: {name}: {instruction}")
            if re.search(r"\b(LD|ST)\.E\b", instruction):
                problems.append(
                    f"machine code: {name}: a generic access: {instruction}")
        if name == "row":
            mine, other = sass_loop(mine), sass_loop(other)
            if not mine or not other:
                problems.append("machine code: row: no loop found")
            elif len(other) > len(mine):
                problems.append(
                    f"machine code: row: the loop has {len(other)} "
                    f"instructions, that of a View {len(mine)}:\n  "
                    + "\n  ".join(other))
    return problems


def check_registers(text):
    """Of what ptxas says with -v."""
    problems = []
    kernels = {
        name: tuple(map(int, numbers))
        for name, *numbers in re.findall(
            r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, "
            r"(\d+) bytes spill stores.*?Used (\d+) registers", text, re.DOTALL)
    }
    for name, (_, spilled, _) in kernels.items():
        if spilled:
            problems.append(f"registers: {name} spills {spilled} bytes")
    for name, most in {**FAR, **GROUP}.items():
        if name not in kernels:
            problems.append(f"registers: no kernel {name}")
            continue
        stack, _, registers = kernels[name]
        if stack and name in FAR:
            problems.append(f"registers: {name} has a stack of {stack} bytes")
        if registers > most:
            problems.append(f"registers: {name} has {registers}, not {most}")
    return problems


def assembled(ptx, ptxas, cubin):
    """Writes the machine code; returns what ptxas says of it."""
    return subprocess.run([ptxas, "-v", "-arch=sm_90", ptx, "-o", cubin],
                          check=True, capture_output=True, text=True).stderr


def disassembled(cubin, cuobjdump):
    return subprocess.run([cuobjdump, "-sass", cubin], check=True,
                          capture_output=True, text=True).stdout


PTX_EXAMPLE = """
.visible .entry element_global(
)
{
\tmul.lo.s64 %rd1, %rd2, %rd3;
\tadd.s64 %rd1, %rd2, %rd3;
\tst.global.f64 [%rd1], %fd1;
}
.visible .entry element_local(
)
{
\tst.global.f64 [%rd1], %fd1;
}
.visible .entry row_global(
)
{
$L1:
\tst.global.f64 [%rd1], %fd1;
\t@%p1 bra $L1;
}
.visible .entry row_local(
)
{
$L2:
\tst.global.f64 [%rd1], %fd1;
\t@%p1 bra $L2;
}
.visible .entry scatter_global(
)
{
$L3:
\tld.global.u32 %r1, [%rd1];
\tadd.s64 %rd1, %rd1, 4;
\tmad.lo.s64 %rd1, %rd2, %rd3, %rd4;
\tst.global.f64 [%rd1], %fd1;
\t@%p1 bra $L3;
}
.visible .entry scatter_local(
)
{
$L4:
\tst.global.f64 [%rd1], %fd1;
\t@%p1 bra $L4;
}
.visible .entry group_work(
)
{
\tst.global.f64 [%rd1], %fd1;
}
.visible .entry far_add(
)
{
\tred.relaxed.sys.global.add.u32 [%rd1], %r1;
}
"""

SASS_EXAMPLE = "".join(f"""
        Function : {name}
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   STG.E.64 desc[UR4][R2.64], R4 ;
        /*0020*/               @P0 BRA 0x10 ;
        /*0030*/                   EXIT ;
        /*0040*/                   BRA 0x40;
""" for pair in PAIRS for name in (f"{pair}_global", f"{pair}_local"))


REGISTERS_EXAMPLE = "".join(f"""\
ptxas info    : Compiling entry function '{name}' for 'sm_90'
ptxas info    : Function properties for {name}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used {most} registers, used 0 barriers
""" for name, most in {**FAR, **GROUP}.items())


def self_test():
    """Every rule must be able to fail."""
    assert check_ptx(PTX_EXAMPLE) == [], check_ptx(PTX_EXAMPLE)
    store = "\tst.global.f64 [%rd1], %fd1;\n"
    for where, change in (
            ("element_global", "\tld.global.u64 %rd9, [%rd8];\n"),
            ("element_global", "\tmul.lo.s64 %rd1, %rd2, %rd3;\n"),
            ("element_global", "\tcall.uni foo;\n"),
            ("element_global", "\tld.const.u64 %rd1, [table];\n"),
            ("row_global", "\tadd.s64 %rd1, %rd1, %rd2;\n"),
            ("row_global", "\tld.global.u64 %rd1, [%rd2];\n"),
            ("scatter_global", "\tld.global.u64 %rd1, [%rd2];\n"),
            ("scatter_global", "\tsub.s32 %r1, %r1, %r2;\n"),
            ("group_work", "\tld.local.u64 %rd1, [%rd2];\n")):
        start = PTX_EXAMPLE.index(store, PTX_EXAMPLE.index(where))
        changed = PTX_EXAMPLE[:start] + change + PTX_EXAMPLE[start:]
        assert check_ptx(changed), (where, change)
    assert check_ptx(PTX_EXAMPLE.replace("row_local", "row_other"))
    assert check_ptx(PTX_EXAMPLE.replace("group_work", "group_other"))
    assert check_ptx(PTX_EXAMPLE.replace("far_add", "far_other"))
    assert check_ptx(PTX_EXAMPLE.replace("red.relaxed", "atom.relaxed"))
    assert check_ptx("\t.const .align 8 .b8 _ZN4symm5tableE[64];\n" + PTX_EXAMPLE)
    assert check_ptx("\t.extern .func _ZN4symm3fooE;\n" + PTX_EXAMPLE)
    assert check_ptx("\t.visible .global .u64 _ZN4symm5tableE;\n" + PTX_EXAMPLE)
    assert check_sass(SASS_EXAMPLE) == [], check_sass(SASS_EXAMPLE)
    start = SASS_EXAMPLE.index("row_global")
    for change in (("STG.E.64 desc[UR4]", "ST.E.64 desc[UR4]"),
                   ("STG.E.64 desc[UR4][R2.64], R4 ;",
                    "IADD3 R2, R2, 0x8 ;\n        /*0018*/    STG.E.64 [R2] ;"),
                   ("MOV R1, c[0x0][0x28]", "CALL.REL.NOINC 0x50"),
                   ("MOV R1, c[0x0][0x28]", "ULDC.64 UR4, c[0x4][0x8]")):
        changed = SASS_EXAMPLE[:start] + SASS_EXAMPLE[start:].replace(*change, 1)
        assert check_sass(changed), change
    assert check_sass(SASS_EXAMPLE.replace("row_local", "row_other"))
    assert check_registers(REGISTERS_EXAMPLE) == []
    for change in (("0 bytes stack", "24 bytes stack"),
                   ("0 bytes spill stores", "8 bytes spill stores"),
                   ("Used 32 ", "Used 33 "), ("'far_get'", "'far'"),
                   ("'group_work'", "'group'")):
        assert check_registers(REGISTERS_EXAMPLE.replace(*change)), change
    print("the checks can fail")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptx", nargs="?")
    parser.add_argument("--ptxas")
    parser.add_argument("--cuobjdump")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return 0
    text = pathlib.Path(arguments.ptx).read_text(encoding="utf-8")
    problems = check_ptx(text)
    checked = "PTX only: there is no ptxas here"
    if arguments.ptxas:
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder) / "kernels.cubin"
            problems += check_registers(
                assembled(arguments.ptx, arguments.ptxas, cubin))
            checked = "PTX and registers: there is no cuobjdump here"
            if arguments.cuobjdump:
                problems += check_sass(disassembled(cubin, arguments.cuobjdump))
                checked = "PTX, registers and machine code"
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems ({checked})")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

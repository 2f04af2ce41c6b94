#!/usr/bin/env python3
"""Compiles what must not compile, and looks at each error.

    compile_fail.py SOURCE COMMAND...

COMMAND compiles SOURCE and fails. There, a line `// refused: PATTERN` (a regular
expression) is above each function that must not compile: one of its errors must have
PATTERN. All other errors are too many.
"""
import re
import subprocess
import sys

# Lines of GCC before an error that say how the compiler came there.
CONTEXT = re.compile(r": (In |  +required|  +from |At global scope)|^In file included|"
                     r"^ +from ")


def cases_of(source):
    """(first line, last line, pattern, name) of each."""
    lines = open(source, encoding="utf-8").read().splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("// refused: "):
            continue
        name = re.match(r"\w+ (\w+)\(", lines[number])
        # Functions end in their first line, or by a bracket at the start of a line.
        last = number + 1
        while not re.search(r"^}|^\w.*}$", lines[last - 1]):
            last += 1
        found.append((number + 1, last, line[len("// refused: "):], name[1]))
    return found


def errors_of(output):
    """The lines of each error, with those that say where it and perhaps those behind
    it come from, and its notes."""
    errors, context, shared = [], [], []
    for line in output.splitlines():
        if CONTEXT.search(line):
            context.append(line)
        elif "error: " in line:
            shared = context or shared
            errors.append(shared + [line])
            context = []
        elif errors:
            errors[-1] += context + [line]
            context = []
    return ["\n".join(error) for error in errors]


def main():
    source, command = sys.argv[1], sys.argv[2:]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False)
    name = re.escape(source.split("/")[-1])
    place = re.compile(rf"{name}[:(](\d+)|at line (\d+) of \"?[^\n]*{name}")
    cases = cases_of(source)
    errors_in = {case: [] for case in cases}
    problems = []
    for error in errors_of(run.stdout):
        lines = {int(a or b) for a, b in place.findall(error)}
        hit = [case for case in cases
               if any(case[0] <= line <= case[1] for line in lines)]
        for case in hit:
            errors_in[case].append(error)
        if not hit:
            problems.append(f"an error outside of all cases:\n{error}")
    for case, errors in errors_in.items():
        if not any(re.search(case[2], error) for error in errors):
            problems.append(f"{case[3]}: no error with '{case[2]}' but:\n" +
                            ("\n".join(errors) or "none"))
    if not cases or run.returncode == 0:
        problems.append("nothing was refused")
    print("\n\n".join(problems) or f"{len(cases)} of {len(cases)} refused")
    sys.exit(1 if problems else 0)


main()

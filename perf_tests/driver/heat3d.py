"""The 3-D heat solvers of examples/ as a benchmark: Views in the symmetric
space against MPI messages."""

import json
import re
import subprocess

SOLVERS = ("heat3d", "heat3d_mpi")
EDGES = (64, 256, 512)  # of the whole grid, in cells
EDGES_OVER_NODES = (96, 192)
STEPS = 300
REPEATS = 3  # starting a program on GPUs takes seconds
RATE = re.compile(r"time: .* ([0-9.eE+]+) million cell updates/s")


def seconds_per_step(text, edge):
    """From what a solver prints; None if it does not say that it was right."""
    rate = RATE.search(text)
    if rate is None or "correct" not in text:
        return None
    return edge ** 3 / (float(rate.group(1)) * 1e6)


def run(launcher, programs, environment, json_file, is_quick, timeout,
        edges=EDGES, steps=STEPS):
    """Runs the solvers in turn and writes records as the other programs do.
    Returns what went wrong, or None."""
    repeats = REPEATS
    if is_quick:
        edges, steps, repeats = (32,), 10, 1
    with json_file.open("w", encoding="utf-8") as file:
        for edge in edges:
            seconds = {solver: [] for solver in SOLVERS}
            for _ in range(repeats):
                for solver in SOLVERS:
                    command = launcher + [programs[solver], "--size", str(edge),
                                          "--steps", str(steps)]
                    result = subprocess.run(
                        command, env=environment, timeout=timeout, check=False,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        text=True)
                    step = seconds_per_step(result.stdout, edge)
                    if result.returncode != 0 or step is None:
                        return f"{' '.join(command)}\n{result.stdout[-2000:]}"
                    seconds[solver].append(step)
            for solver in SOLVERS:
                file.write(json.dumps({"record": "result",
                                       "benchmark": "heat3d", "what": solver,
                                       "case": {"edge": edge},
                                       "seconds": seconds[solver]}) + "\n")
    return None

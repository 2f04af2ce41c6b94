#!/usr/bin/env python3
"""Checks what scripts/gpu_test.sh does on machines with GPUs of each vendor, with
other programs in the place of those that list the GPUs and run the tests.

    check_gpu_test.py SOURCE
"""

import os
import pathlib
import subprocess
import sys
import tempfile

# What each program prints on the machine.
NVIDIA = {"nvidia-smi": "GPU 0: NVIDIA H200 (UUID: GPU-1)\\nGPU 1: NVIDIA H200 (UUID: 2)",
          "compute-sanitizer": ""}
AMD = {"rocm_agent_enumerator": "gfx000\\ngfx90a\\ngfx90a", "hipconfig": "6.4.2"}
MPS = {"nvidia-cuda-mps-control": ""}


class Machine:
    """A folder with programs that take the place of others."""

    def __init__(self, folder, programs, *, tests_fail=False):
        self.folder = pathlib.Path(folder)
        self.calls = self.folder / "calls"
        # Those of this machine must not be found.
        absent = {name: "exit 1" for name in
                  ("nvidia-smi", "rocm_agent_enumerator", "nvidia-cuda-mps-control")}
        status = 1 if tests_fail else 0
        bodies = {**absent,
                  "ctest": f'echo "$@" >>{self.calls}; exit {status}',
                  "mpiexec": "exit 0",
                  **{name: f"printf '{text}\\n'" for name, text in programs.items()}}
        for name, body in bodies.items():
            program = self.folder / name
            program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            program.chmod(0o755)

    def gpu_test(self, source, *options, **variables):
        """Exit status and output of the script, and the calls of ctest."""
        environment = {key: value for key, value in os.environ.items()
                       if key != "SYMM_PRESET"}
        environment["PATH"] = f"{self.folder}:{environment['PATH']}"
        result = subprocess.run(
            [source / "scripts/gpu_test.sh", "--no-build", "--logs",
             self.folder / "logs", *options],
            env={**environment, **variables}, capture_output=True, text=True,
            check=False, timeout=60)
        calls = self.calls.read_text(encoding="utf-8") if self.calls.exists() else ""
        return result.returncode, result.stdout + result.stderr, calls


def problems_in(source):
    """What is wrong, a line each."""
    found = []

    def run(programs, *options, tests_fail=False, **variables):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder, programs, tests_fail=tests_fail)
            return machine.gpu_test(source, *options, **variables)

    def expect(what, result, status, lines, preset, n_calls):
        returned, output, calls = result
        if returned != status:
            found.append(f"{what}: exit status {returned}, not {status}:\n{output}")
        found.extend(f"{what}: no line '{line}' in\n{output}"
                     for line in lines if line not in output.splitlines())
        calls = calls.splitlines()
        if len(calls) != n_calls or any(f"build/{preset} " not in c for c in calls):
            found.append(f"{what}: not {n_calls} calls of ctest for {preset}: {calls}")

    expect("AMD GPUs", run({**AMD, **MPS}), 0,
           ["gfx90a", "HIP 6.4.2", "GPU TESTS: PASSED",
            "figures                            NOT RUN: the benchmarks need CUDA",
            "compute-sanitizer                  NOT RUN: for NVIDIA GPUs only"],
           "hip-release", 2)
    expect("AMD GPUs, a test fails", run(AMD, tests_fail=True), 1,
           ["GPU TESTS: FAILED"], "hip-release", 2)
    expect("AMD GPUs, another preset", run(AMD, SYMM_PRESET="cuda-release"), 1,
           ["tests on GPUs                      NOT RUN: nvidia-smi lists no GPU"],
           "cuda-release", 1)
    expect("no GPU", run({"rocm_agent_enumerator": "gfx000"}), 1,
           ["tests on GPUs                      NOT RUN: nvidia-smi lists no GPU"],
           "cuda-release", 1)
    expect("GPUs of both", run({**AMD, **NVIDIA}, "--only", "gpu"), 0,
           ["GPU 0: NVIDIA H200", "GPU TESTS: PASSED"], "cuda-release", 1)
    expect("MPS", run({**NVIDIA, **MPS}, "--only", "gpu"), 0,
           ["GPU 1: NVIDIA H200", "GPU TESTS: PASSED"], "cuda-release", 3)
    return found


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = problems_in(pathlib.Path(arguments[0]).resolve())
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

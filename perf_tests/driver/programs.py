"""Whole programs as benchmarks: examples, each beside the same with MPI.

A sample is a run of a program, of which its own time of a step counts, without
start and end. The two of a pair are run one after the other, in swapped order
the next time, so that what changes slowly on the machine falls on both alike.
"""

import dataclasses
import json
import math
import re
import subprocess
import typing

# What examples/common/step_time.hpp makes. A result that is wrong ends a program
# with another status than 0.
STEP_TIME = re.compile(r"\btime: \S+ s, ([0-9.e+-]+) us a step\b")
AGAIN = "{}, again"  # the other of two runs, for the null ratio
COLDEST = 1e-8  # of a plate of halo_signals, which takes 1e-9
SECONDS = 0.3  # of the time loop of a run, about


def seconds_per_step(text):
    """From what a program prints; None if it does not say it."""
    found = STEP_TIME.search(text)
    return float(found.group(1)) * 1e-6 if found else None


def _steps(seconds, least, most):
    """So many take about as long as a sample, if one takes so long."""
    return max(least, min(most, round(SECONDS / seconds)))


def _heat3d(edge, steps):
    return ["--size", str(edge),
            "--steps", str(steps or _steps(edge ** 3 / 7e8, 10, 5000))]


def _cg(edge, _):
    return ["--grid", str(edge)]  # until it has converged


def _particles(edge, steps):
    return ["--cells", str(edge),
            "--steps", str(steps or _steps(edge ** 3 * 1.1e-6, 10, 2000))]


def _halo(edge, steps):
    """One plate, until it is as cold as it is after so many steps; a small one
    is as cold as it may be after less."""
    steps = steps or _steps(edge ** 2 / 4e8, 100, 10000)
    looks = 10
    decay = math.cos(math.pi / (edge + 1))  # in a step
    steps = min(steps, int(math.log(COLDEST) / math.log(decay)))
    every = max(1, steps // looks)
    return ["--plates", "1", "--size", str(edge), "--look-every", str(every),
            "--until", repr(decay ** (looks * every - every / 2))]


@dataclasses.dataclass(frozen=True)
class Contestant:
    """What is run, under the name that it has in records."""

    name: str
    program: str  # of the build's examples
    options: tuple = ()


@dataclasses.dataclass(frozen=True)
class Pair:
    """A program, and what it is compared with."""

    ours: Contestant
    theirs: Contestant
    axis: str  # what a size counts
    sizes: tuple  # on CPUs
    gpu_sizes: tuple
    gpu_steps: int
    arguments: typing.Callable  # size, steps or None -> options

    @property
    def name(self):
        return self.ours.program


def _beside_mpi(name, theirs, *more):
    return Pair(Contestant(name, name), Contestant(theirs, theirs), *more)


def _halo_beside(name, way):
    return Pair(Contestant("signals", "halo_signals"),
                Contestant(name, "halo_signals", ("--exchange", way)),
                "edge", (32, 128, 512, 2048), (128, 512, 2048, 8192), 1000,
                _halo)


HEAT3D = _beside_mpi("heat3d", "heat3d_mpi", "edge", (16, 32, 64, 128, 256),
                     (64, 128, 256, 512), 1000, _heat3d)
CG = _beside_mpi("cg_solve", "cg_mpi", "edge", (8, 16, 32, 64), (64, 128, 192),
                 None, _cg)
PARTICLES = _beside_mpi("particles", "particles_mpi", "cells per axis",
                        (4, 8, 16, 32), (32, 80, 171), 100, _particles)
HALO = _halo_beside("messages of MPI", "mpi")
# MPI's messages are those of host memory.
HALO_ON_GPUS = _halo_beside("barriers", "barrier")

CPU_PAIRS = (HEAT3D, CG, PARTICLES, HALO)
GPU_PAIRS = (HEAT3D, CG, PARTICLES, HALO_ON_GPUS)


def pair_of(name, on_gpus):
    return next(pair for pair in (GPU_PAIRS if on_gpus else CPU_PAIRS)
                if pair.name == name)


def _run(command, environment, timeout):
    """Seconds of a step, and what went wrong, or None."""
    result = subprocess.run(command, env=environment, timeout=timeout,
                            check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    step = seconds_per_step(result.stdout)
    if result.returncode != 0 or step is None:
        return None, f"{' '.join(command)}\n{result.stdout[-2000:]}"
    return step, None


def run(launcher, pair, examples, environment, json_file, timeout, sizes=None,
        steps=None, repeats=2):
    """Runs the two of a pair `repeats` times by turns, A B, B A, ..., and writes
    records as the other programs do. Returns what went wrong, or None.

    sizes: others than the pair's; steps: others than those that take a while
    examples: name of a program -> its path
    """
    with json_file.open("w", encoding="utf-8") as file:
        for size in sizes or pair.sizes:
            seconds = {pair.ours.name: [], pair.theirs.name: []}
            order = [pair.ours, pair.theirs]
            for _ in range(repeats):
                for one in order:
                    step, problem = _run(
                        [*launcher, examples[one.program],
                         *pair.arguments(size, steps), *one.options],
                        environment, timeout)
                    if problem:
                        return problem
                    seconds[one.name].append(step)
                order.reverse()
            # Each run of the baseline, beside the one after it.
            found = seconds[pair.theirs.name]
            if len(found) > 1:
                seconds[AGAIN.format(pair.theirs.name)] = found[1:] + found[:1]
            for what, values in seconds.items():
                file.write(json.dumps(
                    {"record": "result", "benchmark": pair.name, "what": what,
                     "case": {pair.axis: size}, "seconds": values}) + "\n")
    return None

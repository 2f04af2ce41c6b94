"""Whole programs as benchmarks: examples, each beside the same with MPI, and on
several GPUs with NCCL.

A sample is a run of a program, of which its own time of a step counts, without
start and end. Those that are compared are run one after the other, in swapped
order the next time, so that what changes slowly on the machine falls on all
alike.
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
    # Until it has converged, which is too early for what takes time once.
    return ["--grid", str(edge), "--solves", "2"]


def _particles(edge, steps):
    return ["--cells", str(edge),
            "--steps", str(steps or _steps(edge ** 3 * 1.1e-6, 10, 2000))]


def _hydro(edge, steps):
    """Edge^2 cells for each of two PEs."""
    return ["--size", str(2 * edge), str(edge),
            "--steps", str(steps or _steps(edge ** 2 * 4e-8, 10, 5000))]


def _molecules(edge, steps):
    """4 edge^3 atoms."""
    return ["--cells", str(edge),
            "--steps", str(steps or _steps(edge ** 3 * 2e-6, 20, 2000))]


def _half_the_particles(edge, steps):
    """What a PE of two has."""
    _, cells, *more = _particles(edge, steps)
    return ["--cells", str(edge // 2), cells, cells, *more]


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
    arguments: typing.Callable = None  # others than the pair's


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
    nccl: Contestant = None  # on several GPUs, where it was built
    on_one_gpu: tuple = ()  # what is run there, too, beside ours

    @property
    def name(self):
        return self.ours.program

    def contestants(self, on_gpus, pes, examples, gpu_count):
        """Who is run. On one GPU, which says what several gain, ours alone."""
        if on_gpus and pes == 1:
            return [self.ours, *self.on_one_gpu]
        has_nccl = self.nccl and self.nccl.program in examples \
            and gpu_count >= pes
        return [self.ours, self.theirs] + ([self.nccl] if has_nccl else [])

    def all_contestants(self):
        return [self.ours, self.theirs] + ([self.nccl] if self.nccl else [])


def _beside_mpi(name, theirs, *more, **others):
    return Pair(Contestant(name, name), Contestant(theirs, theirs), *more,
                **others)


def _halo_beside(name, way):
    return Pair(Contestant("signals", "halo_signals"),
                Contestant(name, "halo_signals", ("--exchange", way)),
                "edge", (32, 128, 512, 2048), (128, 512, 2048, 8192), 1000,
                _halo)


HEAT3D = _beside_mpi("heat3d", "heat3d_mpi", "edge", (16, 32, 64, 128, 256),
                     (64, 128, 256, 512), 2000, _heat3d,
                     nccl=Contestant("heat3d_nccl", "heat3d_nccl"))
CG = _beside_mpi("cg_solve", "cg_mpi", "edge", (8, 16, 32, 64), (64, 128, 192),
                 None, _cg, nccl=Contestant("cg_nccl", "cg_nccl"))
HALF_THE_PARTICLES = Contestant("half the particles", "particles",
                                arguments=_half_the_particles)
# On two GPUs 10^6 and 10^7 each.
PARTICLES = _beside_mpi("particles", "particles_mpi", "cells per axis",
                        (4, 8, 16, 32), (80, 172), 100, _particles,
                        on_one_gpu=(HALF_THE_PARTICLES,))
HYDRO = _beside_mpi("hydro2d", "hydro2d_mpi", "edge", (24, 96, 480),
                    (256, 1024, 4096), 200, _hydro)
MOLECULES = _beside_mpi("molecules", "molecules_mpi", "cells per axis",
                        (8, 12, 25), (32, 80), 100, _molecules)
HALO = _halo_beside("messages of MPI", "mpi")
# MPI's messages are those of host memory.
HALO_ON_GPUS = _halo_beside("barriers", "barrier")

CPU_PAIRS = (HEAT3D, CG, PARTICLES, HYDRO, MOLECULES, HALO)
GPU_PAIRS = (HEAT3D, CG, PARTICLES, HYDRO, MOLECULES, HALO_ON_GPUS)


def pair_of(name, on_gpus):
    return next(pair for pair in (GPU_PAIRS if on_gpus else CPU_PAIRS)
                if pair.name == name)


def _run(command, environment, timeout):
    """Seconds of a step, and what went wrong, or None."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        try:
            text, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec then ends the PEs
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
            return None, f"{' '.join(command)}\ntook more than {timeout} s"
    step = seconds_per_step(text)
    if process.returncode != 0 or step is None:
        return None, f"{' '.join(command)}\n{text[-2000:]}"
    return step, None


@dataclasses.dataclass
class Trouble:
    """Programs that failed: run on without them, or not."""

    goes_on: bool = False
    left_out: set = dataclasses.field(default_factory=set)  # (job, contestant)

    def of(self, job, one, case, problem):
        """The record of a failure."""
        print(f"  {problem}", flush=True)
        self.left_out.add((job, one.name))
        axis, size = next(iter(case.items()))
        return {"record": "failure", "what": f"{one.name}, {axis} {size}",
                "wrong data": "WRONG" in problem}


def run(launcher, pair, examples, environment, json_file, timeout, sizes=None,
        steps=None, repeats=2, contestants=None, job=None, trouble=None):
    """Runs those of a pair `repeats` times by turns, A B, B A, ..., and writes
    records as the other programs do. Returns what went wrong and ends all, or
    None.

    sizes: others than the pair's; steps: others than those that take a while
    examples: name of a program -> its path
    contestants: others than the two; the first order of them
    job, trouble: who is left out, and whether others go on without who fails
    """
    contestants = contestants or [pair.ours, pair.theirs]
    trouble = trouble or Trouble()
    with json_file.open("w", encoding="utf-8") as file:
        def write(record):
            file.write(json.dumps(record) + "\n")

        for size in sizes or pair.sizes:
            case = {pair.axis: size}
            seconds = {one.name: [] for one in contestants}
            order = list(contestants)
            for _ in range(repeats):
                for one in order:
                    if (job, one.name) in trouble.left_out:
                        continue
                    arguments = (one.arguments or pair.arguments)(size, steps)
                    step, problem = _run(
                        [*launcher, examples[one.program], *arguments,
                         *one.options], environment, timeout)
                    if problem and not trouble.goes_on:
                        return problem
                    if problem:
                        write(trouble.of(job, one, case, problem))
                    else:
                        seconds[one.name].append(step)
                order.reverse()
            # Each run of a baseline, beside the one after it.
            for one in contestants:
                if one is pair.ours:
                    continue
                found = seconds[one.name]
                if len(found) > 1:
                    seconds[AGAIN.format(one.name)] = found[1:] + found[:1]
            for what, values in seconds.items():
                if values:
                    write({"record": "result", "benchmark": pair.name,
                           "what": what, "case": case, "seconds": values})
    return None

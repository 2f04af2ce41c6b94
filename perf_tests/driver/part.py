"""The parts of RESULTS.md that run.py writes: what each says of its records."""

import dataclasses
import typing

from driver import collectives, figures, gpu_figures, node_figures, plots
from driver import program_figures, programs, several_gpus
from driver.figures import case_text, rate_text, time_text
from driver.gpu_figures import DIRECTIONS, GIB, OVER_SIZES


def ratio_text(ratio):
    if ratio is None:
        return "-"
    return f"{ratio.median:.2f} [{ratio.q1:.2f} .. {ratio.q3:.2f}]"


@dataclasses.dataclass(frozen=True)
class Part:
    """Of RESULTS.md; and what the others need to write it."""

    title: str
    figures: typing.Callable
    other_figures: typing.Callable
    details: typing.Callable  # records -> [(title, rows)]
    plots: typing.Callable
    shown: tuple  # keys of the environment
    explanation: str
    figures_file: str


def _size_rows(records, job, whats, baseline):
    """One row per size, one column per contestant."""
    cases = records.cases(job, baseline)
    present = [what for what in whats if records.cases(job, what)]
    rows = [["", baseline] + present]
    for case in cases:
        row = [case_text(case), time_text(records.time(job, baseline,
                                                       case).median)]
        for what in present:
            ratio = records.ratio(job, what, baseline, case)
            row.append("-" if ratio is None else time_text(
                records.time(job, what, case).median)
                + f" ({ratio_text(ratio)} x)")
        rows.append(row)
    return rows if len(rows) > 1 and present else None


def _cpu_details(records):
    return [(title, rows) for title, rows in (
        ("malloc + free over size", _size_rows(
            records, "allocate_openshmem.np2", ["symm::malloc + free"],
            "OpenSHMEM malloc + free")),
        ("View create + destroy over size", _size_rows(
            records, "allocate.np2", ["SymmetricSpace View"],
            "HostSpace View + barrier_all")),
        ("put over size", _size_rows(
            records, "put_bandwidth.np2",
            ["memcpy, private, again", "memcpy, symm::ptr",
             "MPI_Put + flush"], "memcpy, private")),
        ("get over size", _size_rows(
            records, "get_bandwidth.np2",
            ["memcpy, private, again", "memcpy, symm::ptr",
             "MPI_Get + flush"], "memcpy, private")),
        ("deep_copy to a peer_view over size", _size_rows(
            records, "put_bandwidth.np2",
            ["deep_copy, private, again", "deep_copy, peer_view"],
            "deep_copy, private")),
        *collectives.cpu_details(records, _size_rows),
    ) if rows]


def _rate_rows(records, job, whats, fixed):
    """One row per case that has the fixed values, one column per contestant;
    beside each rate its ratio to that of the first."""
    present = [what for what in whats if records.cases(job, what)]
    if not present:
        return None
    rows = [[""] + present]
    for case in records.cases(job, present[0]):
        if any(case.get(key) != value for key, value in fixed.items()):
            continue
        row = [case_text(case)]
        for what in present:
            text = rate_text(case["bytes"],
                             records.time(job, what, case).median)
            ratio = records.ratio(job, present[0], what, case)
            row.append(text if what == present[0]
                       else f"{text} ({ratio_text(ratio)} x)")
        rows.append(row)
    return rows if len(rows) > 1 else None


def _gpu_details(records):
    kernels = ["raw", "raw, again", "global_view", "peer_view", "NVSHMEM"]
    copies = list(gpu_figures.HOST_COPIES) + [
        "deep_copy(cuda, ...), peer_view", "deep_copy, peer_view",
        "NVSHMEM on_stream"]
    details = []
    for direction, is_put in DIRECTIONS.items():
        details += [
            (f"{direction} of 1 GiB over blocks of 512 threads", _rate_rows(
                records, "kernel_bandwidth", kernels,
                {"put": is_put, "bytes": GIB})),
            (f"{direction} over size, {OVER_SIZES} blocks", _rate_rows(
                records, "kernel_bandwidth", kernels,
                {"put": is_put, "blocks": OVER_SIZES})),
            (f"{direction} of doubles one by one over size", _rate_rows(
                records, "kernel_elements",
                kernels[:2] + ["parallel_for, pointer"] + kernels[2:],
                {"put": is_put})),
            (f"{direction} by copies that the host starts over size",
             _rate_rows(records, "copy_bandwidth", copies, {"put": is_put}))]
    details += [
        ("malloc + free over size", _size_rows(
            records, "allocate_nvshmem", ["symm::malloc + free"],
            "NVSHMEM malloc + free")),
        ("View create + destroy over size", _size_rows(
            records, "allocate", ["SymmetricSpace View"], "CudaSpace View")),
        *collectives.gpu_details(records, _size_rows)]
    return [(title, rows) for title, rows in details if rows]


_SAMPLES = (
    "Samples of the two sides are taken in turn in one process; a ratio is the "
    "median [quartiles] of the ratios of neighboring samples of all runs. ")

CPUS = Part(
    "CPUs", figures.all_figures, figures.other_figures, _cpu_details,
    plots.all_plots,
    ("cpu", "cores online", "load average", "huge pages", "compiler", "Kokkos",
     "MPI", "project", "time"),
    _SAMPLES +
    "The null ratio compares the baseline with itself, in other memory: it "
    "says how exact the ratio beside it is. A figure is met if the median, to "
    "two digits after the point, is not above the goal, or is not farther "
    "above it than the quartiles of the null ratio are from 1 (5 % at most).",
    "figures.json")

GPUS = Part(
    "GPUs", gpu_figures.all_figures, gpu_figures.other_figures, _gpu_details,
    plots.gpu_plots,
    ("gpu", "gpus", "PEs per GPU", "MPS", "CUDA", "NVSHMEM", "cpu", "cores online",
     "compiler", "Kokkos", "MPI", "project", "time"),
    _SAMPLES +
    "Ratios are those of speeds (baseline's time to ours): above 1, ours is "
    "faster. Where the goal is one of time or memory (<=), they are those of "
    "that: below 1, ours is less. The null ratio compares the baseline with itself, in other "
    "memory. A figure is met if the median, to two digits after the point, "
    "reaches the goal. Where several PEs share a GPU, \"on one GPU\" stands "
    "before what says something about two: the way between them is not in it.",
    "gpu_figures.json")


SEVERAL_GPUS = Part(
    "Several GPUs", several_gpus.all_figures, several_gpus.other_figures,
    several_gpus.details, plots.several_gpu_plots,
    tuple(key for key in GPUS.shown if key != "gpus"),  # (those of one job)
    _SAMPLES +
    "Ratios are those of times: below 1, ours takes less. Operations are "
    "compared with the faster of NVSHMEM and NCCL at each size. A figure is met "
    "if the median, to two digits after the point, is not above the goal.",
    "several_gpus.json")


def _node_details(records):
    return [(title, rows) for title, rows
            in node_figures.details(records, _size_rows) if rows]


NODES = Part(
    "Over nodes", node_figures.all_figures, node_figures.other_figures,
    _node_details, plots.node_plots,
    ("cpu", "cores online", "load average", "compiler", "Kokkos", "MPI",
     "project", "time"),
    _SAMPLES +
    "UCX's own calls (put_nbx, get_nbx, atomic_op_nbx, flush) are made by a "
    "worker of its own in the same process; MPI is two-sided where nothing else "
    "is said. ucx_perftest (ucp_fadd, tag_bw) is a program of its own: ratios to "
    "it, and between jobs, are those of medians, with their quartiles the "
    "farthest apart. Goals with <= are of times, with >= of speeds. The null "
    "ratio compares the baseline with itself.",
    "node_figures.json")


def _program_details(pairs, pes):
    return lambda records: [
        (title, rows) for title, rows in program_figures.details(
            records, _size_rows, pairs, pes(records)) if rows]


_RUNS = (
    "A sample is a run of a program, by its own time of a step. Those that are "
    "compared are run in turn, in swapped order the next time; a ratio is the median "
    "[quartiles] of the ratios of neighboring runs, below 1 if ours takes less. "
    "Ratios to one PE are those of medians, with their quartiles the farthest "
    "apart. The null ratio compares runs of the baseline with each other. ")

PROGRAMS = Part(
    "Programs on CPUs", program_figures.all_figures,
    program_figures.other_figures,
    _program_details(programs.CPU_PAIRS, lambda _: 2), plots.program_plots,
    CPUS.shown,
    _RUNS + "Examples are named as in `examples/`; `signals` is `halo_signals`.",
    "programs.json")

GPU_PROGRAMS = Part(
    "Programs on GPUs", program_figures.gpu_figures,
    program_figures.other_gpu_figures,
    _program_details(programs.GPU_PAIRS, program_figures.pes_on_gpus),
    plots.gpu_program_plots, GPUS.shown,
    _RUNS + "Examples are named as in `examples/`; `signals` is `halo_signals`. "
    "Messages of MPI go through the host; programs with NCCL enqueue all. The "
    "particles' exchange is what a step takes longer than one of `particles` on "
    "one GPU with as many of them. The product of cg_solve alone is a figure of "
    "`places`.",
    "gpu_programs.json")

# The same with more than two GPUs, beside which the figures of two stay.
PROGRAMS_ON_SEVERAL_GPUS = dataclasses.replace(
    GPU_PROGRAMS, title="Programs on several GPUs",
    figures=program_figures.several_gpu_figures,
    plots=lambda records: {f"several_{name}": text for name, text
                           in plots.gpu_program_plots(records).items()},
    figures_file="several_gpu_programs.json")

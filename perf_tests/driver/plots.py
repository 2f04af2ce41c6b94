"""The plots of RESULTS.md."""

import io

import matplotlib
from matplotlib.figure import Figure

from driver import collectives, program_figures, programs, several_gpus
from driver.figures import MIB, size_text
from driver.gpu_figures import DIRECTIONS, GIB, HOST_COPIES, OVER_SIZES


def _points(records, job, what, value):
    return [(case["bytes"], value(case["bytes"],
                                  records.time(job, what, case).median))
            for case in records.cases(job, what)]


def _line_plot(title, x_label, y_label, lines, x_text):
    """The text of an SVG file with logarithmic axes.

    lines: (label, points). Those without points are left out; None if all are.
    """
    lines = [(label, points) for label, points in lines if points]
    if not lines:
        return None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for label, points in lines:
        axes.plot(*zip(*points), marker="o", markersize=4, label=label)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda tick, _: x_text(round(tick)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid()
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    text = io.StringIO()
    # Text stays text, and the same figures give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _plot(records, title, y_label, series, value):
    """series: (label, job, what)."""
    return _line_plot(title, "bytes", y_label,
                      [(label, _points(records, job, what, value))
                       for label, job, what in series], size_text)


def _bandwidth(records, direction):
    job, shmem = f"{direction}_bandwidth.np2", f"{direction}_bandwidth_openshmem.np2"
    name = direction.capitalize()
    return _plot(
        records, f"{name}: copies between two PEs", "GB/s",
        [("memcpy, private memory", job, "memcpy, private"),
         ("memcpy, symm::ptr", job, "memcpy, symm::ptr"),
         ("deep_copy, peer_view", job, "deep_copy, peer_view"),
         (f"MPI_{name} + flush", job, f"MPI_{name} + flush"),
         (f"OpenSHMEM {direction}mem", shmem,
          "OpenSHMEM putmem + quiet" if direction == "put"
          else "OpenSHMEM getmem")],
        lambda size, seconds: size / seconds * 1e-9)


def _allocate(records):
    job, shmem = "allocate.np2", "allocate_openshmem.np2"
    return _plot(
        records, "Allocation and release", "microseconds",
        [("symm::malloc + free", shmem, "symm::malloc + free"),
         ("OpenSHMEM malloc + free", shmem, "OpenSHMEM malloc + free"),
         ("SymmetricSpace View", job, "SymmetricSpace View"),
         ("HostSpace View + barrier", job, "HostSpace View + barrier_all")],
        lambda size, seconds: seconds * 1e6)


def all_plots(records):
    """File name -> text of the SVG, of what was measured."""
    plots = {"put_bandwidth.svg": _bandwidth(records, "put"),
             "get_bandwidth.svg": _bandwidth(records, "get"),
             "allocate.svg": _allocate(records)}
    return _present(plots)


def _present(plots):
    return {name: text for name, text in plots.items() if text}


_KERNELS = (("raw kernel", "raw"), ("global_view", "global_view"),
            ("peer_view", "peer_view"), ("NVSHMEM", "NVSHMEM"))


def _rates(records, job, what, x_key, fixed):
    """Points (x, GB/s) of the cases with the fixed values."""
    return [(case[x_key], case["bytes"]
             / records.time(job, what, case).median * 1e-9)
            for case in records.cases(job, what)
            if all(case.get(key) == value for key, value in fixed.items())]


def gpu_plots(records):
    """The same on GPUs."""
    plots = {}
    for direction, is_put in DIRECTIONS.items():
        name = direction.capitalize()
        fixed = {"put": is_put, "bytes": GIB}
        plots[f"gpu_{direction}_blocks.svg"] = _line_plot(
            f"{name} of 1 GiB by a kernel", "blocks of 512 threads", "GB/s",
            [(label, _rates(records, "kernel_bandwidth", what, "blocks", fixed))
             for label, what in _KERNELS], str)
        fixed = {"put": is_put, "blocks": OVER_SIZES}
        plots[f"gpu_{direction}_sizes.svg"] = _line_plot(
            f"{name} by a kernel of {OVER_SIZES} blocks", "bytes", "GB/s",
            [(label, _rates(records, "kernel_bandwidth", what, "bytes", fixed))
             for label, what in _KERNELS], size_text)
        plots[f"gpu_{direction}_copy.svg"] = _line_plot(
            f"{name} by copies that the host starts", "bytes", "GB/s",
            [(what, _rates(records, "copy_bandwidth", what, "bytes",
                           {"put": is_put}))
             for what in HOST_COPIES[:2] + ("deep_copy(cuda, ...), peer_view",
                                            "deep_copy, peer_view",
                                            "NVSHMEM on_stream")], size_text)
    return _present(plots)


def several_gpu_plots(records):
    """Over the number of PEs."""
    counts = several_gpus.measured_counts(records)
    plots = {}
    for size in (8, 64 * MIB):
        lines = []
        for what in collectives.OPERATIONS:
            for library in ("symm", "NCCL"):
                times = [(pes, records.time(f"collectives.np{pes}",
                                            f"{what}, {library}",
                                            {"bytes": size}))
                         for pes in counts]
                lines.append((f"{what}, {library}",
                              [(pes, time.median * 1e6) for pes, time in times
                               if time]))
        plots[f"several_gpus_{size}.svg"] = _line_plot(
            f"Collective operations, {size_text(size)} per block", "PEs",
            "microseconds", lines, str)
    return _present(plots)


def node_plots(records):
    """The same over nodes."""
    plots = {}
    for direction in DIRECTIONS:
        name = direction.capitalize()
        series = [(label, "over_nodes.nodes2x1", f"{direction}, {library}")
                  for label, library in ((f"symm::{direction}", "symm"),
                                         ("MPI, two-sided", "MPI"),
                                         (f"UCX {direction}_nbx", "UCX"))]
        series.append(("ucx_perftest tag_bw", "ucx_perftest.nodes2x1", "tag_bw"))
        plots[f"nodes_{direction}.svg"] = _plot(
            records, f"{name}: blocks between two nodes", "GB/s", series,
            lambda size, seconds: size / seconds * 1e-9)
    for nodes in (2, 4):
        job = f"collectives.nodes{nodes}x1"
        plots[f"nodes_collectives_{nodes}.svg"] = _plot(
            records, f"Collective operations, {nodes} nodes", "microseconds",
            [(f"{what}, {library}", job, f"{what}, {library}")
             for what in ("broadcast", "fcollect", "alltoall", "reduce")
             for library in ("symm", "MPI")],
            lambda size, seconds: seconds * 1e6)
    return _present(plots)


def _program_plots(records, prefix, pairs, pes):
    return _present({
        f"{prefix}{pair.name}.svg": _line_plot(
            f"{pair.name}: time of a step", pair.axis, "microseconds",
            list(program_figures.lines(records, pair, pes)), str)
        for pair in pairs})


def program_plots(records):
    """Of whole programs."""
    return _program_plots(records, "programs_", programs.CPU_PAIRS, 2)


def gpu_program_plots(records):
    """The same on GPUs, and several of them against one."""
    pes = program_figures.pes_on_gpus(records)
    plots = _program_plots(records, "gpu_programs_", programs.GPU_PAIRS, pes)
    speedup = _line_plot(
        f"{pes} GPUs against one", "edge, or cells per axis",
        "time of a step on one, to that on all",
        [(pair.name, program_figures.speedups(records, pair, pes))
         for pair in programs.GPU_PAIRS], str)
    return {**plots, **_present({"gpu_programs_speedup.svg": speedup})}

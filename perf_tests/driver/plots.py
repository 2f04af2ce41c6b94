"""The plots of RESULTS.md."""

from driver.figures import size_text
from driver.svg_plot import line_plot


def _points(records, job, what, value):
    return [(case["bytes"], value(case["bytes"],
                                  records.time(job, what, case).median))
            for case in records.cases(job, what)]


def _plot(records, title, y_label, series, value):
    """series: (label, job, what). Those that were not measured are left out.
    Returns None if none was."""
    lines = [(label, _points(records, job, what, value))
             for label, job, what in series]
    lines = [(label, points) for label, points in lines if points]
    if not lines:
        return None
    return line_plot(title, "bytes", y_label, lines, size_text,
                     lambda tick: f"{tick:g}")


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
    return {name: text for name, text in plots.items() if text}

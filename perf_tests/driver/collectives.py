"""The figures of collective operations.

`figure`, `time_figure` and `size_rows` are what the caller makes a line of its
table, or a table over sizes, with.
"""

MIB = 1 << 20
OPERATIONS = ("broadcast", "fcollect", "alltoall", "reduce")
PES = (2, 4)  # of the runs on CPUs
NVSHMEM_BARRIERS = tuple(f"barrier in a kernel, NVSHMEM, {threads}"
                         for threads in ("thread", "warp", "block"))


def _on_cpus(records, figure, program, baseline):
    for pes in PES:
        job = f"{program}.np{pes}"
        yield figure(records, job, f"barrier of a PE team, {pes} PEs",
                     "barrier, symm", f"barrier, {baseline}", {}, 1.0)
        yield figure(records, job, f"reduce of 8 B, {pes} PEs", "reduce, symm",
                     f"reduce, {baseline}", {"bytes": 8}, 1.0)


def cpu_figures(records, figure):
    """Those with a goal."""
    return list(_on_cpus(records, figure, "collectives_openshmem", "OpenSHMEM"))


def other_cpu_figures(records, figure):
    """Those without."""
    return list(_on_cpus(records, figure, "collectives", "MPI"))


def cpu_details(records, size_rows):
    """Tables over sizes: (title, rows or None)."""
    tables = []
    for pes in PES:
        program, baseline = ("collectives_openshmem", "OpenSHMEM")
        if not records.cases(f"{program}.np{pes}", "reduce, OpenSHMEM"):
            program, baseline = ("collectives", "MPI")
        for what in OPERATIONS:
            names = [f"{what}, {library}" for library in ("symm", "MPI")
                     if library != baseline]
            tables.append((
                f"{what} by {pes} PEs over size",
                size_rows(records, f"{program}.np{pes}", names,
                          f"{what}, {baseline}")))
    return tables


def fastest(records, names, job="collectives", case=None):
    """The name with the least time; the first if none was measured."""
    times = {name: records.time(job, name, case or {}) for name in names}
    times = {name: time.median for name, time in times.items() if time}
    return min(times, key=times.get) if times else names[0]


def gpu_figures(records, figure, time_figure):
    """Those with a goal."""
    yield time_figure(records, "collectives", "barrier on a stream, time",
                      "barrier on a stream, symm",
                      "barrier on a stream, NVSHMEM", 0.8, {})
    yield time_figure(records, "collectives", "barrier in a kernel, time",
                      "barrier in a kernel, symm",
                      fastest(records, NVSHMEM_BARRIERS), 0.7, {})
    yield time_figure(records, "barrier", "barrier on the host, time",
                      "symm::barrier_all", "NVSHMEM barrier_all", 0.2, {})
    for what in OPERATIONS:
        for library, goal in (("NCCL", 0.9), ("NVSHMEM", 1)):
            yield figure(records, "collectives", f"{what} of 64 MiB on a stream",
                         f"{what}, symm", f"{what}, {library}",
                         {"bytes": 64 * MIB}, goal, True)


def gpu_details(records, size_rows):
    """Tables over sizes: (title, rows or None). With the time of ours as the
    baseline, a ratio is that of our speed to the library's."""
    return [(f"{what} on a stream over size", size_rows(
        records, "collectives", [f"{what}, NVSHMEM", f"{what}, NCCL"],
        f"{what}, symm")) for what in OPERATIONS]

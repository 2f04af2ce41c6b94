"""The figures over nodes."""

import functools

from driver.figures import (MIB, Figure, as_rate, as_time, as_updates, compare,
                            rate_text, size_text, time_text)

SIZES = (1 << 16, 1 << 18, MIB, 4 * MIB, 16 * MIB)
PAIR = "over_nodes.nodes2x1"
PERFTEST = "ucx_perftest.nodes2x1"
WORD = {"bytes": 8}
OPERATIONS = ("broadcast", "fcollect", "alltoall", "reduce")


def _of_speed(records, job, title, what, baseline, case, goal, text=as_rate):
    return compare(records, job, title, what, baseline, case, goal, text, True)


def _of_jobs(records, title, ours, theirs, goal, is_speed=False,
             text=time_text):
    """Of two programs. ours, theirs: (job, what, case)."""
    one, other = records.time(*ours), records.time(*theirs)
    name = theirs[1] if theirs[1] != ours[1] else "one node"
    if one is None or other is None:
        return Figure(title, name, goal, is_speed=is_speed)
    ratio = other.over(one) if is_speed else one.over(other)
    return Figure(title, name, goal, text(one.median), text(other.median),
                  ratio, is_speed=is_speed)


def _words(records):
    for what, title in (("put + quiet", "put of 8 B and quiet"),
                        ("get", "get of 8 B"),
                        ("fetch_add", "fetch_add")):
        ours = f"{what}, symm"
        yield compare(records, PAIR, title, ours, "fetch_add, UCX", WORD, 1.1)
        yield _of_jobs(records, title, (PAIR, ours, WORD),
                       (PERFTEST, "ucp_fadd", WORD), 1.1)


def _blocks(records):
    for size in SIZES:
        case = {"bytes": size}
        for what in ("put", "get"):
            title = f"{what} of {size_text(size)}"
            yield _of_speed(records, PAIR, title, f"{what}, symm",
                            f"{what}, MPI", case, 1.0)
            yield _of_speed(records, PAIR, title, f"{what}, symm",
                            f"{what}, UCX", case, 1.2)


def _collectives(records):
    for nodes in (2, 4):
        job = f"collectives.nodes{nodes}x1"
        of_nodes = f"{nodes} nodes"
        yield compare(records, job, f"barrier, {of_nodes}", "barrier, symm",
                      "barrier, MPI", {}, 1.1)
        yield compare(records, job, f"reduce of 8 B, {of_nodes}",
                      "reduce, symm", "reduce, MPI", WORD, 1.1)
        yield compare(records, job, f"broadcast of 1 MiB, {of_nodes}",
                      "broadcast, symm", "broadcast, MPI", {"bytes": MIB}, 1.1)


def _gups(records):
    for job, baseline in (("gups.nodes2x1", "MPI_Accumulate"),
                          ("gups_openshmem.nodes2x1", "OpenSHMEM")):
        cases = records.cases(job, "symm") or [{"updates": 1}]
        for case in cases:
            yield _of_speed(
                records, job, "random xor of words of all PEs, per PE, 2 nodes",
                "symm", baseline, case, 5, as_updates)


def _heat3d(records):
    for edge in (96, 192):
        yield _of_speed(records, "heat3d.nodes2x1", f"heat3d, {edge}^3",
                        "heat3d", "heat3d_mpi", {"edge": edge}, 0.95, as_time)


def _inside(records):
    for what in ("put", "get", "fetch_add", "put of 64 KiB"):
        title = f"{what}, inside a node of 2 x 2 PEs" if " " in what else \
            f"{what} of 8 B, inside a node of 2 x 2 PEs"
        yield _of_jobs(records, title, ("inside_node.nodes2x2", what, {}),
                       ("inside_node.nodes1x4", what, {}), 1.02)


def _initialize(records):
    job, title = "initialize.nodes4x4", "symm::initialize, 4 nodes of 4 PEs"
    ours = records.value(job, "symm::initialize")
    theirs = records.value(job, "MPI_Init")
    if ours is None or theirs is None:
        return Figure(title, "MPI_Init", 0.3)
    return Figure(title, "MPI_Init", 0.3, time_text(ours.median * 1e-6),
                  time_text(theirs.median * 1e-6), ours.over(theirs))


def all_figures(records):
    """The figures, in the order of the table."""
    figures = [*_words(records), *_blocks(records),
               _of_speed(records, PAIR, "put_nbi of 8 B, rate", "puts, symm",
                         "puts, UCX", WORD, 20, as_updates),
               *_collectives(records), *_gups(records), *_heat3d(records),
               *_inside(records), _initialize(records)]
    # What is not there on every machine need not be told.
    return [figure for figure in figures
            if figure.ratio or figure.baseline not in ("OpenSHMEM", "ucp_fadd")]


def other_figures(records):
    """Comparisons without a goal of their own."""
    figures = [
        _of_speed(records, PAIR, "atomic_add of a word, rate", "adds, symm",
                  "adds, UCX", WORD, 1, as_updates),
        compare(records, PAIR, "put of 8 B and quiet", "put + quiet, symm",
                "put + quiet, UCX", WORD, 1),
        compare(records, PAIR, "get of 8 B", "get, symm",
                "there and back, MPI", WORD, 1)]
    figures += [_of_jobs(records, f"put of {size_text(size)}",
                         (PAIR, "put, symm", {"bytes": size}),
                         (PERFTEST, "tag_bw", {"bytes": size}), 1, True,
                         functools.partial(rate_text, size))
                for size in SIZES]
    figures += [
        compare(
            records, f"collectives.nodes{nodes}x1",
            f"{what} of {size_text(size)}, {nodes} nodes", f"{what}, symm",
            f"{what}, MPI", {"bytes": size}, 1)
        for nodes in (2, 4) for what in OPERATIONS for size in (8, 1 << 16, MIB)]
    return [figure for figure in figures if figure.ratio]


def details(records, size_rows):
    """Tables over sizes: (title, rows or None)."""
    tables = [(f"{what} over size, 2 nodes", size_rows(
        records, PAIR, [f"{what}, symm", f"{what}, UCX"], f"{what}, MPI"))
              for what in ("put", "get")]
    tables += [(f"{what} over size, {nodes} nodes", size_rows(
        records, f"collectives.nodes{nodes}x1", [f"{what}, symm"],
        f"{what}, MPI")) for nodes in (2, 4) for what in OPERATIONS]
    return tables

"""What more than two GPUs are measured for, beside two: collective operations
and the exchange of a halo.

Ratios are those of times: below 1, ours is the faster one.
"""

from driver import collectives
from driver.figures import MIB, Figure, case_text, compare, time_text
from driver.records import Summary

LIBRARIES = ("NVSHMEM", "NCCL")
# Of the least time of the others: below 1 MiB, where launches count, and above.
SMALL, LARGE = 1.0, 0.9
# What an exchange may take longer than its packing and unpacking alone.
EXCHANGE_BEYOND = 5e-6
EXCHANGE_EDGES = (16, 32, 64)


def pe_counts(gpus):
    """The numbers of PEs that are measured: all up to 4, then powers of two."""
    counts = [pes for pes in (2, 3, 4) if pes <= gpus]
    while counts[-1] * 2 <= gpus:
        counts.append(counts[-1] * 2)
    return counts


def measured_counts(records, program="collectives"):
    """Those of which there are records."""
    return sorted(int(name.rpartition(".np")[2]) for name in
                  records.environments if name.startswith(f"{program}.np"))


def _operation(records, pes, what):
    """All sizes beside the faster of the other libraries."""
    job, ours = f"collectives.np{pes}", f"{what}, symm"
    names = [f"{what}, {library}" for library in LIBRARIES]
    for case in records.cases(job, ours):
        yield compare(
            records, job, f"{what}, {case_text(case)}, {pes} PEs", ours,
            collectives.fastest(records, names, job, case), case,
            LARGE if case["bytes"] >= MIB else SMALL)


def _barriers(records, pes):
    job = f"collectives.np{pes}"
    for where, others in (
            ("on a stream", ("barrier on a stream, NVSHMEM",)),
            ("in a kernel", collectives.NVSHMEM_BARRIERS)):
        yield compare(records, job, f"barrier {where}, {pes} PEs",
                      f"barrier {where}, symm",
                      collectives.fastest(records, others, job), {}, 0.75)


def _exchange(records, pes, edge):
    """Beside packing and unpacking, and some time for the handshake."""
    job, case = f"exchange.np{pes}", {"halo, cells per axis": edge}
    title = f"halo of {edge}^3 cells, 26 neighbors, {pes} PEs"
    baseline = f"pack and unpack, and {time_text(EXCHANGE_BEYOND)}"
    ours = records.time(job, "ExchangePlan", case)
    kernels = records.time(job, "pack and unpack", case)
    if ours is None or kernels is None:
        return Figure(title, baseline, 1.0)
    allowed = Summary(*(value + EXCHANGE_BEYOND for value in
                        (kernels.median, kernels.q1, kernels.q3)))
    return Figure(title, baseline, 1.0, time_text(ours.median),
                  time_text(allowed.median), ours.over(allowed))


def all_figures(records):
    """Those with a goal."""
    counts = measured_counts(records)
    figures = [figure for pes in counts for figure in _barriers(records, pes)]
    figures += [figure for what in collectives.OPERATIONS for pes in counts
                for figure in _operation(records, pes, what)]
    return figures + [_exchange(records, pes, edge)
                      for pes in measured_counts(records, "exchange")
                      for edge in EXCHANGE_EDGES]


def other_figures(_):
    """There are none."""
    return []


def details(records):
    """One table an operation: a row for each size, two columns for each number
    of PEs."""
    counts = measured_counts(records)
    tables = []
    for what in collectives.OPERATIONS:
        names = [f"{what}, {library}" for library in LIBRARIES]
        rows = [[""] + [f"{pes} PEs{other}" for pes in counts
                        for other in ("", ", fastest other")]]
        for case in records.cases(f"collectives.np{counts[0]}",
                                  f"{what}, symm") if counts else []:
            row = [case_text(case)]
            for pes in counts:
                job = f"collectives.np{pes}"
                other = collectives.fastest(records, names, job, case)
                for name in (f"{what}, symm", other):
                    time = records.time(job, name, case)
                    row.append(time_text(time.median) if time else "-")
            rows.append(row)
        if len(rows) > 1:
            tables.append((f"{what} on a stream", rows))
    return tables

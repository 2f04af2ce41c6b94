"""The figures of the project on GPUs: what is compared with what, and the goal.

Ratios are those of speeds: above 1, ours is the faster one; where a goal is
one of time ("<="), those of times.
"""

from driver import collectives, gups, places, registration
from driver.figures import (MIB, Figure, as_rate, as_time, as_updates,
                            case_text, compare, memory_at_start, size_text,
                            worst)
from driver.records import Summary

GIB = 1 << 30
OVER_SIZES = 64  # blocks, where sizes are compared
DIRECTIONS = {"put": 1, "get": 0}
# Of perf_tests/kernel_rma.cpp: who calls, and the sizes that say something
# about latency and about bandwidth, the smallest and the largest one.
RMA_SIZES = {"thread": (8, 4 << 10), "warp": (8, 64 << 10), "team": (8, MIB),
             "grid": (64 << 10, 64 * MIB)}
# Of copies that the host starts; the fastest is the one to compare with.
HOST_COPIES = ("cudaMemcpyPeerAsync, IPC", "cudaMemcpyPeerAsync, mapped",
               "cudaMemcpyAsync, IPC", "cudaMemcpyAsync, mapped")


def are_shared(records):
    """Whether PEs shared a GPU: then the way between two of them is missing."""
    return int(records.environment_value("PEs per GPU") or 1) > 1


def _remark(records, needs_two):
    return "on one GPU: " if needs_two and are_shared(records) else ""


def _figure(records, job, title, what, baseline, case, goal, is_rate=False,
            needs_two=True):
    return compare(records, job, title, what, baseline, case, goal,
                   as_rate if is_rate else as_time, True,
                   _remark(records, needs_two))


def _time_figure(records, job, title, what, baseline, goal, case=None,
                 needs_two=True):
    """With the ratio of the times: below 1, ours is the faster one."""
    return compare(records, job, title, what, baseline,
                   {"bytes": 8} if case is None else case, goal,
                   remark=_remark(records, needs_two))


def _product(records, job, title, what, baseline, case, goal):
    """What places.py makes lines with."""
    return compare(records, job, title, what, baseline, case, goal,
                   remark=_remark(records, case.get("PEs", 1) > 1))


def _updates(records, *line):
    return compare(records, *line, as_updates, True, _remark(records, True))


def _kernels(records):
    for direction, is_put in DIRECTIONS.items():
        case = {"bytes": GIB, "blocks": 32, "put": is_put}
        for what in ("global_view", "peer_view"):
            yield _figure(records, "kernel_bandwidth",
                          f"{direction} of 1 GiB, 32 blocks, {what}", what,
                          "raw", case, 0.98, True)
        yield _figure(records, "kernel_bandwidth",
                      f"{direction} of 1 GiB, 32 blocks, global_view",
                      "global_view", "NVSHMEM", case, 1.15 if is_put else 1.5,
                      True)
    for direction, is_put in DIRECTIONS.items():
        yield _figure(records, "kernel_elements",
                      f"{direction} of doubles one by one, 1 GiB, global_view",
                      "global_view", "raw", {"bytes": GIB, "put": is_put}, 0.99,
                      True)


def _one_thread(records):
    for baseline, goal in (("NVSHMEM", 0.55), ("raw", 1.1)):
        yield _time_figure(records, "kernel_latency",
                           "put of 8 B and wait, there and back, time",
                           "ping-pong, symm", f"ping-pong, {baseline}", goal)
    yield _time_figure(records, "kernel_atomics",
                       "fetching add by one thread, time", "fetch_add, symm",
                       "fetch_add, NVSHMEM", 1)


# Of perf_tests/kernel_atomics.cpp: the name there, and what it is.
ADDS = {"adds of all PEs": "100 adds each by 8 192 threads of all PEs",
        "adds": "1 add each by 819 200 threads of one PE",
        "adds of one thread": "1 000 adds by one thread"}


def _adds(records, shape, way, baseline, goal):
    return _figure(records, "kernel_atomics",
                   f"{ADDS[shape]}, one counter, {way}", f"{shape}, {way}",
                   f"{shape}, {baseline}", {"bytes": 8}, goal)


def best_host_copy(records, case):
    """The name of the fastest baseline; None if none was measured."""
    times = {what: records.time("copy_bandwidth", what, case)
             for what in HOST_COPIES}
    times = {what: time.median for what, time in times.items() if time}
    return min(times, key=times.get) if times else None


def _deep_copy(records, direction, goal):
    case = {"bytes": GIB, "put": DIRECTIONS[direction]}
    baseline = best_host_copy(records, case) or HOST_COPIES[0]
    for what in ("deep_copy(cuda, ...), peer_view", "deep_copy, peer_view"):
        yield _figure(records, "copy_bandwidth",
                      f"{direction} of 1 GiB, {what}", what, baseline, case,
                      goal, True)


def all_figures(records):
    """The figures, in the order of the table."""
    return [
        worst(records, "allocate_nvshmem", "malloc + free, steady",
              "symm::malloc + free", "NVSHMEM malloc + free", 4, _figure),
        _figure(records, "allocate_nvshmem", "growth of 4 GiB",
                "symm::malloc, the heap grows", "NVSHMEM malloc, the heap grows",
                {"bytes": 4 * GIB}, 1),
        _figure(records, "allocate", "View create + destroy, 1 MiB",
                "SymmetricSpace View", "CudaSpace View", {"bytes": MIB}, 10,
                needs_two=False),
        *_kernels(records),
        *_one_thread(records),
        *(_adds(records, shape, "symm", "NVSHMEM", 2)
          for shape in ADDS),
        *_deep_copy(records, "put", 0.99),
        *collectives.gpu_figures(records, _figure, _time_figure),
        *registration.gpu_figures(records, _figure, _time_figure),
        places.figure_of_product(records, _product, "places"),
        *places.figures(records, _product, "places"),
        memory_at_start(records, "footprint",
                        "GPU memory taken at initialize, per PE", 4096)]


def _latency(records):
    for what, title in (("put", "put of 8 B and a fence, by a kernel"),
                        ("get", "get of 8 B, by a kernel")):
        for baseline in ("raw", "NVSHMEM"):
            yield _figure(records, "kernel_latency", title,
                          f"{what}, global_view", f"{what}, {baseline}",
                          {"bytes": 8}, 1)


def _atomics(records):
    for way in ("symm", "global_view"):
        for shape in ADDS:
            yield _adds(records, shape, way, "raw", 1)
        yield _figure(records, "kernel_atomics",
                      f"fetching add by one thread, {way}", f"fetch_add, {way}",
                      "fetch_add, raw", {"bytes": 8}, 1)


def _rma(records):
    for scope, sizes in RMA_SIZES.items():
        for direction, is_put in DIRECTIONS.items():
            for size, is_rate in zip(sizes, (False, True)):
                yield _figure(
                    records, "kernel_rma",
                    f"symm::{direction} of {size_text(size)} by a {scope}",
                    f"{scope}, symm", f"{scope}, NVSHMEM",
                    {"bytes": size, "put": is_put}, 1, is_rate)


def _against_nvshmem(records):
    for direction, is_put in DIRECTIONS.items():
        yield _figure(records, "kernel_bandwidth",
                      f"{direction} of 1 GiB, 128 blocks, global_view",
                      "global_view", "NVSHMEM",
                      {"bytes": GIB, "blocks": 128, "put": is_put}, 1, True)
        yield _figure(records, "kernel_elements",
                      f"{direction} of doubles one by one, 1 GiB, global_view",
                      "global_view", "NVSHMEM", {"bytes": GIB, "put": is_put},
                      1, True)
        yield _figure(records, "copy_bandwidth",
                      f"{direction} of 1 GiB, deep_copy(cuda, ...), peer_view",
                      "deep_copy(cuda, ...), peer_view", "NVSHMEM on_stream",
                      {"bytes": GIB, "put": is_put}, 1, True)


def _host_memory(records):
    for way in ("kernel", "cudaMemcpyAsync", "memcpy", "CPU loop"):
        for direction, is_put in DIRECTIONS.items():
            what = f"{way}, SymmetricHostSpace"
            for case in records.cases("host_memory", what):
                if case["put"] == is_put:
                    yield _figure(
                        records, "host_memory",
                        f"{direction} of {case_text(case)}, {what}", what,
                        f"{way}, registered memfd", case, 1, True, False)


def _all_cases(records, job, title, what, baseline):
    for case in records.cases(job, what):
        yield _figure(records, job, f"{title}, {case_text(case)}", what,
                      baseline, case, 1)


def _nvshmem_footprint(records):
    title = "GPU memory taken by NVSHMEM at initialize, per PE"
    value = records.value("footprint_nvshmem", title)
    ours = records.value("footprint_nvshmem",
                         "GPU memory taken at initialize, per PE")
    if value is None or ours is None or ours.median <= 0:
        return []
    ratio = value.median / ours.median
    return [Figure("GPU memory taken at initialize, per PE", "NVSHMEM", 1,
                   f"{ours.median:.0f} KiB", f"{value.median:.0f} KiB",
                   Summary(ratio, ratio, ratio), None, True)]


def other_figures(records):
    """Comparisons without a goal of their own."""
    figures = [
        *_latency(records), *_atomics(records), *_rma(records),
        *_against_nvshmem(records),
        *gups.figures(records, _updates, "gups", "raw"),
        *gups.figures(records, _updates, "gups", "NVSHMEM"),
        *_deep_copy(records, "get", 1),
        _figure(records, "barrier", "barrier", "symm::barrier_all",
                "MPI_Barrier", {}, 1, needs_two=False),
        *registration.other_figures(records, _figure, "registration", GIB,
                                    "1 GiB"),
        *_nvshmem_footprint(records),
        *_host_memory(records),
        *places.other_figures(records, _product, "places"),
        *_all_cases(records, "stencil", "stencil", "MDRange, global_view",
                    "MDRange, local View"),
        *_all_cases(records, "halo", "halo", "global_view, barrier_all",
                    "pack, MPI, unpack"),
        *_all_cases(records, "halo", "packed halo",
                    "pack into peer, barrier_all, unpack",
                    "pack, MPI, unpack"),
        *_all_cases(records, "heat3d", "heat3d, a step", "heat3d",
                    "heat3d_mpi")]
    return [figure for figure in figures if figure.ratio]

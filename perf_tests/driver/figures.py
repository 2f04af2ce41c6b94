"""The figures of the project: what is compared with what, and the goal."""

import dataclasses

from driver import collectives, gups, places, registration
from driver.records import Summary

MIB = 1 << 20
ATOMICS = ("fetch_add", "fetch", "set, quiet", "compare_swap", "add")


@dataclasses.dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    baseline: str
    goal: float
    measured: str = "-"
    measured_baseline: str = "-"
    ratio: Summary = None  # of the value to the baseline, or to 1 unit
    null: Summary = None  # of the baseline to itself, where that was measured
    is_speed: bool = False  # the ratio is one of speeds, the goal a least one
    remark: str = ""  # what stands before the verdict

    @property
    def verdict(self):
        return self.remark + self._verdict()

    def _verdict(self):
        """Two digits after the point are compared: the samples carry no more.
        Equal things differ, in either direction, by as much as the quartiles of
        the null ratio say; a ratio no larger than that is not a miss. A null
        ratio wider than 5 % excuses nothing: the run was disturbed."""
        if self.ratio is None:
            return "not measured"
        if self._reaches(round(self.ratio.median, 2)):
            return "met"
        # Other goals than that of being equal leave room for this already.
        exactness = max(self.null.q3, 1 / self.null.q1) \
            if self.null and self.goal == 1 else 1.0
        if exactness <= 1.05 and self._reaches(
                self.ratio.median * exactness if self.is_speed
                else self.ratio.median / exactness):
            return "met (as equal as the baseline to itself)"
        best = self.ratio.q3 if self.is_speed else self.ratio.q1
        if self._reaches(round(best, 2)):
            return "missed (goal within the spread)"
        return "missed"

    def _reaches(self, value):
        return value >= self.goal if self.is_speed else value <= self.goal

    @property
    def goal_text(self):
        return f"{'>=' if self.is_speed else '<='} {self.goal:g} x"


def time_text(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= unit or name == "ns":
            return f"{seconds / unit:.3g} {name}"
    return ""


def size_text(count):
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count // unit} {name}"
    return f"{count} B"


def case_text(case):
    return ", ".join(size_text(value) if key == "bytes" else f"{key} {value}"
                     for key, value in case.items() if key != "put")


def rate_text(size, seconds):
    return f"{size / seconds * 1e-9:.3g} GB/s"


def as_time(_, seconds):
    return time_text(seconds)


def as_rate(case, seconds):
    return rate_text(case["bytes"], seconds)


def as_updates(case, seconds):
    """Per second; of a case without a number of them, one."""
    rate = case.get("updates", 1) / seconds
    return f"{rate * 1e-9:.3g} G/s" if rate >= 1e9 else f"{rate * 1e-6:.3g} M/s"


def compare(records, job, title, what, baseline, case, goal, text=as_time,
            is_speed=False, remark=""):
    """A line: neighboring samples of two contestants of one job, as times or as
    speeds. text: (case, seconds) -> what is shown of each."""
    def ratio(one, other):
        return records.ratio(job, *((other, one) if is_speed else (one, other)),
                             case)

    found = ratio(what, baseline)
    if found is None:
        return Figure(title, baseline, goal, is_speed=is_speed)
    return Figure(
        title, baseline, goal,
        text(case, records.time(job, what, case).median),
        text(case, records.time(job, baseline, case).median), found,
        records.ratio(job, f"{baseline}, again", baseline, case), is_speed,
        remark)


def worst(records, job, title, what, baseline, goal, line=compare):
    """The case that is farthest from the goal stands for all."""
    cases = records.cases(job, what)
    figures = [
        line(records, job, f"{title}, worst of {len(cases)} cases: "
             f"{case_text(case)}", what, baseline, case, goal)
        for case in cases]
    figures = [figure for figure in figures if figure.ratio]
    if not figures:
        return line(records, job, title, what, baseline, {}, goal)
    return max(figures, key=lambda figure: figure.ratio.median
               * (-1 if figure.is_speed else 1))


def memory_at_start(records, job, what, kib):
    """Beside a limit in KiB."""
    value = records.value(job, what)
    limit = f"{kib // 1024} MiB"
    if value is None:
        return Figure(what, limit, 1.0)
    return Figure(what, limit, 1.0, f"{value.median:.0f} KiB", f"{kib} KiB",
                  value.over(Summary(kib, kib, kib)))


def _words(records, direction):
    job = f"{direction}_latency.np2"
    for view in ("global_view(pe, i)", "peer_view(i)"):
        what, private, in_order = (
            (f"{view} = x", "private(i) = x", {"bytes": 8, "scattered": 0})
            if direction == "put" else
            (f"i = {view}", "i = private(i)", {"bytes": 8}))
        yield compare(records, job, f"{direction} of 8 B, {what}", what,
                      private, in_order, 1.0)
        if direction == "put":
            yield compare(records, job, f"put of 8 B, {what}, scattered i",
                          what, private, {"bytes": 8, "scattered": 1}, 1.0)


def _blocks(records, direction):
    job = f"{direction}_bandwidth.np2"
    yield compare(records, job, f"{direction} of 1 MiB", "memcpy, symm::ptr",
                  "memcpy, private", {"bytes": MIB}, 1.0)
    yield compare(records, job, f"{direction} of 1 MiB with deep_copy",
                  "deep_copy, peer_view", "deep_copy, private", {"bytes": MIB},
                  1.0)


def _atomics(records):
    for operation in ATOMICS:
        yield compare(records, "atomics_openshmem.np2",
                      f"atomic on the other PE's word: {operation}",
                      f"{operation}, symm", f"{operation}, OpenSHMEM",
                      {"bytes": 8}, 1.0)


def _atomics_by_address(records):
    for operation in ATOMICS:
        yield compare(records, "atomics.np2",
                      f"atomic by address, global_view: {operation}",
                      f"{operation}, global_view", f"{operation}, private",
                      {"bytes": 8}, 1.0)


# Of perf_tests/rma.cpp: the call, and sizes in bytes.
RMA = (("p", 8), ("g", 8), ("put", 8), ("get", 8), ("put", MIB), ("get", MIB))


def _rma(records, job, baseline):
    for call, size in RMA:
        direction = {"p": "put", "g": "get"}.get(call, call)
        yield compare(records, job,
                      f"{direction} of {size_text(size)}, symm::{call}",
                      f"{call}, symm", f"{call}, {baseline}", {"bytes": size},
                      1.0)


def _updates(*line):
    return compare(*line, as_updates)


def all_figures(records):
    """The figures, in the order of the table."""
    host_view = "HostSpace View + barrier_all"
    figures = [
        worst(records, "allocate_openshmem.np2", "malloc + free",
              "symm::malloc + free", "OpenSHMEM malloc + free", 1.0),
        worst(records, "allocate.np2", "View create + destroy",
              "SymmetricSpace View", host_view, 1.0)]
    for what in ("symm::malloc + free", "SymmetricSpace View"):
        figures.append(worst(records, "allocate_holes.np2",
                             f"{what}, 100 000 holes",
                             f"{what}, 100000 holes", f"{what}, 0 holes", 1.5))
    for direction in ("put", "get"):
        figures += _words(records, direction)
        figures += _blocks(records, direction)
    figures += _rma(records, "rma_openshmem.np2", "OpenSHMEM")
    figures += _atomics(records)
    for shape in ("MDRange", "inner loops"):
        figures.append(worst(records, "stencil.np2", f"stencil, {shape}",
                             f"{shape}, global_view", f"{shape}, local View",
                             1.02))
    figures += places.figures(records, compare, "places.np1")
    for pes in (2, 8):
        figures.append(compare(records, f"barrier.np{pes}",
                               f"barrier, {pes} PEs on the cores of the machine",
                               "symm::barrier_all", "MPI_Barrier", {}, 1.0))
    figures += collectives.cpu_figures(records, compare)
    figures += registration.cpu_figures(records, compare)
    figures.append(memory_at_start(
        records, "footprint.np2",
        "physical memory taken at initialize, per PE", 1024))
    return figures


def other_figures(records):
    """Comparisons without a goal of their own."""
    figures = [
        compare(records, "barrier_openshmem.np2", "barrier, 2 PEs",
                "symm::barrier_all", "OpenSHMEM barrier_all", {}, 1.0),
        compare(records, "barrier_openshmem.np8", "barrier, 8 PEs",
                "symm::barrier_all", "OpenSHMEM barrier_all", {}, 1.0),
        compare(records, "round_trip.np2", "word there and back",
                "global_view store, wait", "MPI_Send, MPI_Recv",
                {"round trip bytes": 8}, 1.0)]
    figures += _rma(records, "rma.np2", "private")
    figures += _atomics_by_address(records)
    figures += gups.figures(records, _updates, "gups.np2", "raw")
    figures += gups.figures(records, _updates, "gups_openshmem.np2",
                            "OpenSHMEM")
    figures += collectives.other_cpu_figures(records, compare)
    figures += registration.other_figures(records, compare, "registration.np2",
                                          256 * MIB, "256 MiB")
    for title, what in (("halo", "global_view, barrier_all"),
                        ("packed halo", "pack into peer, barrier_all, unpack")):
        for case in records.cases("halo.np2", what):
            figures.append(compare(records, "halo.np2",
                                   f"{title}, {case_text(case)}", what,
                                   "pack, MPI, unpack", case, 1.0))
    for pes in (1, 2):
        figures += places.other_figures(records, compare,
                                        f"places.np{pes}")
    # The yardstick of openshmem_alone.cpp: these two should agree.
    figures.append(compare(records, "openshmem_alone.np2",
                           "OpenSHMEM barrier, alone in its process",
                           "OpenSHMEM barrier_all", "MPI_Barrier",
                           {"bytes": 65536}, 1.0))
    figures.append(compare(records, "barrier_openshmem.np2",
                           "OpenSHMEM barrier, beside this project's heap",
                           "OpenSHMEM barrier_all", "MPI_Barrier", {}, 1.0))
    return [figure for figure in figures if figure.ratio]

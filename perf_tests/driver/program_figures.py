"""The figures of whole programs: time of a step beside that of the same program
with MPI, or NCCL. Below 1, ours is the faster one."""

from driver import programs
from driver.figures import Figure, case_text, compare, time_text
from driver.records import Summary

# Of a step's time beside that with MPI, 2 PEs: at the smallest size, where the
# exchange is all that counts, and at the others.
CPU_PAIRS_WITH_GOALS = (programs.HEAT3D, programs.CG, programs.PARTICLES)
SMALLEST, OTHERS = 0.8, 1.0
# On two GPUs: edge -> microseconds, and the part of the time with NCCL; the part
# of cg_mpi's time.
HEAT3D_STEP = {64: 9, 128: 11, 256: 50, 512: 330}
HEAT3D_BESIDE_NCCL = {64: 0.5, 128: 0.55, 256: 0.8, 512: 0.95}
CG_BESIDE_MPI = {64: 0.6, 128: 0.7, 192: 0.8}
CG_BESIDE_ONE_GPU, CG_FROM = 0.55, 128
# On more than two GPUs: the part of the time of one, at the smallest size; the
# part of the time with barriers.
SEVERAL_BESIDE_ONE_GPU, SIGNALS_BESIDE_BARRIERS = 0.5, 0.9
# The part of the time with MPI that the exchange of a step takes.
PARTICLES_EXCHANGE = 0.5


def _job(pair, pes):
    return f"{pair.name}.np{pes}"


def _pes_text(pes):
    return "1 PE" if pes == 1 else f"{pes} PEs"


def _title(pair, pes, case):
    return f"{pair.name}, {case_text(case)}, {_pes_text(pes)}"


def _beside(records, pair, pes, case, goal, other=None):
    """A step beside one of the other program, or of another one."""
    return compare(records, _job(pair, pes), _title(pair, pes, case),
                   pair.ours.name, (other or pair.theirs).name, case, goal)


def _beside_one(records, pair, pes, case, goal):
    """So many PEs beside one, which were not run by turns."""
    title, ours = _title(pair, pes, case), pair.ours.name
    one = records.time(_job(pair, 1), ours, case)
    several = records.time(_job(pair, pes), ours, case)
    if one is None or several is None:
        return Figure(title, "one PE", goal)
    return Figure(title, "one PE", goal, time_text(several.median),
                  time_text(one.median), several.over(one))


def _exchange(records, pair, case, goal):
    """What a step takes longer than ours of one PE with as many particles,
    beside the same with MPI."""
    job, title = _job(pair, 2), f"{_title(pair, 2, case)}, exchange"
    ours, theirs = pair.ours.name, pair.theirs.name
    alone = records.time(_job(pair, 1), programs.HALF_THE_PARTICLES.name, case)
    ratio = alone and records.ratio(job, ours, theirs, case, alone.median)
    if not ratio:
        return Figure(title, theirs, goal)
    return Figure(title, theirs, goal,
                  *(time_text(max(0, records.time(job, what, case).median
                                  - alone.median)) for what in (ours, theirs)),
                  ratio)


def _within(records, pair, pes, case, microseconds):
    """Beside a time."""
    title, text = _title(pair, pes, case), f"{microseconds} us"
    found = records.time(_job(pair, pes), pair.ours.name, case)
    if found is None:
        return Figure(title, text, 1.0)
    unit = microseconds * 1e-6
    return Figure(title, text, 1.0, time_text(found.median), text,
                  found.over(Summary(unit, unit, unit)))


def _cases(records, pair, pes, sizes):
    """What was measured; if nothing was, what there is to measure."""
    return records.cases(_job(pair, pes), pair.ours.name) or \
        [{pair.axis: size} for size in sizes]


def all_figures(records):
    """Those with a goal, on CPUs."""
    figures = []
    for pair in CPU_PAIRS_WITH_GOALS:
        cases = _cases(records, pair, 2, pair.sizes)
        figures += [_beside(records, pair, 2, case,
                            SMALLEST if case == cases[0] else OTHERS)
                    for case in cases]
    return figures


def _others(records, pairs, pes, without_goal):
    """without_goal: of which so many PEs beside MPI are told, too."""
    figures = []
    for pair in pairs:
        for count in sorted({1, pes}):
            if count == 1 or pair in without_goal:
                figures += [_beside(records, pair, count, case, 1.0)
                            for case in _cases(records, pair, count, ())]
    for pair in pairs:
        if pes > 1:
            figures += [_beside_one(records, pair, pes, case, 1.0)
                        for case in _cases(records, pair, pes, ())]
    return [figure for figure in figures if figure.ratio]


def other_figures(records):
    """Those without a goal, on CPUs."""
    return _others(records, programs.CPU_PAIRS, 2, (programs.HALO, programs.HYDRO,
                                         programs.MOLECULES))


def pes_on_gpus(records):
    """How many PEs were measured beside one."""
    return max((pes for pair in programs.GPU_PAIRS for pes in range(2, 65)
                if records.cases(_job(pair, pes), pair.ours.name)), default=2)


def gpu_figures(records):
    """Those with a goal, on GPUs. They are goals of two."""
    heat3d, cg = programs.HEAT3D, programs.CG
    figures = [_within(records, heat3d, 2, {heat3d.axis: edge}, time)
               for edge, time in HEAT3D_STEP.items()]
    figures += [_beside(records, heat3d, 2, {heat3d.axis: edge}, goal,
                        heat3d.nccl)
                for edge, goal in HEAT3D_BESIDE_NCCL.items()]
    figures += [_beside(records, cg, 2, {cg.axis: edge}, goal)
                for edge, goal in CG_BESIDE_MPI.items()]
    figures += [_beside_one(records, cg, 2, {cg.axis: edge}, CG_BESIDE_ONE_GPU)
                for edge in CG_BESIDE_MPI if edge >= CG_FROM]
    particles = programs.PARTICLES
    figures += [_exchange(records, particles, {particles.axis: edge},
                          PARTICLES_EXCHANGE)
                for edge in particles.gpu_sizes]
    return figures


def several_gpu_figures(records):
    """Those with a goal, on more than two GPUs."""
    heat3d, cg = programs.HEAT3D, programs.CG
    pes = pes_on_gpus(records)
    figures = [_beside(records, heat3d, pes, {heat3d.axis: edge}, goal,
                       heat3d.nccl)
               for edge, goal in HEAT3D_BESIDE_NCCL.items()]
    figures += [_beside(records, cg, pes, {cg.axis: edge}, goal)
                for edge, goal in CG_BESIDE_MPI.items()]
    figures += [_beside_one(records, pair, pes, {pair.axis: pair.gpu_sizes[0]},
                            SEVERAL_BESIDE_ONE_GPU)
                for pair in (cg, programs.PARTICLES)]
    halo = programs.HALO_ON_GPUS
    return figures + [_beside(records, halo, pes, {halo.axis: edge},
                              SIGNALS_BESIDE_BARRIERS)
                      for edge in halo.gpu_sizes]


def other_gpu_figures(records):
    """Those without a goal, on GPUs."""
    pairs, cg = programs.GPU_PAIRS, programs.CG
    pes = pes_on_gpus(records)
    figures = [_beside(records, cg, pes, case, 1.0, cg.nccl)
               for case in _cases(records, cg, pes, ())]
    return [figure for figure in figures if figure.ratio] + \
        _others(records, pairs, pes, [pair for pair in pairs if pair is not cg])


def details(records, size_rows, pairs, pes):
    """Tables over sizes: (title, rows or None)."""
    return [(f"{pair.name}, {_pes_text(count)}, time of a step over size",
             size_rows(records, _job(pair, count),
                       [one.name for one in pair.all_contestants()
                        if one is not pair.theirs], pair.theirs.name))
            for pair in pairs for count in sorted({pes, 1}, reverse=True)]


def lines(records, pair, pes):
    """Of a plot of a step's time: (label, [(size, microseconds)])."""
    for count in sorted({pes, 1}, reverse=True):
        for one in pair.all_contestants():
            job = _job(pair, count)
            yield (f"{one.name}, {_pes_text(count)}",
                   [(case[pair.axis],
                     records.time(job, one.name, case).median * 1e6)
                    for case in records.cases(job, one.name)])


def speedups(records, pair, pes):
    """Of a plot: [(size, a step's time on one PE to that on so many)]."""
    ours, points = pair.ours.name, []
    for case in records.cases(_job(pair, pes), ours):
        one = records.time(_job(pair, 1), ours, case)
        if one:
            several = records.time(_job(pair, pes), ours, case)
            points.append((case[pair.axis], one.median / several.median))
    return points

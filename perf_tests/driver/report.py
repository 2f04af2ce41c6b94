"""The figures as a table for the terminal, as Markdown and as JSON."""

import dataclasses
import json

from driver.figures import all_figures, case_text, other_figures, time_text

SHOWN = ("cpu", "cores online", "load average", "huge pages", "compiler", "Kokkos", "MPI",
         "project", "time")


def _ratio_text(ratio):
    if ratio is None:
        return "-"
    return f"{ratio.median:.2f} [{ratio.q1:.2f} .. {ratio.q3:.2f}]"


def _rows(figures, with_goal):
    header = ["what", "measured", "baseline", "", "ratio [quartiles]"]
    rows = [header + (["null ratio", "goal", "verdict"] if with_goal else [])]
    for figure in figures:
        row = [figure.what, figure.measured, figure.measured_baseline,
               figure.baseline, _ratio_text(figure.ratio)]
        rows.append(row + ([_ratio_text(figure.null), f"{figure.goal:g} x",
                            figure.verdict]
                           if with_goal else []))
    return rows


def _plain(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width
                               in zip(row, widths)).rstrip() for row in rows)


def _markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


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
                + f" ({_ratio_text(ratio)} x)")
        rows.append(row)
    return rows if len(rows) > 1 and present else None


def _details(records):
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
            records, "put_bandwidth.np2", ["deep_copy, private, again",
                                     "deep_copy, peer_view"],
            "deep_copy, private")),
    ) if rows]


def terminal_text(records):
    """What run.py prints at its end."""
    figures = all_figures(records)
    measured = [figure for figure in figures if figure.ratio]
    text = _plain(_rows(measured, True))
    if len(measured) < len(figures):
        text += f"\n{len(figures) - len(measured)} other figures not measured"
    others = other_figures(records)
    if others:
        text += "\n\nWithout a goal of their own:\n" + _plain(_rows(others, False))
    return text


def markdown_text(records, command, rounds, plot_names):
    """The text of RESULTS.md."""
    environment = next(iter(records.environments.values()))
    parts = [
        "# Results",
        "Written by `" + command + "`; do not edit. What each figure compares, "
        "and why that way, stands at the top of the benchmark's source.",
        _markdown([["", ""]] + [[key, str(environment[key])]
                                for key in SHOWN if key in environment]),
        f"Every program was run {rounds} x. Samples of the two sides are taken "
        "in turn in one process; a ratio is the median [quartiles] of the "
        "ratios of neighbouring samples of all runs. The null ratio compares "
        "the baseline with itself, in other memory: it says how exact the "
        "ratio beside it is. A figure is met if the median, to two digits "
        "after the point, is not above the goal, or is not farther above it "
        "than the quartiles of the null ratio are from 1 (5 % at most).",
        "## Figures",
        _markdown(_rows(all_figures(records), True))]
    others = other_figures(records)
    if others:
        parts += ["## Other comparisons", _markdown(_rows(others, False))]
    if plot_names:
        parts += ["## Plots"] + [f"![{name}](results/{name})"
                                 for name in plot_names]
    for title, rows in _details(records):
        parts += [f"## {title[0].upper()}{title[1:]}", _markdown(rows)]
    return "\n\n".join(parts) + "\n"


def json_text(records, command, rounds):
    """Figures and environments for machines."""
    def plain(figure):
        return {**dataclasses.asdict(figure), "verdict": figure.verdict}

    return json.dumps(
        {"command": command, "rounds": rounds,
         "figures": [plain(figure) for figure in all_figures(records)],
         "other": [{key: value for key, value in plain(figure).items()
                    if key not in ("goal", "verdict")}
                   for figure in other_figures(records)],
         "environments": records.environments}, indent=2) + "\n"

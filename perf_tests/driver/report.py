"""The figures as a table for the terminal, as Markdown and as JSON."""

import dataclasses
import json

from driver.part import ratio_text


def _rows(figures, with_goal):
    header = ["what", "measured", "baseline", "", "ratio [quartiles]"]
    rows = [header + (["null ratio", "goal", "verdict"] if with_goal else [])]
    for figure in figures:
        row = [figure.what, figure.measured, figure.measured_baseline,
               figure.baseline, ratio_text(figure.ratio)]
        rows.append(row + ([ratio_text(figure.null), figure.goal_text,
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


def terminal_text(part, records):
    """What run.py prints at its end."""
    figures = part.figures(records)
    measured = [figure for figure in figures if figure.ratio]
    text = _plain(_rows(measured, True))
    if len(measured) < len(figures):
        text += f"\n{len(figures) - len(measured)} other figures not measured"
    others = part.other_figures(records)
    if others:
        text += "\n\nWithout a goal of their own:\n" + _plain(_rows(others, False))
    return text


def _machine_rows(part, records, machine):
    """machine: what run.py itself has found out, before the environment."""
    found = [(key, records.environment_value(key)) for key in part.shown]
    return [["", ""]] + machine + [[key, str(value)] for key, value in found
                                   if value is not None]


def markdown_text(part, records, command, rounds, plot_names, machine=()):
    """The text of the part, with headings of level 2 and below."""
    parts = [
        f"## {part.title}",
        "Written by `" + command + "`; do not edit. What each figure compares, "
        "and why that way, stands at the top of the benchmark's source.",
        _markdown(_machine_rows(part, records, list(machine))),
        f"Every program was run {rounds} x. " + part.explanation,
        "### Figures",
        _markdown(_rows(part.figures(records), True))]
    if records.notes:
        parts += ["Of this run:",
                  "\n".join(f"- {note}" for note in records.notes)]
    others = part.other_figures(records)
    if others:
        parts += ["### Other comparisons", _markdown(_rows(others, False))]
    if plot_names:
        parts += ["### Plots"] + [f"![{name}](results/{name})"
                                  for name in plot_names]
    for title, rows in part.details(records):
        parts += [f"### {title[0].upper()}{title[1:]}", _markdown(rows)]
    return "\n\n".join(parts) + "\n"


def json_text(part, records, command, rounds):
    """Figures and environments for machines."""
    def plain(figure):
        return {**dataclasses.asdict(figure), "verdict": figure.verdict}

    return json.dumps(
        {"command": command, "rounds": rounds,
         "figures": [plain(figure) for figure in part.figures(records)],
         "other": [{key: value for key, value in plain(figure).items()
                    if key not in ("goal", "verdict")}
                   for figure in part.other_figures(records)],
         "notes": records.notes,
         "environments": records.environments}, indent=2) + "\n"

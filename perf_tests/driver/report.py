"""The figures as a table for the terminal, as blocks of a page and as JSON."""

import collections
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


@dataclasses.dataclass(frozen=True)
class Heading:
    """Blocks of a page: one of these or of those below, or text."""

    level: int
    text: str


@dataclasses.dataclass(frozen=True)
class Table:
    """The first row is its head."""

    rows: list


@dataclasses.dataclass(frozen=True)
class Items:
    """A list."""

    texts: list


@dataclasses.dataclass(frozen=True)
class Plots:
    """File name -> text of the SVG."""

    images: dict


@dataclasses.dataclass(frozen=True)
class Details:
    """What a reader may want to leave out."""

    blocks: list


def _markdown_table(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def markdown(blocks, image=lambda name, svg: f"results/{name}"):
    """The blocks as Markdown. image: where a plot is found."""
    texts = []
    for block in blocks:
        if isinstance(block, Heading):
            texts.append(f"{'#' * block.level} {block.text}")
        elif isinstance(block, Table):
            texts.append(_markdown_table(block.rows))
        elif isinstance(block, Items):
            texts.append("\n".join(f"- {text}" for text in block.texts))
        elif isinstance(block, Plots):
            texts += [f"![{name}]({image(name, svg)})"
                      for name, svg in block.images.items()]
        elif isinstance(block, Details):
            texts.append(markdown(block.blocks, image).rstrip("\n"))
        else:
            texts.append(block)
    return "\n\n".join(texts) + "\n"


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


def blocks_of(part, records, command, rounds, plots, machine=()):
    """The page of the part, with headings of level 2 and below.

    plots: file name -> text of the SVG
    """
    blocks = [
        Heading(2, part.title),
        "Written by `" + command + "`; do not edit. What each figure compares, "
        "and why that way, stands at the top of the benchmark's source.",
        Table(_machine_rows(part, records, list(machine))),
        f"Every program was run {rounds} x. " + part.explanation,
        Heading(3, "Figures"), Table(_rows(part.figures(records), True))]
    if records.notes:
        blocks += ["Of this run:", Items(records.notes)]
    others = part.other_figures(records)
    if others:
        blocks += [Heading(3, "Other comparisons"), Table(_rows(others, False))]
    if plots:
        blocks += [Heading(3, "Plots"), Plots(plots)]
    details = []
    for title, rows in part.details(records):
        details += [Heading(3, title[0].upper() + title[1:]), Table(rows)]
    return blocks + ([Details(details)] if details else [])


def verdicts(part, records):
    """Verdict, without what it says in brackets -> number of figures; and those
    that missed their goal, as rows with a head."""
    figures = part.figures(records)
    counts = collections.Counter(figure.verdict.split(" (")[0]
                                 for figure in figures)
    missed = [figure for figure in figures if "missed" in figure.verdict]
    return counts, _rows(missed, True) if missed else None


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

"""One file with everything that was measured, to be sent to somebody."""

import base64
import html
import re
import subprocess

from driver import report
from driver.report import Details, Heading, Items, Plots, Table

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a;
  --page: #ffffff; --card: #f4f6f8; --line: #d0d7de; --link: #0b5cad;
  --met: #14692e; --missed: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --dim: #a0a9b3;
  --page: #14171b; --card: #1d2228; --line: #3a424b; --link: #79b8ff;
  --met: #6fd08c; --missed: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 4rem;
  background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { margin: 3rem 0 .5rem; padding-top: .5rem; border-top: 2px solid var(--line); }
h3 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
p, li { max-width: 48rem; overflow-wrap: anywhere; }
a { color: var(--link); }
nav { margin-bottom: 1rem; }
nav a { display: inline-block; margin: 0 1rem .25rem 0; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace;
  font-size: .875em; }
code { background: var(--card); padding: .1em .3em; border-radius: .25em; }
pre, .table { overflow-x: auto; }
pre { background: var(--card); padding: .75rem 1rem; border-radius: .4rem; }
table { border-collapse: collapse; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; }
td:not(:first-child) { white-space: nowrap; }
.pairs td:nth-child(4), td:last-child { white-space: normal !important; min-width: 7rem; }
td:first-child { min-width: 11rem; }
.pairs td:not(:first-child) { white-space: normal; overflow-wrap: anywhere; }
td:first-child { min-width: 11rem; }
@media (min-width: 60rem) { td:first-child { min-width: 17rem; } }
th { color: var(--dim); font-weight: 600; white-space: nowrap; }
tbody tr:hover { background: var(--card); }
.met { color: var(--met); } .missed { color: var(--missed); font-weight: 600; }
summary { cursor: pointer; margin: 1.5rem 0; color: var(--link); }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { width: 100%; max-width: 52rem; height: auto; min-width: 34rem; }
"""


def symm_info_text(program, environment=None):
    """What it says of machine and settings, or why it says nothing."""
    try:
        done = subprocess.run([program], env=environment, timeout=60, text=True,
                              check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"symm_info: {error}"
    return done.stdout.rstrip() or f"symm_info ended with {done.returncode}"


def _summary(parts):
    """The verdicts of all parts, and what missed its goal."""
    rows = [["", "met", "missed", "not measured"]]
    blocks = []
    for part, records in parts:
        counts, missed = report.verdicts(part, records)
        count = {name: sum(number for verdict, number in counts.items()
                           if verdict.endswith(name)) for name in rows[0][1:]}
        rows.append([part.title] + [str(number) for number in count.values()])
        if missed:
            blocks += [Heading(3, f"{part.title}: missed"), Table(missed)]
    return [Table(rows)] + blocks


def blocks_of(pages, parts, info, command, time, remark=""):
    """The whole page.

    pages: blocks of each part; parts: [(part, records)], as they were measured;
    info: text of symm_info; remark: what a reader has to know first
    """
    blocks = [
        Heading(1, "Performance of Kokkos SymmetricSpace"),
        f"Measured on {time} by `{command}`. Each figure is compared with a "
        "baseline in the same run; a goal that was missed is told as such. "
        "`perf_tests/README.md` says how it is measured.",
        *([remark] if remark else []), *_summary(parts), Heading(2, "Machine and settings"),
        Details(["```\n" + info + "\n```"])]
    for page in pages:
        blocks += page
    return blocks


def markdown(blocks):
    """With plots in the text."""
    def inside(_, svg):
        text = base64.b64encode(svg.encode()).decode()
        return "data:image/svg+xml;base64," + text

    return report.markdown(blocks, inside)


def _inline(text):
    """Text with `code` and line ends."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _anchor(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _cell(text):
    kind = re.search(r"(?:^|: )(met|missed)\b", text)
    mark = f' class="{kind.group(1)}"' if kind else ""
    return f"<td{mark}>{_inline(text)}</td>"


def _table(rows):
    head = "" if not any(rows[0]) else "<thead><tr>" + "".join(
        f"<th>{_inline(cell)}</th>" for cell in rows[0]) + "</tr></thead>"
    body = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>"
                     for row in rows[1:])
    kind = "table pairs" if len(rows[0]) == 2 else "table"
    return (f'<div class="{kind}"><table>{head}<tbody>\n{body}\n'
            "</tbody></table></div>")


def _svg(name, text):
    """To stand in a page: without a head, in the page's colors."""
    text = text[text.index("<svg"):]
    text = re.sub(r"#ffffff\b", "none", text)
    text = re.sub(r"#000000\b", "currentColor", text)
    # Frames and lines of the grid; text without a color is black.
    text = re.sub(r"#(?:cccccc|b0b0b0)\b", "var(--line)", text)
    text = text.replace(
        "<svg", f'<svg role="img" aria-label="{html.escape(name)}" '
        'fill="currentColor"', 1)
    return f"<figure>{text}</figure>"


def _html(block):
    if isinstance(block, Heading):
        mark = f' id="{_anchor(block.text)}"' if block.level == 2 else ""
        return f"<h{block.level}{mark}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Table):
        return _table(block.rows)
    if isinstance(block, Items):
        return "<ul>" + "\n".join(f"<li>{_inline(text)}</li>"
                                  for text in block.texts) + "</ul>"
    if isinstance(block, Plots):
        return "\n".join(_svg(name, svg) for name, svg in block.images.items())
    if isinstance(block, Details):
        inner = "\n".join(map(_html, block.blocks))
        count = sum(isinstance(one, Table) for one in block.blocks)
        title = f"{count} tables over sizes" if count else "symm_info"
        return f"<details><summary>{title}</summary>\n{inner}\n</details>"
    if block.startswith("```\n"):
        return f"<pre>{html.escape(block[4:-4])}</pre>"
    return f"<p>{_inline(block)}</p>"


def html_page(blocks):
    """One file that needs no other."""
    titles = [block.text for block in blocks
              if isinstance(block, Heading) and block.level == 2]
    links = "\n".join(f'<a href="#{_anchor(title)}">{html.escape(title)}</a>'
                      for title in titles)
    body = [_html(block) for block in blocks]
    body.insert(2, f"<nav>{links}</nav>")  # below the title and what it is
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, '
            'initial-scale=1">\n<title>Performance of Kokkos SymmetricSpace'
            f"</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            + "\n".join(body) + "\n</body>\n</html>\n")


def text_of(blocks, file_name):
    """By the name's end."""
    return markdown(blocks) if file_name.endswith(".md") else html_page(blocks)

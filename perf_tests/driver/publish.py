"""RESULTS.md has a part per kind of machine; writing one leaves the others.

    publish.py TITLE FILE    makes the text of the file, the summary that
                             scripts/gpu_test.sh prints, the part with that title
"""

import pathlib
import sys

TITLES = ("CPUs", "Programs on CPUs", "Over nodes", "GPUs", "Programs on GPUs",
          "Pools on GPUs", "Products on one GPU", "Tests with one GPU",
          "Tests with several GPUs", "Large pages",
          "Exchanges")  # in the order of the page


def _begin(title):
    return f"<!-- {title}: begin -->"


def _end(title):
    return f"<!-- {title}: end -->"


def parts_of(text):
    """Title -> text of the parts that a page has."""
    parts = {}
    for title in TITLES:
        if _begin(title) in text:
            after = text.split(_begin(title), 1)[1]
            if _end(title) not in after:
                raise ValueError(f"RESULTS.md has no line '{_end(title)}'")
            parts[title] = after.split(_end(title), 1)[0].strip() + "\n"
    return parts


def with_part(page, title, text):
    """The page with that part in the place of what it had."""
    parts = parts_of(page)
    parts[title] = text
    return "# Results\n\n" + "\n".join(
        f"{_begin(title)}\n{parts[title].strip()}\n{_end(title)}\n"
        for title in TITLES if title in parts)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in TITLES:
        print(f"usage: publish.py {'|'.join(TITLES)} FILE", file=sys.stderr)
        return 2
    title, summary = sys.argv[1], pathlib.Path(sys.argv[2])
    page = pathlib.Path(__file__).resolve().parent.parent / "RESULTS.md"
    text = f"## {title}\n\n```\n{summary.read_text(encoding='utf-8').strip()}\n```\n"
    page.write_text(with_part(page.read_text(encoding="utf-8"), title, text),
                    encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

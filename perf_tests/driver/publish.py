"""RESULTS.md has a part per kind of machine; writing one leaves all else.

    publish.py TITLE FILE    makes the text of the file, the summary that
                             scripts/gpu_test.sh prints, the part with that title
"""

import pathlib
import sys

TITLES = ("CPUs", "Programs on CPUs", "Over nodes", "GPUs", "Programs on GPUs",
          "Several GPUs", "Programs on several GPUs", "Tests with one GPU",
          "Tests with several GPUs")  # in the order of the page


def _begin(title):
    return f"<!-- {title}: begin -->"


def _end(title):
    return f"<!-- {title}: end -->"


def _place_of(page, title):
    """Where a part begins and ends in the page, or None."""
    begin = page.find(_begin(title))
    if begin < 0:
        return None
    end = page.find(_end(title), begin)
    if end < 0:
        raise ValueError(f"RESULTS.md has no line '{_end(title)}'")
    return begin, end + len(_end(title))


def with_part(page, title, text):
    """The page with that part in the place of what it had, or before the first
    one that comes later; everything else stays as it is."""
    places = {name: _place_of(page, name) for name in TITLES}
    part = f"{_begin(title)}\n{text.strip()}\n{_end(title)}"
    if places[title]:
        begin, end = places[title]
        return page[:begin] + part + page[end:]
    for later in TITLES[TITLES.index(title) + 1:]:
        if places[later]:
            begin, _ = places[later]
            return page[:begin] + part + "\n\n" + page[begin:]
    return (page.rstrip() or "# Results") + "\n\n" + part + "\n"


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

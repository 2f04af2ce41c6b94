"""RESULTS.md has a part per kind of machine; writing one leaves the other."""

import re

TITLES = ("CPUs", "GPUs")  # in the order of the page


def _begin(title):
    return f"<!-- {title}: begin -->"


def _end(title):
    return f"<!-- {title}: end -->"


def _from_one_part(text):
    """A page of the time when there were figures of CPUs only: its headings go
    one level down, under that of the part."""
    body = text.split("\n", 1)[1] if text.startswith("# ") else text
    return "## CPUs\n\n" + re.sub(r"^##", "###", body, flags=re.M).strip() + "\n"


def parts_of(text):
    """Title -> text of the parts that a page has."""
    parts = {}
    for title in TITLES:
        if _begin(title) in text:
            after = text.split(_begin(title), 1)[1]
            if _end(title) not in after:
                raise ValueError(f"RESULTS.md has no line '{_end(title)}'")
            parts[title] = after.split(_end(title), 1)[0].strip() + "\n"
    if not parts and text.strip():
        parts["CPUs"] = _from_one_part(text)
    return parts


def with_part(page, title, text):
    """The page with that part in the place of what it had."""
    parts = parts_of(page)
    parts[title] = text
    return "# Results\n\n" + "\n".join(
        f"{_begin(title)}\n{parts[title].strip()}\n{_end(title)}\n"
        for title in TITLES if title in parts)

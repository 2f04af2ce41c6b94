#!/usr/bin/env python3
"""Checks that the C++ that a page shows stands in sources which are compiled.

    check_snippets.py PAGE SOURCE...

Every block ```cpp of PAGE has to be in one of the sources, but for white space.
"""

import pathlib
import re
import sys


def joined(text):
    return re.sub(r"\s+", " ", text).strip()


def main(page, *sources):
    texts = [joined(pathlib.Path(s).read_text(encoding="utf-8"))
             for s in sources]
    page = pathlib.Path(page).read_text(encoding="utf-8")
    snippets = re.findall(r"^```cpp\n(.*?)^```", page,
                          re.MULTILINE | re.DOTALL)
    missing = [s for s in snippets if not any(joined(s) in t for t in texts)]
    for snippet in missing:
        print(f"not in {', '.join(sources)}:\n{snippet}")
    print(f"{len(snippets)} snippets, {len(missing)} not found")
    return 1 if missing or not snippets else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

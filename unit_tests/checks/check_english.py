#!/usr/bin/env python3
"""Counts, in pages and in comments of public headers, what makes English heavy.

    check_english.py ROOT [FILE...]   checks the tree, or these files of it
    check_english.py ROOT --list      prints all that is found, and succeeds
    check_english.py --self-test      shows that each rule can fail

Rules: a sentence, or a part of it up to a colon or semicolon, has at most 35 words; a
sentence does not begin with a clause without a subject ("Who sends ... looks"); listed
words are not used ("behind" for after, "so many", "alike", "goes by", "of now",
"nobody's"); spelling is American; an item of a list begins its line.
KNOWN has files that may have some places: the number only falls.
"""

import pathlib
import re
import sys
import tempfile

MOST_WORDS = 35

# Cells of a table that the driver of the benchmarks writes.
KNOWN = {}

FENCE = re.compile(r"^[ ]*(```+|~~~+)[^\n]*\n.*?^[ ]*\1[ ]*$",
                   re.MULTILINE | re.DOTALL)
HEADLESS = re.compile(r"^(Who|Whose|What|Where|Whoever|Whatever)\b(?!.*\?$)")
ITEM_WITHIN = re.compile(r"[.:)!?`] - (?=[A-Z`\[*])")
TICS = [
    (re.compile(r"\b(comes?|come|stands?|goes|runs?|begins?|all|is|are|enqueued|kernels?) "
                r"behind\b", re.I), "'behind' for after"),
    (re.compile(r"\bone behind the other\b", re.I), "one behind the other"),
    (re.compile(r"\bso many\b", re.I), "so many"),
    (re.compile(r"\balike\b", re.I), "alike"),
    (re.compile(r"\b(goes|go) by\b", re.I), "goes by"),
    (re.compile(r"\bof now\b", re.I), "of now"),
    (re.compile(r"\bnobody's\b", re.I), "nobody's"),
    (re.compile(r"\bthat is what\b", re.I), "that is what"),
]
BRITISH = re.compile(
    r"\b(neighbour\w*|colour\w*|behaviour\w*|favour\w*|(?:un)?initialis\w+|synchronis\w+|"
    r"optimis\w+|organis\w+|recognis\w+|serialis\w+|parallelis\w+|normalis\w+|"
    r"minimis\w+|maximis\w+|summaris\w+|specialis\w+|cent(?:re|res|ring|rings|red)|grey)\b",
    re.I)


def blocks_of_page(text):
    """(line, text) of each paragraph, item and cell of a page, without code."""
    text = FENCE.sub(lambda m: "\n" * m.group().count("\n"), text)
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), text,
                  flags=re.DOTALL)
    block, first = [], 1
    lines = text.split("\n") + [""]
    for number, line in enumerate(lines, 1):
        starts = re.match(r"\s*([-*]|\d+\.|\||#+|>)\s*", line)
        if not line.strip() or starts:
            if block:
                yield first, " ".join(block)
            block, first = [], number
            if line.lstrip().startswith("|"):
                for cell in line.strip().strip("|").split("|"):
                    yield number, cell
            elif line.lstrip().startswith("#"):
                continue
            elif line.strip():
                block = [line[starts.end():] if starts else line]
        else:
            if not block:
                first = number
            block.append(line.strip())


def blocks_of_header(text):
    """(line, text) of each comment of a header."""
    block, first = [], 1
    for number, line in enumerate(text.split("\n") + [""], 1):
        comment = re.match(r"\s*///? ?(.*)$", line)
        code = comment is None or comment.group(1).startswith(("   ", "SPDX"))
        starts = comment is not None and (
            not comment.group(1).strip() or
            re.match(r"\s*(\\\w+|[-*]|\d+\.) ", comment.group(1)))
        if code or starts:
            if block:
                yield first, " ".join(block)
            block, first = [], number
        if not code and comment.group(1).strip():
            if not block:
                first = number
            block.append(comment.group(1).strip())


def plain(text):
    """Without marks; code is one word."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\\param \w+", "", text)
    return text.replace("*", "")


def problems_in(text, is_page):
    """(line, problem) of each place."""
    blocks = blocks_of_page(text) if is_page else blocks_of_header(text)
    for line, block in blocks:
        block = plain(block)
        for sentence in re.split(r"(?<=[.!?;:])\s+", block):
            words = re.findall(r"[A-Za-z][\w'-]*", sentence)
            if len(words) > MOST_WORDS:
                yield line, f"{len(words)} words: {sentence.strip()[:70]}..."
        for pattern, name in TICS:
            for _ in pattern.finditer(block):
                yield line, name
        for _ in ITEM_WITHIN.finditer(block):
            yield line, "an item of a list within a line"
        for word in BRITISH.findall(block):
            yield line, f"British spelling: {word}"
        for sentence in re.split(r"(?<=[.!?])\s+", block):
            # ("Where PEs share a GPU, ..." has a subject.)
            if HEADLESS.match(sentence) and not re.match(
                    r"^(What|Where|Who)\b[^,]*,", sentence) and \
                    len(sentence.split()) > 4 and sentence.rstrip().endswith("."):
                yield line, f"no subject: {sentence.strip()[:60]}..."


def files_of(root):
    pages = sorted(root.glob("docs/*.md")) + [
        root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                                 "examples/README.md", "perf_tests/README.md")]
    headers = sorted(root.glob("src/*/*.hpp"))
    return [file for file in pages + headers if file.exists()]


def check(root, files, lists):
    bad = 0
    total = 0
    for file in files:
        name = str(file.relative_to(root))
        found = list(problems_in(file.read_text(), file.suffix == ".md"))
        total += len(found)
        most = KNOWN.get(name, 0)
        if lists:
            print(f"{name}: {len(found)}")
        if len(found) > most or lists:
            for line, problem in found:
                print(f"{name}:{line}: {problem}")
        if len(found) > most:
            bad += 1
            print(f"{name}: {len(found)} places, {most} are allowed")
        elif len(found) < most:
            bad += 1
            print(f"{name}: {len(found)} places: write that number into KNOWN")
    print(f"{len(files)} files, {total} places")
    return 1 if bad and not lists else 0


def self_test():
    long_one = "word " * 36 + "."
    cases = [(long_one, 1), ("word " * 35 + ".", 0),
             ("Kernels come behind the copy.", 1), ("It is behind a door.", 1),
             ("There are so many of them.", 1), ("PEs are alike.", 1),
             ("It goes by turns.", 1), ("The run of now ends.", 1),
             ("It is nobody's memory.", 1), ("The neighbour waits.", 1),
             ("Initialise the library.", 1), ("The neighbor waits.", 0),
             ("Who sends looks at what others have sent.", 1),
             ("Where PEs share a GPU, queues wait.", 0),
             ("- It ends. - PEs wait.", 1), ("- It ends.\n- PEs wait.", 0),
             ("```\nso many\n```", 0), ("| so many | a |", 1)]
    for text, n in cases:
        found = list(problems_in(text, True))
        assert len(found) == n, (text, found)
    assert len(list(problems_in("/// There are so many.\nint so_many;", False))) == 1
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "README.md").write_text("PEs are alike.\n")
        assert check(root, files_of(root), False) == 1
    print("every rule can fail")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[1]).resolve()
    rest = sys.argv[2:]
    lists = "--list" in rest
    named = [root / name for name in rest if name != "--list"]
    return check(root, named or files_of(root), lists)


if __name__ == "__main__":
    sys.exit(main())

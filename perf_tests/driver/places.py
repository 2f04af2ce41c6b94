"""The figures of products with a sparse matrix: beside a copy of as many bytes,
and with columns that are prepared places.

`figure` is what the caller makes a line of its table with: figure(records,
job, title, what, baseline, case, goal), of times.
"""

PLACES = {"Place": "private, 8 bytes", "Place32": "private, 4 bytes"}
GOAL = 1.1
# The product itself is to reach three quarters of what a copy does, on GPUs.
PRODUCT, COPY = "private, 4 bytes", "copy"
COPY_GOAL = 1.33
# A Place beside a vector with columns of half its length; and other ways.
OTHERS = (("Place", "private, 4 bytes"), ("global_view", "private, 8 bytes"),
          ("gather", "private, 4 bytes"))
TITLES = {PRODUCT: "private vector, columns of 4 bytes",
          "Place": "columns are symm::Place",
          "Place32": "columns are symm::Place32",
          "global_view": "by global_view",
          "gather": "after symm::gather, with its time"}


def _figures(records, figure, job, pes, what, baseline, goal=GOAL):
    """One for each size."""
    title = f"product, {TITLES[what]}, " + \
        ("1 PE" if pes == 1 else f"{pes} PEs")
    found = [figure(records, job, f"{title}, edge {case['edge']}", what, baseline,
                    case, goal)
             for case in records.cases(job, what) if case["PEs"] == pes]
    return title, [line for line in found if line.ratio]


def _worst(records, figure, job, what, baseline, goal):
    """Of one PE: the size with the largest ratio stands for all."""
    title, found = _figures(records, figure, job, 1, what, baseline, goal)
    return max(found, key=lambda line: line.ratio.median) if found else \
        figure(records, job, title, what, baseline, {}, goal)


def figures(records, figure, job):
    for what, baseline in PLACES.items():
        yield _worst(records, figure, job, what, baseline, GOAL)


def figure_of_product(records, figure, job):
    return _worst(records, figure, job, PRODUCT, COPY, COPY_GOAL)


def other_figures(records, figure, job):
    """All sizes and numbers of PEs."""
    for pes in sorted({case["PEs"] for what in PLACES
                       for case in records.cases(job, what)}):
        for what, baseline in ((PRODUCT, COPY), *PLACES.items(), *OTHERS):
            yield from _figures(records, figure, job, pes, what, baseline)[1]

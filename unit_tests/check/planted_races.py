#!/usr/bin/env python3
"""Runs the example with races, and compares what the detector reports of it.

    planted_races.py MPIEXEC... PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "examples/races/races.cpp"
RACES_FOUND = 66  # the exit status
RUNS = 6  # at most: a wait learns more than it has to, so that one may hide a race

# Of each bug a race that is reported: the View, and what both PEs do, in any
# order, with a text of the line where they do it.
EXPECTED = {
    "fill": ("counts", [("stores", "deep_copy(exec, counts"),
                        ("stores", "everywhere(pe, me) =")]),
    "halo": ("ghosts", [("loads", "sum += ghosts("),
                        ("symm::put_signal writes", "put_signal(&ghosts(")]),
}


def missing_in(race):
    """The order that has to be named as missing."""
    first, second = race["first"]["pe"], race["second"]["pe"]
    if race["first"]["what"].startswith("loads"):
        return (f"a barrier of both between the two; or a signal of PE {first} after it "
                f"has read, for which PE {second} waits before it writes")
    return (f"a barrier of both between the two; or fence() of PE {first} after the "
            f"first, then a signal for which PE {second} waits before the second")


def line_of(where):
    """The line of the program that a report names: "file:number (function)"."""
    file, _, number = where.split(" (")[0].rpartition(":")
    assert pathlib.Path(file).name == SOURCE.name, where
    return SOURCE.read_text().splitlines()[int(number) - 1]


def is_side(side, expected):
    what, text = expected
    return side["what"].startswith(what) and text in line_of(side["where"])


def is_expected(race, view, sides):
    first, second = race["first"], race["second"]
    return (race["view"] == view and first["pe"] != second["pe"]
            and race["pe"] in (first["pe"], second["pe"])
            and (is_side(first, sides[0]) and is_side(second, sides[1])
                 or is_side(first, sides[1]) and is_side(second, sides[0]))
            and race["missing"] == missing_in(race))


def run_with(report, command):
    """The exit status and the output."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False,
                          env=dict(os.environ, SYMM_CHECK_REPORT=report,
                                   SYMM_CHECK_STATUS=str(RACES_FOUND)))
    return done.returncode, done.stdout + done.stderr


def run(command, bug, *more):
    """The exit status, the output and the races in the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        status, output = run_with(report, command + [bug, *more])
        text = pathlib.Path(report).read_text(encoding="utf-8")
    return status, output, json.loads(text)["races"]


def is_found(command, bug, view, sides):
    """Whether a run has the report that is expected; each reports something."""
    status, output, races = run(command, bug)
    assert races and f'symm: race 1: "{view}" of PE ' in output, output
    # A PE with a wrong result ends with 1.
    assert status == RACES_FOUND or status == 1 and "WRONG" in output, output
    return any(is_expected(race, view, sides) for race in races)


def main():
    command = sys.argv[1:]
    for bug, (view, sides) in EXPECTED.items():
        assert any(is_found(command, bug, view, sides) for _ in range(RUNS)), bug
        status, output, races = run(command, bug, "mended")
        assert status == 0 and not races, output
        assert "symm: no races found" in output, output
        print(f"{bug}: reported as expected")
    for report, why in (("/missing/folder/report.json", "No such file or directory"),
                        ("/dev/full", "No space left on device")):
        output = run_with(report, command + [bug, "mended"])[1]
        assert f"SYMM_CHECK_REPORT={report} cannot be written: {why}" in output, output
        print(f"{report}: reported as not written")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks what a tool of Kokkos Tools and SYMM_TRACE see of profiled.cpp.

    check_profiling.py LOGGER DRAW_TRACE MPIEXEC... PROGRAM
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(command, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SYMM_", "KOKKOS_TOOLS"))}
    return subprocess.run(command, env={**environment, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=60)


def steps_of(log):
    """The events in each region of the program, and those outside (None)."""
    steps = {None: []}
    now = None
    depth = 0
    for line in log.read_text(encoding="utf-8").splitlines():
        event = line.split("|")
        if event[0] == "push":
            depth += 1
            if depth == 1 and not event[1].startswith(OURS):
                now = event[1]
                steps[now] = []
                continue
        if event[0] == "pop":
            depth -= 1
            if depth == 0 and now is not None:
                now = None
                continue
        steps[now].append(event)
    assert depth == 0, f"{log}: {depth} regions have not ended"
    return steps


OURS = ("symm::", "allocation of", "end of the", "destruction of")


def check_events(steps, pe):
    peer = 1 - pe
    u = ["SymmetricHost", f"temperature of PE {peer}"]
    w = ["SymmetricHost", f"words of PE {peer}"]
    mine = ["Host", "memory of this PE"]

    def moved(call, to, source, size):
        return [["push", call], ["copy", *to, *source, str(size)], ["end_copy"],
                ["pop"]]

    expected = {
        "put": moved("symm::put", u, mine, 80),
        "get": moved("symm::get", mine, u, 40),
        "iput": moved("symm::iput", u, mine, 80),
        "element": (moved("symm::p", w, mine, 8) +
                    moved("symm::g", mine, w, 8)),
        "atomic": [["push", "symm::atomic_add"], ["pop"]],
        "copy": moved("symm::copy", u, mine, 240),
        "remote copy": moved("symm::copy", mine, u, 240),
        "kernel": [],
    }
    for name, events in expected.items():
        seen = [e for e in steps[name] if "fence" not in e[0]]
        assert seen == events, f"PE {pe}: {name}: {seen}"

    def names(step, what="push"):
        return [e[1] for e in steps[step] if e[0] == what]

    assert names("enqueued put") == ["symm::put"], steps["enqueued put"]
    copies = [e[1:] for e in steps["deep copy"] if e[0] == "copy"]
    assert [*u, *mine, "240"] in copies, copies
    copies = [e[1:] for e in steps["remote deep copy"] if e[0] == "copy"]
    assert copies[0] == [*u, *mine, "240"], copies
    assert names("signal")[:3] == (["symm::put_signal"] +
                                   ["symm::signal_op"] * 2), steps["signal"]
    assert set(names("signal")[3:]) <= {"symm::signal_wait_until"}
    assert names("reduce") == ["symm::reduce"] * 2, steps["reduce"]
    assert names("barrier_all") == ["symm::barrier_all"]
    assert names("late PE") == ["symm::barrier"]
    assert ("symm::barrier: waiting for PEs" in names("late PE", "fence")) or (
        pe == 1), steps["late PE"]
    allocated = [e[1:] for e in steps["registrable"] if e[0] == "allocate"]
    ended = [e[1:] for e in steps["registrable"] if e[0] == "deallocate"]
    assert ["Host", "grid", "8000"] in allocated, allocated
    assert sorted(allocated) == sorted(ended), (allocated, ended)
    assert [*moved("", [], [], 8)[1][:1], "Symmetric", f"grid of PE {peer}",
            *mine, "8"] in steps["registrable"], steps["registrable"]
    assert ["push", "allocation of a View"] in steps[None]
    assert ["push", "symm::finalize"] in steps[None]
    assert ["allocate", "SymmetricHost", "temperature", "240"] in steps[None]


def check_trace(traces, pe):
    trace = traces[pe]
    assert (trace["pe"], trace["n_pes"]) == (pe, 2), trace
    done = trace["operations"]

    def sums(name):
        return done[name]["calls"], done[name]["bytes"]

    # put, iput, p, enqueued put, copy, 2 deep copies, put of the registered
    assert sums("put") == (8, 80 + 80 + 8 + 160 + 3 * 240 + 8), done["put"]
    assert sums("get") == (3, 40 + 8 + 240), done["get"]
    assert sums("atomic") == (1, 8), done["atomic"]
    assert sums("signal") == (3, 16), done["signal"]
    assert sums("collective") == (2, 16), done["collective"]
    assert done["barrier"]["calls"] == 4, done["barrier"]
    assert done["wait"]["calls"] <= 1, done["wait"]
    for entry in trace["peers"]:
        assert entry["pe"] == 1 - pe, entry
        assert entry["calls"] == done[entry["operation"]]["calls"], entry
    assert len(trace["peers"]) == 4, trace["peers"]
    heap, = trace["heaps"]
    assert 240 + 32 <= heap["max_live_bytes"] < 2048, heap
    if pe == 0:  # PE 1 comes 0.1 s late
        assert done["waiting"]["seconds"] > 0.08, done["waiting"]
        assert done["barrier"]["seconds"] > 0.08, done["barrier"]
        assert done["barrier"]["longest"] > 0.08, done["barrier"]
    assert trace["seconds"] >= 0.1


def check_drawing(draw_trace, prefix, folder):
    done = run([sys.executable, draw_trace, prefix, "--csv"])
    assert done.returncode == 0, done
    lines = list(csv.DictReader(done.stdout.splitlines()))
    assert {"pe": "0", "peer": "1", "operation": "atomic", "calls": "1",
            "bytes": "8"}.items() <= next(
                line for line in lines if line["operation"] == "atomic").items()
    done = run([sys.executable, draw_trace, str(folder / "nothing")])
    assert done.returncode == 1 and "nothing.0.json" in done.stderr, done
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("no Matplotlib: the picture is not drawn")
        return
    done = run([sys.executable, draw_trace, prefix])
    assert done.returncode == 0, done
    assert (folder / "trace.png").stat().st_size > 1000


def main(logger, draw_trace, *command):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = str(folder / "trace")
        done = run(command, KOKKOS_TOOLS_LIBS=logger, SYMM_TRACE=prefix,
                   SYMM_TEST_TOOL_LOG=str(folder / "log"))
        assert done.returncode == 0, done
        assert done.stderr.count("symm: SYMM_TRACE: host operations of "
                                 "2 PEs") == 1, done.stderr
        for pe in range(2):
            check_events(steps_of(folder / f"log.{pe}"), pe)
        traces = [json.loads((folder / f"trace.{pe}.json").read_text())
                  for pe in range(2)]
        for pe in range(2):
            check_trace(traces, pe)
        check_drawing(draw_trace, prefix, folder)

        # Where no file can be, the job does not begin.
        done = run(command, SYMM_TRACE=str(folder / "no" / "folder"))
        assert done.returncode != 0, done
        assert "SYMM_TRACE=" in done.stderr and "PE 0 failed" in done.stderr, (
            done.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])

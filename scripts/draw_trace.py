#!/usr/bin/env python3
"""Draws communication between PEs and where time is spent, from files of SYMM_TRACE.

    draw_trace.py PREFIX [-o PICTURE] [--operation put|get|atomic|signal|all]
    draw_trace.py PREFIX --csv        prints the same as CSV, without Matplotlib

PREFIX is the value of SYMM_TRACE: for `heat`, the files are heat.0.json, heat.1.json
and so on, one for each PE. The picture, by default PREFIX.png, shows the bytes that
each PE has put to or got from each other PE (rows: the calling PE), and the time that
each PE spent in each kind of operation.
"""

import argparse
import json
import pathlib
import sys

PEER_OPERATIONS = ["put", "get", "atomic", "signal"]
TIMED = ["put", "get", "atomic", "signal", "wait", "quiet", "barrier",
         "collective", "allocation"]
MOST_NUMBERS = 12  # PEs, above which the matrix has no numbers in its fields


def read(prefix):
    """All PEs' files, in order. Exits with a message if they are no trace."""
    def read_one(pe):
        name = pathlib.Path(f"{prefix}.{pe}.json")
        try:
            trace = json.loads(name.read_text(encoding="utf-8"))
        except OSError as error:
            sys.exit(f"draw_trace.py: {name}: {error.strerror}")
        except ValueError:
            sys.exit(f"draw_trace.py: {name} is incomplete: the job did not "
                     "reach finalize()")
        if trace.get("symm_trace") != 1:
            sys.exit(f"draw_trace.py: {name} was not written by SYMM_TRACE")
        return trace

    first = read_one(0)
    return [first] + [read_one(pe) for pe in range(1, first["n_pes"])]


def matrix(traces, operations):
    """Bytes, by who called and whose memory it was."""
    table = [[0] * len(traces) for _ in traces]
    for trace in traces:
        for entry in trace["peers"]:
            if entry["operation"] in operations:
                table[trace["pe"]][entry["pe"]] += entry["bytes"]
    return table


def text_of(number):
    for unit in ["", "K", "M", "G"]:
        if number < 1024:
            return f"{number:.3g}{unit}"
        number /= 1024
    return f"{number:.3g}T"


def print_csv(traces):
    print("pe,peer,operation,calls,bytes,seconds")
    for trace in traces:
        for entry in trace["peers"]:
            print(f'{trace["pe"]},{entry["pe"]},{entry["operation"]},'
                  f'{entry["calls"]},{entry["bytes"]},{entry["seconds"]}')
        for name, sums in trace["operations"].items():
            if name not in PEER_OPERATIONS:
                print(f'{trace["pe"]},,{name},{sums["calls"]},{sums["bytes"]},'
                      f'{sums["seconds"]}')


def draw(traces, operations, picture):
    try:
        import matplotlib
    except ImportError:
        sys.exit("draw_trace.py: pictures require Matplotlib; --csv works without it")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.colors import LogNorm

    table = matrix(traces, operations)
    pes = range(len(traces))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 5),
                                            constrained_layout=True)
    most = max(max(row) for row in table)
    least = min((b for row in table for b in row if b > 0), default=1)
    image = left.imshow([[b if b > 0 else float("nan") for b in row]
                         for row in table], cmap="viridis",
                        norm=LogNorm(least / 2, max(most, 2 * least)))
    figure.colorbar(image, ax=left, label="bytes")
    left.set(title="bytes: " + ", ".join(operations), xlabel="memory of PE",
             ylabel="called by PE")
    if len(traces) <= MOST_NUMBERS:
        left.set_xticks(pes)
        left.set_yticks(pes)
        for row in pes:
            for column in pes:
                if table[row][column] > 0:
                    left.text(column, row, text_of(table[row][column]),
                              ha="center", va="center", color="white",
                              bbox={"facecolor": "black", "alpha": 0.4,
                                    "lw": 0})
    bottom = [0.0] * len(traces)
    for name in TIMED:
        seconds = [trace["operations"][name]["seconds"] for trace in traces]
        if not any(seconds):
            continue
        right.bar(pes, seconds, bottom=bottom, label=name)
        bottom = [b + s for b, s in zip(bottom, seconds)]
    right.plot(pes, [trace["operations"]["waiting"]["seconds"]
                     for trace in traces], "kx", label="of it, waiting for PEs")
    if len(traces) <= MOST_NUMBERS:
        right.set_xticks(pes)
    right.set(title=f'time in operations, of {traces[0]["seconds"]:.3g} s',
              xlabel="PE", ylabel="seconds")
    right.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(picture, dpi=120)
    print(f"draw_trace.py: {picture}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("prefix", metavar="PREFIX")
    parser.add_argument("-o", "--output", metavar="PICTURE")
    parser.add_argument("--operation", default="all",
                        choices=[*PEER_OPERATIONS, "all"])
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    traces = read(options.prefix)
    if options.csv:
        print_csv(traces)
        return
    operations = (PEER_OPERATIONS if options.operation == "all"
                  else [options.operation])
    draw(traces, operations, options.output or options.prefix + ".png")


if __name__ == "__main__":
    main()

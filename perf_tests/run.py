#!/usr/bin/env python3
"""Runs all benchmarks and prints the figures of the project.

    perf_tests/run.py --build-dir build/host-release            measures
    perf_tests/run.py --build-dir build/host-release --publish  and writes
                                                                RESULTS.md
    perf_tests/run.py --build-dir build/cuda-release --gpus 2   measures on GPUs
    perf_tests/run.py --build-dir build/host-release --over-nodes
                                             jobs of several nodes, simulated on
                                             this machine (as root: namespaces)
    ... --over-nodes --hostfile FILE         jobs on the nodes in mpiexec's file
    ... --over-nodes --network libfabric     with a library other than the default
    perf_tests/run.py --build-dir build/host-release --programs
                                             examples, compared with versions that
                                             use MPI and, on GPUs, NCCL
    perf_tests/run.py --build-dir build/host-release --report FILE.html
                                             all of these, in one file to send

A build with CUDA measures on GPUs: one PE per GPU, or several PEs on one GPU if
there are fewer GPUs than PEs. RESULTS.md has parts for CPUs and for GPUs, each for
single operations and for programs, and one part for several nodes; --publish updates
the parts that were measured.

Requires pandas and matplotlib (scripts/setup.sh installs them for the system's
python3). No other programs should run on the machine: PEs are bound to cores, and
if another program uses one of these cores, a barrier becomes many times slower. If
that cannot be avoided, `--prefix "chrt -r 10"` (as root) gives the PEs priority.
"""

import argparse
import datetime
import importlib.util
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def require_modules(*names):
    """Says what this python3 lacks, and which one has it."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if not missing:
        return
    text = f"perf_tests/run.py: {sys.executable} has no {' and no '.join(missing)}"
    system = "/usr/bin/python3"  # that of setup.sh's packages, in PATH or not
    test = [system, "-c", "import " + ", ".join(names)]
    if (os.path.exists(system)
            and subprocess.run(test, capture_output=True, check=False).returncode == 0):
        sys.exit(f"{text}; {system} has them:\n    {system} {shlex.join(sys.argv)}")
    sys.exit(f"{text}; scripts/setup.sh installs them for {system}")


require_modules("pandas", "matplotlib")

# pylint: disable=wrong-import-position
from driver import jobs as job_list  # noqa: E402
from driver import machine, part as parts  # noqa: E402
from driver import publish as page  # noqa: E402
from driver.cluster import Cluster  # noqa: E402
from driver import report, user_report  # noqa: E402
from driver.records import RecordError, Records  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GPU_PROGRAMS = (parts.GPU_PROGRAMS, parts.PROGRAMS_ON_SEVERAL_GPUS)
QUICK = "A quick run only checks that everything works; its figures are meaningless."


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Runs the benchmarks and prints the figures.")
    parser.add_argument("--build-dir", required=True, type=pathlib.Path,
                        help="build folder of a Release build")
    parser.add_argument("--rounds", type=int, default=0, metavar="N",
                        help="number of runs of each program (default: 5; 3 over "
                             "nodes; 2 on GPUs and for --report)")
    parser.add_argument("--gpus", type=int, default=2, metavar="N",
                        help="number of PEs on GPUs, one per GPU (default 2; results "
                             "with more have their own part of RESULTS.md)")
    parser.add_argument("--programs", action="store_true",
                        help="measure examples, compared with versions that use "
                             "MPI and, on GPUs, NCCL")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE",
                        help="write a self-contained page, FILE.html or FILE.md; "
                             "without --programs and --over-nodes, measure "
                             "everything that the build can measure")
    parser.add_argument("--over-nodes", action="store_true",
                        help="measure jobs of several nodes")
    parser.add_argument("--hostfile", type=pathlib.Path, metavar="FILE",
                        help="nodes for --over-nodes (default: nodes simulated on "
                             "this machine)")
    parser.add_argument("--network", metavar="NAME",
                        help="network library (SYMM_NETWORK) for --over-nodes")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS",
                        help="after the first round, begin no round that would end "
                             "later than this (default: no limit)")
    parser.add_argument("--samples", type=int, default=0, metavar="N",
                        help="number of samples per contestant and run (default 21)")
    parser.add_argument("--quick", action="store_true",
                        help="few samples, one round: only checks the data and that "
                             "everything runs")
    parser.add_argument("--only", metavar="TEXT",
                        help="run only programs whose name contains TEXT")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR",
                        help="folder for records and plots (default: perf_results "
                             "in the build folder)")
    parser.add_argument("--prefix", default="", metavar="COMMAND",
                        help="prefix of the mpiexec command")
    parser.add_argument("--publish", action="store_true",
                        help="write perf_tests/RESULTS.md and perf_tests/results/")
    arguments = parser.parse_args()
    if arguments.rounds < 0:
        parser.error("--rounds must be positive")
    if arguments.gpus < 2:
        parser.error("--gpus must be at least 2: the benchmarks use two PEs, "
                     "which share a GPU if there is only one")
    if arguments.programs and arguments.over_nodes:
        parser.error("--programs runs on one node and excludes --over-nodes")
    if arguments.report and arguments.report.suffix not in (".html", ".md"):
        parser.error(f"--report {arguments.report}: must end in .html or .md")
    if arguments.hostfile and not (arguments.over_nodes or arguments.report):
        parser.error("--hostfile requires --over-nodes or --report")
    if arguments.network and not arguments.over_nodes:
        parser.error("--network requires --over-nodes")
    if arguments.network and arguments.publish:
        parser.error("--publish writes figures of the default network and "
                     "excludes --network")
    if arguments.publish and (arguments.quick or arguments.only):
        parser.error("--publish requires a full run and excludes --quick and --only")
    return arguments


def run_round(jobs, config, run, records):
    """Runs the jobs once. Returns those that the next round has: a program that
    failed is not tried again, so that the rounds of two sides stay in step.

    run: a job -> the file with its records or None, a note or None
    """
    next_jobs = []
    for job in jobs:
        try:
            file, note = run(job)
        except job_list.ProgramFailed as error:
            if not (config["gpus"] or job.nodes or config.get("goes on")):
                raise
            print(f"  {error}", flush=True)
            records.failed.append(job.name)
            records.notes.append(f"{job.name} failed")
            continue
        if note:
            records.notes.append(note)
        if file:
            records.read(job_list.record_name(job, config), file)
        again = job_list.next_time(job, failed=bool(note))
        if again:
            next_jobs.append(again)
    return next_jobs


def run_all(arguments, config, part, jobs, output):
    """Runs the jobs, round by round, with progress. Returns the records and how
    many rounds were made."""
    extra = ["--quick"] if arguments.quick else []
    if arguments.samples:
        extra += ["--samples", str(arguments.samples)]
    timeout = 60 if part in GPU_PROGRAMS else \
        120 if config["gpus"] or part is parts.NODES else 600
    rounds = arguments.rounds or (2 if config["gpus"] or arguments.report else
                                  3 if part is parts.NODES else 5)
    if arguments.quick:
        rounds = 1
    records = Records()
    lengths = {}  # job name -> seconds of its last run
    start = time.monotonic()
    for number in range(rounds):
        before = time.monotonic() - start
        # A job takes as long as in the round before.
        expected = sum(lengths.get(job.name, 0) for job in jobs)
        if number and arguments.limit and before + expected > arguments.limit:
            records.notes.append(f"{number} rounds, not {rounds}: the others "
                                 f"would not end within {arguments.limit} s")
            return records, number

        config["round"] = number

        def run(job, folder=output / f"round{number}"):
            begin = time.monotonic()
            print(f"[{part.title}, round {number + 1} of {rounds}, "
                  f"{begin - start:.0f} s] {job.name}", flush=True)
            result = job_list.run_job_or_fallback(
                job, config, folder, extra, arguments.prefix.split(),
                timeout=timeout)
            lengths[job.name] = time.monotonic() - begin
            return result

        jobs = run_round(jobs, config, run, records)
    return records, rounds


def published_command():
    """The command line, without folders of this machine."""
    words = ["perf_tests/run.py"]
    for word in sys.argv[1:]:
        path = pathlib.Path(word)
        words.append(path.name if path.is_absolute() else word)
    return shlex.join(words)


def parts_to_measure(arguments, config):
    """What is measured, in the order of the page."""
    are_several = arguments.gpus > 2
    programs = (parts.PROGRAMS if not config["gpus"] else
                parts.PROGRAMS_ON_SEVERAL_GPUS if are_several else
                parts.GPU_PROGRAMS)
    if arguments.over_nodes:
        return [parts.NODES]
    if arguments.programs:
        return [programs]
    found = [parts.CPUS if not config["gpus"] else
             parts.SEVERAL_GPUS if are_several else parts.GPUS]
    if arguments.report:
        found += [programs] if config["examples"] else []
        found += [parts.NODES] if config["programs over nodes"] else []
    return found


def jobs_of(part, arguments, config):
    """By what a part is measured."""
    if part is parts.NODES:
        if not config["programs over nodes"]:
            raise job_list.BenchmarkFailed(
                "--over-nodes requires a build for CPUs with the headers of UCX")
        mpiexec = config["mpiexec"]
        config["cluster"] = Cluster(arguments.hostfile, mpiexec,
                                    job_list.is_open_mpi(mpiexec),
                                    arguments.network)
        jobs = job_list.node_jobs(config)
    elif part in (parts.PROGRAMS, *GPU_PROGRAMS):
        jobs = job_list.program_jobs(config, arguments.gpus, arguments.quick)
    else:
        jobs = job_list.all_jobs(config, arguments.gpus)
    if arguments.only and any(arguments.only in job.name for job in jobs):
        return [job for job in jobs if arguments.only in job.name
                or job.program == job_list.ENVIRONMENT]
    return [] if arguments.only else jobs


def measure(part, jobs, arguments, config, output):
    """Returns the records of a part and how many rounds were made."""
    is_programs = part in (parts.PROGRAMS, *GPU_PROGRAMS)
    load = os.getloadavg()[0]
    records, rounds = run_all(arguments, config, part, jobs,
                              output / "programs" if is_programs else output)
    if part is parts.NODES or is_programs or arguments.report:
        if load > 0.5:
            records.notes.append("other programs ran on this machine (load "
                                 f"average {load:.1f}): to be measured again "
                                 "on a quiet one")
    if part is parts.NODES and config["cluster"].note:
        records.notes.append(config["cluster"].note)
    return records, rounds


def write_results(part, config, records, rounds, pages):
    """Writes a part's files. Returns its blocks.

    pages: folder -> what its RESULTS.md is to keep
    """
    command = published_command()
    all_plots = part.plots(records)
    found = machine.gpu_rows() \
        if part in (parts.GPUS, parts.SEVERAL_GPUS, *GPU_PROGRAMS) else []
    if part is parts.NODES:
        found.append(["nodes", config["cluster"].text])
    blocks = report.blocks_of(part, records, command, rounds, all_plots, found)
    markdown = report.markdown(blocks)
    figures = report.json_text(part, records, command, rounds)
    for target in pages:
        folder = target / "results"
        folder.mkdir(parents=True, exist_ok=True)
        pages[target] = page.with_part(pages[target], part.title, markdown)
        (target / "RESULTS.md").write_text(pages[target], encoding="utf-8")
        if target != HERE:  # the page has what they say
            (folder / part.figures_file).write_text(figures, encoding="utf-8")
        for name, text in all_plots.items():
            (folder / name).write_text(text, encoding="utf-8")
    return blocks


def write_report(file, config, blocks, measured, remark):
    """One file of all parts. remark: what its reader has to know first."""
    now = datetime.datetime.now(datetime.timezone.utc)
    whole = user_report.blocks_of(
        blocks, measured, user_report.symm_info_text(config["symm_info"]),
        published_command(), now.strftime("%Y-%m-%d %H:%M UTC"), remark)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(user_report.text_of(whole, file.name), encoding="utf-8")


def tell(part, records):
    """What was found, on the terminal."""
    print(f"\n{part.title}\n\n{report.terminal_text(part, records)}")
    for note in records.notes:
        print(f"note: {note}")
    for name in records.wrong:
        print(f"WRONG DATA: {name}", file=sys.stderr)
    for name in records.failed:
        print(f"FAILED: {name}", file=sys.stderr)


def main():
    arguments = parse_arguments()
    output = arguments.output or arguments.build_dir / "perf_results"
    pages, blocks, measured = {output: ""}, [], []
    try:
        config = job_list.load_config(arguments.build_dir)
        config["goes on"] = arguments.report is not None
        config["gpu count"] = machine.gpu_count() if config["gpus"] else 0
        todo = [(part, jobs_of(part, arguments, config))
                for part in parts_to_measure(arguments, config)]
        todo = [(part, jobs) for part, jobs in todo if jobs]
        if not todo:
            raise job_list.BenchmarkFailed(
                f"no program's name contains '{arguments.only}'")
        if config["build type"] != "Release":
            print(f"warning: this is a {config['build type']} build; figures "
                  "require a Release build", file=sys.stderr)
        load = os.getloadavg()[0]
        if load > 0.5 and not arguments.quick:
            print(f"warning: other programs are running (load average {load:.1f});"
                  " figures require an idle machine", file=sys.stderr)
        for part, jobs in todo:
            records, rounds = measure(part, jobs, arguments, config, output)
            publishes = arguments.publish and not records.failed
            if arguments.publish and not publishes:
                print("run.py: not published, because programs failed",
                      file=sys.stderr)
            if publishes and HERE not in pages:
                pages[HERE] = (HERE / "RESULTS.md").read_text(encoding="utf-8")
            targets = pages if publishes else {output: pages[output]}
            blocks.append(write_results(part, config, records, rounds, targets))
            pages.update(targets)
            measured.append((part, records))
    except (job_list.BenchmarkFailed, RecordError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    for part, records in measured:
        tell(part, records)
    if arguments.quick:
        print(f"\n{QUICK}")
    print(f"\nRecords, tables and plots: {output}")
    if arguments.report:
        write_report(arguments.report, config, blocks, measured,
                     QUICK if arguments.quick else "")
        print(f"Report: {arguments.report}")
    return 1 if any(records.wrong or records.failed
                    for _, records in measured) else 0


if __name__ == "__main__":
    sys.exit(main())

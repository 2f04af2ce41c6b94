"""Tests of the driver: no benchmark is run, a script stands for mpiexec.

    python3 -m unittest discover -s perf_tests/driver -t perf_tests
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import run
from driver import figures as cpu_figures
from driver import gpu_figures, jobs, node_figures, part, programs, publish
from driver import report, several_gpus, ucx_perftest, user_report
from driver.cluster import Cluster
from driver.figures import Figure
from driver.records import RecordError, Records, Summary

# Writes the record in $RECORD_<program> and ends with the status in
# $STATUS_<program>.
MPIEXEC = """#!{python}
import os, sys
arguments = sys.argv[1:]
if "--version" in arguments:
    sys.exit(0)
place = arguments.index("--json")
program = arguments[place - 1]
with open(arguments[place + 1], "a") as file:
    file.write(os.environ["RECORD_" + program] + chr(10))
sys.exit(int(os.environ.get("STATUS_" + program, "0")))
"""


def result(what, seconds, **case):
    return {"record": "result", "what": what, "case": case,
            "seconds": [seconds] * 10}


class Publishing(unittest.TestCase):
    """publish.py."""

    def test_a_part_leaves_the_other_as_it_is(self):
        page = publish.with_part("", "CPUs", "## CPUs\n\nslow\n")
        page = publish.with_part(page, "GPUs", "## GPUs\n\nfast\n")
        page = publish.with_part(page, "GPUs", "## GPUs\n\nfaster\n")
        self.assertEqual(page, "# Results\n\n"
                         "<!-- CPUs: begin -->\n## CPUs\n\nslow\n"
                         "<!-- CPUs: end -->\n\n"
                         "<!-- GPUs: begin -->\n## GPUs\n\nfaster\n"
                         "<!-- GPUs: end -->\n")
        again = publish.with_part(page, "CPUs", "## CPUs\n\nslow\n")
        self.assertEqual(again, page)

    def test_what_is_written_by_hand_stays(self):
        by_hand = "## Sorting\n\nby hand\n"
        first = "<!-- CPUs: begin -->\nold\n<!-- CPUs: end -->\n"
        last = "<!-- GPUs: begin -->\nold\n<!-- GPUs: end -->\n"
        page = "# Results\n\n" + first + by_hand + last + by_hand
        self.assertEqual(publish.with_part(page, "GPUs", "new"),
                         page.replace(last, last.replace("old", "new")))
        more = publish.with_part(page, "Over nodes", "new")
        self.assertEqual(
            more, page.replace(last, "<!-- Over nodes: begin -->\nnew\n"
                               "<!-- Over nodes: end -->\n\n" + last))

    def test_a_part_without_an_end_is_an_error(self):
        with self.assertRaises(ValueError):
            publish.with_part("<!-- CPUs: begin -->\ntext", "GPUs", "x")


class Verdicts(unittest.TestCase):
    """figures.py."""

    @staticmethod
    def verdict(median, goal, is_speed, null=None):
        return Figure("", "", goal, ratio=Summary(median, median, median),
                      null=null, is_speed=is_speed).verdict

    def test_a_goal_of_speed_is_a_least_one(self):
        self.assertEqual(self.verdict(4.0, 4, True), "met")
        self.assertEqual(self.verdict(3.98, 4, True), "missed")

    def test_a_goal_of_time_is_a_most_one(self):
        self.assertEqual(self.verdict(1.0, 1.0, False), "met")
        self.assertEqual(self.verdict(1.02, 1.0, False), "missed")

    def test_the_null_ratio_excuses_only_where_equality_is_the_goal(self):
        null = Summary(1.0, 0.97, 1.03)
        self.assertIn("as equal", self.verdict(1.02, 1.0, False, null))
        self.assertIn("as equal", self.verdict(0.98, 1.0, True, null))
        self.assertEqual(self.verdict(0.96, 0.98, True, null), "missed")


class Statistics(unittest.TestCase):
    """records.py."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "x.jsonl"
        self.records = Records()

    def read(self, *lines):
        self.file.write_text("\n".join(json.dumps(line) for line in lines))
        self.records.read("job", self.file)

    def test_quartiles_are_those_of_all_rounds(self):
        for seconds in ([1.0, 2.0, 3.0], [4.0, 5.0]):
            self.read({**result("a", 0), "seconds": seconds})
        self.assertEqual(self.records.time("job", "a", {}),
                         Summary(3.0, 2.0, 4.0))

    def test_ratios_are_those_of_neighbors_in_the_same_round(self):
        self.read(result("a", 2.0), result("b", 1.0))
        self.read(result("b", 100.0))  # of which "a" has no sample
        self.read(result("a", 6.0), result("b", 3.0))
        self.assertEqual(self.records.ratio("job", "a", "b", {}),
                         Summary(2.0, 2.0, 2.0))
        self.assertIsNone(self.records.ratio("job", "a", "c", {}))

    def test_a_case_without_its_parameters_is_an_error(self):
        with self.assertRaisesRegex(RecordError, "job: a: .*no case"):
            self.read({"record": "result", "what": "a", "seconds": [1.0]})
        with self.assertRaisesRegex(RecordError, "a parameter is missing"):
            self.read(result("a", 1.0, bytes=8), result("a", 2.0, bytes=8))


class Plots(unittest.TestCase):
    """plots.py, from records."""

    def test_what_was_measured_is_drawn_the_same_each_time(self):
        texts = []
        for _ in range(2):
            records = Records()
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "x.jsonl"
                file.write_text("\n".join(json.dumps(
                    result("memcpy, private", 1e-6, bytes=size))
                    for size in (8, 1024)))
                records.read("put_bandwidth.np2", file)
            texts.append(part.CPUS.plots(records))
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(list(texts[0]), ["put_bandwidth.svg"])
        for expected in ("<svg", "GB/s", "memcpy, private memory", "1 KiB"):
            self.assertIn(expected, texts[0]["put_bandwidth.svg"])


class OverNodes(unittest.TestCase):
    """cluster.py, node_figures.py, ucx_perftest.py."""

    def test_a_hostfile_says_where_jobs_run(self):
        with tempfile.TemporaryDirectory() as folder:
            hosts = pathlib.Path(folder) / "hosts"
            hosts.write_text("# two\nfirst slots=4\nsecond:4\n")
            cluster = Cluster(hosts, "mpiexec", True)
            self.assertEqual(cluster.second_host, "second")
            self.assertEqual(
                cluster.launcher(2, 3),
                ["mpiexec", "-n", "6", "--hostfile", hosts, "--map-by",
                 "ppr:3:node", "--bind-to", "core"])
            self.assertNotIn("SYMM_PES_PER_NODE", cluster.environment(2, 3))
            self.assertNotIn("SYMM_NETWORK", cluster.environment(2, 3))
            cluster = Cluster(hosts, "mpiexec", True, "libfabric")
            self.assertEqual(cluster.environment(2, 3)["SYMM_NETWORK"],
                             "libfabric")
            self.assertIn("libfabric", cluster.text)
            hosts.write_text("one\n")
            with self.assertRaisesRegex(ValueError, "two hosts are required"):
                Cluster(hosts, "mpiexec", True)

    def test_without_namespaces_nodes_are_simulated_and_that_is_noted(self):
        with mock.patch("driver.cluster._has_namespaces",
                        return_value=(False, "only root may do so")):
            cluster = Cluster(None, "mpiexec", True)
        self.assertIn("only root may do so", cluster.note)
        self.assertEqual(
            cluster.environment(2, 2)["SYMM_PES_PER_NODE"], "2")
        self.assertNotIn("SYMM_PES_PER_NODE", cluster.environment(1, 4))

    def test_figures_have_goals_of_times_and_of_speeds(self):
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(line) for line in (
                result("get, symm", 1.2, bytes=8),
                result("fetch_add, UCX", 1.0, bytes=8),
                result("get, symm", 1.0, bytes=1 << 20),
                result("get, MPI", 1.5, bytes=1 << 20))))
            records.read("over_nodes.nodes2x1", file)
            file.write_text("\n".join(json.dumps(
                {"record": "value", "what": what, "value": value})
                for what, value in (("symm::initialize", 2), ("MPI_Init", 8))))
            records.read("initialize.nodes4x4", file)
        found = {(figure.baseline, figure.goal_text, figure.verdict)
                 for figure in node_figures.all_figures(records)
                 if figure.ratio}
        self.assertEqual(found, {("fetch_add, UCX", "<= 1.1 x", "missed"),
                                 ("get, MPI", ">= 1 x", "met"),
                                 ("MPI_Init", "<= 0.3 x", "met")})

    def test_the_last_line_of_ucx_perftest_is_read(self):
        text = ("| Message size: 8    |\n+-----+\n"
                "  10000     12.733    13.552    13.552   0.56   0.56   73790"
                "   73790\n")
        self.assertAlmostEqual(ucx_perftest.seconds_of(text), 13.552e-6)
        self.assertIsNone(ucx_perftest.seconds_of("no server"))


class GpuFigures(unittest.TestCase):
    """gpu_figures.py and part.py, from records."""

    def records(self, lines):
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(line) for line in lines))
            records.read("copy_bandwidth", file)
        return records

    def lines(self, pes_per_gpu):
        case = {"bytes": 1 << 30, "put": 1}
        return [{"record": "environment", "gpu": "x",
                 "PEs per GPU": str(pes_per_gpu)},
                result("cudaMemcpyPeerAsync, IPC", 3.0, **case),
                result("cudaMemcpyPeerAsync, mapped", 2.0, **case),
                result("deep_copy, peer_view", 2.5, **case)]

    def figure(self, records):
        return next(figure for figure in gpu_figures.all_figures(records)
                    if "deep_copy, peer_view" in figure.what)

    def test_copies_are_compared_with_the_fastest_baseline(self):
        figure = self.figure(self.records(self.lines(1)))
        self.assertEqual(figure.baseline, "cudaMemcpyPeerAsync, mapped")
        self.assertAlmostEqual(figure.ratio.median, 0.8)
        self.assertEqual(figure.verdict, "missed")

    def test_figures_of_pes_that_share_a_gpu_say_so(self):
        figure = self.figure(self.records(self.lines(2)))
        self.assertEqual(figure.verdict, "on one GPU: missed")

    def test_goals_of_time_are_ratios_of_times(self):
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(result(
                f"ping-pong, {what}", seconds, bytes=8)) for what, seconds in (
                    ("symm", 1.2), ("raw", 1.0), ("NVSHMEM", 2.4))))
            records.read("kernel_latency", file)
        found = {(figure.baseline, figure.goal_text, figure.verdict)
                 for figure in gpu_figures.all_figures(records)
                 if "put of 8 B and wait" in figure.what}
        self.assertEqual(found, {
            ("ping-pong, NVSHMEM", "<= 0.55 x", "met"),
            ("ping-pong, raw", "<= 1.1 x", "missed")})

    def test_the_page_has_goals_notes_and_rates(self):
        records = self.records(self.lines(1))
        records.notes.append("something is missing")
        text = report.markdown(report.blocks_of(part.GPUS, records, "command",
                                                2, {}))
        for expected in (">= 0.99 x", "something is missing", "0.537 GB/s",
                         "| not measured |"):
            self.assertIn(expected, text)


class Collectives(unittest.TestCase):
    """collectives.py, from records."""

    def figures(self, job, all_figures, lines):
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(line) for line in lines))
            records.read(job, file)
        return [figure for figure in all_figures(records) if figure.ratio]

    def test_a_barrier_is_compared_with_the_fastest_of_nvshmem(self):
        name = "barrier in a kernel, "
        figure, = self.figures("collectives", gpu_figures.all_figures, [
            result(name + "symm", 1.5),
            result(name + "NVSHMEM, thread", 4.0),
            result(name + "NVSHMEM, warp", 2.0),
            result(name + "NVSHMEM, block", 3.0)])
        self.assertEqual(figure.baseline, name + "NVSHMEM, warp")
        self.assertAlmostEqual(figure.ratio.median, 0.75)
        self.assertEqual((figure.goal_text, figure.verdict),
                         ("<= 0.7 x", "missed"))

    def test_large_operations_are_compared_with_both_libraries(self):
        figures = self.figures("collectives", gpu_figures.all_figures, [
            result(f"reduce, {library}", seconds, bytes=64 << 20)
            for library, seconds in (("symm", 1.0), ("NVSHMEM", 0.95),
                                     ("NCCL", 0.95))])
        self.assertEqual([(figure.goal_text, figure.verdict)
                          for figure in figures],
                         [(">= 0.9 x", "met"), (">= 1 x", "missed")])

    def test_on_cpus_small_ones_have_a_goal(self):
        figures = self.figures("collectives_openshmem.np2",
                               cpu_figures.all_figures, [
            result(f"reduce, {library}", seconds, bytes=size)
            for library, seconds in (("symm", 1.0), ("OpenSHMEM", 2.0))
            for size in (8, 1024)])
        self.assertEqual([figure.verdict for figure in figures], ["met"])


class SeveralGpus(unittest.TestCase):
    """several_gpus.py, from records."""

    def setUp(self):
        self.records = Records()
        for pes, nccl in ((2, 2.0), (4, 1.0)):
            self.read(f"collectives.np{pes}", *(
                result(f"reduce, {library}", seconds, bytes=size)
                for library, seconds in (("symm", 0.95), ("NVSHMEM", 3.0),
                                         ("NCCL", nccl))
                for size in (8, 1 << 20)))
        self.read("exchange.np4", *(
            result(what, seconds, **{"halo, cells per axis": 16})
            for what, seconds in (("ExchangePlan", 16e-6),
                                  ("pack and unpack", 10e-6))))

    def read(self, job, *lines):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            lines = ({"record": "environment"}, *lines)
            file.write_text("\n".join(json.dumps(line) for line in lines))
            self.records.read(job, file)

    def test_the_faster_of_the_others_counts_and_large_blocks_more(self):
        found = [(figure.what, figure.baseline, figure.goal_text,
                  figure.verdict)
                 for figure in several_gpus.all_figures(self.records)
                 if figure.ratio and "reduce" in figure.what]
        self.assertEqual(found, [
            ("reduce, 8 B, 2 PEs", "reduce, NCCL", "<= 1 x", "met"),
            ("reduce, 1 MiB, 2 PEs", "reduce, NCCL", "<= 0.9 x", "met"),
            ("reduce, 8 B, 4 PEs", "reduce, NCCL", "<= 1 x", "met"),
            ("reduce, 1 MiB, 4 PEs", "reduce, NCCL", "<= 0.9 x", "missed")])

    def test_an_exchange_has_its_kernels_and_some_microseconds(self):
        figure, = (figure for figure in
                   several_gpus.all_figures(self.records)
                   if figure.ratio and "halo" in figure.what)
        self.assertEqual((figure.what, figure.measured_baseline,
                          figure.verdict),
                         ("halo of 16^3 cells, 26 neighbors, 4 PEs", "15 us",
                          "missed"))

    def test_numbers_of_PEs_stand_beside_each_other(self):
        (title, rows), = several_gpus.details(self.records)
        self.assertEqual(title, "reduce on a stream")
        self.assertEqual(rows[0], ["", "2 PEs", "2 PEs, fastest other",
                                   "4 PEs", "4 PEs, fastest other"])
        self.assertEqual(rows[1], ["8 B", "950 ms", "2 s", "950 ms", "1 s"])

    def test_all_numbers_up_to_four_are_measured_then_powers_of_two(self):
        self.assertEqual(several_gpus.pe_counts(3), [2, 3])
        self.assertEqual(several_gpus.pe_counts(8), [2, 3, 4, 8])
        found = jobs.all_jobs({"gpus": True, "nvshmem libraries": "x"}, 4)
        self.assertEqual([jobs.record_name(job, {"gpus": True})
                          for job in found],
                         [f"{program}.np{pes}" for pes in (2, 3, 4)
                          for program in ("collectives", "exchange")])


class Registration(unittest.TestCase):
    """registration.py, from records."""

    @staticmethod
    def lines(registered, copied, speed):
        """`speed`: of registered memory, where heap memory has 1."""
        # In an empty heap everything takes longer.
        for kept, factor in ((registered, 1.0), (0, 5.0)):
            yield from (
                result(what, factor * seconds, bytes=registered, kept=kept)
                for what, seconds in (
                    ("growth", 2.0), ("growth, again", 2.0),
                    ("register", 2.1 if kept else 1.9), ("unregister", 1.0),
                    ("make and register", 4.0)))
        for size in (copied, 8):
            for put in (0, 1):
                for way in ("global_view", "peer_view", "deep_copy"):
                    case = {"bytes": size, "put": put}
                    yield result(f"{way}, heap", 1.0, **case)
                    yield result(f"{way}, heap, again", 1.0, **case)
                    yield result(f"{way}, registered", 1 / speed, **case)

    def check(self, job, figures, lines, goals):
        """goals: those of time, beside kept memory and in an empty heap, and
        that of put and get, and how `lines` meet them."""
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(line) for line in lines))
            records.read(job, file)
        found = [(figure.goal_text, figure.verdict)
                 for figure in figures.all_figures(records) if figure.ratio]
        self.assertEqual(found, goals[:2] + goals[2:] * 12)
        return [figure.ratio.median
                for figure in figures.other_figures(records)]

    def test_goals_on_cpus_are_of_time(self):
        sizes = (256 << 20, 64 << 20)
        for speed, verdict in ((0.992, "met"), (0.98, "missed")):
            others = self.check(
                "registration.np2", cpu_figures, self.lines(*sizes, speed),
                [("<= 1 x", "missed"), ("<= 1 x", "met"),
                 ("<= 1.01 x", verdict)])
            self.assertEqual(others, [0.5, 0.5, 2.0, 2.0])

    def test_goals_on_gpus_are_of_time_and_of_speed(self):
        sizes = (1 << 30, 1 << 30)
        for speed, verdict in ((0.992, "met"), (0.98, "missed")):
            others = self.check(
                "registration", gpu_figures, self.lines(*sizes, speed),
                [("<= 1 x", "missed"), ("<= 1 x", "met"),
                 (">= 0.99 x", verdict)])
            self.assertEqual(others, [2.0, 2.0, 0.5, 0.5])


class Places(unittest.TestCase):
    """places.py, from records."""

    def records(self, *names):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        found = Records()
        for pes, name in enumerate(names, 1):
            lines = []
            for edge, ours in ((16, 1.0), (64, 1.25)):
                case = {"PEs": pes, "edge": edge}
                lines += [result("copy", 3.2e-3, **case),
                          result("private, 4 bytes", 4e-3, **case),
                          result("private, 8 bytes", 5e-3, **case),
                          result("Place32", 4e-3 * ours, **case),
                          result("Place", 5e-3, **case)]
            file = pathlib.Path(folder.name) / f"{pes}.jsonl"
            file.write_text("\n".join(map(json.dumps, lines)))
            found.read(name, file)
        return found

    def check(self, part_of, *names):
        records = self.records(*names)
        goals = {line.what: line for line in part_of.figures(records)
                 if line.what.startswith("product")}
        title = "product, columns are symm::{}, 1 PE, edge {}"
        prepared = {title.format("Place32", 64), title.format("Place", 16)}
        self.assertEqual({what for what in goals if "symm::" in what}, prepared)
        line = goals[title.format("Place32", 64)]
        self.assertEqual((line.ratio.median, line.goal_text, line.verdict),
                         (1.25, "<= 1.1 x", "missed"))
        self.assertEqual(line.baseline, "private, 4 bytes")
        others = [line for line in part_of.other_figures(records)
                  if line.what.startswith("product")]
        self.assertEqual(len(others), 16)
        self.assertEqual(sum("2 PEs" in line.what for line in others), 8)
        return goals

    def test_of_one_PE_the_worst_has_a_goal_of_time(self):
        on_cpus = self.check(part.CPUS, "places.np1", "places.np2")
        on_gpus = self.check(part.GPUS, "places", "places")
        product = set(on_gpus) - set(on_cpus)
        self.assertEqual(len(product), 1)
        line = on_gpus[product.pop()]
        self.assertEqual((line.what, line.baseline, line.ratio.median,
                          line.goal_text, line.verdict),
                         ("product, private vector, columns of 4 bytes, 1 PE, "
                          "edge 16", "copy", 1.25, "<= 1.33 x", "met"))

    def test_what_was_not_measured_is_said(self):
        for part_of, n in ((part.CPUS, 2), (part.GPUS, 3)):
            verdicts = [line.verdict for line in part_of.figures(Records())
                        if line.what.startswith("product")]
            self.assertEqual(verdicts, ["not measured"] * n)

    def test_there_are_jobs_of_one_PE_and_of_several(self):
        config = {"gpus": False, "programs": {"places": []}}
        self.assertEqual([job.name for job in jobs.all_jobs(config)],
                         ["places.np2", "places.np1"])
        config = {"gpus": True, "nvshmem libraries": None, "examples": None}
        self.assertEqual([job.name for job in jobs.all_jobs(config, 2)
                          if job.program == "places"],
                         ["places.np2", "places.np1"])


class Jobs(unittest.TestCase):
    """jobs.py, with a script for mpiexec."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        mpiexec = self.folder / "mpiexec"
        mpiexec.write_text(MPIEXEC.format(python=sys.executable))
        mpiexec.chmod(0o755)
        self.config = {"mpiexec": str(mpiexec), "gpus": True,
                       "nvshmem libraries": "/nowhere",
                       "programs": {"a": ["p", "a"],
                                    "a_nvshmem": ["p", "a_nvshmem"]}}
        self.job = jobs.Job("a_nvshmem", fallback="a")
        record = json.dumps({"record": "verification", "wrong": 0})
        variables = {"RECORD_a": record, "RECORD_a_nvshmem": record}
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop("NVSHMEM_DISABLE_NVLS", None)
        os.environ.pop("NCCL_NVLS_ENABLE", None)

    def run_job(self, job):
        with mock.patch("builtins.print"):
            return jobs.run_job_or_fallback(job, self.config, self.folder, [],
                                            [], 60)

    def test_a_program_that_works_needs_no_other(self):
        self.assertEqual(self.run_job(self.job),
                         (self.folder / "a_nvshmem.np2.jsonl", None))

    def test_another_program_stands_in_and_that_is_noted(self):
        os.environ["STATUS_a_nvshmem"] = "3"
        file, note = self.run_job(self.job)
        self.assertEqual(file, self.folder / "a.np2.jsonl")
        self.assertIn("a_nvshmem.np2", note)

    def test_wrong_data_are_not_replaced(self):
        os.environ["STATUS_a_nvshmem"] = "1"
        os.environ["RECORD_a_nvshmem"] = json.dumps(
            {"record": "verification", "wrong": 5})
        with self.assertRaises(jobs.BenchmarkFailed) as caught:
            self.run_job(self.job)
        self.assertNotIsInstance(caught.exception, jobs.ProgramFailed)

    def rounds(self, programs, count=2):
        """What was asked to run, by program, and the records."""
        asked, records = [], Records()
        todo = programs

        def run_one(job):
            asked.append(job.program)
            return self.run_job(job)

        with mock.patch("builtins.print"):
            for _ in range(count):
                todo = run.run_round(todo, self.config, run_one, records)
        return asked, records

    def test_a_round_that_would_end_too_late_is_not_begun(self):
        clock = [0]

        def run_one(job, *_, **__):
            clock[0] += 60 if job.is_once else 10
            return None, None

        def rounds(limit):
            clock[0] = 0
            arguments = mock.Mock(quick=False, samples=0, rounds=3, limit=limit,
                                  prefix="", report=None)
            todo = [jobs.Job("a", is_once=True), jobs.Job("b"), jobs.Job("c")]
            with mock.patch("run.time.monotonic", lambda: clock[0]), \
                    mock.patch("driver.jobs.run_job_or_fallback", run_one), \
                    mock.patch("builtins.print"):
                records, count = run.run_all(arguments, self.config, part.GPUS,
                                             todo, self.folder)
            return count, len(records.notes)

        # 80 s, and 20 s for each round more.
        self.assertEqual([rounds(limit) for limit in (0, 120, 119, 99)],
                         [(3, 0), (3, 0), (2, 1), (1, 1)])

    def test_a_failure_on_gpus_leaves_the_other_programs(self):
        os.environ["STATUS_a"] = "1"
        self.config["programs"]["b"] = ["p", "b"]
        os.environ["RECORD_b"] = os.environ["RECORD_a"]
        asked, records = self.rounds([jobs.Job("a"), jobs.Job("b")])
        self.assertEqual(asked, ["a", "b", "b"])
        self.assertEqual(records.failed, ["a.np2"])

    def test_a_failure_on_cpus_ends_the_run(self):
        os.environ["STATUS_a"] = "1"
        self.config["gpus"] = False
        with self.assertRaises(jobs.ProgramFailed):
            self.rounds([jobs.Job("a")])

    def test_what_stood_in_once_does_so_again(self):
        os.environ["STATUS_a_nvshmem"] = "3"
        asked, records = self.rounds([self.job, jobs.Job("a", is_once=True)])
        self.assertEqual(asked, ["a_nvshmem", "a", "a"])
        self.assertEqual(records.failed, [])

    def test_half_a_record_is_no_failure_of_the_driver(self):
        os.environ["STATUS_a_nvshmem"] = "3"
        os.environ["RECORD_a_nvshmem"] = '{"record": "verif'
        self.assertIn("a_nvshmem.np2", self.run_job(self.job)[1])

    def test_a_program_without_another_must_work(self):
        os.environ["STATUS_a"] = "1"
        with self.assertRaises(jobs.BenchmarkFailed):
            self.run_job(jobs.Job("a"))

    def test_multicast_cannot_be_switched_on(self):
        for variable, value in (("NVSHMEM_DISABLE_NVLS", "0"),
                                ("NCCL_NVLS_ENABLE", "1")):
            with self.subTest(variable), \
                    mock.patch.dict(os.environ, {variable: value}), \
                    self.assertRaises(jobs.BenchmarkFailed):
                self.run_job(jobs.Job("a"))


class Programs(unittest.TestCase):
    """programs.py, program_figures.py, with scripts for the examples."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.examples = {}

    def add(self, name, text, status=0):
        """A script that says this, and that it was run, by its name."""
        file = self.folder / name
        file.write_text(f"#!/bin/sh\necho {name} >> {self.folder}/order\n"
                        f"cat <<END\n{text}\nEND\nexit {status}\n")
        file.chmod(0o755)
        self.examples[name] = str(file)

    def add_time(self, name, microseconds, status=0):
        self.add(name, f"{name}: 8 cells\ntime: 0.001 s, {microseconds} us a "
                 "step, 9.1 million cell updates/s", status)

    def run_pair(self, pair, **more):
        file = self.folder / "records"
        return programs.run(["env"], pair, self.examples, None, file, 60,
                            **more), file

    def test_runs_are_by_turns_and_their_time_of_a_step_is_recorded(self):
        self.add_time("heat3d", "1.5e+04")
        self.add_time("heat3d_mpi", "30000")
        problem, file = self.run_pair(programs.HEAT3D, sizes=(8,))
        self.assertIsNone(problem)
        self.assertEqual((self.folder / "order").read_text().split(),
                         ["heat3d", "heat3d_mpi", "heat3d_mpi", "heat3d"])
        records = Records()
        records.read("heat3d.np2", file)
        self.assertAlmostEqual(
            records.time("heat3d.np2", "heat3d", {"edge": 8}).median, 0.015)
        figure = next(figure for figure in part.PROGRAMS.figures(records)
                      if figure.ratio)
        self.assertEqual((figure.ratio.median, figure.null.median,
                          figure.goal_text, figure.verdict),
                         (0.5, 1.0, "<= 0.8 x", "met"))

    def test_a_failure_or_no_time_is_a_problem(self):
        self.add_time("cg_mpi", "1")
        self.add_time("cg_solve", "1", status=1)
        self.assertIn("8 cells", self.run_pair(programs.CG)[0])
        self.add("cg_solve", "time: 1 ms")
        self.assertIn("time: 1 ms", self.run_pair(programs.CG)[0])

    def read(self, job, *lines):
        file = self.folder / "x.jsonl"
        file.write_text("\n".join(json.dumps(line) for line in lines))
        self.records.read(job, file)

    def test_only_the_smallest_size_has_the_harder_goal(self):
        self.records = Records()
        self.read("cg_solve.np2", *(result(what, seconds, edge=edge)
                                    for edge in (8, 16) for what, seconds in
                                    (("cg_solve", 0.9), ("cg_mpi", 1.0))))
        self.read("cg_solve.np1", result("cg_solve", 1.8, edge=8))
        found = [(figure.what, figure.goal_text, figure.verdict)
                 for figure in part.PROGRAMS.figures(self.records)
                 if figure.ratio]
        self.assertEqual(found, [
            ("cg_solve, edge 8, 2 PEs", "<= 0.8 x", "missed"),
            ("cg_solve, edge 16, 2 PEs", "<= 1 x", "met")])
        others = [(figure.baseline, figure.ratio.median)
                  for figure in part.PROGRAMS.other_figures(self.records)]
        self.assertEqual(others, [("one PE", 0.5)])
        self.assertIn("cg_solve, 2 PEs", part.PROGRAMS.plots(self.records)[
            "programs_cg_solve.svg"])

    def test_goals_on_gpus_are_times_and_parts_of_others(self):
        self.records = Records()
        self.read("heat3d.np2", result("heat3d", 10e-6, edge=64),
                  result("heat3d_nccl", 25e-6, edge=64))
        self.read("cg_solve.np2", result("cg_solve", 0.5, edge=128),
                  result("cg_mpi", 1.0, edge=128),
                  result("cg_nccl", 0.5, edge=128))
        self.read("cg_solve.np1", result("cg_solve", 0.8, edge=128))
        found = [(figure.baseline, figure.goal_text, figure.verdict)
                 for figure in part.GPU_PROGRAMS.figures(self.records)
                 if figure.ratio]
        self.assertEqual(found, [("9 us", "<= 1 x", "missed"),
                                 ("heat3d_nccl", "<= 0.5 x", "met"),
                                 ("cg_mpi", "<= 0.7 x", "met"),
                                 ("one PE", "<= 0.55 x", "missed")])
        others = [(figure.baseline, figure.ratio.median) for figure in
                  part.GPU_PROGRAMS.other_figures(self.records)]
        self.assertEqual(others, [("cg_nccl", 1.0), ("one PE", 0.625)])
        plots = part.GPU_PROGRAMS.plots(self.records)
        self.assertIn("cg_nccl, 2 PEs", plots["gpu_programs_cg_solve.svg"])
        self.assertIn("2 GPUs against one", plots["gpu_programs_speedup.svg"])
        details = dict(part.GPU_PROGRAMS.details(self.records))
        self.assertEqual(
            details["cg_solve, 2 PEs, time of a step over size"][0],
            ["", "cg_mpi", "cg_solve", "cg_nccl"])

    def test_an_exchange_is_what_a_step_takes_longer_than_on_one_PE(self):
        case = {"cells per axis": 80}
        for ours, ratio in ((1.4, 0.4), (0.9, 0.0)):
            self.records = Records()
            self.read("particles.np2", result("particles", ours, **case),
                      result("particles_mpi", 2.0, **case))
            figures = part.GPU_PROGRAMS.figures
            self.assertFalse([figure for figure in figures(self.records)
                              if figure.ratio])
            self.read("particles.np1",
                      result("half the particles", 1.0, **case))
            figure, = [figure for figure in figures(self.records)
                       if figure.ratio]
            self.assertAlmostEqual(figure.ratio.median, ratio)
            self.assertEqual((figure.what, figure.measured_baseline,
                              figure.goal_text),
                             ("particles, cells per axis 80, 2 PEs, exchange",
                              "1 s", "<= 0.5 x"))

    def test_there_are_jobs_of_one_PE_and_of_as_many_as_GPUs(self):
        for gpus, pes in ((True, 4), (False, 2)):
            config = {"gpus": gpus, "examples": {"heat3d": "x"}}
            first, *others = jobs.program_jobs(config, 4)
            self.assertEqual(first.program, jobs.ENVIRONMENT)
            expected = [f"{name}.np{count}" for name in
                        ("heat3d", "cg_solve", "particles", "hydro2d",
                         "molecules", "halo_signals")
                        for count in (pes, 1)]
            self.assertEqual(
                [jobs.record_name(job, config) for job in others],
                expected[:-1] if gpus else expected)
            # What has no goal is run once.
            self.assertEqual([job.is_once for job in others],
                             [False, True] * 5 + [True] if gpus
                             else [False] * 12)
            quick = jobs.program_jobs(config, 4, True)
            self.assertEqual({job.pes for job in quick[1:]}, {pes})
        with self.assertRaisesRegex(jobs.BenchmarkFailed, "EXAMPLES=ON"):
            jobs.program_jobs({"gpus": False, "examples": None})

    def run_on_gpus(self, job, config=None, **more):
        """Runs a job as on two GPUs. Returns (what, size) of all records, and
        what was run."""
        config = config if config is not None else {}
        config.update({"gpus": True, "examples": self.examples, "mpiexec": "true",
                       "nvshmem libraries": None, "gpu count": 2, **more})
        file = self.folder / "records"
        order = self.folder / "order"
        order.unlink(missing_ok=True)
        with mock.patch("driver.jobs.launcher_of", return_value=["env"]), \
                mock.patch("builtins.print"):
            jobs._run_others(job, config, file, [], [], 60)
        found = [json.loads(line) for line in file.read_text().splitlines()]
        return ([(record["what"], *record.get("case", {}).values())
                 for record in found], order.read_text().split())

    def test_on_GPUs_sizes_are_others_and_halo_signals_has_barriers(self):
        self.add_time("halo_signals", 2)
        found, _ = self.run_on_gpus(jobs.Job("halo_signals", is_pair=True))
        self.assertEqual(found[:3], [("signals", 128), ("barriers", 128),
                                     ("signals", 512)])
        self.assertEqual(found[-1][1], 8192)

    def test_NCCL_is_there_where_it_was_built_and_each_PE_has_a_GPU(self):
        job = jobs.Job("cg_solve", is_pair=True)
        for name in ("cg_solve", "cg_mpi"):
            self.add_time(name, 2)
        self.assertEqual(self.run_on_gpus(job)[1], ["cg_solve", "cg_mpi"] * 3)
        self.add_time("cg_nccl", 2)
        all_three = ["cg_solve", "cg_mpi", "cg_nccl"]
        self.assertEqual(self.run_on_gpus(job)[1], all_three * 3)
        # In swapped order the next time.
        found, order = self.run_on_gpus(job, round=1)
        self.assertEqual(order, all_three[::-1] * 3)
        self.assertEqual(sorted(found[:3]),
                         [(name, 64) for name in sorted(all_three)])
        _, order = self.run_on_gpus(job, **{"gpu count": 1})
        self.assertEqual(order, ["cg_solve", "cg_mpi"] * 3)

    def test_on_one_GPU_there_are_only_our_programs(self):
        self.add("particles", "$*\ntime: 0.1 s, 3 us a step")
        found, order = self.run_on_gpus(jobs.Job("particles", 1, is_pair=True))
        self.assertEqual(order, ["particles"] * 4)
        self.assertEqual(found, [(what, size) for size in (80, 172) for what in
                                 ("particles", "half the particles")])
        self.assertEqual(
            programs.HALF_THE_PARTICLES.arguments(80, 5),
            ["--cells", "40", "80", "80", "--steps", "5"])

    def test_on_GPUs_others_go_on_without_who_fails(self):
        job, config = jobs.Job("cg_solve", is_pair=True), {}
        self.add_time("cg_solve", 2)
        self.add_time("cg_mpi", 2)
        self.add("cg_nccl", "NCCL: no", status=1)
        found, order = self.run_on_gpus(job, config)
        self.assertEqual(order.count("cg_nccl"), 1)
        self.assertEqual(found, [
            ("cg_nccl, edge 64",), *((what, size) for size in (64, 128, 192)
                                     for what in ("cg_solve", "cg_mpi"))])
        self.records = Records()
        self.records.read("cg_solve.np2", self.folder / "records")
        self.assertEqual(self.records.failed,
                         ["cg_solve.np2: cg_nccl, edge 64"])
        self.assertEqual(self.records.wrong, [])
        self.assertEqual(self.run_on_gpus(job, config)[1],
                         ["cg_solve", "cg_mpi"] * 3)

    def test_wrong_results_of_a_program_are_told_as_such(self):
        self.add("cg_solve", "error: 1, at most 0: WRONG", status=1)
        self.add_time("cg_mpi", 2)
        self.run_on_gpus(jobs.Job("cg_solve", is_pair=True))
        records = Records()
        records.read("cg_solve.np2", self.folder / "records")
        self.assertEqual(records.wrong, ["cg_solve.np2: cg_solve, edge 64"])

    def test_a_program_that_does_not_end_is_ended(self):
        problem = programs._run(["sleep", "600"], None, 0.1)[1]
        self.assertIn("sleep 600\ntook more than 0.1 s", problem)

    def test_a_plate_gets_so_many_steps(self):
        options = programs.HALO.arguments(64, 1000)
        until = float(options[options.index("--until") + 1])
        decay = math.cos(math.pi / 65)
        self.assertLess(decay ** 1000, until)
        self.assertLess(until, decay ** 900)
        for pair, sizes in ((programs.HALO, programs.HALO.sizes),
                            (programs.HALO_ON_GPUS,
                             programs.HALO_ON_GPUS.gpu_sizes)):
            for size in sizes:
                options = pair.arguments(size, None)
                self.assertGreater(
                    float(options[options.index("--until") + 1]), 1e-9)


class UserReport(unittest.TestCase):
    """user_report.py."""

    def setUp(self):
        records = Records()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            file.write_text("\n".join(json.dumps(result(what, seconds, edge=edge))
                                      for edge in (8, 16) for what, seconds in
                                      (("cg_solve", 0.9), ("cg_mpi", 1.0))))
            records.read("cg_solve.np2", file)
        records.notes.append("a <b> & c")
        page = report.blocks_of(part.PROGRAMS, records, "run.py <x>", 1,
                                part.PROGRAMS.plots(records))
        self.blocks = user_report.blocks_of(
            [page], [(part.PROGRAMS, records)], "version  0 <1>", "run.py",
            "now")

    def test_a_page_needs_no_other_file(self):
        text = user_report.text_of(self.blocks, "x.html")
        self.assertEqual(text.count("<svg"), 1)
        for outside in (" src=", "<img", "<script", "url(http", "href=\"http"):
            self.assertNotIn(outside, text)
        for expected in ("a &lt;b&gt; &amp; c", "version  0 &lt;1&gt;",
                         '<td class="missed">missed</td>',
                         '<a href="#programs-on-cpus">',
                         '<h2 id="programs-on-cpus">'):
            self.assertIn(expected, text)
        self.assertNotIn("#000000", text)  # not seen on a dark page

    def test_a_page_counts_what_was_met_and_missed(self):
        text = user_report.text_of(self.blocks, "x.md")
        self.assertIn("| Programs on CPUs | 1 | 1 | 9 |", text)
        self.assertIn("(data:image/svg+xml;base64,", text)
        self.assertNotIn("](results/", text)


class ModulesTest(unittest.TestCase):
    def test_what_this_python_lacks_is_said(self):
        # Without the modules that are installed besides its own.
        driver = subprocess.run(
            [sys.executable, "-I", "-S", run.__file__, "--build-dir", "x"],
            capture_output=True, text=True, check=False)
        self.assertEqual(driver.returncode, 1)
        self.assertNotIn("Traceback", driver.stderr)
        self.assertIn("has no pandas and no matplotlib; ", driver.stderr)
        self.assertIn("/usr/bin/python3", driver.stderr)


if __name__ == "__main__":
    unittest.main()

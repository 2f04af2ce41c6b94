#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
"""Kills a PE of many jobs, each at a random moment.

    kill_in_turn.py [--kills N] [--pes N] [--pes-per-node N]
                    [--network ucx|libfabric] [--at-once N] [--stalls PART]
                    [--between FIRST LAST] [--within SECONDS] [--seed N]
                    PROGRAM [ARGUMENT...]

PROGRAM is jobs_in_turn, whose jobs start and end in turn: it is killed after its
first line. With --between it is any program, an example for instance, that runs
longer: it is killed so many seconds after it starts. After each kill all other
PEs must end --within some seconds, with an error status, and name the PE that was
killed. In a PART of the jobs the others are stopped for a moment after it. Prints
how often each kind of end came, the longest time that one took, and the seed.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

START_TIMEOUT = 10  # seconds; a PE that is killed between jobs is missed then
LIMIT = 2 * START_TIMEOUT + 15
TIME_TO_SEE = 0.2

# What the PEs that are left say, from the most special on.
ENDS = {
    # 1.13: "ucp_request.c:684 Assertion", where a connection that is being made
    # ends. The process ends by SIGABRT.
    "assertion of UCX": r"uc[pst]_\w+\.c:\d+ +Assertion",
    "ended without finalize": r"has ended without symm::finalize",
    "lost between nodes": r"is lost",
    "gone on its node": r"is gone|has gone",
    "not connected": r"has not connected|has not found",
    "ended in a step": r"has ended, or has given up",
    "late in a step": r"has not taken the next step",
}


class Job:
    """PEs of which one is killed."""

    def __init__(self, options, chance, folder):
        self.folder = pathlib.Path(folder)
        self.victim = chance.randrange(options.pes)
        # Some ten jobs, or a part of one.
        self.options = options
        self.seconds = 0.0  # that the others took to end
        self.delay = (chance.uniform(*options.between) if options.between else
                      chance.uniform(0, chance.choice([0.01, 0.1, 0.5])))
        # A machine that stands still for a while, as loaded ones do, after the
        # others have seen the end: what they wait for is over at one time.
        self.stalls = chance.random() < options.stalls
        self.processes = []
        self.ended_by_ucx = []
        environment = dict(
            os.environ, SYMM_ROOT=f"file:{self.folder}/root",
            SYMM_PES=str(options.pes), SYMM_START_TIMEOUT=str(START_TIMEOUT),
            SYMM_PES_PER_NODE=str(options.pes_per_node))
        if options.network:
            environment["SYMM_NETWORK"] = options.network
        for pe in range(options.pes):
            with open(self.path("err", pe), "wb") as err:
                out = (subprocess.PIPE if pe == self.victim
                       else subprocess.DEVNULL)
                self.processes.append(subprocess.Popen(
                    options.command, stdout=out, stderr=err,
                    env=dict(environment, SYMM_PE=str(pe))))

    def path(self, kind, pe):
        return self.folder / f"{kind}.{pe}"

    def others(self):
        return [(pe, process) for pe, process in enumerate(self.processes)
                if pe != self.victim]

    def said_by(self, pe):
        return self.path("err", pe).read_text(errors="replace")

    def send_others(self, number):
        for _, process in self.others():
            process.send_signal(number)

    def run(self):
        """The kind of end, or why it must not be so."""
        victim = self.processes[self.victim]
        if not self.options.between:
            victim.stdout.readline()  # the first job is over
        reader = threading.Thread(target=victim.stdout.read)
        reader.start()
        time.sleep(self.delay)
        if victim.poll() is not None:
            return None, "the program has ended before:\n" + "".join(
                self.said_by(pe) for pe in range(len(self.processes)))
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        reader.join()
        if self.stalls:
            time.sleep(TIME_TO_SEE)
            self.send_others(signal.SIGSTOP)
            time.sleep(1.5)
            self.send_others(signal.SIGCONT)
        complaint = self.wait_for_others()
        said = "".join(self.said_by(pe) for pe, _ in self.others())
        if complaint:
            return None, f"{complaint}; the others say:\n{said}"
        # A PE that UCX has ended has been killed, too.
        gone = "|".join(map(str, [self.victim, *self.ended_by_ucx]))
        if not re.search(rf"\bPEs? (\d+, )*({gone})\b", said):
            return None, f"nobody names PE {gone}:\n{said}"
        if self.victim != 0 and (self.folder / "root.part").exists():
            return None, "half of a file is left"
        for kind, text in ENDS.items():
            if re.search(text, said):
                return kind, None
        return None, f"an end of no known kind:\n{said}"

    def wait_for_others(self):
        began = time.monotonic()
        end = began + self.options.within
        complaint = None
        for pe, process in self.others():
            try:
                status = process.wait(max(0.0, end - time.monotonic()))
                of_ucx = (status == -signal.SIGABRT and re.search(
                    ENDS["assertion of UCX"], self.said_by(pe)))
                if of_ucx:
                    self.ended_by_ucx.append(pe)
                elif status != 1:
                    complaint = f"PE {pe} ends with status {status}"
            except subprocess.TimeoutExpired:
                where = []
                tasks = pathlib.Path(f"/proc/{process.pid}/task")
                for task in sorted(tasks.iterdir()):
                    where.append((task / "comm").read_text().strip() + ": " +
                                 (task / "wchan").read_text())
                complaint = (f"PE {pe} has not ended {self.options.within} s "
                             f"after PE {self.victim} (threads wait in {where})")
        self.seconds = time.monotonic() - began
        return complaint

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pes", type=int, default=4)
    parser.add_argument("--pes-per-node", type=int, default=2)
    parser.add_argument("--network", default="")
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--stalls", type=float, default=0.2, metavar="PART")
    parser.add_argument("--between", type=float, nargs=2,
                        metavar=("FIRST", "LAST"))
    parser.add_argument("--within", type=float, default=LIMIT,
                        metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    if not options.command:
        parser.error("which program?")
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    seeds = [chance.random() for _ in range(options.kills)]
    ends = collections.Counter()
    n_complaints = 0
    longest = 0.0

    def one(seed):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(options, random.Random(seed), folder)
            try:
                return (*job.run(), job.seconds)
            finally:
                job.end()

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for kind, complaint, seconds in pool.map(one, seeds):
            longest = max(longest, seconds)
            ends[kind or "COMPLAINT"] += 1
            if complaint:
                n_complaints += 1
                print(complaint, flush=True)
            if sum(ends.values()) % 100 == 0 or complaint:
                print(dict(ends), flush=True)
    print(f"{options.kills} kills: {dict(ends)}, the longest {longest:.2f} s")
    return 1 if n_complaints else 0


if __name__ == "__main__":
    sys.exit(main())

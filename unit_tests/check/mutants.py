#!/usr/bin/env python3
"""Takes ordering calls out of examples and tests, one at a time, and looks for the race.

    mutants.py --build DIR [--program NAME]... [--tests] [--turn] [--doubt]
    mutants.py --list [--program NAME]...
    mutants.py --self-test

DIR is a build folder with SYMM_ENABLE_CHECKED. A mutant is a program without one of
its calls of symm::barrier, quiet, fence, wait, signal or lock. The programs are the
examples, and each source of some tests (mutant_programs.py). All mutants of one are
one program, which is compiled once: the variable SYMM_MUTANT says which call it leaves
out. Each runs on few PEs, of a test those cases alone that get to the call, and is

    found       the detector reports a race
    hangs       it has not ended in time: everybody sees that
    fails       it ends with another status than the program, without a report
    can go      by mutant_programs.py: it cannot go wrong without the call
    missed      by mutant_programs.py: it can, and the detector is known not to see it
    not run     nothing gets to the call on so few PEs
    not found   none of these

--turn takes another example, or a few calls of a test, each day. --doubt tries the calls that can go, too: a race
there is a wrong judgment. The status is 1 if a program itself has a race or fails, a
mutant is not found or a judgment is wrong.
"""

import argparse
import collections
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ordering_calls
from mutant_programs import CAN_GO, EXAMPLES, MISSED, TESTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
RACES_FOUND = 66  # the exit status
PES_OF_TESTS = (3, 2)
MOST_CASES = 2  # of a test, that get to a call
MOST_IN_TURN = 8  # mutants of a test
N_TRIES = 3  # what comes of a race may be another thing next time

GUARD = """#include <cstdlib>
namespace symm_mutant {
inline bool has(int call) {
  static char const* const out = std::getenv("SYMM_MUTANT");
  static int const number      = out == nullptr ? 0 : std::atoi(out);
  return call != number;
}
}
"""
# Notes which cases get to which calls, too.
GUARD_OF_TESTS = """#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>
namespace symm_mutant {
inline void note(int call, char const* file) {
  static std::mutex mutex;
  static std::set<std::pair<int, void const*>> noted;
  auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
  std::lock_guard const lock(mutex);
  if (test == nullptr || !noted.insert({call, test}).second) return;
  std::FILE* const to = std::fopen(file, "a");
  if (to == nullptr) std::abort();
  std::fprintf(to, "%d %s.%s\\n", call, test->test_suite_name(), test->name());
  std::fclose(to);
}
inline bool has(int call) {
  static char const* const out  = std::getenv("SYMM_MUTANT");
  static char const* const file = std::getenv("SYMM_MUTANT_CASES");
  static int const number       = out == nullptr ? 0 : std::atoi(out);
  if (file != nullptr) note(call, file);
  return call != number;
}
}
"""


class Program:
    """An example, or one source of a program of tests."""

    def __init__(self, name, target, files, runs):
        self.name, self.target, self.files, self.runs = name, target, files, runs
        self.is_test = runs is None
        self.root = ROOT / ("unit_tests" if self.is_test else "examples")

    def calls(self):
        return [call for file in self.files for call in
                ordering_calls.calls_of(file, (self.root / file).read_text())]


def all_programs():
    programs = {name: Program(name, name, files, runs)
                for name, (files, runs) in EXAMPLES.items()}
    for target, (folder, sources) in TESTS.items():
        for source in sources:
            name = f"{folder}/{source}"
            programs[name] = Program(name, target, [name + ".cpp"], None)
    return programs


def commands_of(build, target):
    """The compile commands of the target's own sources, and how it is linked."""
    lines = subprocess.run(["ninja", "-C", str(build), "-t", "commands", target],
                           check=True, capture_output=True, text=True).stdout
    commands = [line for line in lines.splitlines() if line.strip()]
    own = [shlex.split(line) for line in commands
           if f"/{target}.dir/" in line and " -c " in line]
    link = next(line for line in reversed(commands)
                if f"/{target}.dir/" in line and " -c " not in line)
    return own, shlex.split(link.strip().removeprefix(": && ").removesuffix(" && :"))


def mutated_source(program, command, build, sources, object_file):
    """What to compile in the place of the command's source."""
    source = pathlib.Path(command[command.index("-c") + 1])
    if program.is_test:
        return sources / program.files[0]
    if source.is_relative_to(program.root):
        return sources / source.relative_to(program.root)
    # With SYMM_UNITY a file that includes it.
    text = (build / source).read_text().replace(str(program.root), str(sources))
    source = object_file.with_suffix(".cpp")
    source.write_text(text)
    return source


def build_mutants(program, build, folder):
    """Compiles the program with all its calls guarded. Returns its path."""
    own, link = commands_of(build, program.target)
    libraries = [word for word in link if re.match(r"[^/-].*\.(a|so)[.\d]*$", word)]
    subprocess.run(["ninja", "-C", str(build)] + libraries, check=True,
                   stdout=subprocess.DEVNULL)
    sources = folder / "sources"
    shutil.copytree(program.root, sources, ignore=lambda _, names: [
        n for n in names if "." in n and not n.endswith((".cpp", ".hpp"))])
    (folder / "guard.hpp").write_text(GUARD_OF_TESTS if program.is_test else GUARD)
    first = 1
    for file in program.files:
        text = (program.root / file).read_text()
        calls = ordering_calls.calls_of(file, text)
        (sources / file).write_text(ordering_calls.guarded(text, calls, first))
        first += len(calls)

    objects = [command[command.index("-o") + 1] for command in own]
    new_objects = []
    for i, command in enumerate(own[:1] if program.is_test else own):
        new_objects.append(str(folder / f"{i}.o"))
        command[command.index("-c") + 1] = str(mutated_source(
            program, command, build, sources, folder / f"{i}.o"))
        command[command.index("-o") + 1] = new_objects[-1]
        command = [word for word in command if word != "-Werror"]
        if "-MF" in command:
            command[command.index("-MF") + 1] = str(folder / "depends")
        compiler = command.index("-c")
        command[compiler:compiler] = ["-w", "-include", str(folder / "guard.hpp")]
        first_option = next(j for j, word in enumerate(command)
                            if word.startswith("-"))
        command.insert(first_option, "-I" + str(sources))
        subprocess.run(command, cwd=build, check=True)
    at = link.index(objects[0])
    link = link[:at] + new_objects + [w for w in link[at:] if w not in objects]
    path = folder / program.target
    link[link.index("-o") + 1] = str(path)
    subprocess.run(link, cwd=build, check=True)
    return path


def run(path, pes, arguments, mutant, timeout, report, **variables):
    """Returns the exit status, or None if it has not ended in time, and the output."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", KOKKOS_NUM_THREADS="1",
                       SYMM_MUTANT=str(mutant), **variables)
    command = ["mpiexec", "-n", str(pes)]
    version = subprocess.run(["mpiexec", "--version"], capture_output=True, text=True)
    if re.search("Open MPI|OpenRTE", version.stdout):
        command += ["--oversubscribe", "--bind-to", "none"]
    with open(report, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command + [str(path)] + shlex.split(arguments),
                                   stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return None


def has_race(status, report):
    return status == RACES_FOUND or "symm: race" in report.read_text(errors="replace")


def judge(path, runs, number, timeout, report, is_test):
    """What comes of the mutant, by all these runs; of a test, by the first in which
    something does."""
    verdict = "not found" if runs else "not run"
    for pes, arguments in runs:
        status = run(path, pes, arguments, number, timeout, report)
        if has_race(status, report):
            return "found"
        if status is None:
            verdict = "hangs"
        elif status != 0 and verdict == "not found":
            verdict = "fails"
        if verdict != "not found" and is_test:
            break
    return verdict


def runs_by_call(program, path, timeout, folder):
    """Runs the program itself. Returns the runs of each mutant, by the number of its
    call; None if the program is wrong."""
    report = folder / "program.txt"
    runs = collections.defaultdict(list)
    for pes, arguments in program.runs or [(n, "--gtest_brief=1") for n in PES_OF_TESTS]:
        cases = folder / f"cases{pes}"
        cases.write_text("")
        # All cases take longer than one.
        status = run(path, pes, arguments, 0, timeout * (10 if program.is_test else 1),
                     report, **({"SYMM_MUTANT_CASES": str(cases)} if program.is_test
                                else {}))
        if status != 0 or has_race(status, report):
            print(f"{program.name} {arguments}: it ends with {status}:\n"
                  f"{report.read_text(errors='replace')}")
            return None
        for line in dict.fromkeys(cases.read_text().splitlines()):
            number, case = line.split(" ", 1)
            runs[int(number)].append((pes, case))
    if not program.is_test:
        return collections.defaultdict(lambda: program.runs)
    for number, of_call in runs.items():
        cases = {pes: [case for n, case in of_call if n == pes][:MOST_CASES]
                 for pes in PES_OF_TESTS}
        runs[number] = [(pes, "--gtest_filter=" + ":".join(cases[pes]))
                        for pes in PES_OF_TESTS if cases[pes]]
    return runs


def try_program(program, numbers, options, folder):
    """Returns the verdicts of its mutants; None if the program itself is wrong.
    `numbers`: of the calls; empty: all."""
    started = time.time()
    path = build_mutants(program, options.build.resolve(), folder)
    runs = runs_by_call(program, path, options.timeout, folder)
    if runs is None:
        return None
    verdicts = []
    for number, call in enumerate(program.calls(), 1):
        if numbers and number not in numbers:
            continue
        if call.kind != "symm" and not options.fences_of_kokkos:
            continue
        reason = CAN_GO.get(call.file, {}).get(call.number)
        miss = MISSED.get(call.file, {}).get(call.number)
        verdict = "can go"
        if not reason or options.doubt:
            for _ in range(1 if reason or miss else N_TRIES):
                verdict = judge(path, runs[number], number, options.timeout,
                                folder / f"mutant{number}.txt", program.is_test)
                if verdict != "not found":
                    break
            if reason:
                verdict = "WRONGLY JUDGED" if verdict == "found" else "can go"
            elif verdict == "not found" and miss:
                verdict, reason = "missed", miss
        verdicts.append((call, verdict))
        print(f"{call.file}:{call.line} ({call.number}): {verdict:10}  without "
              f"{call.text[:60]}" + (f" ({reason})" if reason else ""), flush=True)
    print(f"{program.name}: {len(verdicts)} mutants in {time.time() - started:.0f} s",
          flush=True)
    return verdicts


def summary(verdicts):
    kinds = ("found", "hangs", "fails", "missed", "not found", "not run", "can go",
             "WRONGLY JUDGED")
    of_all = [verdict for _, verdict in verdicts]
    counts = ", ".join(f"{of_all.count(v)} {v}" for v in kinds if v in of_all)
    print(f"mutants: {len(of_all)}: {counts or 'none'}")
    n_silent = sum(of_all.count(v) for v in ("found", "fails", "missed", "not found"))
    print(f"of those that can go wrong and end, {of_all.count('found')} of {n_silent} "
          "are reported")


def turns_of(programs):
    """What --turn takes, each on a day of its own: names, and numbers of calls."""
    turns = []
    for name in sorted(programs):
        n_calls = len(programs[name].calls())
        n_each = MOST_IN_TURN if programs[name].is_test else max(n_calls, 1)
        turns += [(name, range(first, first + n_each))
                  for first in range(1, max(n_calls, 1) + 1, n_each)]
    return turns


def self_test(programs):
    ordering_calls.self_test()
    n_calls = collections.Counter()
    for program in programs.values():
        assert program.runs or program.is_test, program.name
        for call in program.calls():
            n_calls[call.file] += 1
    for judged in (CAN_GO, MISSED):
        for file, numbers in judged.items():
            assert all(1 <= number <= n_calls[file] for number in numbers), file
    assert not any(CAN_GO.get(file, {}).keys() & MISSED[file].keys() for file in MISSED)
    turns = turns_of(programs)
    assert sum(len(numbers) for _, numbers in turns) >= sum(n_calls.values())
    print(f"the tokenizer works; {sum(n_calls.values())} calls, {len(turns)} turns")


def main():
    programs = all_programs()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--program", action="append", choices=sorted(programs))
    parser.add_argument("--tests", action="store_true", help="those of tests alone")
    parser.add_argument("--call", type=int, action="append", default=[],
                        help="of each program those of that number alone")
    parser.add_argument("--timeout", type=float, default=20, help="of a run, in s")
    parser.add_argument("--turn", action="store_true",
                        help="one example or a few mutants of a test, by the day")
    parser.add_argument("--doubt", action="store_true",
                        help="try the calls that can go, too")
    parser.add_argument("--fences-of-kokkos", action="store_true",
                        help="take these out, too: on hosts, where kernels have ended "
                        "when they have been launched, the detector does not see them")
    parser.add_argument("--keep", type=pathlib.Path,
                        help="a folder for programs and reports")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test(programs)
    names = options.program or sorted(n for n in programs
                                      if programs[n].is_test or not options.tests)
    numbers = options.call
    if options.turn:
        turns = turns_of(programs)
        name, numbers = turns[int(time.time() // 86400) % len(turns)]
        names = [name]
    if options.list:
        for name in names:
            for call in programs[name].calls():
                print(f"{name}: {call.file}:{call.line} ({call.number}): {call.text}")
        return None
    if not options.build:
        parser.error("--build is needed")
    verdicts, is_wrong = [], False
    for name in names:
        with tempfile.TemporaryDirectory(prefix="mutants.") as temporary:
            folder = options.keep or pathlib.Path(temporary)
            folder = folder / name.replace("/", "_")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            of_program = try_program(programs[name], numbers, options, folder)
        is_wrong |= of_program is None
        verdicts += of_program or []
    summary(verdicts)
    bad = ("not found", "WRONGLY JUDGED")
    return 1 if is_wrong or any(verdict in bad for _, verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())

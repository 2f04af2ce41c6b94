#!/usr/bin/env python3
"""Takes ordering calls out of examples, one at a time, and looks for the race.

    mutants.py --build DIR [--example NAME]... [--limit N] [--turn]
    mutants.py --list [--example NAME]...
    mutants.py --self-test

DIR is a build folder with SYMM_ENABLE_CHECKED. A mutant is a program without one of
its calls of symm::barrier, quiet, fence, wait, signal or lock. All mutants of an
example are one program, which is compiled once: the variable SYMM_MUTANT says which
call it leaves out. Each runs on few PEs, and is

    found       the detector reports a race
    hangs       it has not ended in time: everybody sees that
    fails       it ends with another status than the example, without a report
    equivalent  by the list below: the call can go
    not found   none of these

--turn takes another example each day. The status is 1 if the example itself has a
race or fails, or a mutant is not found.
"""

import argparse
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
RACES_FOUND = 66  # the exit status

CALLS = ("barrier_all|barrier|sync_all|sync|quiet|fence|wait_until\\w*|"
         "signal_wait_until|put_signal\\w*|signal_op|order_after|set_lock|clear_lock")
# With the object of a member function: exec.fence(), context.quiet().
CALL = re.compile(r"(?<![\w.>:])(?:(symm::|Kokkos::)|((?:\w+(?:\(\))?(?:\.|->))+))?"
                  r"\b(" + CALLS + r")\s*\(")

# example: (files with calls, [(PEs, arguments)...])
PROGRAMS = {
    "async_temporaries": (["async_temporaries/async_temporaries.cpp"],
                          [(3, "--size 23 --steps 20 --tracers 3")]),
    "containers": (["snippets/containers.cpp"], [(2, "")]),
    "distributed": (["snippets/distributed.cpp"], [(2, "")]),
    "first_program": (["snippets/first_program.cpp"], [(2, "")]),
    "gups": (["gups/gups.cpp"], [(3, "--log2-size 8 --updates-per-word 3")]),
    "halo_signals": (["halo_signals/halo_signals.cpp"],
                     [(3, "--size 23 --look-every 10 --until 0.5 --exchange " + way)
                      for way in ("stream --plates 1", "host --plates 1",
                                  "barrier --plates 1")]),
    "heat2d": (["heat2d/heat2d.cpp"], [(3, "")]),
    "hello_pe": (["hello_pe/hello_pe.cpp"], [(3, "")]),
    "index_gather": (["index_gather/index_gather.cpp"], [(3, "")]),
    "step2_global_view": (["port_existing/step2_global_view.cpp"],
                          [(3, "--size 20 --steps 20")]),
    "ring_put": (["ring_put/ring_put.cpp"], [(3, "")]),
    "ring_reduce": (["ring_reduce/ring_reduce.cpp"], [(3, "")]),
    "races": (["races/races.cpp"], [(3, "fill mended"), (3, "halo mended")]),
    "snippets": (["snippets/snippets.cpp"], [(2, "")]),
    "toposort": (["toposort/toposort.cpp"], [(3, "")]),
}

# Calls that can go: (file, number of the call in it, from 1): why.
ENDS = ("a View's end waits for nobody, and its memory is used again when all PEs have "
        "ended it")
LOCAL = "no PE has come to another one's memory since the barrier before"
CLOCK = "it is there for the clock: all else is ordered by the streams"
SNIPPETS = "snippets/snippets.cpp"
EQUIVALENT = {
    ("async_temporaries/async_temporaries.cpp", 4): CLOCK,
    ("async_temporaries/async_temporaries.cpp", 6): CLOCK,
    ("index_gather/index_gather.cpp", 4): ENDS,
    ("races/races.cpp", 7): ENDS,
    (SNIPPETS, 4): LOCAL,
    (SNIPPETS, 6): "reduce() of a value has waited for all PEs",
    (SNIPPETS, 7): LOCAL,
    (SNIPPETS, 10): "each PE has waited for the last block that it gets",
    (SNIPPETS, 14): ENDS,
    (SNIPPETS, 19): ENDS,
    (SNIPPETS, 21): LOCAL,
    (SNIPPETS, 23): LOCAL,
    (SNIPPETS, 24): "the constructor of `counts` waits for all PEs",
    (SNIPPETS, 28): LOCAL,
    (SNIPPETS, 30): LOCAL,
    (SNIPPETS, 31): "the constructor of `table` waits for all PEs",
    (SNIPPETS, 33): ENDS,
    (SNIPPETS, 35): "free() is collective",
    (SNIPPETS, 39): ENDS,
    (SNIPPETS, 40): LOCAL,
    (SNIPPETS, 42): LOCAL,
    (SNIPPETS, 44): LOCAL,
    (SNIPPETS, 45): LOCAL,
    ("toposort/toposort.cpp", 3): ENDS,
}

GUARD = """#include <cstdlib>
namespace symm_mutant {
inline bool has(int call) {
  static char const* const out = std::getenv("SYMM_MUTANT");
  static int const number      = out == nullptr ? 0 : std::atoi(out);
  return call != number;
}
}
"""


class Call:
    """A call in a file: its number there, where its statement is, and its name."""

    def __init__(self, file, number, start, end, text, line, kind):
        self.file, self.number, self.start, self.end = file, number, start, end
        self.text, self.line, self.kind = text, line, kind


def blanked(text):
    """The text with spaces for comments and what is in quotes."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'',
                         re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(code, at):
    """Behind the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("no end of a call")


def begins_statement(code, at):
    """Whether what is at `at` is the beginning of a statement."""
    before = code[:at].rstrip()
    if not before or before[-1] in ";{}":
        return True
    if re.search(r"\b(else|do)$", before):
        return True
    if before[-1] != ")":
        return False
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[i], 0)
        if depth == 0:
            return bool(re.search(r"\b(if|for|while|constexpr)\s*$", before[:i]))
    return False


def calls_of(file, text):
    """The calls that can be left out, in their order."""
    code = blanked(text)
    found = []
    for match in CALL.finditer(code):
        qualifier, member, name = match.groups()
        if member and name not in ("fence", "quiet"):
            continue
        end = closing(code, code.index("(", match.end(3)))
        rest = re.match(r"\s*;", code[end:])
        if not rest or not begins_statement(code, match.start()):
            continue
        is_of_kokkos = qualifier == "Kokkos::" or (member and name == "fence")
        found.append(
            Call(file, len(found) + 1, match.start(), end + rest.end(),
                 " ".join(text[match.start():end].split()),
                 text.count("\n", 0, match.start()) + 1,
                 "fence of Kokkos" if is_of_kokkos else "symm"))
    return found


def guarded(text, calls, first):
    """The text with each call in an `if`; the numbers begin at `first`."""
    for i, call in reversed(list(enumerate(calls))):
        statement = text[call.start:call.end]
        text = (text[:call.start] + "do { if (symm_mutant::has(" + str(first + i) +
                ")) " + statement + " } while (false);" + text[call.end:])
    return text


def calls_of_example(name):
    return [call for file in PROGRAMS[name][0]
            for call in calls_of(file, (EXAMPLES / file).read_text())]


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


def build_mutants(name, build, folder):
    """Compiles the example with all its calls guarded. Returns the program."""
    subprocess.run(["ninja", "-C", str(build), name], check=True,
                   stdout=subprocess.DEVNULL)
    sources = folder / "examples"
    shutil.copytree(EXAMPLES, sources, ignore=lambda _, names: [
        n for n in names if "." in n and not n.endswith((".cpp", ".hpp"))])
    (folder / "guard.hpp").write_text(GUARD)
    first = 1
    for file in PROGRAMS[name][0]:
        text = (EXAMPLES / file).read_text()
        calls = calls_of(file, text)
        (sources / file).write_text(guarded(text, calls, first))
        first += len(calls)

    own, link = commands_of(build, name)
    for i, command in enumerate(own):
        # The source, or with SYMM_UNITY a file that includes it.
        source = pathlib.Path(command[command.index("-c") + 1])
        if source.is_relative_to(EXAMPLES):
            source = sources / source.relative_to(EXAMPLES)
        else:
            text = (build / source).read_text().replace(str(EXAMPLES), str(sources))
            source = folder / f"unity_{i}.cpp"
            source.write_text(text)
        command[command.index("-c") + 1] = str(source)
        old = command[command.index("-o") + 1]
        new = str(folder / f"{i}.o")
        command = [new if word == old else word for word in command
                   if word not in ("-Werror",)]
        if "-MF" in command:
            command[command.index("-MF") + 1] = str(folder / "depends")
        compiler = command.index("-c")
        command[compiler:compiler] = ["-w", "-include", str(folder / "guard.hpp")]
        first_option = next(j for j, word in enumerate(command)
                            if word.startswith("-"))
        command.insert(first_option, "-I" + str(sources))
        subprocess.run(command, cwd=build, check=True)
        link = [new if word == old else word for word in link]
    program = folder / name
    link[link.index("-o") + 1] = str(program)
    subprocess.run(link, cwd=build, check=True)
    return program


def run(program, pes, arguments, mutant, timeout, report):
    """Returns the exit status, or None if it has not ended in time, and the output."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", KOKKOS_NUM_THREADS="1",
                       SYMM_MUTANT=str(mutant))
    command = ["mpiexec", "-n", str(pes)]
    version = subprocess.run(["mpiexec", "--version"], capture_output=True, text=True)
    if re.search("Open MPI|OpenRTE", version.stdout):
        command += ["--oversubscribe", "--bind-to", "none"]
    with open(report, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command + [str(program)] + shlex.split(arguments),
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


def judge(name, program, number, timeout, report):
    """What comes of the mutant, by all runs of the example."""
    verdict = "not found"
    for pes, arguments in PROGRAMS[name][1]:
        status = run(program, pes, arguments, number, timeout, report)
        text = pathlib.Path(report).read_text(errors="replace")
        if status == RACES_FOUND or "symm: race" in text:
            return "found"
        if status is None:
            verdict = "hangs"
        elif status != 0 and verdict == "not found":
            verdict = "fails"
    return verdict


def try_example(name, build, limit, timeout, keep, with_fences):
    """Returns the verdicts of its mutants; None if the example itself is wrong."""
    started = time.time()
    calls = calls_of_example(name)
    with tempfile.TemporaryDirectory(prefix="mutants.") as temporary:
        folder = pathlib.Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "examples", ignore_errors=True)
        program = build_mutants(name, build, folder)
        for pes, arguments in PROGRAMS[name][1]:
            report = folder / "example.txt"
            status = run(program, pes, arguments, 0, timeout, report)
            if status != 0:
                print(f"{name} {arguments}: the example ends with {status}:\n"
                      f"{report.read_text(errors='replace')}")
                return None
        verdicts = []
        for number, call in enumerate(calls[:limit], 1):
            if call.kind != "symm" and not with_fences:
                continue
            reason = EQUIVALENT.get((call.file, call.number))
            if reason:
                verdict = "equivalent"
            else:
                verdict = judge(name, program, number, timeout,
                                folder / f"mutant{number}.txt")
            verdicts.append((call, verdict))
            print(f"{call.file}:{call.line}: {verdict:10}  without {call.text[:60]}"
                  + (f" ({reason})" if reason else ""), flush=True)
        print(f"{name}: {len(verdicts)} mutants in {time.time() - started:.0f} s")
    return verdicts


def summary(verdicts):
    kinds = ("found", "hangs", "fails", "not found", "equivalent")
    of_all = [verdict for _, verdict in verdicts]
    counts = ", ".join(f"{of_all.count(v)} {v}" for v in kinds if v in of_all)
    print(f"mutants: {len(of_all)}: {counts or 'none'}")
    n_silent = sum(of_all.count(v) for v in ("found", "fails", "not found"))
    print(f"of those that can go wrong and end, {of_all.count('found')} of {n_silent} "
          "are reported")


def self_test():
    text = """void f() { // symm::barrier_all();
  symm::barrier_all(exec);
  for (auto const& x : y)
    symm::put_signal(a, subview(b, 1), "symm::quiet();",
                     pe);
  exec.fence("a ) in a text"); Exec().fence(); context.quiet();
  bool const is = symm::test(a) && symm::signal_wait_until(a, 1) == 1;
  if (x) symm::quiet(); else symm::fence();
  exchange.wait(1); my::barrier_all(); void barrier(int x);
}"""
    calls = calls_of("f.cpp", text)
    names = [re.search(r"(\w+)\(", call.text.replace("Exec()", "")).group(1)
             for call in calls]
    assert names == ["barrier_all", "put_signal", "fence", "fence", "quiet", "quiet",
                     "fence"], names
    assert [call.line for call in calls] == [2, 4, 6, 6, 6, 8, 8]
    assert [call.kind for call in calls].count("fence of Kokkos") == 2
    changed = guarded(text, calls, 1)
    assert "has(1)) symm::barrier_all(exec); } while (false);" in changed
    assert "if (x) do { if (symm_mutant::has(6)) symm::quiet(); }" in changed
    for name, (files, runs) in PROGRAMS.items():
        assert runs and all((EXAMPLES / file).exists() for file in files), name
    for file, number in EQUIVALENT:
        assert number <= len(calls_of(file, (EXAMPLES / file).read_text())), file
    print("the tokenizer works")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--example", action="append", choices=sorted(PROGRAMS))
    parser.add_argument("--limit", type=int, help="mutants of an example at most")
    parser.add_argument("--timeout", type=float, default=20, help="of a run, in s")
    parser.add_argument("--turn", action="store_true", help="one example, by the day")
    parser.add_argument("--fences-of-kokkos", action="store_true",
                        help="take these out, too: on hosts, where kernels have ended "
                        "when they have been launched, the detector does not see them")
    parser.add_argument("--keep", help="a folder for programs and reports")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    names = options.example or sorted(PROGRAMS)
    if options.turn:
        names = [names[int(time.time() // 86400) % len(names)]]
    if options.list:
        for name in names:
            for call in calls_of_example(name):
                print(f"{name}: {call.file}:{call.line}: {call.text}")
        return None
    if not options.build:
        parser.error("--build is needed")
    verdicts, is_wrong = [], False
    for name in names:
        of_example = try_example(name, options.build.resolve(), options.limit,
                                 options.timeout, options.keep,
                                 options.fences_of_kokkos)
        is_wrong |= of_example is None
        verdicts += of_example or []
    summary(verdicts)
    return 1 if is_wrong or any(v == "not found" for _, v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What is run, and how."""

import dataclasses
import json
import os
import pathlib
import subprocess
import time


class BenchmarkFailed(Exception):
    """A benchmark did not end well; the message says which and how."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One program with one number of PEs."""

    program: str
    pes: int = 2
    oversubscribed: bool = False

    @property
    def name(self):
        return f"{self.program}.np{self.pes}"


def all_jobs(config):
    """Everything that was built, and the barrier with more PEs than cores."""
    jobs = [Job(program) for program in config["programs"]]
    for program in ("barrier", "barrier_openshmem"):
        if program in config["programs"]:
            jobs.append(Job(program, pes=8, oversubscribed=True))
    return jobs


def load_config(build_dir):
    """What CMake wrote down about the build."""
    file = pathlib.Path(build_dir) / "perf_tests" / "config.json"
    if not file.exists():
        raise BenchmarkFailed(
            f"{file} does not exist: --build-dir takes the folder of a build "
            "that was configured with SYMM_ENABLE_PERF_TESTS=ON")
    return json.loads(file.read_text(encoding="utf-8"))


def _environment():
    environment = dict(os.environ)
    if os.geteuid() == 0:  # Open MPI refuses to run as root without these
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
        environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment


def _is_open_mpi(mpiexec):
    version = subprocess.run([mpiexec, "--version"], capture_output=True,
                             text=True, check=False)
    return "Open MPI" in version.stdout or "OpenRTE" in version.stdout


def command_of(job, config, json_file, extra):
    """The command line of a job. One PE per core unless oversubscribed."""
    mpiexec = config["mpiexec"]
    command = [mpiexec, "-n", str(job.pes)]
    if _is_open_mpi(mpiexec):
        oversubscribed = job.oversubscribed or job.pes > (os.cpu_count() or 1)
        command += (["--oversubscribe", "--bind-to", "none"] if oversubscribed
                    else ["--bind-to", "core"])
    return command + [config["programs"][job.program],
                      "--json", str(json_file)] + extra


def run_job(job, config, folder, extra, prefix, timeout):
    """Runs a job once. Returns the seconds it took.

    Its JSON lines go to folder/NAME.jsonl, what it prints to folder/NAME.txt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    json_file = folder / f"{job.name}.jsonl"
    json_file.unlink(missing_ok=True)
    command = prefix + command_of(job, config, json_file, extra)
    start = time.monotonic()
    try:
        result = subprocess.run(command, env=_environment(), text=True,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=timeout,
                                check=False)
    except subprocess.TimeoutExpired as error:
        raise BenchmarkFailed(
            f"{job.name} took more than {timeout} s: {' '.join(command)}"
        ) from error
    (folder / f"{job.name}.txt").write_text(result.stdout, encoding="utf-8")
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-20:])
        raise BenchmarkFailed(f"{job.name} ended with status "
                              f"{result.returncode}: {' '.join(command)}\n{tail}")
    return time.monotonic() - start

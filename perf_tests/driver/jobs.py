"""What is run, and how."""

import dataclasses
import json
import os
import pathlib
import subprocess
import time

from driver import programs, several_gpus, ucx_perftest


class BenchmarkFailed(Exception):
    """A benchmark did not end well; the message says which and how."""


class ProgramFailed(BenchmarkFailed):
    """One program could not be run to its end; others may be."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One program with one number of PEs."""

    program: str
    pes: int = 2
    oversubscribed: bool = False
    # On GPUs: what is run if the program fails, which another library may be
    # the reason of. Its records then stand for the program's.
    fallback: str = None
    is_optional: bool = False  # a failure is noted, and does not end the run
    is_once: bool = False  # only in the first round: it has rounds of its own
    nodes: int = 0  # over so many, each of pes_per_node; 0: not over nodes
    pes_per_node: int = 0
    is_pair: bool = False  # an example and the same with MPI: programs.py
    # On GPUs: whether its records are those of this number of PEs only.
    is_of_pes: bool = False

    @property
    def name(self):
        if self.nodes:
            return f"{self.program}.nodes{self.nodes}x{self.pes_per_node}"
        return f"{self.program}.np{self.pes}"


# On GPUs. Those of the first line are run with NVSHMEM in the process if it was
# found, since they then measure the same and NVSHMEM; those of the second are
# run without, and those of the third both ways.
WITH_NVSHMEM = ("kernel_bandwidth", "kernel_elements", "kernel_latency",
                "kernel_rma", "kernel_atomics", "copy_bandwidth", "barrier",
                "collectives", "gups")
WITHOUT_NVSHMEM = ("host_memory", "registration", "stencil", "halo", "places")
BOTH_WAYS = ("allocate", "footprint")
# A benchmark of which only what it says of the machine is of interest.
ENVIRONMENT = "environment"
# heat3d beside the other benchmarks: it has repetitions of its own.
HEAT3D = {"sizes": (64, 256, 512), "steps": 300, "repeats": 3}
HEAT3D_OVER_NODES = {"sizes": (96, 192), "steps": 100, "repeats": 3}
HEAT3D_QUICK = {"sizes": (32,), "steps": 10, "repeats": 1}


def _gpu_jobs(config, pes):
    has_nvshmem = config["nvshmem libraries"] is not None
    jobs = [Job(program, pes) for program in BOTH_WAYS]
    if has_nvshmem:
        jobs += [Job(f"{program}_nvshmem", pes, is_optional=True)
                 for program in BOTH_WAYS]
        jobs += [Job(f"{program}_nvshmem", pes, fallback=program)
                 for program in WITH_NVSHMEM]
    else:
        jobs += [Job(program, pes) for program in WITH_NVSHMEM]
    jobs += [Job(program, pes) for program in WITHOUT_NVSHMEM]
    jobs.append(Job("places", 1))
    return jobs + ([Job("heat3d", pes, is_once=True)]
                   if config["examples"] else [])


def _jobs_of_several_gpus(config, gpus):
    """What more PEs than two do otherwise, with each number of them."""
    program = "collectives_nvshmem" \
        if config["nvshmem libraries"] is not None else "collectives"
    return [job for pes in several_gpus.pe_counts(gpus) for job in (
        Job(program, pes, is_of_pes=True,
            fallback="collectives" if program != "collectives" else None),
        Job("exchange", pes, is_of_pes=True))]


def all_jobs(config, pes_on_gpus=2):
    """Everything that was built, the barrier with more PEs than cores,
    collective operations with 4 PEs, and what has figures of one PE."""
    if config["gpus"]:
        return _jobs_of_several_gpus(config, pes_on_gpus) \
            if pes_on_gpus > 2 else _gpu_jobs(config, pes_on_gpus)
    jobs = [Job(program) for program in config["programs"]]
    for program in ("barrier", "barrier_openshmem"):
        if program in config["programs"]:
            jobs.append(Job(program, pes=8, oversubscribed=True))
    for program in ("collectives", "collectives_openshmem"):
        if program in config["programs"]:
            jobs.append(Job(program, pes=4))
    if "places" in config["programs"]:
        jobs.append(Job("places", pes=1))
    return jobs


def _over_nodes(program, nodes, pes_per_node, **more):
    return Job(program, nodes * pes_per_node, nodes=nodes,
               pes_per_node=pes_per_node, **more)


def node_jobs(config):
    """What is run over the nodes of config["cluster"]."""
    jobs = [_over_nodes("over_nodes", 2, 1),
            _over_nodes("ucx_perftest", 2, 1, is_optional=True),
            _over_nodes("collectives", 2, 1), _over_nodes("collectives", 4, 1),
            _over_nodes("gups", 2, 1)]
    if "gups_openshmem" in config["programs over nodes"]:
        jobs.append(_over_nodes("gups_openshmem", 2, 1, is_optional=True))
    jobs += [_over_nodes("inside_node", 2, 2), _over_nodes("inside_node", 1, 4),
             _over_nodes("initialize", 4, 4)]
    if config["examples"]:
        jobs.append(_over_nodes("heat3d", 2, 1, is_optional=True,
                                is_once=True))
    return jobs


def program_jobs(config, pes_on_gpus=2, is_quick=False):
    """Whole programs: on one PE and on two, or as many as there are GPUs; in a
    quick run on the latter only. A benchmark tells what they are run on.

    Each run on GPUs takes seconds to start, so what has no goal is run once:
    one GPU beside which several are seen, and halo_signals."""
    if not config["examples"]:
        raise BenchmarkFailed("--programs requires a build with "
                              "SYMM_ENABLE_EXAMPLES=ON")
    pairs = programs.GPU_PAIRS if config["gpus"] else programs.CPU_PAIRS
    several = pes_on_gpus if config["gpus"] else 2
    found = [Job(ENVIRONMENT, is_once=True)]
    for pair in pairs:
        has_goals = not config["gpus"] or pair is not programs.HALO_ON_GPUS
        found.append(Job(pair.name, several, is_pair=True,
                         is_once=not has_goals))
        if has_goals and not is_quick:
            found.append(Job(pair.name, 1, is_pair=True,
                             is_once=config["gpus"]))
    return found


def next_time(job, failed):
    """What the round after has in the place of a job; None: nothing."""
    if job.is_once:
        return None
    if not failed:
        return job
    if not job.fallback:
        return None
    return Job(job.fallback, job.pes, is_of_pes=job.is_of_pes)


def load_config(build_dir):
    """What CMake wrote down about the build."""
    file = pathlib.Path(build_dir) / "perf_tests" / "config.json"
    if not file.exists():
        raise BenchmarkFailed(
            f"{file} does not exist: --build-dir takes the folder of a build "
            "that was configured with SYMM_ENABLE_PERF_TESTS=ON")
    return json.loads(file.read_text(encoding="utf-8"))


def record_name(job, config):
    """The name under which the figures look for the records of a job."""
    if not config["gpus"] or job.is_pair:
        return job.name
    program = job.fallback or job.program
    return f"{program}.np{job.pes}" if job.is_of_pes else program


def _environment(config, job):
    environment = dict(os.environ)
    if job.nodes:
        environment.update(config["cluster"].environment(job.nodes,
                                                         job.pes_per_node))
    if config["gpus"]:
        # NVSHMEM and NCCL, which NVSHMEM may load, would use multicast objects,
        # which nobody is to make here.
        for variable, value in (("NVSHMEM_DISABLE_NVLS", "1"),
                                ("NCCL_NVLS_ENABLE", "0")):
            if environment.setdefault(variable, value) != value:
                raise BenchmarkFailed(f"{variable} must be {value} or unset, but is "
                                      f"{environment[variable]}")
        # PEs of one machine: no search for network cards.
        environment.setdefault("NCCL_IB_DISABLE", "1")
    if config["nvshmem libraries"]:
        folders = [config["nvshmem libraries"],
                   environment.get("LD_LIBRARY_PATH")]
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
    if os.geteuid() == 0:  # Open MPI refuses to run as root without these
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
        environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment


def is_open_mpi(mpiexec):
    version = subprocess.run([mpiexec, "--version"], capture_output=True,
                             text=True, check=False)
    return "Open MPI" in version.stdout or "OpenRTE" in version.stdout


def launcher_of(job, config):
    """What starts the PEs of a job. One PE per core unless oversubscribed."""
    if job.nodes:
        return config["cluster"].launcher(job.nodes, job.pes_per_node)
    mpiexec = config["mpiexec"]
    command = [mpiexec, "-n", str(job.pes)]
    if is_open_mpi(mpiexec):
        # Not bound on GPUs: NVSHMEM and the driver have threads of their own.
        oversubscribed = config["gpus"] or job.oversubscribed \
            or job.pes > (os.cpu_count() or 1)
        command += (["--oversubscribe", "--bind-to", "none"] if oversubscribed
                    else ["--bind-to", "core"])
    return command


def command_of(job, config, json_file, extra):
    """The command line of a job."""
    if job.program == ENVIRONMENT:
        return launcher_of(job, config) + [
            *config["programs"]["barrier"], "--json", str(json_file), "--quick"]
    programs_of_build = config["programs over nodes" if job.nodes else "programs"]
    return launcher_of(job, config) + [
        *programs_of_build[job.program], "--json", str(json_file)] + extra


def _options_of_pair(job, pair, config, is_quick):
    """Of programs.run()."""
    if not job.is_pair:
        return HEAT3D_QUICK if is_quick else \
            HEAT3D_OVER_NODES if job.nodes else HEAT3D
    more = {}
    if config["gpus"]:
        contestants = pair.contestants(True, job.pes, config["examples"],
                                       config.get("gpu count", 0))
        if config.get("round", 0) % 2:
            contestants.reverse()
        more = {"sizes": pair.gpu_sizes, "steps": pair.gpu_steps,
                "repeats": 1, "contestants": contestants, "job": job.name,
                "trouble": config.setdefault("trouble",
                                             programs.Trouble(goes_on=True))}
    return {**more, **HEAT3D_QUICK, "sizes": (16,)} if is_quick else more


def _run_pair(job, config, launcher, environment, json_file, is_quick, timeout):
    """An example and the same with MPI; heat3d also beside benchmarks."""
    pair = programs.pair_of(job.program, config["gpus"])
    return programs.run(launcher, pair, config["examples"], environment,
                        json_file, timeout,
                        **_options_of_pair(job, pair, config, is_quick))


def _run_others(job, config, json_file, extra, prefix, timeout):
    """Programs that print what the driver writes down: examples, and
    ucx_perftest."""
    launcher = prefix + launcher_of(job, config)
    is_quick = "--quick" in extra
    environment = _environment(config, job)
    try:
        if job.program == "ucx_perftest":
            problem = ucx_perftest.run(
                launcher, config["cluster"].second_host, environment, json_file,
                is_quick, timeout)
        else:
            problem = _run_pair(job, config, launcher, environment, json_file,
                                is_quick, timeout)
    except subprocess.TimeoutExpired as error:
        problem = str(error)
    if problem:
        kind = BenchmarkFailed if "WRONG" in problem else ProgramFailed
        raise kind(f"{job.name} failed: {problem}")


def _run(command, environment, output, timeout):
    """Returns the exit status, or None if the time was over."""
    with output.open("w", encoding="utf-8") as file, \
            subprocess.Popen(command, env=environment, stdout=file,
                             stderr=subprocess.STDOUT) as process:
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec then ends the PEs
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
            return None


def run_job(job, config, folder, extra, prefix, timeout):
    """Runs a job once. Returns the seconds it took.

    Its JSON lines go to folder/NAME.jsonl, what it prints to folder/NAME.txt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    json_file = folder / f"{job.name}.jsonl"
    json_file.unlink(missing_ok=True)
    start = time.monotonic()
    if job.is_pair or job.program in ("heat3d", "ucx_perftest"):
        _run_others(job, config, json_file, extra, prefix, timeout)
        return time.monotonic() - start
    command = prefix + command_of(job, config, json_file, extra)
    output = folder / f"{job.name}.txt"
    status = _run(command, _environment(config, job), output, timeout)
    if status is None:
        raise ProgramFailed(
            f"{job.name} took more than {timeout} s: {' '.join(command)}")
    if status != 0:
        lines = output.read_text(encoding="utf-8",
                                 errors="replace").splitlines()
        tail = "\n".join(lines[-20:])
        raise ProgramFailed(f"{job.name} ended with status {status}: "
                            f"{' '.join(command)}\n{tail}")
    return time.monotonic() - start


def _has_wrong_data(file):
    if not file.exists():
        return False
    # A program that was ended may have left half a line.
    return any(json.loads(line).get("wrong", 0) != 0
               for line in file.read_text(encoding="utf-8").splitlines()
               if line.endswith("}"))


def run_job_or_fallback(job, config, folder, extra, prefix, timeout):
    """Runs a job, and what stands in for it if it fails. Returns the file with
    the records, or None, and a note on what failed, or None."""
    try:
        run_job(job, config, folder, extra, prefix, timeout)
        return folder / f"{job.name}.jsonl", None
    except ProgramFailed as error:
        # Wrong data are wrong data, whatever stands in for the program.
        if _has_wrong_data(folder / f"{job.name}.jsonl"):
            raise BenchmarkFailed(str(error)) from error
        if not job.is_optional and not job.fallback:
            raise
        note = f"{job.name} did not finish"
        print(f"  {error}", flush=True)
    if not job.fallback:
        return None, note
    substitute = Job(job.fallback, job.pes)
    run_job(substitute, config, folder, extra, prefix, timeout)
    return folder / f"{substitute.name}.jsonl", note

"""ucx_perftest over the nodes of a cluster, as a benchmark: two PEs."""

import json
import pathlib
import re
import shutil
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parent / "ucx_perftest.sh"
SIZES = (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24)
# iterations, 50 % of latency, average, overall, bandwidths and rates
FINAL = re.compile(r"^\s*(?:Final:)?\s*\d+(?:\s+[\d.]+){7}\s*$", re.M)


def tests(is_quick):
    """(what, case, bytes, options)."""
    sizes = SIZES[:1] if is_quick else SIZES
    few, many = (10, 100) if is_quick else (100, 10000)
    yield "ucp_fadd", {"bytes": 8}, 8, ["-n", str(many), "-w", str(few)]
    for size in sizes:
        count = max(few // 10, min(2000, (1 << 28) // size))
        yield ("tag_bw", {"bytes": size}, size,
               ["-s", str(size), "-n", str(count), "-w", "5"])


def seconds_of(text):
    """Of one operation, on average, as the samples of the other programs."""
    line = FINAL.search(text)
    if line is None:
        return None
    return float(line.group(0).replace("Final:", "").split()[3]) * 1e-6


def run(launcher, host, environment, json_file, is_quick, timeout):
    """Writes records as the other programs do. Returns what went wrong, or
    None."""
    if not shutil.which("ucx_perftest"):
        return "there is no ucx_perftest (Debian's package ucx-utils)"
    with json_file.open("w", encoding="utf-8") as file:
        for what, case, _, options in tests(is_quick):
            command = launcher + [str(SCRIPT), host, "-t", what, "-f", *options]
            result = subprocess.run(
                command, env=environment, timeout=timeout, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            found = seconds_of(result.stdout)
            if result.returncode != 0 or found is None:
                return f"{' '.join(command)}\n{result.stdout[-2000:]}"
            file.write(json.dumps(
                {"record": "result", "benchmark": "ucx_perftest", "what": what,
                 "case": case, "seconds": [found]}) + "\n")
    return None

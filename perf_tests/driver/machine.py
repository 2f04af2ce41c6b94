"""What the machine says of its GPUs."""

import subprocess


def _nvidia_smi(*arguments):
    """Its output; empty if there is none."""
    try:
        result = subprocess.run(["nvidia-smi", *arguments], capture_output=True,
                                text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""


def gpu_count():
    """0 if nvidia-smi is not there, too."""
    return len(_nvidia_smi("-L").splitlines())


def gpu_rows():
    """Rows for the table of the machine: what nvidia-smi knows."""
    query = "name,memory.total,driver_version"
    lines = _nvidia_smi(f"--query-gpu={query}",
                        "--format=csv,noheader").splitlines()
    if not lines:
        return [["nvidia-smi", "not there, or no answer"]]
    rows = [[f"GPU {number} of the machine: name, memory, driver", line]
            for number, line in enumerate(lines)]
    links = [line for line in _nvidia_smi("topo", "-m").splitlines()
             if line.startswith("GPU0")]
    return rows + [["links of GPU 0", " ".join(line.split()[1:])]
                   for line in links if len(lines) > 1]

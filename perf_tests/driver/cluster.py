"""The nodes that benchmarks run over: real ones, network namespaces, or
simulated ones."""

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
NETNS_CLUSTER = HERE.parent.parent / "scripts" / "netns_cluster.sh"
NETNS_HOST = "10.77.0.2"  # of the second node that it makes


def _has_namespaces():
    """Whether this machine makes clusters for this user, and why not."""
    found = subprocess.run([NETNS_CLUSTER, "run", "1", "1", "true"],
                           capture_output=True, text=True, check=False)
    why = found.stderr.strip().splitlines()
    return found.returncode == 0, why[-1] if why else "it failed"


class Cluster:
    """Starts programs over nodes."""

    def __init__(self, hostfile, mpiexec, is_open_mpi, network=None):
        """hostfile: of a real cluster, or None: nodes are made here.
        network: for SYMM_NETWORK, or None: what jobs take by themselves."""
        self.network = network
        with_network = f", SYMM_NETWORK={network}" if network else ""
        self.mpiexec = mpiexec
        self.is_open_mpi = is_open_mpi
        self.hostfile = hostfile
        self.note = None
        self.has_namespaces = False
        if hostfile:
            self.second_host = self._hosts()[1]
            self.text = f"hosts of {pathlib.Path(hostfile).name}{with_network}"
            return
        self.has_namespaces, why = _has_namespaces()
        self.text = f"network namespaces of one machine{with_network}"
        self.second_host = NETNS_HOST
        if not self.has_namespaces:
            self.second_host = "127.0.0.1"
            self.text = ("simulated nodes of one machine (SYMM_PES_PER_NODE)"
                         + with_network)
            self.note = (f"nodes are simulated by SYMM_PES_PER_NODE ({why}): "
                         "all messages go through the loopback device")

    def _hosts(self):
        lines = pathlib.Path(self.hostfile).read_text(
            encoding="utf-8").splitlines()
        hosts = [line.split("#")[0].split() for line in lines]
        hosts = [words[0].split(":")[0] for words in hosts if words]
        if len(hosts) < 2:
            raise ValueError(f"{self.hostfile}: at least two hosts are required")
        return hosts

    def launcher(self, nodes, pes_per_node):
        """What stands before a program."""
        pes = nodes * pes_per_node
        if self.hostfile:
            options = ["--hostfile", self.hostfile]
            if self.is_open_mpi:
                options += ["--map-by", f"ppr:{pes_per_node}:node",
                            "--bind-to", "core"]
            return [self.mpiexec, "-n", str(pes), *options]
        own_core = [str(HERE / "on_core.sh")] if shutil.which("taskset") else []
        if self.has_namespaces:
            return [str(NETNS_CLUSTER), "run", str(nodes), str(pes_per_node),
                    *own_core]
        options = ["--oversubscribe", "--bind-to", "none"] \
            if self.is_open_mpi else []
        return [self.mpiexec, "-n", str(pes), *options, *own_core]

    def environment(self, nodes, pes_per_node):
        """What the programs need in theirs."""
        # UCX's signal handlers are not for programs that are linked with it.
        # Hosts' networks may have anything; simulated ones have TCP.
        added = {"UCX_ERROR_SIGNALS": "", "KOKKOS_NUM_THREADS": "1"}
        if self.network:
            added["SYMM_NETWORK"] = self.network
        if self.hostfile:
            return added
        # Windows over TCP are not found by default. Nodes of one machine: with little
        # on its way large blocks are two to three times as fast (docs/decisions.md), so
        # MPI and ucx_perftest get what the library sets for itself.
        parameters = {"osc": "pt2pt", "btl_tcp_sndbuf": "131072"}
        added["UCX_TCP_SNDBUF"] = "128k"
        # Cores that PEs share: who waits in MPI has to give its away, too.
        if nodes * pes_per_node > (os.cpu_count() or 1):
            parameters["mpi_yield_when_idle"] = "1"
        if self.has_namespaces:
            added["UCX_TLS"] = "tcp,self"
            added["MPIEXEC_OPTIONS"] = " ".join(
                f"--mca {name} {value}" for name, value in parameters.items())
            return added
        if nodes > 1:
            added["SYMM_PES_PER_NODE"] = str(pes_per_node)
            parameters.update(pml="ob1", btl="tcp,self")
        added.update((f"OMPI_MCA_{name}", value)
                     for name, value in parameters.items())
        return added

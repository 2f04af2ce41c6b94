#!/usr/bin/env python3
"""Checks what symm_info says.

    check_symm_info.py PROGRAM VERSION        of this machine
    check_symm_info.py PROGRAM --fake-gpus    of two GPUs of the fake driver
    check_symm_info.py PROGRAM --table PAGE   that the page has its table
"""

import json
import os
import pathlib
import subprocess
import sys

OURS = ["SYMM_HEAP_LIMIT", "SYMM_SYMMETRIC_SIZE", "SYMM_STATIC_HEAP",
        "SYMM_HUGE_PAGES", "SYMM_TIMEOUT", "SYMM_PES_PER_NODE"]


def run(program, *options, status=0, **variables):
    """Its output, without variables of ours but these."""
    environment = {name: value for name, value in os.environ.items()
                   if "SYMM" not in name and "SHMEM" not in name}
    done = subprocess.run([program, *options], env={**environment, **variables},
                          stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == status, done
    return done.stdout


def facts(program, **arguments):
    return json.loads(run(program, "--json", **arguments))


def check_numa(said):
    """Of a system with NUMA, be it of one node: memory that this process touches
    is on a node of its CPUs, if no policy says otherwise."""
    online = pathlib.Path("/sys/devices/system/node/online")
    if not online.exists():
        assert said["nodes"] == [], said
        return
    assert said["nodes"], said
    assert all(f"node{node}" in os.listdir(online.parent)
               for node in said["nodes"]), said
    assert said["nodes_of_cpus"], said
    assert set(said["nodes_of_cpus"]) <= set(said["nodes"]), said
    if said["memory_policy"] is None:  # no numa_maps: not told
        assert not os.path.exists("/proc/self/numa_maps"), said
    elif said["memory_policy"] == "default":
        assert said["first_touch"], said
        assert set(said["first_touch"]) <= set(said["nodes_of_cpus"]), said


def check_network(program, said):
    ucx = said["ucx"]
    if ucx["library"] is None:
        assert said["between_nodes"] in (None, "libfabric"), said
        assert "UCX" in ucx["why_not"], ucx
    else:
        assert ucx["library"].startswith("UCX 1."), ucx
        assert said["between_nodes"] == "ucx", said
        named = facts(program, SYMM_NETWORK="ucx")["network"]
        assert named["between_nodes"] == "ucx", named
        for transports in "tcp,cma,self", "all", "sm", "^ib":
            named = facts(program, UCX_TLS=transports)["network"]
            assert "cma" in named["one_sided"], (transports, named)
        for transports in "tcp", "^sm", "^ib,cma":
            named = facts(program, UCX_TLS=transports)["network"]
            assert named["one_sided"] is None, (transports, named)

        def networks(transports):
            return facts(program, UCX_TLS=transports)["network"]["ucx"]
        assert "tcp/lo" in networks("tcp")["networks"]
        assert networks("self")["networks"] == [], networks("self")
        assert networks("posix")["networks"] == ["posix/memory"]
        assert networks("junk")["networks"] is None
        assert "failed" in networks("junk")["why_not"], networks("junk")

    libfabric = said["libfabric"]
    if libfabric["library"] is None:
        assert "libfabric" in libfabric["why_not"], libfabric
    else:
        assert libfabric["library"].startswith("libfabric 1."), libfabric
        assert libfabric["networks"], libfabric
        named = facts(program, SYMM_NETWORK="libfabric")["network"]
        assert named["between_nodes"] == "libfabric", named
        assert "fi_write" in named["one_sided"], named

    junk = facts(program, status=1, SYMM_NETWORK="pigeon")
    assert junk["network"]["between_nodes"] is None, junk["network"]
    error = junk["variables"]["SYMM_NETWORK"]["error"]
    assert "SYMM_NETWORK=pigeon" in error and "the choices are ucx" in error, error


def check_machine(program, version):
    said = facts(program)
    assert list(said) == ["build", "gpu_driver", "gpu", "network", "limits",
                          "numa", "variables"]
    assert said["build"]["version"] == version
    assert said["build"]["kokkos"].startswith(("Kokkos 4.", "Kokkos 5.")), said["build"]
    assert said["limits"]["open_files"] > 2, said["limits"]
    assert said["limits"]["memfd"] is True, said["limits"]
    assert len(said["gpu"]) == said["gpu_driver"]["gpus"], said
    check_numa(said["numa"])
    check_network(program, said["network"])
    for name in OURS:
        assert said["variables"][name]["from"] == "default", said["variables"]

    set_by_other_name = facts(program, SHMEM_SYMMETRIC_SIZE="3M")
    assert set_by_other_name["variables"]["SYMM_SYMMETRIC_SIZE"] == {
        "value": "3M", "from": "environment", "name": "SHMEM_SYMMETRIC_SIZE"}

    odd = 'a "word" \\ \t'
    junk = facts(program, status=1, SYMM_TIMEOUT=odd)["variables"]
    assert junk["SYMM_TIMEOUT"]["value"] == odd
    assert "expected a number of seconds" in junk["SYMM_TIMEOUT"]["error"]

    junk = facts(program, status=1, SYMM_PES_PER_NODE="2.5")["variables"]
    assert "expected a whole number" in junk["SYMM_PES_PER_NODE"]["error"]

    junk = facts(program, status=1, SYMM_HUGE_PAGES="3M")["variables"]
    assert "expected never" in junk["SYMM_HUGE_PAGES"]["error"]
    assert said["limits"]["huge_pages"] == "never", said["limits"]
    reserved = facts(program, SYMM_HUGE_PAGES="2M")["limits"]
    enough = reserved.get("pages_of_2M", 0) > 0
    assert reserved["huge_pages"] is enough, reserved

    for_people = run(program, SYMM_STATIC_HEAP="1")
    assert "  version" in for_people and version in for_people
    assert "1 (environment)" in for_people, for_people
    run(program, "--no-such-option", status=2)


def check_fake_gpus(program):
    said = facts(program, FAKE_CUDA_DEVICES="2", FAKE_CUDA_NO_HOST_NUMA="1",
                 FAKE_CUDA_MEMORY="64,128", FAKE_CUDA_NAME="A \"GPU\"")
    assert said["gpu_driver"]["driver"].startswith("CUDA driver ")
    first, second = said["gpu"]
    assert first["name"] == 'A "GPU"'
    assert (first["memory"], second["memory"]) == (64 << 20, 128 << 20)
    assert (first["host_memory"], second["host_memory"]) == (True, False)
    assert (first["peers"], second["peers"]) == ([1], [0])
    assert not first["mps"]
    assert facts(program, FAKE_CUDA_MPS="1")["gpu"][0]["mps"]
    assert "gpu 1\n" in run(program, FAKE_CUDA_DEVICES="2")
    apart = facts(program, FAKE_CUDA_DEVICES="2", FAKE_CUDA_NO_PEER="0-1")
    assert apart["gpu"][0]["peers"] == []
    none = facts(program, FAKE_CUDA_DEVICES="2", CUDA_VISIBLE_DEVICES="")
    assert none["gpu_driver"] == {"driver": None, "gpus": 0}
    assert none["variables"]["CUDA_VISIBLE_DEVICES"]["value"] == ""


def check_table(program, page):
    table = run(program, "--environment-table")
    assert all(f"`{name}`" in table for name in OURS), table
    if table not in pathlib.Path(page).read_text(encoding="utf-8"):
        sys.exit(f"{page} does not have this table:\n{table}")


def main(arguments):
    program, what = arguments[:2]
    if what == "--table":
        check_table(program, arguments[2])
    elif what == "--fake-gpus":
        check_fake_gpus(program)
    else:
        check_machine(program, what)


if __name__ == "__main__":
    main(sys.argv[1:])

#!/bin/sh
# ucx_perftest.sh HOST OPTION... : ucx_perftest of PE 0 against PE 1, which is on HOST.
pe=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-}}}
host=$1
shift
if [ "$pe" = 1 ]; then exec ucx_perftest "$@" >/dev/null; fi
sleep 0.5 # until the other one listens
exec ucx_perftest "$host" "$@"

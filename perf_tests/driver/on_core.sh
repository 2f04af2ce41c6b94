#!/bin/sh
# on_core.sh COMMAND... : what mpiexec starts on simulated nodes. Each of them takes
# all cores of the machine for its own: here every PE gets its own one.
pe=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-}}}
if [ -n "$pe" ] && command -v taskset >/dev/null; then
  exec taskset -c "$((pe % $(nproc --all)))" "$@"
fi
exec "$@"

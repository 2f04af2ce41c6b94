#!/usr/bin/env bash
# Simulates a cluster on one machine, for tests: every node is a network namespace
# with its own address and host name, and reaches the others only through a switch.
# Open MPI starts the programs, as on nodes that it reaches by ssh.
#
#   scripts/netns_cluster.sh run [option...] NODES PES_PER_NODE COMMAND...
#
# creates a cluster, runs the command on it and removes it, even if a signal ends the
# script. Any number of clusters can exist at a time. The exit status is the command's,
# or
#
#    77  no cluster can be created: the user is not root, iproute2 or Open MPI is
#        missing, or the system does not allow namespaces
#   124  the command took longer than --timeout
#
# --delay US      delays each frame between nodes by US microseconds
# --jitter US     adds a random delay of up to US microseconds, so that frames overtake
#                 each other
# --loss PERMILLE drops frames at random, PERMILLE out of a thousand
# --timeout S     ends the command and every process on the nodes after S seconds
#
# The same steps by hand, for the cluster named by CLUSTER (default: symm):
#
#   scripts/netns_cluster.sh up [option...] NODES
#   scripts/netns_cluster.sh mpi NODES PES_PER_NODE COMMAND...
#   scripts/netns_cluster.sh cut NODE      disconnects its cable; 0 is the first node
#   scripts/netns_cluster.sh heal NODE     connects it again
#   scripts/netns_cluster.sh down
#
# A command on the cluster finds its name in CLUSTER, and may also cut and heal. When
# Open MPI starts a program on another node, the environment is lost, as with ssh; the
# script passes on variables that begin with SYMM_, UCX_, FI_, GTEST_ or KOKKOS_, and
# the options of sanitizers. MPIRUN may name Open MPI's mpirun, and MPIEXEC_OPTIONS may
# contain more options for it.
# shellcheck source-path=SCRIPTDIR
caller_dir=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
scripts=$PWD/scripts
cd "$caller_dir"

net=10.77.0 # of every cluster: they do not meet
cluster=${CLUSTER:-symm}
mpirun=${MPIRUN:-mpirun}
cannot_be_made=77

# refuse REASON...
refuse() {
  printf 'netns_cluster.sh: cannot create a cluster: %s\n' "$*" >&2
  exit $cannot_be_made
}

node() { printf '%s-%d' "$cluster" "$1"; }

# is_number WORD [LEAST]
is_number() { [[ $1 =~ ^[0-9]{1,9}$ ]] && ((10#$1 >= ${2:-0})); }

# need_number WHAT WORD [LEAST]
need_number() {
  is_number "${2:-}" "${3:-0}" ||
    die "$1 '${2:-}': expected a number of at least ${3:-0} (see --help)"
}

delay=0
jitter=0
loss=0
timeout=0
n_taken=0 # words of options

take_options() {
  local before=$#
  while [[ ${1:-} == --* ]]; do
    need_number "$1" "${2:-}"
    case $1 in
      --delay) delay=$2 ;;
      --jitter) jitter=$2 ;;
      --loss) loss=$2 ;;
      --timeout) timeout=$2 ;;
      *) die "unknown option $1 (see --help)" ;;
    esac
    shift 2
  done
  n_taken=$((before - $#))
}

namespaces() { ip netns list 2>/dev/null | awk '{print $1}'; }

# remove CLUSTER: with everything that runs there
remove() {
  local name tries
  for name in $(namespaces | grep -E "^$1-([0-9]+|switch)$" | sort -V); do
    # (Several times: who is about to fork may be quicker.)
    for ((tries = 0; tries < 500; tries++)); do
      pids=$(ip netns pids "$name" 2>/dev/null) || break
      [[ -n $pids ]] || break
      # shellcheck disable=SC2086  # one word each
      kill -9 $pids 2>/dev/null || true
      sleep 0.01
    done
    ip netns del "$name" || true
  done
}

# Of scripts that were killed with no time to do so.
remove_orphans() {
  local name pid
  for name in $(namespaces | sed -n 's/^\(symm_run[0-9]*\)-switch$/\1/p'); do
    pid=${name#symm_run}
    kill -0 "$pid" 2>/dev/null || remove "$name"
  done
}

# up NODES
up() {
  local nodes=$1 i k state switch=$cluster-switch ports=()
  (($(id -u) == 0)) || refuse "only root may do so (user $(id -un))"
  command -v ip >/dev/null || refuse "the program ip is missing (package iproute2)"
  ! namespaces | grep -q "^$switch$" ||
    die "the cluster $cluster already exists; 'down' removes it"

  # What systems may not have or allow, first.
  ip netns add "$switch" || refuse "the system does not allow network namespaces"
  {
    ip netns exec "$switch" true &&
      ip -n "$switch" link add name try0 type veth peer name try1 &&
      ip -n "$switch" link del try0
  } || refuse "the system does not allow links in a network namespace"
  if ((delay + jitter + loss == 0)); then
    ip -n "$switch" link add name sw0 type bridge || refuse "the system does not allow bridges"
    ip -n "$switch" link set sw0 up
  fi

  for ((i = 0; i < nodes; i++)); do
    ip netns add "$(node $i)"
    ip -n "$switch" link add "port$i" type veth peer name eth0 netns "$(node $i)"
    if ((delay + jitter + loss == 0)); then
      ip -n "$switch" link set "port$i" master sw0
    fi
    ip -n "$switch" link set "port$i" up
    ip -n "$(node $i)" link set lo up
    ip -n "$(node $i)" addr add "$net.$((i + 1))/24" dev eth0
    ip -n "$(node $i)" link set eth0 up
    ports+=("port$i")
  done
  if ((delay + jitter + loss > 0)); then
    ip netns exec "$switch" "$scripts/netns_relay.py" --delay "$delay" \
      --jitter "$jitter" --loss "$loss" "${ports[@]}" </dev/null >/dev/null &
    disown
  fi
  for ((i = 0; i < nodes; i++)); do # UCX leaves out an interface without carrier
    for ((k = 0; ; k++)); do
      state=$(ip netns exec "$(node $i)" cat /sys/class/net/eth0/operstate)
      [[ $state != up ]] || break
      ((k < 200)) || die "the link of node $i does not come up"
      sleep 0.02
    done
  done
}

# mpi NODES PES_PER_NODE COMMAND...
mpi() {
  local nodes=$1 ppn=$2 hosts="" i name pass=() options
  shift 2
  "$mpirun" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' ||
    refuse "$mpirun is not from Open MPI, or is missing"
  for ((i = 0; i < nodes; i++)); do hosts+="${hosts:+,}n$i:$ppn"; done
  export UCX_NET_DEVICES=${UCX_NET_DEVICES:-eth0} CLUSTER=$cluster
  for name in $(compgen -e); do
    case $name in
      CLUSTER | SYMM_* | UCX_* | FI_* | GTEST_* | KOKKOS_* | ?SAN_OPTIONS | ??SAN_OPTIONS)
        pass+=(-x "$name")
        ;;
    esac
  done
  read -ra options <<<"${MPIEXEC_OPTIONS:-}"
  # mpirun is on the first node. Open MPI's own messages must not go by UCX, which
  # sees through namespaces.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    exec ip netns exec "$(node 0)" unshare --uts \
    sh -c 'hostname n0 && exec "$@"' sh \
    "$mpirun" --host "$hosts" --map-by "ppr:$ppn:node" --oversubscribe --bind-to none \
    --mca plm_rsh_agent "$script" --mca plm_rsh_no_tree_spawn 1 \
    --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 \
    --mca pml ob1 --mca btl tcp,vader,self \
    "${pass[@]}" "${options[@]}" "$@"
}

# need_pes NODES PES_PER_NODE COMMAND...
need_pes() {
  need_number "number of nodes" "${1:-}" 1
  (($1 <= 200)) || die "$1 nodes: at most 200 are possible"
  need_number "number of PEs per node" "${2:-}" 1
  (($# > 2)) || die "no command given (see --help)"
}

# What runs on the nodes and the switch.
list_processes() {
  local name pids
  for name in $(namespaces | grep -E "^$cluster-([0-9]+|switch)$" | sort -V); do
    pids=$(ip netns pids "$name" 2>/dev/null | paste -sd ,)
    echo "$name:"
    [[ -z $pids ]] || ps -o pid,stat,etime,time,wchan:20,args -p "$pids" || true
  done
}

timer=
end_run() {
  trap '' INT TERM HUP # once is enough: the removal goes on
  [[ -z $timer ]] || kill "$timer" 2>/dev/null || true
  disown -a # the shell need not report who is killed
  remove "$cluster"
}

n_processes() { ip netns pids "$(node "$1")" 2>/dev/null | wc -l; }

# start_fails NODES: ends with 0 if Open MPI does not start the command. Where frames get
# lost its daemon ends now and then on a node, and mpirun waits for it forever. Ends with 1
# when there is more than mpirun on the first node.
start_fails() {
  local i looks=0 lacks
  while ((looks < 4)); do
    sleep 5
    (($(n_processes 0) < 2)) || return 1
    lacks=false
    for ((i = 1; i < $1; i++)); do
      (($(n_processes $i) > 0)) || lacks=true
    done
    if $lacks; then ((looks += 1)); else looks=0; fi
  done
}

run() {
  local command status=0 watch="" ended starts=1
  cluster=symm_run$$
  remove_orphans
  trap end_run EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  up "$1"
  if ((timeout > 0)); then
    sleep "$timeout" &
    timer=$!
  fi
  # In the background, so that a trap need not wait for mpirun's end.
  mpi "$@" <&0 &
  command=$!
  start_fails "$1" </dev/null >/dev/null 2>&1 &
  watch=$!
  while :; do
    # shellcheck disable=SC2086  # none, if it is empty
    wait -n -p ended $command $timer $watch && status=0 || status=$?
    [[ -n $watch && $ended == "$watch" ]] || break
    watch=
    ((status == 0 && starts < 3)) || continue
    ((starts += 1))
    echo "netns_cluster.sh: Open MPI did not start the command; start $starts" >&2
    kill -9 $command
    wait $command 2>/dev/null || true
    mpi "$@" <&0 &
    command=$!
    start_fails "$1" </dev/null >/dev/null 2>&1 &
    watch=$!
  done
  [[ -z $watch ]] || kill "$watch" 2>/dev/null || true
  if kill -0 $command 2>/dev/null; then
    echo "netns_cluster.sh: the command did not end within $timeout s; processes on the nodes:" >&2
    list_processes >&2
    status=124
  fi
  exit $status
}

case ${1:-} in
  -h | --help)
    usage
    ;;
  run)
    shift
    take_options "$@"
    shift $n_taken
    need_pes "$@"
    run "$@"
    ;;
  up)
    shift
    take_options "$@"
    shift $n_taken
    need_pes "${1:-}" 1 none
    trap 'status=$?; ((status == 0)) || remove "$cluster"' EXIT
    up "$1"
    ;;
  mpi)
    shift
    need_pes "$@"
    mpi "$@"
    ;;
  cut | heal)
    need_number "$1: node" "${2:-}"
    namespaces | grep -q "^$(node "$2")$" ||
      die "$1: the cluster $cluster has no node $2"
    if [[ $1 == cut ]]; then state=down; else state=up; fi
    ip -n "$cluster-switch" link set "port$2" $state
    ;;
  down)
    remove "$cluster"
    ;;
  n[0-9]*) # how mpirun calls its remote shell: HOST COMMAND
    host=$1
    shift
    exec env -i PATH="$PATH" HOME="${HOME:-/}" CLUSTER="$cluster" \
      LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" \
      ip netns exec "$(node "${host#n}")" unshare --uts \
      sh -c "hostname $host && $*"
    ;;
  *)
    die "'${1:-}': expected run, up, mpi, cut, heal or down (see --help)"
    ;;
esac

#!/usr/bin/env bash
# one_machine.sh COMMAND...: runs COMMAND where sbatch, srun and squeue reach a Slurm of one node, this machine, that
# lives as long as the command, in a temporary folder: munged, slurmctld and slurmd of Debian's packages munge, slurmctld,
# slurmd and slurm-client. For tests of tools/slurm/*.sbatch. Needs root, as slurmd does. Exit code: COMMAND's; 3 where this
# machine lacks something.
set -euo pipefail

fail() { echo "one_machine.sh: $*" >&2; exit 3; }
[ $# -gt 0 ] || { echo "usage: one_machine.sh COMMAND..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || fail "slurmd runs as root only"
for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || fail "$program is not installed (packages munge, slurmctld, slurmd, slurm-client)"
done
PATH=$PATH:/usr/sbin

folder=$(mktemp -d "${TMPDIR:-/tmp}/kiln_slurm.XXXXXX")
chmod 755 "$folder"
pids=()
# shellcheck disable=SC2317 # the trap calls it
finish() {
  # The order in which they depend on each other; each is ours.
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2> /dev/null || true
    wait "${pids[i]}" 2> /dev/null || true
  done
  rm -rf "$folder"
}
trap finish EXIT

host=$(hostname -s)
# Ports that are probably free.
first_port=$((20000 + RANDOM % 20000))
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 400 "$folder/munge.key"
mkdir "$folder/state" "$folder/spool"
cat > "$folder/slurm.conf" <<CONF
ClusterName=kiln
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$first_port
SlurmdPort=$((first_port + 1))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
MpiDefault=none
ReturnToService=2
InactiveLimit=0
KillWait=10
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=${KILN_SLURM_CPUS:-4} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf

munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" > "$folder/munged.out" 2>&1 &
pids+=($!)
for ((i = 0; i < 50; ++i)); do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
slurmctld -D -c -i > "$folder/slurmctld.out" 2>&1 &
pids+=($!)
slurmd -D -N "$host" > "$folder/slurmd.out" 2>&1 &
pids+=($!)
for ((i = 0; i < 60; ++i)); do
  [ "$(sinfo -h -o %T 2> /dev/null)" = idle ] && break
  sleep 0.5
done
if [ "$(sinfo -h -o %T 2> /dev/null)" != idle ]; then
  tail -n 5 "$folder"/*.out "$folder"/*.log >&2 || true
  fail "Slurm did not come up"
fi
code=0
"$@" || code=$?
[ "$code" = 0 ] || tail -n 20 "$folder/slurmctld.log" >&2
exit "$code"

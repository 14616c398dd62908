#!/usr/bin/env bash
# Usage: slurm.sh ROOT KILN: the templates of tools/slurm share a job out over the tasks of an array, go on with a batch after
# scancel, and start a job by srun, in a Slurm of this machine (tools/slurm/one_machine.sh). Where there is none, a stand-in
# for sbatch runs the array's tasks with the variables that Slurm sets, and the rest is left out; the output says which.
set -euo pipefail
root=$(realpath "${1:?usage: slurm.sh ROOT KILN}")
KILN=$(realpath "${2:?usage: slurm.sh ROOT KILN}")
export KILN
command -v c++ > /dev/null || { echo "skipped: no C++ compiler on this machine"; exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/kiln_slurm_test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export KILN_CACHE_DIR=$folder/cache
export KILN_WORKLOAD_PATH=$root/kernels_src
fail() { echo "failed: $*"; cat ./*.out 2> /dev/null || true; exit 1; }

cat > job.yaml <<'YAML'
workload: stencil7
device: cpu
set: {nx: 16, ny: 12, nz: 10, method: single}
sweep: {block_x: [4, 8, 16, 32], bind.nx: [compile, run]}
measure: {min_time: 0, max_samples: 5}
YAML
sed 's/min_time: 0, max_samples: 5/min_time: 0.5, max_samples: 100000/' job.yaml > long.yaml
printf 'output: batch\njobs: [long.yaml, job.yaml]\n' > batch.yaml

cat > fake_sbatch <<'FAKE'
#!/usr/bin/env bash
# sbatch --wait --array=FIRST-LAST [options] SCRIPT ARGUMENTS...: one task after the other, here.
set -euo pipefail
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) range=${1#--array=} ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
first=${range%-*} last=${range#*-} code=0
for ((id = first; id <= last; ++id)); do
  SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) SLURM_ARRAY_TASK_MIN=$first \
    SLURM_ARRAY_TASK_MAX=$last SLURM_ARRAY_TASK_STEP=1 bash "$@" > "task.$id.out" 2>&1 || code=$?
done
exit "$code"
FAKE
chmod +x fake_sbatch

records() { cat "$@" 2> /dev/null | grep -c '"status":"ok"' || true; }

array() {  # SBATCH
  "$1" --wait --array=1-3 --cpus-per-task=1 --output=task.%a.out "$root/tools/slurm/array.sbatch" job.yaml --output sweep || fail "the array"
  local i
  for i in 1 2 3; do
    grep -q "shard $i/3, for SLURM_ARRAY_TASK_ID=$i" "task.$i.out" || fail "task $i does not say its shard"
  done
  [ "$(records sweep/records-shard-1-of-3.jsonl)" = 3 ] || fail "shard 1"
  [ "$(records sweep/records-shard-2-of-3.jsonl)" = 3 ] || fail "shard 2"
  [ "$(records sweep/records-shard-3-of-3.jsonl)" = 2 ] || fail "shard 3"
  "$KILN" merge sweep
  [ "$(records sweep/records.jsonl)" = 8 ] || fail "joined"
  "$KILN" run job.yaml --output sweep --resume 2>&1 | grep -q "8 of 8 variants are known" || fail "not all is known"
}

tutorial() {  # SBATCH
  mkdir -p commands
  ln -sf "$(command -v "$1")" commands/sbatch
  PATH=$folder/commands:$PATH "$root/tests/docs/walk_through.sh" "$root/docs/tutorials/slurm.md" "$KILN" || fail "docs/tutorials/slurm.md"
}

one_node() {
  local id
  id=$(sbatch --parsable --cpus-per-task=1 --output=batch.out "$root/tools/slurm/one_node.sbatch" batch.yaml)
  for ((i = 0; i < 600; ++i)); do
    [ "$(records batch/long/records.jsonl)" -ge 2 ] && break
    sleep 0.1
  done
  scancel --batch --signal=TERM "$id"
  for ((i = 0; i < 300; ++i)); do
    [ -z "$(squeue -h -j "$id" 2> /dev/null)" ] && break
    sleep 0.1
  done
  grep -q "interrupted: --resume continues batch" batch.out || fail "scancel does not end the batch in order"
  sbatch --wait --cpus-per-task=1 --output=batch2.out "$root/tools/slurm/one_node.sbatch" batch.yaml > /dev/null || fail "the batch that goes on"
  grep -q "resumed: [2-8] of 8 variants" batch2.out || fail "nothing is known"
  [ "$(records batch/long/records.jsonl)" = 8 ] || fail "a variant is missing or measured twice"
}

many_nodes() {
  sbatch --wait --nodes=1 --ntasks-per-node=1 --cpus-per-task=1 --output=srun.out "$root/tools/slurm/many_nodes.sbatch" job.yaml \
    --output ranks > /dev/null || fail "srun kiln run"
  [ "$(records ranks/records*.jsonl)" = 8 ] || fail "the records of srun"
}

if [ "${KILN_TEST_IN_SLURM:-}" = yes ]; then
  array sbatch
  tutorial sbatch
  one_node
  many_nodes
  exit 0
fi
code=0
KILN_TEST_IN_SLURM=yes "$root/tools/slurm/one_machine.sh" "$0" "$root" "$KILN" || code=$?
case $code in
  0) echo "passed in a Slurm of this machine: array, tutorial, one node, srun" ;;
  3) array "$folder/fake_sbatch"; tutorial "$folder/fake_sbatch"; echo "passed with a stand-in for sbatch: array, tutorial; no Slurm on this machine" ;;
  *) exit "$code" ;;
esac

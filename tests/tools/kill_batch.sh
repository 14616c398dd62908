#!/usr/bin/env bash
# Usage: kill_batch.sh ROOT KILN: a batch that is killed at random moments loses the variants in flight at most; the short
# form of tools/kill_batch.sh, once with the batch's process alone and once with all of its jobs.
set -euo pipefail
root=${1:?usage: kill_batch.sh ROOT KILN}
kiln=${2:?usage: kill_batch.sh ROOT KILN}
command -v c++ > /dev/null || { echo "skipped: no C++ compiler on this machine"; exit 77; }
"$root/tools/kill_batch.sh" --kills 2 --seed 7 "$kiln"
"$root/tools/kill_batch.sh" --kills 2 --seed 8 --whole-tree "$kiln"

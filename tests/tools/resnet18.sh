#!/usr/bin/env bash
# usage: resnet18.sh SOURCE_DIR KILN
# The shipped workload is what tools/resnet18.py writes; with NumPy: weights of a state, folded, give the results of the network.
set -euo pipefail
source_dir=$1 kiln=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$source_dir/tools/resnet18.py" workload -o "$source_dir/kernels_src/resnet18/.new.yaml"
mv "$source_dir/kernels_src/resnet18/.new.yaml" "$work/new.yaml"
diff "$source_dir/kernels_src/resnet18/resnet18.yaml" "$work/new.yaml" || { echo "run tools/resnet18.py workload"; exit 1; }
python3 -c 'import numpy' 2> /dev/null || { echo "no NumPy: weights are not tested"; exit 0; }
python3 "$source_dir/tools/resnet18.py" random "$work/weights" --seed 3
python3 "$source_dir/tests/tools/resnet18_states.py" "$source_dir" "$work"
printf 'workload: resnet18\ndevice: cpu\nmeasure: false\nset: {bind.all: run, image_h: 32, weights: %s}\n' "$work/weights" > "$work/job.yaml"
"$kiln" run "$work/job.yaml" --require-checks --output "$work/out"

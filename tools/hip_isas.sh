#!/usr/bin/env bash
# Compiles the shipped workloads for AMD's architectures; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
usage: tools/hip_isas.sh [--build DIR] [--hiprtc PATH] [--logs DIR] [--arch A,...] [JOB...]

Compiles each job of configs/ (or each JOB) by hipRTC for each architecture, and prints a table in Markdown: how many units
compiled, or what keeps them from it. No GPU is needed. An architecture that this hipRTC does not know is marked as such. Fails
if a unit does not compile for an architecture that it knows.

  --build DIR    build folder or installation with kiln (default: build)
  --hiprtc PATH  hipRTC's library or its folder (default: as `kiln devices` finds it)
  --logs DIR     where logs and a cache go (default: results/hip_isas)
  --arch A,...   architectures (default: gfx906,gfx90a,gfx942,gfx1100)
END
}

build=build hiprtc='' logs=results/hip_isas arch=gfx906,gfx90a,gfx942,gfx1100 jobs=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --build | --hiprtc | --logs | --arch)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      declare "${1#--}=$2"; shift 2 ;;
    -*) usage_error "unknown argument '$1'" ;;
    *) jobs+=("$1"); shift ;;
  esac
done
[ ${#jobs[@]} -gt 0 ] || jobs=(configs/*.yaml)
kiln=$build/bin/kiln
[ -x "$kiln" ] || environment_error "no $kiln: build Kiln first (cmake --build $build)"
[ -z "$hiprtc" ] || export KILN_HIPRTC=$hiprtc
mkdir -p "$logs"
IFS=, read -r -a archs <<< "$arch"
failures=0

"$kiln" devices | grep -m 1 '^hip: compiles' || environment_error "there is no hipRTC: \`$kiln devices\` says where it was looked for"
echo
header='| workload |' rule='| --- |'
for one in "${archs[@]}"; do header+=" $one |" rule+=' --- |'; done
printf '%s\n%s\n' "$header" "$rule"

# cell JOB ARCH: what became of it.
cell() {
  local log
  log=$logs/$(basename "$1" .yaml).$2.log
  if "$kiln" compile "$1" --arch "$2" --cache-dir "$logs/cache" > "$log" 2>&1; then
    sed -n 's/^\([0-9]*\) compiled, \([0-9]*\) in the cache.*/\1 \2/p' "$log" | awk '{ print $1 + $2 " units" }'
  elif grep -q 'is not known to this hipRTC' "$log"; then
    echo 'not known'
  elif grep -q 'no variant' "$log"; then
    echo 'no variant'
  else
    echo "**failed**"
    return 1
  fi
}

for job in "${jobs[@]}"; do
  row="| $(basename "$job" .yaml) |"
  for one in "${archs[@]}"; do
    text=$(cell "$job" "$one") || failures=$((failures + 1))
    row+=" $text |"
  done
  echo "$row"
done
if [ $failures = 0 ]; then echo; else echo; echo "$failures failed: see $logs"; exit 1; fi

#!/usr/bin/env bash
# Runs the jobs of configs/paper and leaves their results; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

# entry | job | seconds on an H200 | values that the entry adds | values for a CPU | more values for --size test
# The entries run in this order: expensive ones come last, so that --limit leaves them out. The expected energies in the
# jobs belong to their own number of atoms.
entries() {
  cat << 'END'
stencil7_double_512          | stencil7_double_512              |   6 | | | bind.all=compile
stencil7_float_512           | stencil7_float_512               |   4 | | | bind.all=compile
babelstream_2e25             | babelstream_2e25                 |   6 | | | bind.all=compile
minibude_bm1                 | minibude_bm1                     |   2 | | | ppwi=8 bind.all=compile
minibude_bm1_fast            | minibude_bm1_fast                |   3 | | | ppwi=8 bind.all=run
minibude_bm1_wide            | minibude_bm1_wide                |   2 | | split=1 wg=1 | fast_math=true
minibude_bm1_paper           | minibude_bm1_paper               |   4 | | | bind.all=compile
minibude_bm1_fast_paper      | minibude_bm1_fast_paper          |   3 | | | bind.all=run
hartree_fock_he64            | hartree_fock_he64                |   4 | | | natoms=4 energy=0
hartree_fock_he128           | hartree_fock_he128               |   5 | | natoms=64 energy=0 | natoms=5
hartree_fock_he256           | hartree_fock_he256               |   5 | | natoms=64 energy=0 | natoms=6
hartree_fock_1024            | hartree_fock_1024                |   6 | | natoms=16 energy=0 | natoms=3
mojo_table2_stencil7_double  | mojo_table2_stencil7_double      |   4 | | block_x=256 | bind.all=run
mojo_fig3_stencil7_512       | mojo_fig3_stencil7               |  11 | nx=512 | block_x=256 | bind.all=run
mojo_fig4_table3_babelstream | mojo_fig4_table3_babelstream     |   6 | | | bind.all=run
mojo_fig6_minibude           | mojo_fig6_minibude               |  20 | | wg=1 | ppwi=1 wg=8 fast_math=true
mojo_fig6_minibude_tuned     | mojo_fig6_minibude_tuned         |  22 | | wg=1 | ppwi=16 fast_math=true
mojo_table4_hartree_fock     | mojo_table4_hartree_fock         |   8 | | natoms=64 | natoms=4
davis_fig2_minibude          | davis_fig2_minibude              |  27 | | | bind.all=compile
davis_fig2_fig3_babelstream  | davis_fig2_fig3_babelstream      |  16 | | | bind.all=compile
davis_fig2_xsbench           | davis_fig2_xsbench               |  10 | | size=small lookups=500000 | size=small lookups=5000 n_gridpoints=100 bind.all=run
xsbench_grids                | xsbench_grids                    |  40 | | size=small lookups=500000 | size=small lookups=5000 n_gridpoints=100 grid_type=hash
davis_fig2_su3               | davis_fig2_su3                   |   8 | | | bind.all=compile
davis_fig2_su3_double        | davis_fig2_su3_double            |  10 | | | bind.all=compile
davis_cloverleaf_decks       | davis_cloverleaf_decks           |  35 | | problem=bm_short | problem=small nx=24 ny=16 end_step=5
davis_fig2_cloverleaf        | davis_fig2_cloverleaf            |  40 | | problem=bm_short | problem=small nx=24 ny=16 end_step=5 bind.all=compile
mojo_table2_stencil7_float   | mojo_table2_stencil7_float       |   6 | | block_x=256 | bind.all=compile
stencil7_float_1024          | stencil7_float_1024              |  14 | | | bind.all=run
mojo_fig3_stencil7_1024      | mojo_fig3_stencil7               |  42 | nx=1024 | block_x=256 | T=float bind.all=run
babelstream_2e29             | babelstream_2e29                 |  18 | | | bind.all=compile
stencil7_double_1024         | stencil7_double_1024             |  21 | | | bind.all=run
hartree_fock_1024_paper      | hartree_fock_1024_paper          | 190 | | natoms=8 energy=0 | natoms=3
END
}

help() {
  cat << 'END'
usage: tools/reproduce.sh [--device D] [--size paper|cpu|test] [--only PATTERN,...] [--limit SECONDS] [--data DIR]
                          [--out DIR] [--pack FILE.tar.gz] [--kiln PROGRAM] [--list]

Runs the jobs of configs/paper on a device, keeps each one's records and log in a folder of its own, and prints which failed
and what was reached. A job that fails does not stop the others; the exit code is then 1.

  --device D      cpu, cuda:0, hip:0 (default: auto)
  --size SIZE     paper: as the jobs say, for a GPU; cpu: what a CPU does in seconds; test: tiny (default: paper)
  --only P,...    entries whose names match one of these patterns: 'mojo_*,babelstream_2e25' (--list shows them)
  --limit S       begins no entry that would last longer than what is left of S seconds, by its estimate for an H200, and
                  stops one that does
  --data DIR      inputs that are not part of the repository: DIR/minibude/bm1, DIR/minibude/bm2 (default: made decks)
  --out DIR       where records and logs go (default: results/reproduce)
  --pack FILE     all of them as one file, too: tools/reproduction.py reads it
  --kiln PROGRAM  default: build/release/bin/kiln
  --list          the entries with their estimates; nothing is run
END
}

device=auto size=paper only='*' limit=0 data="" out=results/reproduce pack="" kiln=build/release/bin/kiln 
list=no
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --list) list=yes; shift ;;
    --device | --size | --only | --limit | --data | --out | --pack | --kiln)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      declare "${1#--}=$2"; shift 2 ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
done
case $size in paper | cpu | test) ;; *) usage_error "--size: expected paper, cpu or test; found '$size'" ;; esac
case $limit in '' | *[!0-9]*) usage_error "--limit: expected seconds; found '$limit'" ;; esac

trimmed() { local text=$1; text=${text#"${text%%[! ]*}"}; printf '%s' "${text%"${text##*[! ]}"}"; }

# matches NAME: whether --only names it.
matches() {
  local pattern patterns
  IFS=, read -ra patterns <<< "$only"
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    [[ $1 == $pattern ]] && return 0
  done
  return 1
}

# Of a size other than the paper's, what all jobs of a workload have in common.
scaled() {
  case $size:$1 in
    cpu:stencil7) echo nx=256 ;;
    cpu:babelstream) echo n=33554432 ;;
    cpu:su3) echo L=16 ;;
    cpu:minibude) echo nposes=2048 natlig=26 natpro=938 ;;
    test:stencil7) echo nx=20 ;;
    test:babelstream) echo n=5000 ;;
    test:su3) echo L=4 ;;
    test:minibude) echo nposes=40 natlig=5 natpro=30 ;;
  esac
}

# values_of WORKLOAD OWN CPU TEST: name=value of an entry at the chosen size; the last one of a name counts.
values_of() {
  local deck=$data/minibude/bm1
  printf '%s ' "$2"
  [ $size = paper ] || printf '%s %s ' "$(scaled "$1")" "$3"
  [ $size != test ] || printf '%s ' "$4"
  [ "$entry" != davis_fig2_minibude ] || deck=$data/minibude/bm2
  if [ -n "$data" ] && [ "$1" = minibude ] && [ $size = paper ] && [ -d "$deck" ]; then printf 'deck=%s' "$deck"; fi
}

# run_entry JOB VALUES...: records and log in the entry's folder.
run_entry() {
  local job=$1 folder=$out/$entry stop=()
  shift
  mkdir -p "$folder" && rm -f "$folder/records.jsonl"
  [ "$limit" = 0 ] || stop=(timeout --signal=INT --kill-after=10 $((limit - SECONDS)))
  "${stop[@]}" "$kiln" run "$job" --device "$device" ${1:+--set "$@"} --output "$folder" --format markdown \
    > "$folder/log.txt" 2>&1
}

if [ $list = no ]; then
  command -v "$kiln" > /dev/null || environment_error "no $kiln: build Kiln first, or name it with --kiln"
  mkdir -p "$out" || exit 3
fi
matched=0 failed=() left_out=()
summary() { if [ $list = yes ]; then cat; else tee -a "$out/summary.txt"; fi; }
[ $list = yes ] || : > "$out/summary.txt"
while IFS='|' read -r entry job estimate own cpu tiny; do
  entry=$(trimmed "$entry") estimate=$(trimmed "$estimate")
  file=configs/paper/$(trimmed "$job").yaml
  matches "$entry" || continue
  matched=$((matched + 1))
  if [ $list = yes ]; then
    printf '%-30s %4d s  %s %s\n' "$entry" "$estimate" "$file" "$(trimmed "$own")"
    continue
  fi
  if [ "$limit" != 0 ] && [ $((SECONDS + estimate)) -gt "$limit" ]; then
    left_out+=("$entry")
    continue
  fi
  start=$SECONDS
  workload=$(sed -n 's/^workload: *//p' "$file" 2> /dev/null)
  # shellcheck disable=SC2046 # words
  if run_entry "$file" $(values_of "$workload" "$own" "$cpu" "$tiny") < /dev/null; then
    printf '%-30s ok     %4d s\n' "$entry" $((SECONDS - start)) | summary
    grep '^|' "$out/$entry/log.txt" | summary
  else
    printf '%-30s FAILED %4d s  %s\n' "$entry" $((SECONDS - start)) "$(tail -n 1 "$out/$entry/log.txt")" | summary
    failed+=("$entry")
  fi
done < <(entries)
[ $matched -gt 0 ] || usage_error "--only: no entry matches '$only'"
[ $list = no ] || exit 0

{
  [ ${#left_out[@]} = 0 ] || echo "left out for want of time: ${left_out[*]}"
  if [ ${#failed[@]} = 0 ]; then echo "no job failed; results in $out"; else echo "failed: ${failed[*]}; results in $out"; fi
} | summary
if [ -n "$pack" ]; then tar -czf "$pack" -C "$out" . || exit 3; fi
[ ${#failed[@]} = 0 ]

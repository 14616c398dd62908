#!/usr/bin/env bash
# Usage: make_wisdom.sh ROOT KILN: tools/make_wisdom.sh searches each size of the workloads that it is asked for, goes on where a journal
# is, and what it asks for is right.
set -euo pipefail
root=$(realpath "${1:?usage: make_wisdom.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: make_wisdom.sh ROOT KILN}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KILN_CACHE_DIR=$folder/cache
fail() { echo "$*"; exit 1; }
# Says what it is asked for, and lets kiln say whether that is right.
cat > "$folder/kiln" <<END
#!/usr/bin/env bash
echo "\$*" >> "$folder/asked"
exec "$kiln" "\$@" --dry-run
END
chmod +x "$folder/kiln"
mkdir -p "$folder/out/stencil7/T=double_nx=512"
: > "$folder/out/stencil7/T=double_nx=512/tune.jsonl"
make() { "$root/tools/make_wisdom.sh" --kiln "$folder/kiln" --device auto --output "$folder/out" "$@" > "$folder/said"; }
make stencil7 -- --searcher random
[ "$(wc -l < "$folder/asked")" = 8 ] || fail "stencil7: $(cat "$folder/asked")"
grep -q -- "--set T=double nx=512 .*--wisdom kernels_src/stencil7 --resume --searcher random$" "$folder/asked" || fail "no --resume: $(cat "$folder/asked")"
[ "$(grep -c -- --resume "$folder/asked")" = 1 ] || fail "too many --resume: $(cat "$folder/asked")"
make minibude babelstream hartree_fock --budget 20
[ "$(grep -c -- "--budget 20" "$folder/asked")" = 8 ] || fail "the others: $(cat "$folder/asked")"
make --device cpu stencil7 hartree_fock
make --device cpu gemm_scaled
grep -q -- "--set m=512 " "$folder/asked" || fail "gemm_scaled on a CPU: $(cat "$folder/asked")"
[ "$(wc -l < "$folder/asked")" = 23 ] || fail "smaller sizes of a CPU: $(cat "$folder/asked")"
[ "$(grep -c -- "--device cpu --set T=[a-z]* nx=\(128\|256\) " "$folder/asked")" = 4 ] || fail "stencil7 on a CPU: $(cat "$folder/asked")"
: > "$folder/asked"
make transpose spmv batched_gemm
[ "$(wc -l < "$folder/asked")" = 28 ] || fail "linear algebra: $(cat "$folder/asked")"
[ "$(grep -c -- "--set T=float " "$folder/asked")" = 11 ] || fail "types of the linear algebra: $(cat "$folder/asked")"
: > "$folder/asked"
make gemm gemm_scaled --only 'm=(1024|2048)$' --wisdom "$folder/found"
[ "$(wc -l < "$folder/asked")" = 8 ] || fail "two sizes of products: $(cat "$folder/asked")"
[ "$(grep -c -- "--wisdom $folder/found$" "$folder/asked")" = 8 ] || fail "another folder: $(cat "$folder/asked")"
make layers --only nothing
[ "$(wc -l < "$folder/asked")" = 8 ] || fail "no size matches: $(cat "$folder/asked")"
printf '#!/bin/sh\necho "$*" >> "%s/asked"\nexit 3\n' "$folder" > "$folder/kiln"
: > "$folder/asked"
code=0; make minibude 2> "$folder/refused" || code=$?
[ "$code.$(wc -l < "$folder/asked")" = 1.2 ] || fail "a search that fails stops the next: $(cat "$folder/asked")"
grep -q "no search of minibude, nposes=65536" "$folder/refused" || fail "a search that fails is not named: $(cat "$folder/refused")"
code=0; make --device 2> /dev/null || code=$?; [ "$code" != 0 ] || fail "no device is taken"
code=0; make nobody 2> /dev/null || code=$?; [ "$code" = 2 ] || fail "exit code $code for a workload that is not there"
echo "59 searches, two refusals, two failures"

#!/usr/bin/env bash
# stress.sh [--quick] [PART...]: builds kiln_stress as users build Kiln and runs it: the cache and the service under load and
# faults. Prints the table of docs/reliability.md on standard output, some minutes long; 1 if a row fails. Parts: kill,
# herd, damage, faults, bundles, compilers, throughput. Faults that need root are skipped without it, with the reason.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release --log-level=WARNING >&2
cmake --build --preset release --target kiln_stress >&2
echo "$(date -u +%Y-%m-%d), $(uname -n), $(nproc) cores, Linux $(uname -r), revision $(git rev-parse --short HEAD 2> /dev/null || echo unknown)"
echo
exec build/release/bin/kiln_stress "$@"

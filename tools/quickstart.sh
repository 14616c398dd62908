#!/usr/bin/env bash
# From a fresh clone to a first result; see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
Usage: tools/quickstart.sh [--no-install] [--device NAME]

Installs the Debian or Ubuntu packages that are missing (apt-get; as root or with sudo), builds kiln in build/release and
runs configs/quickstart.yaml on the best device of this machine. A second call builds and compiles nothing again.

  --no-install    use what is here; install no package
  --device NAME   cpu, cuda:0, hip:0, ...; default: auto, the first GPU, else the CPU
END
}

install=yes
device=auto
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) help; exit 0 ;;
    --no-install) install=no ;;
    --device) [ $# -gt 1 ] || usage_error "--device needs a name"; device=$2; shift ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
  shift
done

step "1/4 packages"
[ "$install" = no ] || need_packages build
step "2/4 configure"
cmake --preset release -D KILN_BUILD_TESTS=OFF -D KILN_UNITY=ON --log-level=WARNING >&2
step "3/4 build (the first time about 9 minutes of processor time, shared by the cores)"
cmake --build --preset release --target kiln kiln_library kiln_shared >&2
kiln=build/release/bin/kiln
step "4/4 $kiln run configs/quickstart.yaml --device $device"
"$kiln" run configs/quickstart.yaml --device "$device"

say ""
say "Next, sweep values of your own (what was compiled once is not compiled again), then see what else there is:"
say "  $kiln run configs/quickstart.yaml --sweep ppwi=8,32,128 --output results"
say "  $kiln workloads"

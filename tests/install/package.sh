#!/usr/bin/env bash
# Usage: package.sh SOURCE BUILD CMAKE: makes the packages of cmake/KilnPackage.cmake, and runs what is in them.
set -euo pipefail
source=$1 build=$2 cmake=$3
cpack=$(dirname "$(command -v "$cmake")")/cpack
[ -x "$cpack" ] || { echo "skipped: no cpack"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KILN_CACHE_DIR=$folder/cache
fail() { echo "FAILED: $*"; exit 1; }
try() {  # PREFIX: the program finds its workloads, worker and library there
  "$1/bin/kiln" --version
  (cd "$folder" && "$1/bin/kiln" run "$1/share/kiln/configs/quickstart.yaml" --device cpu > "$folder/run.log" 2>&1) ||
    fail "$(cat "$folder/run.log")"
  [ -x "$1/libexec/kiln/kiln-worker" ] || fail "no worker in $1"
}
cd "$folder"

"$cpack" --config "$build/CPackConfig.cmake" -G TGZ -B "$folder/tgz" > tgz.log 2>&1 || fail "$(cat tgz.log)"
mkdir unpacked
tar xzf tgz/kiln-*.tar.gz -C unpacked --strip-components 1
try "$folder/unpacked"
for file in lib/libkiln.a lib/libkiln.so include/kiln.h include/kiln/kiln.h include/kiln.f90 lib/cmake/kiln/kilnConfig.cmake \
  lib/cmake/kiln/KilnKernels.cmake lib/pkgconfig/kiln.pc share/doc/kiln/LICENSE share/kiln/kernels_src/stencil7/stencil7.yaml \
  share/bash-completion/completions/kiln share/man/man1/kiln.1 share/man/man1/kiln-run.1; do
  [ -e "unpacked/$file" ] || fail "the archive has no $file"
done

if ! command -v dpkg-deb > /dev/null; then echo "Debian packages: skipped: no dpkg-deb"; exit 0; fi
"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$folder/deb" > deb.log 2>&1 || fail "$(cat deb.log)"
abi=$(sed -n 's/^#define KILN_ABI \([0-9]*\)$/\1/p' "$source/include/kiln.h")
for package in kiln "libkiln$abi" libkiln-dev; do
  dpkg-deb -x deb/"$package"_*.deb "$folder/root" || fail "no package $package"
  dpkg-deb -I deb/"$package"_*.deb control | sed -n 's/^Depends: /'"$package"' needs /p'
done
dpkg-deb -I deb/libkiln-dev_*.deb control | grep -q "Depends: libkiln$abi (= " || fail "libkiln-dev does not need its library"
dpkg-deb -I deb/kiln_*.deb control | grep -q "Recommends: g++" || fail "kiln recommends no compiler"
if dpkg-deb -c deb/kiln_*.deb | grep -E 'include/|lib/libkiln'; then fail "development files in the package kiln"; fi
[ -e "root/usr/lib/libkiln.so.$abi" ] || [ -e "$(find root -name "libkiln.so.$abi" | head -1)" ] || fail "no library in libkiln$abi"
try "$folder/root/usr"

#!/usr/bin/env bash
# Usage: port.sh FOLDER: adds 11 lines to a checkout of HPCCG, so that its three kernels are Kiln's. See README.md.
set -euo pipefail
cd "${1:?usage: port.sh FOLDER, a checkout of HPCCG}"
files=(main.cpp HPCCG.cpp HPC_sparsemv.cpp waxpby.cpp ddot.cpp)
for file in "${files[@]}"; do
  [ -f "$file" ] || { echo "$PWD has no $file: this is no checkout of HPCCG" >&2; exit 2; }
done
if grep -q kiln_ "${files[@]}"; then echo "$PWD: the lines are there already" >&2; exit 2; fi

sed -i '1i #include "kiln_hpccg.h"' "${files[@]}"
first_statement() {  # FILE FUNCTION STATEMENT
  sed -i "/^int $2 *(/,/^{/s/^{.*/&\n  $3/" "$1"
}
first_statement HPC_sparsemv.cpp HPC_sparsemv 'return kiln_sparsemv(x, y);'
first_statement waxpby.cpp waxpby 'return kiln_waxpby(alpha, x, beta, y, w);'
first_statement ddot.cpp ddot 'return kiln_ddot(x, y, result);'
sed -i 's/^ *\/\/ Store times/  kiln_wait();\n&/' HPCCG.cpp
matrix='A->local_nrow, A->nnz_in_row, A->ptr_to_vals_in_row, A->ptr_to_inds_in_row'
sed -i -e "s/^ *double t1 = mytimer/  kiln_begin($matrix, b, x);\n&/" -e 's/^ *ierr = HPCCG(.*/&\n  kiln_end(x);/' main.cpp

added=$(cat "${files[@]}" | grep -c kiln_)
[ "$added" = 11 ] || { echo "$PWD: $added lines were added in place of 11: another version of HPCCG?" >&2; exit 1; }
echo "11 lines added in ${files[*]}"

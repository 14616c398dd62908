# shellcheck shell=bash
# For tests of the form checks; a test sources it, sets `check` to the script and `tree` to a folder of its own.

# passes: the clean tree is let through.
passes() {
  "${check:?}" "${tree:?}" > "${tree:?}/out" || { echo "FAILED: the clean tree was refused:"; cat "${tree:?}/out"; exit 1; }
}

# is_refused NAME EXPECTED: the tree, with NAME planted in it, is refused, and EXPECTED is in the complaint.
is_refused() {
  local output
  if output=$("${check:?}" "${tree:?}" 2>&1); then echo "FAILED: $1 was let through"; exit 1; fi
  grep -qF -- "$2" <<< "$output" || { echo "FAILED: $1: expected '$2' in: $output"; exit 1; }
  echo "refused as it should be: $1"
}

# shellcheck shell=bash
# Sourced by tools/*.sh, with the repository as the working directory: messages and packages.

say() { printf '%s\n' "$*" >&2; }
# With the time since the script's start.
step() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)) >&2; }
# Exit codes as kiln's own: 2 for a wrong command line, 3 for something that this machine lacks.
usage_error() { say "$0: $*; try $0 --help"; exit 2; }
environment_error() { say "$0: $*"; exit 3; }

# listed_packages PURPOSE...: the names that tools/packages.txt has for these purposes.
listed_packages() {
  local purpose
  for purpose in "$@"; do
    awk -v purpose="$purpose" '$1 !~ /^#/ && $2 == purpose { print $1 }' tools/packages.txt
  done
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

missing_packages() {
  local package
  for package in $(listed_packages "$@"); do
    is_installed "$package" || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

# Asked once: the package lists of a fresh machine are empty.
lists_updated=no
update_lists() {
  [ "$lists_updated" = no ] || return 0
  as_root apt-get -o DPkg::Lock::Timeout=120 update -q || return 1
  lists_updated=yes
}

install_packages() {
  as_root apt-get -o DPkg::Lock::Timeout=120 install -q -y --no-install-recommends "$@"
}

# need_packages PURPOSE...: installs what is missing, or ends with the list of what to install by hand.
need_packages() {
  local missing by_hand
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    environment_error "no apt here. Install what corresponds to these Debian packages, then add --no-install:
  $(listed_packages "$@" | paste -sd ' ')"
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  by_hand="these packages are missing; install them as root, then try again:
  apt-get install --no-install-recommends $missing"
  if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null; then
    environment_error "neither root nor sudo, and $by_hand"
  fi
  say "installing: $missing"
  # shellcheck disable=SC2086 # a list of names
  { update_lists && install_packages $missing; } >&2 || environment_error "apt-get failed, and $by_hand"
}

# want_packages PURPOSE...: installs what is missing if that is possible, and goes on if it is not.
want_packages() {
  local package
  command -v apt-get > /dev/null && command -v dpkg-query > /dev/null || return 0
  [ "$(id -u)" = 0 ] || command -v sudo > /dev/null || return 0
  for package in $(missing_packages "$@"); do
    say "installing: $package"
    { update_lists && install_packages "$package"; } > /dev/null 2>&1 || say "not installed: $package; its check is skipped"
  done
}

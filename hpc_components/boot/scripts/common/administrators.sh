# Administrators use sudo. They log in with keys and have no password that it could ask for.
# shellcheck shell=bash

# Each command is in the journal (journalctl -t sudo), with who ran it and where. Output is not recorded: sudo can't
# limit the size of such a log, and it would hold what commands show of secrets. Source: sudoers(5), log_output
administrators() {
  local said # a file that it can't read would stop sudo for all
  said=$(visudo -cf common/hpc-admins.sudoers 2>&1) || die "$(head -n 1 <<<"$said")"
  put /etc/sudoers.d/hpc-admins 440 <common/hpc-admins.sudoers
}

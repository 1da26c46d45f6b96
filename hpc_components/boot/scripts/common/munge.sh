# The key that all nodes share, from the secret in which the head node stores it.
# shellcheck shell=bash

munge_key() {
  local key=/etc/munge/munge.key
  # a login node boots beside the head node, which creates the key at its own first boot
  read_secret munge 900 >"$RUN/munge.key"
  put "$key" 400 munge:munge <"$RUN/munge.key"
  rm "$RUN/munge.key"
  running munge "$key"
}

# The key that all nodes share, from the secret into which the head node puts it.
# shellcheck shell=bash

munge_key() {
  local key=/etc/munge/munge.key
  # a login node comes up beside the head node, which makes the key at its own first boot
  read_secret munge 900 >"$RUN/munge.key"
  put "$key" 400 munge:munge <"$RUN/munge.key"
  rm "$RUN/munge.key"
  running munge "$key"
}

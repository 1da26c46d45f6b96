# Login nodes: access, host keys and Slurm's client.
# shellcheck shell=bash

OPEN=/opt/hpc/open # the id of the machine that was ready; an image contains another machine's id

# The load balancer sends users to nodes whose port 22 answers, which it does only after the first boot.
no_logins() {
  if ! opened; then systemctl stop "$SSHD.socket" "$SSHD.service" || true; fi # not every image has both
}

logins() {
  local unit
  if opened; then return; fi
  for unit in "$SSHD.socket" "$SSHD.service"; do # Ubuntu 24.04 has the socket enabled, the others the service
    if systemctl is-enabled -q "$unit" 2>/dev/null; then systemctl start "$unit"; fi
  done
  node_fact id | put $OPEN 644
}

opened() { [[ $(cat $OPEN 2>/dev/null) == "$(node_fact id)" ]]; }

host_keys() { # one set for all login nodes, created by the first of them: users see one host behind the load balancer
  local at=$RUN/host_keys file before after
  umask 077
  mkdir -p "$at/new"
  (cd /etc/ssh && tar -cf "$at/own.tar" ssh_host_*_key ssh_host_*_key.pub)
  agree_secret ssh-host "$at/own.tar" >"$at/all.tar"
  tar -xf "$at/all.tar" -C "$at/new"
  before=$(cat /etc/ssh/ssh_host_* | sha256sum)
  for file in "$at"/new/ssh_host_*_key; do
    put "/etc/ssh/${file##*/}" 600 <"$file"
    put "/etc/ssh/${file##*/}.pub" 644 <"$file.pub"
  done
  rm -rf "$at"
  after=$(cat /etc/ssh/ssh_host_* | sha256sum)
  if [[ $before != "$after" ]]; then systemctl try-restart "$SSHD"; fi
}

slurm_client() {
  source common/slurm.sh
  slurm_files
  local try
  for ((try = 0; try < 90 && SECONDS < 900; try++)); do # the head node may still be booting
    if timeout 10 scontrol ping; then return; fi
    sleep 10
  done
  die "the controller at $HPC_HEAD does not answer after 15 minutes: check the head node"
}

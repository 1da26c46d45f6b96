# The maximum of sessions that each user can have on all login nodes together.
# shellcheck shell=bash
source common/mounts.sh # table

CONFIG=/etc/hpc/sessions.json
ADMIT=/opt/hpc/bin/hpc-admit
PAM=/etc/pam.d/sshd
KEEPALIVE=/etc/ssh/sshd_config.d/50-hpc-sessions.conf

sessions() {
  local directory before
  rm -f /etc/security/limits.d/91-hpc-sessions.conf # earlier releases counted on each node
  before=$(keepalive)
  if [[ -n $HPC_MAX_SESSIONS ]]; then
    directory=$(shared_directory)
    put $CONFIG 644 <<<"{\"maximum\": $HPC_MAX_SESSIONS, \"directory\": \"$directory\"}"
    # 3 is a refusal; a program that is missing, fails or hangs must not keep users out
    put $ADMIT 755 <<<$'#!/bin/sh\n/usr/bin/timeout 30 /opt/hpc/bin/hpc-fair-use admit\n[ $? -ne 3 ]'
    login_lines <(others) <<<"account required pam_exec.so quiet stdout $ADMIT # hpc sessions" | put $PAM 644
    # the session of a laptop that is gone must not count for hours. Source: sshd_config(5)
    put $KEEPALIVE 644 <<<$'ClientAliveInterval 60\nClientAliveCountMax 3'
  else
    others | put $PAM 644
    rm -f $CONFIG $ADMIT $KEEPALIVE
  fi
  if [[ $before != "$(keepalive)" ]] && systemctl is-active -q "$SSHD"; then systemctl reload "$SSHD"; fi
}

others() { sed '/ # hpc sessions$/d' $PAM; } # PAM's lines that are not ours

keepalive() { cat $KEEPALIVE 2>/dev/null || true; }

# Where login nodes tell each other of sessions. Nothing is printed if Slurm can't write to any shared file system.
shared_directory() {
  local mount directory
  mount=$(table | awk '{ if (NR == 1 || $1 == "/home") mount = $1 } END { print mount }')
  if [[ -z $mount ]]; then return; fi
  directory=$mount/.hpc-sessions-$HPC_CLUSTER
  # As slurm first: where root's rights are squashed, its attempt would leave a directory that slurm does not own.
  # A link that a user has put there is not followed: mkdir refuses one, and chown -h changes the link itself.
  # shellcheck disable=SC2016
  if timeout 60 bash -c '[[ -d $1 && ! -L $1 ]]' - "$directory" ||
    timeout 60 setpriv --reuid slurm --regid slurm --clear-groups mkdir -m 700 "$directory" 2>/dev/null ||
    { timeout 60 mkdir -m 700 "$directory" && timeout 60 chown -h slurm:slurm "$directory"; }; then
    echo "$directory"
  else
    echo "sessions are counted on each node alone: cannot make $directory for slurm" >&2
  fi
}

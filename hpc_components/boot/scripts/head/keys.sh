# The cluster's keys, created once, here, and kept on the state volume; the secrets have copies for the other nodes,
# and for a head node with a new state volume.
# shellcheck shell=bash

KEYS=/var/lib/hpc/keys

munge_key() {
  made munge 1024
  put /etc/munge/munge.key 400 munge:munge <$KEYS/munge
  running munge /etc/munge/munge.key
}

token_key() { # signs Slurm's JSON web tokens
  made jwt 32
  put /etc/slurm/jwt_hs256.key 600 slurm:slurm <$KEYS/jwt
}

made() { # <name> <bytes>
  install -d -m 700 $KEYS
  keep_secret "$1" "$KEYS/$1" "$2"
}

host_keys() { # users who log in here always see the same host, even on a new machine
  local file changed=no
  install -d -m 700 $KEYS
  if ! compgen -G "$KEYS/ssh_host_*_key" >/dev/null; then
    cp -p /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub $KEYS/
  fi
  for file in "$KEYS"/ssh_host_*; do
    if ! cmp -s "$file" "/etc/ssh/${file##*/}"; then
      put "/etc/ssh/${file##*/}" "$([[ $file == *.pub ]] && echo 644 || echo 600)" <"$file"
      changed=yes
    fi
  done
  if [[ $changed == yes ]]; then systemctl try-restart "$SSHD"; fi
}

# SSH between nodes: host keys signed by an authority of the cluster, so that users need not confirm them, and on compute
# nodes login by these keys (host-based), unless people have keys of their own.
# shellcheck shell=bash

HOST_KEY=/etc/ssh/ssh_host_ed25519_key
CERTIFICATE=$HOST_KEY-cert.pub # where ssh looks for it
EQUIVALENT=/etc/ssh/shosts.equiv

ssh_between_nodes() {
  local authority=$RUN/ssh/authority conf=/etc/ssh/sshd_config.d/50-hpc.conf key
  trap 'rm -rf "$RUN/ssh"' EXIT
  mkdir -p "$RUN/ssh"
  (umask 077 && python3 -I common/host_authority.py </etc/munge/munge.key >"$authority")
  key=$(ssh-keygen -y -f "$authority")
  certify "$authority" "$key"
  # ssh and sshd read this file besides ssh_known_hosts, which may be the image's
  sed "s|\$| $key|" common/ssh_known_hosts | put /etc/ssh/ssh_known_hosts2 644
  put /etc/ssh/ssh_config.d/50-hpc.conf 644 <common/ssh.conf
  if [[ $HPC_ROLE == compute && $HPC_SSH_BETWEEN_NODES == host_based ]]; then
    admit_hosts
  else
    rm -f $EQUIVALENT # of an image made from a compute node
  fi
  {
    echo "HostCertificate $CERTIFICATE"
    if [[ -e common/hpc-audit.b64 ]]; then echo 'LogLevel VERBOSE'; fi # also keys that were refused
    if [[ $(sshd -G 2>&1) == *persourcepenaltyexemptlist* ]]; then cat common/sshd_penalties.conf; fi
    if [[ $HPC_ROLE == compute ]]; then cat compute/sshd.conf; fi
  } | put $conf 644
  reloaded_sshd $CERTIFICATE $conf
}

certify() { # <authority> <its public key>: sign the host key, unless that has been done
  local name names serial
  name=$(hostname)
  names=$name,$name.$HPC_DOMAIN,$(node_fact address)
  if [[ ! -e $HOST_KEY ]]; then ssh-keygen -q -t ed25519 -N '' -f $HOST_KEY; fi
  host_key_for_users $HOST_KEY
  serial=$(cat $HOST_KEY.pub - <<<"$2 $names" | sha256sum)
  serial=$((16#${serial:0:15})) # tells a later run what has been signed
  if [[ $(ssh-keygen -L -f $CERTIFICATE 2>&1) == *"Serial: $serial"$'\n'* ]]; then return; fi
  cp $HOST_KEY.pub "$RUN/ssh/host.pub"
  ssh-keygen -q -s "$1" -h -I "$name" -n "$names" -z "$serial" "$RUN/ssh/host.pub"
  put $CERTIFICATE 644 <"$RUN/ssh/host-cert.pub"
}

# Host-based login needs a list of hosts, in which a netgroup is the only wildcard. It need not select: sshd looks up
# addresses, within the range of its configuration, and accepts only certificates for them. Source: OpenSSH, auth-rhosts.c
admit_hosts() {
  local groups=/etc/netgroup services=/etc/nsswitch.conf
  put $EQUIVALENT 644 <<<"+@hpc"
  { sed '/^hpc /d' $groups 2>/dev/null || true; echo 'hpc (,-,)'; } | put $groups 644
  sed '/^netgroup:/{/\<files\>/!s/netgroup:/& files/}' $services | put $services 644
}

reloaded_sshd() { # <file>...: let sshd read these files, if they have changed; sessions go on
  local with
  with=$(sha256sum -- "$@")
  if [[ $(cat "$RUN/sshd.with" 2>/dev/null) == "$with" ]]; then return; fi
  systemctl try-reload-or-restart "$SSHD" || die "sshd: $(why "$SSHD")"
  echo "$with" >"$RUN/sshd.with"
}

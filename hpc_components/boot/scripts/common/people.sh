# The people of the cluster: users, groups and their SSH keys, which the name service and sshd find in files of their
# own. `hpc-people` writes these, and ends what people have here who may no longer use the cluster: docs/people.md.
# shellcheck shell=bash

PROGRAM=/opt/hpc/bin/hpc-people
UNIT=/etc/systemd/system/hpc-people.service
ENVIRONMENT=/etc/hpc/environment # of the cloud's verbs, also when an administrator runs the program
KEYS_OF_PEOPLE=/etc/ssh/sshd_config.d/40-hpc-people.conf

people() { # before Slurm's daemons, which look up the owners of jobs
  if [[ $HPC_PEOPLE == no ]]; then
    no_people
    return
  fi
  base64 -d common/hpc-people.b64 | put $PROGRAM 755
  printf 'HPC_%s\n' "ROLE=$HPC_ROLE" "CONFIG=$HPC_CONFIG" "REGION=$HPC_REGION" "NAME_SERVICE=$NAME_SERVICE" | put $ENVIRONMENT 644
  # a line for initgroups would end a lookup with the groups of the first module
  sed -E "/$NAME_SERVICE/!{s/^((passwd|group|shadow):.*\bfiles)\b/\1 $NAME_SERVICE/
    s/^(initgroups:.*\bfiles)\b/\1 [SUCCESS=continue] $NAME_SERVICE/}" /etc/nsswitch.conf | put /etc/nsswitch.conf 644
  sshd_keys
  if [[ $HPC_ROLE == head ]]; then
    if [[ ! -e head/directory.json ]]; then rm -f /var/lib/hpc/people/directory.json; fi # the last answer of a directory
    $PROGRAM known || true # people who can't be admitted keep no one else out: the step people_served reports them
  else
    local homes=()
    if ! mountpoint -q /home; then homes=(--homes); fi # the head node makes homes that are shared
    $PROGRAM begin "${homes[@]}"
    served follow "${homes[@]}"
  fi
}

people_served() { # on the head node, when Slurm runs: jobs of former people end, and other nodes learn of a change
  local keys=()
  if [[ $HPC_PEOPLE == no ]]; then return; fi
  if [[ $HPC_SSH_BETWEEN_NODES == personal_keys ]]; then keys=(--personal-keys); fi
  $PROGRAM lead "${keys[@]}"
  served serve "${keys[@]}"
}

served() { # <command>...
  put $UNIT 644 <<END
[Unit]
Description=People of the cluster: who may log in here
After=network-online.target remote-fs.target hpc-names.service
RequiresMountsFor=/home $(if [[ $HPC_ROLE == head ]]; then echo /var/lib/hpc; fi)

[Service]
EnvironmentFile=$ENVIRONMENT
ExecStart=$PROGRAM $*
Restart=always
RestartSec=5
SyslogIdentifier=hpc-people

[Install]
WantedBy=multi-user.target
END
  running hpc-people $UNIT $PROGRAM $ENVIRONMENT head/directory.json head/directory-ca.pem # both only on a head node with a directory
}

sshd_keys() { # not an AuthorizedKeysCommand: sshd has only one, and clouds' agents use it
  local before
  before=$(cat $KEYS_OF_PEOPLE 2>/dev/null || true)
  put $KEYS_OF_PEOPLE 644 <<<'AuthorizedKeysFile .ssh/authorized_keys .ssh/authorized_keys2 /etc/hpc/keys/%u'
  if [[ $(<$KEYS_OF_PEOPLE) != "$before" ]]; then systemctl try-reload-or-restart "$SSHD"; fi
}

no_people() { # undo everything but the list of ids on the state volume
  if [[ ! -e $UNIT ]]; then return; fi
  gone $UNIT
  rm -rf "$TABLES"/{passwd,group,shadow} /etc/hpc/keys $KEYS_OF_PEOPLE /var/lib/hpc/names/people
  systemctl try-reload-or-restart "$SSHD"
}

# The daemon that launches nodes when jobs wait, and the programs with which Slurm wakes it.
# shellcheck shell=bash

programs() { # before slurmctld starts: it checks once whether they exist, and otherwise disables power saving
  local path
  for path in head/programs/*; do
    put "/opt/hpc/bin/${path##*/}" 755 <"$path"
  done
}

elastic() {
  local unit=/etc/systemd/system/hpc-elastic.service archive=/opt/hpc/bin/hpc-elastic
  base64 -d common/hpc-elastic.b64 | put $archive 755
  # files in the bucket do not contain its name, which distinguishes this cluster's machines from another stack's
  python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin) | {"config": sys.argv[1]}, indent=1))' \
    "$HPC_CONFIG" <head/elastic.json | put /etc/hpc/elastic.json 644
  put /etc/hpc/prices.json 644 <head/prices.json # the daemon notices a new one
  put $unit 644 <head/units/hpc-elastic.service
  install -d -o slurm -g slurm -m 700 /var/lib/hpc/elastic
  webhook /etc/hpc/webhook
  running hpc-elastic $unit $archive /etc/hpc/elastic.json
}

webhook() { # <file>: the address to which the daemon sends notices about the budget; jobs get nodes without it as well
  local address
  if [[ ! -e head/webhook_secret ]]; then
    rm -f "$1"
  elif address=$(read_password "$(<head/webhook_secret)"); then
    put "$1" 600 slurm:slurm <<<"$address"
  else
    echo "budget.webhook_secret: the secret can't be read, so notices about the budget are not sent" >&2
  fi
}

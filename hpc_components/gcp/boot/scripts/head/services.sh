# Services of the head node on Google Cloud: it deletes the compute nodes when the cluster is destroyed, and requests
# transfers between buckets and Managed Lustre.
# shellcheck shell=bash

UNITS=/etc/systemd/system

head_services() {
  put $UNITS/hpc-reap.service 644 <head/units/hpc-reap.service
  reload
  # not restarted: it does its work when it is stopped
  enabled hpc-reap.service
  systemctl start hpc-reap.service
  if [[ -e head/lustre.json ]]; then transfers; else no_transfers; fi
}

transfers() {
  local unit
  for unit in hpc-import.service hpc-export.service hpc-export.timer; do
    put $UNITS/$unit 644 <"head/units/$unit"
  done
  put /opt/hpc/bin/hpc-export 755 <<'END'
#!/bin/sh
# Copy new and changed files of Managed Lustre to their buckets, now. The timer hpc-export does so every day.
cd /opt/hpc/config && exec python3 -B common/transfer.py export
END
  reload
  enabled hpc-import.service
  systemctl start --no-block hpc-import.service # takes hours; it only requests what has not been imported
  enabled hpc-export.timer
  systemctl start hpc-export.timer
}

no_transfers() {
  gone $UNITS/hpc-import.service $UNITS/hpc-export.timer
  rm -f $UNITS/hpc-export.service /opt/hpc/bin/hpc-export
}

# Users who log in here see their own processes only, if several organizations share the cluster.
# shellcheck shell=bash

UNIT=/etc/systemd/system/hpc-processes.service
BUS=/etc/dbus-1/system.d/hpc-processes.conf

processes() {
  local before
  before=$(policy)
  if [[ $HPC_ROLE == "$HPC_USERS_ON" && $HPC_ORGANIZATIONS == yes ]]; then
    put $BUS 644 <common/processes.dbus.conf
    put $UNIT 644 <common/units/hpc-processes.service
    running hpc-processes $UNIT
  else
    gone $UNIT
    rm -f $BUS
  fi
  if [[ $before != "$(policy)" ]]; then systemctl reload dbus; fi
}

policy() { cat $BUS 2>/dev/null || true; }

# Users see their own processes only, if organizations share the cluster.
# shellcheck shell=bash

UNIT=/etc/systemd/system/hpc-processes.service
BUS=/etc/dbus-1/system.d/hpc-processes.conf

processes() {
  local before
  before=$(policy)
  if [[ $HPC_ORGANIZATIONS == yes && $HPC_ROLE == @(compute|"$HPC_USERS_ON") ]]; then
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

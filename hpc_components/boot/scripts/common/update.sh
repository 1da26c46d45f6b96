# Start a timer that looks for a new configuration and runs this node's script again if there is one, or if the
# script has failed. It is an early step: a node whose first boot fails is then repaired by a corrected
# configuration. While the first boot runs, the timer finds the stub's lock taken and tries again later.
# shellcheck shell=bash

updates() {
  put /opt/hpc/bin/hpc-update 755 <common/update/stub.sh
  put /etc/systemd/system/hpc-update.service 644 <common/update/hpc-update.service
  put /etc/systemd/system/hpc-update.timer 644 <common/update/hpc-update.timer
  put /etc/logrotate.d/hpc-boot 644 <common/update/hpc-boot.logrotate
  reload
  # not by restart: this may run inside that very service
  enabled hpc-update.timer
  systemctl start hpc-update.timer
}

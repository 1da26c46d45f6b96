# From now on a timer looks for a new configuration and runs this node's script again when there is one, or when the
# script has failed. It is early among the steps, so that a node whose first boot fails is healed by a better
# configuration; while the first boot runs, it finds the stub's lock taken and comes again.
# shellcheck shell=bash

updates() {
  put /opt/hpc/bin/hpc-update 755 <common/update/stub.sh
  put /etc/systemd/system/hpc-update.service 644 <common/update/hpc-update.service
  put /etc/systemd/system/hpc-update.timer 644 <common/update/hpc-update.timer
  put /etc/logrotate.d/hpc-boot 644 <common/update/hpc-boot.logrotate
  reload
  # not by restart: this may run in its very service
  enabled hpc-update.timer
  systemctl start hpc-update.timer
}

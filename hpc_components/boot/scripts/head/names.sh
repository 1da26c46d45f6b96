# The name server of the cluster's nodes. The elastic daemon writes their names, and the names of nodes that are off for
# the head node's own forwarder.
# shellcheck shell=bash

name_server() {
  local unit=/etc/systemd/system/hpc-name-server.service conf=/etc/hpc/name-server.conf
  install -d -o slurm -g slurm -m 755 /var/lib/hpc/names /var/lib/hpc/names-off
  source common/names.sh
  for_dnsmasq <head/name-server.conf | put $conf 644
  put $unit 644 <head/units/hpc-name-server.service
  running hpc-name-server $unit $conf
}

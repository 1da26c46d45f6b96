# The name server of the cluster's nodes. The elastic daemon writes their names, and the names of nodes that are off for
# the head node's own forwarder.
# shellcheck shell=bash

name_server() {
  local unit=/etc/systemd/system/hpc-name-server.service conf=/etc/hpc/name-server.conf
  install -d -o slurm -g slurm -m 755 /var/lib/hpc/names /var/lib/hpc/names-off
  put $conf 644 <head/name-server.conf
  put $unit 644 <head/units/hpc-name-server.service
  running hpc-name-server $unit $conf
}

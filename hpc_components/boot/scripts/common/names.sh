# Names of other nodes: a forwarder for the cluster's own domain, beside the network's servers, which resolve all
# other names. systemd-resolved asks both.
# shellcheck shell=bash

names() {
  local unit=/etc/systemd/system/hpc-names.service conf=/etc/hpc/names.conf resolved=/etc/systemd/resolved.conf.d/hpc.conf
  local from=common
  if [[ $HPC_ROLE == head ]]; then from="head"; fi # also knows the nodes that are off
  one_that_drops_names
  put $conf 644 <$from/names.conf
  put $unit 644 <common/units/hpc-names.service
  put $resolved 644 <common/resolved.conf
  if ! by_resolved; then take_over; fi
  running hpc-names $unit $conf
  running systemd-resolved $resolved /etc/systemd/system/systemd-resolved.service.d/hpc.conf
}

one_that_drops_names() { # Source: dnsmasq's CHANGELOG, 2.88
  local is
  is=$(dpkg-query -W -f '${Version}' dnsmasq-base)
  dpkg --compare-versions "$is" ge 2.88 || die "dnsmasq-base $is keeps removed names: upgrade it to 2.88 or newer"
}

by_resolved() {
  systemctl is-active -q systemd-resolved && [[ $(readlink -f /etc/resolv.conf) == /run/systemd/resolve/* ]]
}

# A newly installed systemd-resolved may not know the network's servers: take them from resolv.conf, which its
# package leaves in place until it starts.
take_over() {
  local servers link
  servers=$(sed -nE 's/^nameserver +([^ ]+).*/\1/p' /etc/resolv.conf 2>/dev/null | grep -v '^127\.' | paste -sd ' ') || true
  link=$(ip -4 route show default | sed -nE 's/.* dev (\S+).*/\1/p' | head -n 1)
  if [[ -n $servers && -n $link ]]; then
    put /etc/systemd/system/systemd-resolved.service.d/hpc.conf 644 <<END
[Service]
ExecStartPost=-/usr/bin/resolvectl dns $link $servers
END
  fi
  ln -sfn ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
}

# Names of other nodes: a forwarder for the cluster's own domain, beside the network's servers, which resolve all
# other names. systemd-resolved asks both.
# shellcheck shell=bash

names() {
  local unit=/etc/systemd/system/hpc-names.service conf=/etc/hpc/names.conf resolved=/etc/systemd/resolved.conf.d/hpc.conf
  local from=common
  if [[ $HPC_ROLE == head ]]; then from="head"; fi # also knows the nodes that are off
  for_dnsmasq <$from/names.conf | put $conf 644
  put $unit 644 <common/units/hpc-names.service
  put $resolved 644 <common/resolved.conf
  if ! by_resolved; then take_over; fi
  running hpc-names $unit $conf
  if [[ $HPC_ROLE == head ]]; then names_dropped; fi
  running systemd-resolved $resolved /etc/systemd/system/systemd-resolved.service.d/hpc.conf
}

# Before 2.88, dnsmasq keeps names that were removed from a hostsdir; it forgets them when it reads all of addn-hosts
# again on SIGHUP. fast-dns-retry is as new as 2.87. Source: dnsmasq's CHANGELOG
for_dnsmasq() { # a configuration in words that this one knows
  if drops_names; then cat; else sed 's/^hostsdir=/addn-hosts=/; /^fast-dns-retry=/d'; fi
}

drops_names() {
  local is
  is=$(dnsmasq --version | sed -nE '1s/.*version ([0-9.]+).*/\1/p')
  printf '2.88\n%s\n' "$is" | sort -VC
}

names_dropped() { # on the head node, whose two dnsmasq read tables
  local units=/etc/systemd/system/hpc-names-dropped
  if drops_names; then
    gone $units.path
    rm -f $units.service
    return
  fi
  put $units.service 644 <common/units/hpc-names-dropped.service
  put $units.path 644 <common/units/hpc-names-dropped.path
  running hpc-names-dropped.path $units.path $units.service
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

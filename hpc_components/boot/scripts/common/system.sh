# The system itself: its release, host name, limits and clock.
# shellcheck shell=bash

supported() {
  local name
  # shellcheck source=/dev/null
  name=$(source /etc/os-release && echo "$ID-$VERSION_ID")
  case $name in
    ubuntu-24.04 | ubuntu-22.04 | debian-12 | debian-13) ;;
    rocky-9* | almalinux-9*) name=${name%%.*} ;;
    *) die "$name is not supported: use an image of Ubuntu 24.04 or 22.04, Debian 12 or 13, Rocky Linux 9 or AlmaLinux 9" ;;
  esac
  [[ $name == "$HPC_OS" ]] || die "the image is $name, but the cluster's os is $HPC_OS: set another image, or os: $name"
}

# An image may have been made from a node: stop services that would run with that node's configuration.
fresh_start() {
  local id
  local units=(slurmd slurmctld slurmdbd hpc-elastic hpc-name-server hpc-names hpc-watch hpc-data hpc-fair-use
    hpc-people hpc-processes hpc-software hpc-update.timer mariadb munge squid)
  id=$(node_fact id)
  if [[ $(cat /opt/hpc/instance 2>/dev/null) == "$id" ]]; then return; fi
  if [[ $HPC_ROLE == compute ]]; then # nothing may change under a running job
    units+=("${UPDATES[@]}")
  fi
  quiet "${units[@]}"
  system_settings
  adapt_image
  put /opt/hpc/instance 644 <<<"$id"
}

quiet() { # <unit>...: stop and disable those that exist
  local there
  there=$(systemctl list-unit-files --no-legend --state=enabled "${@/%/*}" | cut -d' ' -f1) || true
  # shellcheck disable=SC2086 # one word per unit
  if [[ -n $there ]]; then systemctl disable -q --now --no-reload $there; fi
}

identity() {
  local name address
  name=$(node_name)
  address=$(node_fact address)
  # otherwise cloud-init restores the image's own names at the next boot
  put /etc/cloud/cloud.cfg.d/99-hpc.cfg 644 <<<$'preserve_hostname: true\nmanage_etc_hosts: false'
  put /etc/hostname 644 <<<"$name"
  if [[ $(hostname) != "$name" ]]; then hostname "$name"; fi
  # Slurm and munge look up the node's own name, and must get an answer without delay
  put /etc/hosts 644 <<END
127.0.0.1 localhost
::1 localhost ip6-localhost ip6-loopback
$HPC_HEAD head
$([[ $name == head ]] || echo "$address $name")
END
}

node_name() {
  local address queue number
  case $HPC_ROLE in
    head) echo head ;;
    login) # Slurm does not know login nodes: the name contains the address, and the name server needs no table
      address=$(node_fact address)
      echo "login-${address//./-}"
      ;;
    compute)
      queue=$(node_fact queue)
      number=$(node_fact number)
      echo "$queue-$number"
      ;;
  esac
}

limits() {
  # MPI over a fast fabric pins memory; Slurm copies the limits of the submitting shell to the job
  put /etc/security/limits.d/90-hpc.conf 644 <<'END'
* - memlock unlimited
* soft nofile 65536
* hard nofile 1048576
END
  # thousands of neighbours, bursts of connections, and of DNS queries on the head node; processes reading each
  # other's memory (MPI within a node)
  put /etc/sysctl.d/90-hpc.conf 644 <<END
net.ipv4.neigh.default.gc_thresh1 = 0
net.ipv4.neigh.default.gc_thresh2 = 15360
net.ipv4.neigh.default.gc_thresh3 = 16384
net.core.somaxconn = 65535
$(if [[ $HPC_ROLE == head ]]; then echo "net.core.rmem_default = 8388608"; fi)
net.ipv4.tcp_max_syn_backlog = 65535
kernel.yama.ptrace_scope = 0
END
  running systemd-sysctl /etc/sysctl.d/90-hpc.conf
}

clock() { # chrony, on the cloud's own time source, which is near and needs no internet access
  local line kind at device file read
  line=$(time_source)
  read -r kind at device _ <<<"$line"
  if [[ $kind == refclock ]]; then at=$device; fi
  file=$(read_by_chrony "$kind")
  read=$(where_chrony_reads)
  # shellcheck disable=SC2086 # several paths
  if grep -rhsF --exclude="${file##*/}" -- "$at" $read | grep -v '^#' >/dev/null; then
    running "$CHRONY" # already configured in the image
  else
    put "$file" 644 <<<"$line"
    running "$CHRONY" "$file"
  fi
}

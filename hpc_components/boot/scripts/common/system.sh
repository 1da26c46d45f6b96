# The system itself: which one it is, what it is called, its limits and its clock.
# shellcheck shell=bash

supported() {
  local name
  # shellcheck source=/dev/null
  name=$(source /etc/os-release && echo "$ID-$VERSION_ID")
  case $name in
    ubuntu-24.04 | ubuntu-22.04 | debian-12 | debian-13) ;;
    *) die "$name: nodes are made of Ubuntu 24.04 or 22.04, or of Debian 12 or 13" ;;
  esac
  [[ $name == "$HPC_OS" ]] || die "the image is of $name, and the cluster's os is $HPC_OS: give an image of that, or os: $name"
}

# An image may have been made from a node. What its services would do with that node's configuration is not wanted.
fresh_start() {
  local id
  local units=(slurmd slurmctld slurmdbd hpc-elastic hpc-name-server hpc-names hpc-watch hpc-data hpc-update.timer mariadb munge)
  id=$(meta instance-id)
  if [[ $(cat /opt/hpc/instance 2>/dev/null) == "$id" ]]; then return; fi
  if [[ $HPC_ROLE == compute ]]; then # nothing is changed under a running job
    units+=(apt-daily.timer apt-daily-upgrade.timer unattended-upgrades)
  fi
  quiet "${units[@]}"
  put /opt/hpc/instance 644 <<<"$id"
}

quiet() { # <unit>...: those that there are neither run nor start by themselves
  local there
  there=$(systemctl list-unit-files --no-legend --state=enabled "${@/%/*}" | cut -d' ' -f1) || true
  # shellcheck disable=SC2086 # one word a unit
  if [[ -n $there ]]; then systemctl disable -q --now $there; fi
}

identity() {
  local name address
  name=$(node_name)
  address=$(meta local-ipv4)
  # else cloud-init gives the image's own names back at the next boot
  put /etc/cloud/cloud.cfg.d/99-hpc.cfg 644 <<<$'preserve_hostname: true\nmanage_etc_hosts: false'
  put /etc/hostname 644 <<<"$name"
  if [[ $(hostname) != "$name" ]]; then hostname "$name"; fi
  # Slurm and munge look up the node's own name; without an answer at once they wait for one
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
    login) # Slurm knows none of them: the name says the address, and the name server needs no table
      address=$(meta local-ipv4)
      echo "login-${address//./-}"
      ;;
    compute)
      queue=$(meta tags/instance/hpc:queue)
      number=$(number_at "$(meta tags/instance/hpc:nodes)" "$(meta ami-launch-index)")
      echo "$queue-$number"
      ;;
  esac
}

number_at() { # <ranges> <index>: 1-3.9.5 and 3 -> 9
  local ranges=$1 index=$2 run first last
  [[ $ranges =~ ^[0-9]+(-[0-9]+)?(\.[0-9]+(-[0-9]+)?)*$ ]] || die "tag hpc:nodes: '$ranges' is no list of numbers such as 1-3.9"
  for run in ${ranges//./ }; do
    first=${run%-*} last=${run#*-}
    if ((index <= last - first)); then
      echo $((first + index))
      return
    fi
    index=$((index - (last - first + 1)))
  done
  die "tag hpc:nodes: '$ranges' has no number for launch index $2"
}

limits() {
  # MPI over EFA pins memory; Slurm hands the limits of the submitting shell on to the job
  put /etc/security/limits.d/90-hpc.conf 644 <<'END'
* - memlock unlimited
* soft nofile 65536
* hard nofile 1048576
END
  # thousands of neighbours, bursts of connections, and of questions for names on the head node; one process reading another's memory (MPI within a node)
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

clock() { # Amazon's own, without a way out of the network. Source: EC2 user guide, "Set the time reference"
  local file=/etc/chrony/sources.d/hpc.sources
  if grep -rqs --exclude="${file##*/}" '^[^#].*169\.254\.169\.123' /etc/chrony; then
    running chrony # Canonical's images know it
  else
    put "$file" 644 <<<'server 169.254.169.123 prefer iburst minpoll 4 maxpoll 4'
    running chrony "$file"
  fi
}

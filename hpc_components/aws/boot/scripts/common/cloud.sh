# The verbs of first boot on AWS. What each of them must do is said in docs/boot.md, "What a cloud brings".
# shellcheck shell=bash

unset AWS_CONTAINER_CREDENTIALS_FULL_URI # of whoever runs this by hand: people's role, not the node's

fact() { # id | address | queue | number
  local nodes index
  case $1 in
    id) meta instance-id ;;
    address) meta local-ipv4 ;;
    queue) meta tags/instance/hpc:queue ;;
    number)
      nodes=$(meta tags/instance/hpc:nodes)
      index=$(meta ami-launch-index)
      number_at "$nodes" "$index"
      ;;
    *) die "no fact of a node is called '$1'" ;;
  esac
}

meta() { # <path>: of the instance's metadata
  local base=${IMDS:-http://169.254.169.254} token
  token=$(curl -fsS -m 5 --retry 5 -X PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 300" "$base/latest/api/token")
  curl -fsS -m 5 --retry 5 -H "X-aws-ec2-metadata-token: $token" "$base/latest/meta-data/$1"
}

tag() { # <key>: the instance's own; empty if it has none of that key
  local keys
  keys=$(meta tags/instance/)
  if grep -qxF "$1" <<<"$keys"; then meta "tags/instance/$1"; fi
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

read_secret() { python3 common/aws.py secret "hpc/$HPC_CLUSTER/$1-$HPC_CONFIG" "$2"; }

keep_secret() { python3 common/aws.py key "hpc/$HPC_CLUSTER/$1-$HPC_CONFIG" "$2" "$3"; }

agree_secret() { python3 common/aws.py agree "hpc/$HPC_CLUSTER/$1-$HPC_CONFIG" "$2"; }

read_password() { python3 common/aws.py password "$1"; }

publish() { python3 common/aws.py publish "$1" "$2"; }

published() { python3 common/aws.py published "$1" "$2" "$3"; }

in_bucket() { [[ $1 == s3://* ]]; }

fetch_folder() { python3 common/aws.py mirror "$1" "$2"; }

fetch_object() { python3 common/aws.py fetch "$1" "$2"; }

send_log() { python3 common/aws.py log "/hpc/$HPC_CLUSTER" "$1"; }

send_audit() { python3 common/aws.py audit "/hpc/$HPC_CLUSTER/audit" "$1"; }

metrics_login() {
  source head/metrics_signer.sh
  if [[ -e head/watch/remote_write ]]; then sign_metrics; else sign_no_metrics; fi
}

adapt_image() { :; }

cloud_packages() {
  echo python3-boto3
  if [[ $HPC_FABRIC == yes || $HPC_ROLE == image ]]; then echo gpg; fi # checks the signature of EFA's installer
}

own_disks() { # Source: EC2 user guide, "Instance store volumes": the model tells them from EBS
  lsblk -dnpo NAME,MODEL | sed -n 's/ \+Amazon EC2 NVMe Instance Storage *$//p'
}

image_scratch() { # AWS's images for GPUs make one file system of the disks
  if systemctl cat dlami-nvme >/dev/null 2>&1; then echo /opt/dlami/nvme dlami-nvme.service; fi
}

state_disk() { # the volume's id is its serial number
  local id name try
  id=$(meta tags/instance/hpc:state-volume)
  for ((try = 0; try < 300; try++)); do
    name=$(lsblk -dnro NAME,SERIAL | sed -n "s/ ${id/-/}$//p")
    if [[ -n $name ]]; then
      echo "/dev/$name"
      return
    fi
    sleep 2
  done
  die "state volume $id is not attached after ten minutes"
}

# Needs no way out of the network. Source: EC2 user guide, "Set the time reference"
time_source() { echo server 169.254.169.123 prefer iburst minpoll 4 maxpoll 4; }

metadata_addresses() { printf '%s\n' 169.254.169.254 fd00:ec2::254; }

metadata_users() { echo ec2-instance-connect; } # looks up the keys of who logs in by EC2 Instance Connect

lend_bucket_access() {
  source common/lend.sh
  lend
}

install_fabric() { # node | users | image
  source common/efa.sh
  efa "$1"
}

fabric_mpi() { # EFA's installer brings it
  if [[ -d /opt/amazon/openmpi ]]; then echo /opt/amazon/openmpi; fi
}

# EFA's installer brings it; its folder depends on the installer's release and on the system. Since 1.44 its name is one
# that NCCL does not look for. Source: AWS's Deep Learning Containers, tests of the EFA installer
nccl_plugin() {
  local at
  for at in /opt/amazon/ofi-nccl/lib{64,,"/$(uname -m)-linux-gnu"}; do
    if compgen -G "$at/libnccl-net*.so" >/dev/null; then
      echo "libraries $at"
      if [[ ! -e $at/libnccl-net.so ]]; then echo NCCL_NET_PLUGIN=ofi; fi
      return
    fi
  done
}

install_lustre_client() {
  source common/lustre.sh
  lustre_client_of_fsx
}

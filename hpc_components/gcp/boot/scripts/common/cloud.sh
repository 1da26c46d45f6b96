# The verbs of first boot on Google Cloud. What each of them must do is said in docs/boot.md, "What a cloud brings".
# shellcheck shell=bash

unset GCE_METADATA_HOST GCE_METADATA_IP GCE_METADATA_ROOT # of whoever runs this by hand: people's account, not the node's

FABRIC_MODULE=/opt/hpc/modulefiles/cloud-rdma # what MPI and NCCL must be told of the machine's network cards

fact() { # id | address | queue | number
  case $1 in
    id | address | queue | number) google fact "$1" ;;
    *) die "no fact of a node is called '$1'" ;;
  esac
}

google() { python3 -B common/google_node.py "$@"; } # <what> <argument>...

attribute() { google attribute "$1"; } # <key>: of the machine's custom metadata; empty if it has none of that key

read_secret() { google secret "$HPC_CLUSTER-$1" "$2"; }

keep_secret() { google key "$HPC_CLUSTER-$1" "$2" "$3"; }

agree_secret() { google agree "$HPC_CLUSTER-$1" "$2"; }

read_password() { google password "$1"; }

publish() { google publish "$1" "$2"; }

published() { google published "$1" "$2" "$3"; }

in_bucket() { [[ $1 == gs://* ]]; }

fetch_folder() { google mirror "$1" "$2"; }

fetch_object() { google fetch "$1" "$2"; }

send_log() { google log "$1"; }

send_audit() { google audit "$1"; }

metrics_login() { :; } # the service does not take what the system's Prometheus sends (HPC-WCH-013)

adapt_image() {
  source common/agent.sh
  adapt_agent
}

cloud_packages() { :; } # python3 has all that the other verbs need

# Source: guest-configs, 65-gce-disk-naming.rules: local SSDs have this model, Persistent Disk and Hyperdisk have others
own_disks() { lsblk -dnpo NAME,MODEL | sed -nE 's/ +nvme_card[0-9]* *$//p'; }

image_scratch() { :; } # no image makes a file system of local SSDs

state_disk() { # by the name under which it is attached
  local try
  for ((try = 0; try < 300; try++)); do
    if readlink -e /dev/disk/by-id/google-hpc-state; then return; fi
    sleep 2
  done
  die "the state volume, attached as hpc-state, is not there after ten minutes"
}

# The host's clock. Source: Compute Engine, "Configure NTP on a VM"
time_source() { echo server metadata.google.internal prefer iburst; }

# On port 53 it is the network's name server, on port 123 the clock. The second is that of machines with IPv6 alone.
# Source: Compute Engine, "About VM metadata"
metadata_addresses() { printf '%s\n' '169.254.169.254 80,443' 'fd20:ce::254 80,443'; }

metadata_users() { echo unscd; } # looks up the names of OS Login; Google's other agents are root

lend_bucket_access() {
  source common/lend.sh
  lend
  if [[ $HPC_ROLE == head ]]; then
    source head/services.sh
    head_services
  fi
}

install_fabric() { # node | users | image
  source common/fabric/cards.sh
  fabric_cards "$1"
}

fabric_mpi() { # the system's own, with the settings for the machine's cards
  if [[ -e $FABRIC_MODULE ]]; then echo "$FABRIC_MODULE"; fi
}

nccl_plugin() { # from the module for the machine's cards
  local at script
  at=$(sed -n 's/^setenv NCCL_LIB_DIR //p' "$FABRIC_MODULE" 2>/dev/null || true)
  if [[ -z $at ]]; then return; fi
  echo "libraries $at"
  script=$(sed -n 's/^source-sh bash //p' "$FABRIC_MODULE")
  if [[ -n $script ]]; then
    # shellcheck disable=SC2016 # the shell that is started expands it
    env -i PATH="$PATH" NCCL_LIB_DIR="$at" bash -c 'source "$1" >/dev/null 2>&1; env' - "$script" | grep '^NCCL_' | sort
  fi
}

install_lustre_client() {
  source common/lustre.sh
  lustre_client_of_google
}

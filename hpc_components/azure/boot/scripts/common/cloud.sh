# The verbs of first boot on Azure. What each of them must do is said in docs/boot.md, "What a cloud brings".
# shellcheck shell=bash

fact() { # id | address | queue | number
  case $1 in
    id | address | queue | number) azure fact "$1" ;;
    *) die "no fact of a node is called '$1'" ;;
  esac
}

azure() { python3 -B common/azure.py "$@"; } # <what> <argument>...

tag() { azure tag "$1"; } # <key>: the machine's own; empty if it has none of that key

read_secret() { azure secret "$1" "$2"; }

keep_secret() { azure key "$1" "$2" "$3"; }

agree_secret() { azure agree "$1" "$2"; }

read_password() { azure password "$1"; }

publish() { azure publish "$1" "$2"; }

published() { azure published "$1" "$2" "$3"; }

in_bucket() { [[ $1 == ${BLOB:-https://*.blob.core.*}/* ]]; }

fetch_folder() { azure mirror "$1" "$2"; }

fetch_object() { azure fetch "$1" "$2"; }

send_log() { azure log "$1"; }

send_audit() { azure audit "$1"; }

metrics_login() {
  source head/metrics_token.sh
  if [[ -e head/watch/remote_write ]]; then keep_metrics_token; else no_metrics_token; fi
}

adapt_image() {
  local conf=/etc/waagent.conf changed unit
  # It would take the network down and up, to tell Azure's name server of the new host name.
  if grep -qs '^Provisioning.MonitorHostName=y' $conf; then
    changed=$(sed 's/^\(Provisioning.MonitorHostName=\)y.*/\1n/' $conf)
    put $conf "$(stat -c %a $conf)" <<<"$changed"
    for unit in walinuxagent waagent; do # of Debian's family, and of Red Hat's
      if systemctl is-active -q $unit; then
        systemctl restart $unit
        break
      fi
    done
  fi
  # Azure's HPC image has Microsoft's packages of Slurm, and refuses those of the system.
  # Source: Azure/azhpc-images, components/install_pmix.sh
  rm -f /etc/apt/preferences.d/slurm-repository-pin-990 /etc/apt/sources.list.d/slurm.list
}

cloud_packages() {
  if [[ $HPC_FABRIC == yes || $HPC_ROLE == image ]]; then echo bzip2; fi # HPC-X's archive
}

own_disks() { # Source: azure-vm-utils, "Disk Identification": the model tells them from managed disks
  lsblk -dnpo NAME,MODEL | sed -nE 's/ +Microsoft NVMe Direct Disk( v2)? *$//p'
}

image_scratch() { # some images make one file system of the disks; a temporary disk is mounted by the system
  local disks mounted
  disks=$(own_disks)
  mounted=$(findmnt -n -o SOURCE /mnt) || true
  if systemctl cat nvme-raid.service >/dev/null 2>&1; then
    echo /mnt/resource_nvme nvme-raid.service
  elif [[ -z $disks && -n $mounted && $mounted == "$(readlink -e /dev/disk/azure/resource-part1)" ]]; then
    echo /mnt mnt.mount
  fi
}

state_disk() { # LUN 0. Source: azure-vm-utils, 80-azure-disk.rules; WALinuxAgent, 66-azure-storage.rules
  local link try
  for ((try = 0; try < 300; try++)); do
    for link in /dev/disk/azure/data/by-lun/0 /dev/disk/azure/scsi1/lun0; do
      if readlink -e $link; then return; fi
    done
    if remote_nvme 2; then return; fi
    sleep 2
  done
  die "the state volume, LUN 0, is not attached after ten minutes"
}

remote_nvme() { # <namespace>: the managed disk that is this one; where no udev rule names it
  local name model
  while read -r name model; do
    if [[ $model == "MSFT NVMe Accelerator"* && $(</sys/block/"$name"/nsid) == "$1" ]]; then
      echo "/dev/$name"
      return
    fi
  done < <(lsblk -dnro NAME,MODEL)
  return 1
}

# The host's clock. Source: Azure Virtual Machines, "Time sync for Linux VMs in Azure"
time_source() {
  if [[ -e /dev/ptp_hyperv ]]; then
    echo refclock PHC /dev/ptp_hyperv poll 3 dpoll -2 offset 0 stratum 2
  else
    echo server time.windows.com iburst
  fi
}

# The second hands out the settings of extensions, with their secrets; on port 53 it is the network's name server.
# Source: Azure Virtual Network, "What is IP address 168.63.129.16?"
metadata_addresses() { printf '%s\n' 169.254.169.254 '168.63.129.16 80,32526'; }

metadata_users() { :; } # Azure's agents are root

lend_bucket_access() {
  source common/lend.sh
  lend
}

install_fabric() { # node | users | image
  source common/fabric/infiniband.sh
  infiniband "$1"
}

fabric_mpi() { # HPC-X: with the PMIx of Azure's HPC image, or as NVIDIA builds it
  local module
  for module in "$MODULES"/modulefiles/mpi/hpcx{-pmix,} /opt/hpcx-*/modulefiles/hpcx; do
    if [[ -e $module ]]; then
      echo "$module"
      return
    fi
  done
}

# Azure's HPC image has it. A service of the image writes the settings for the machine's type to /etc/nccl.conf.
# Source: Azure/azhpc-images, components/install_nccl.sh and setup_sku_customizations.sh
nccl_plugin() {
  local at=/usr/local/nccl-rdma-sharp-plugins/lib
  if [[ -d $at ]]; then echo "libraries $at"; fi
}

install_lustre_client() {
  source common/lustre.sh
  lustre_client_of_azure
}

# Elastic Fabric Adapter: kernel module, libfabric and the MPI that is built for it.
# shellcheck shell=bash
source common/cloud.env

FI_INFO=/opt/amazon/efa/bin/fi_info
UNFINISHED=/opt/hpc/efa.unfinished # there while the installer runs, and after one that did not end well

efa() { # node | users | image
  local options=()
  case $1 in # login nodes and machines that make images have no adapter
    users) options=(--skip-kmod --no-verify) ;;
    image) options=(--no-verify) ;;
  esac
  if [[ ! -x $FI_INFO || -e $UNFINISHED ]]; then install_efa "${options[@]}"; fi
  if [[ $1 == node ]]; then
    "$FI_INFO" -p efa >/dev/null || die "no EFA provider: $("$FI_INFO" -p efa 2>&1 | tail -n 1)"
  fi
}

# Source: EC2 user guide, "Get started with EFA and MPI"
install_efa() { # <option>...
  local name=aws-efa-installer-$HPC_EFA_INSTALLER.tar.gz from=https://efa-installer.amazonaws.com at
  trap 'rm -rf /var/tmp/efa.*' EXIT # also where it fails: the head node tries every minute, until its disk were full
  at=$(mktemp -d /var/tmp/efa.XXXXXX)
  curl -fsS --retry 5 -m 600 -o "$at/$name" "$from/$name" -o "$at/key" "$from/aws-efa-installer.key" \
    -o "$at/signature" "$from/$name.sig" || die "$from/$name: can't be fetched"
  signed_by "$HPC_EFA_KEY" "$at" "$at/signature" "$at/$name" || die "$from/$name: not signed with the key $HPC_EFA_KEY"
  tar -xf "$at/$name" -C "$at"
  touch $UNFINISHED # fi_info is there long before the installer is done
  (cd "$at/aws-efa-installer" && DEBIAN_FRONTEND=noninteractive ./efa_installer.sh -y "$@")
  rm $UNFINISHED
}

signed_by() { # <fingerprint> <folder> <signature> <file>: whether it is, by a key in <folder>/key
  local gpg=(gpg --batch --quiet --homedir "$2")
  chmod 700 "$2"
  "${gpg[@]}" --import "$2/key" && "${gpg[@]}" --status-fd 1 --verify "$3" "$4" |
    grep "^\[GNUPG:\] VALIDSIG .*$1" >/dev/null
}

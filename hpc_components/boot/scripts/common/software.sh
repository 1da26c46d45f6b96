# The software that the description names: a user who builds it, and where users find its modules. docs/software.md
# shellcheck shell=bash

BUILDER=hpc-software
BUILDER_ID=65520 # the same on all nodes, which share the files. Source: systemd.io/UIDS-GIDS: 65520 to 65533 are unused
PROGRAM=/opt/hpc/bin/hpc-software
WANTED=/etc/hpc/software
UNIT=/etc/systemd/system/hpc-software.service

software_packages() {
  if serves head && [[ -e head/squid.conf || ($HPC_ROLE == image && -e common/eessi/facts.env) ]]; then echo squid; fi
  # what EasyBuild needs, on nodes that build. Source: docs.easybuild.io, Dependencies
  if builds_software; then
    printf '%s\n' python3-venv build-essential patch bzip2 unzip xz-utils file libssl-dev
  fi
}

builds_software() { # whether the jobs that build software run on this node, or on nodes of this image
  if [[ $HPC_ROLE == image ]]; then
    [[ $HPC_IMAGE_BUILDS == yes ]]
  else
    [[ $HPC_ROLE == compute && -e compute/build_queue && $(<compute/build_queue) == "$(node_fact queue)" ]]
  fi
}

software() {
  local file
  if [[ ! -e common/software/build.json ]]; then
    rm -rf $WANTED $PROGRAM /usr/local/bin/hpc-software
    return
  fi
  if ! getent passwd $BUILDER >/dev/null; then
    useradd --system --uid $BUILDER_ID --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin \
      --comment 'builds software' $BUILDER
  fi
  if [[ $HPC_ROLE == compute ]]; then return; fi # the job brings everything else
  base64 -d common/hpc-software.b64 | put $PROGRAM 755
  ln -sfn $PROGRAM /usr/local/bin/hpc-software
  (cd common/software && find . -type f) | while read -r file; do put "$WANTED/${file#./}" 644 <"common/software/$file"; done
  if [[ -d $WANTED/easyconfigs ]]; then
    find $WANTED/easyconfigs -type f | while read -r file; do
      [[ -e common/software/easyconfigs/${file##*/} ]] || rm "$file"
    done
  fi
}

build_directory() { # on the head node, once file systems are mounted
  local directory
  if [[ ! -e common/software/build.json ]]; then return; fi
  directory=$(python3 -c 'import json; print(json.load(open("common/software/build.json"))["directory"])')
  install -d -o $BUILDER -g $BUILDER -m 755 "$directory"
}

software_builds() { # on the head node, once Slurm runs. A build that fails keeps no node out: `hpc-software status`
  if [[ ! -e common/software/build.json ]]; then
    gone $UNIT
    return
  fi
  build_directory
  put $UNIT 644 <<END
[Unit]
Description=Submit the job that builds the software of the description
After=slurmctld.service remote-fs.target

[Service]
User=$BUILDER
ExecStart=$PROGRAM submit
RemainAfterExit=yes
Restart=on-failure
RestartSec=60
SyslogIdentifier=hpc-software

[Install]
WantedBy=multi-user.target
END
  find $WANTED -type f -print0 | xargs -0 sha256sum | sort | put /etc/hpc/software.sums 644
  running hpc-software $UNIT $PROGRAM /etc/hpc/software.sums
}

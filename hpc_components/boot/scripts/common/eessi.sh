# EESSI: thousands of packages, which nodes read over the network by CernVM-FS. docs/software.md
# shellcheck shell=bash
source common/packages.sh
source common/mounts.sh
# shellcheck source=/dev/null
if [[ -e common/eessi/facts.env ]]; then source common/eessi/facts.env; fi

REPOSITORY=software.eessi.io
AT=/cvmfs/$REPOSITORY
TCL=/opt/hpc/modulefiles/EESSI

read_here() { # whether programs of users run on this node, or on nodes of this image
  [[ -e common/eessi/facts.env ]] && { serves compute || for_users; }
}

eessi_client() { # may be part of an image
  if ! read_here || command -v cvmfs2 >/dev/null; then return; fi
  known cvmfs || vendor_archive "$EESSI_RELEASE_PACKAGE"
  install cvmfs
}

eessi() {
  local cache
  if ! read_here; then
    no_eessi
    return
  fi
  cvmfs_config setup noautofs # makes the client's user and its cache. A mount on demand would fail too late
  cache=$(cache_directory)
  put /etc/cvmfs/keys/eessi.io/eessi.io.pub 644 <common/eessi/eessi.io.pub
  put /etc/cvmfs/domain.d/eessi.io.conf 644 <common/eessi/eessi.io.conf
  # without CERN's configuration, whose proxies would take the place of ours. Source: cvmfs, options.cc, HasConfigRepository
  put /etc/cvmfs/default.d/99-hpc.conf 644 <<<'CVMFS_CONFIG_REPOSITORY='
  put /etc/cvmfs/default.local 644 <<END
CVMFS_REPOSITORIES=$REPOSITORY
CVMFS_STRICT_MOUNT=yes
CVMFS_HTTP_PROXY="$EESSI_PROXY"
CVMFS_QUOTA_LIMIT=$EESSI_CACHE_MIB
CVMFS_CACHE_BASE=$cache
END
  put "$TCL/$EESSI_VERSION" 644 <common/eessi.tcl
  put "$TCL/.version" 644 <<<$'#%Module1.0\nset ModulesVersion "'"$EESSI_VERSION"'"'
  mkdir -p $AT
  fstab eessi <<<"$REPOSITORY $AT cvmfs defaults,_netdev,nodev 0 0" # the client refuses nofail
  reload
  mounted_and_answers
}

cache_directory() { # the directory of the cache, which belongs to the client's user
  local directory=/var/lib/cvmfs
  if [[ $HPC_ROLE == compute && $(queue local_scratch) != - ]]; then
    directory=$(queue local_scratch)/.cvmfs
    command install -d -o cvmfs -g cvmfs -m 700 "$directory"
  fi
  echo "$directory"
}

# A compute node without EESSI must not join: its jobs would fail one after the other. Head and login nodes go on.
mounted_and_answers() {
  local try said began=$SECONDS settings
  settings=$(cat /etc/cvmfs/default.d/99-hpc.conf /etc/cvmfs/default.local /etc/cvmfs/domain.d/eessi.io.conf | sha256sum)
  if [[ $(cat "$RUN/eessi" 2>/dev/null) != "$settings" ]] && mountpoint -q $AT; then
    cvmfs_config reload $REPOSITORY # what runs from it goes on
  fi
  for ((try = 0; try < 18 && SECONDS - began < 180; try++)); do
    if said=$({ mountpoint -q $AT || timeout -k 5 60 mount $AT; } 2>&1) && answers_now; then
      echo "$settings" >"$RUN/eessi"
      return
    fi
    sleep 10
  done
  said=$(sed '/^[[:space:]]*$/d' <<<"${said:-no answer within a minute}" | tail -n 1)
  if [[ $HPC_ROLE == compute ]]; then die "EESSI $EESSI_VERSION can't be read: $said"; fi
  echo "EESSI $EESSI_VERSION can't be read, so \`module load EESSI\` fails here: $said"
}

answers_now() { timeout -k 5 60 test -e "$AT/versions/$EESSI_VERSION/init/lmod/bash"; }

no_eessi() {
  if [[ ! -d $TCL ]]; then return; fi
  rm -rf $TCL
  if mountpoint -q $AT; then umount -l $AT; fi
  fstab eessi </dev/null
}

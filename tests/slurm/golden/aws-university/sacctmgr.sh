#!/usr/bin/env bash
# Creates Slurm's accounts and QoS from the description. When run again, it changes only what differs.
# What is removed from the description stays: use `sacctmgr delete`.
set -euo pipefail

has() { [[ -n $(sacctmgr -nP show "$@") ]]; }

made() { sacctmgr -iQ add "$@" >/dev/null || { echo "sacctmgr.sh: \`sacctmgr add $*\` failed" >&2; exit 1; }; }

FAILED=()
change() { sacctmgr -iQ "$@" >/dev/null || FAILED+=("\`sacctmgr $*\`"); } # and go on: the others can still be applied

changed() { # the last line reports all failed changes
  [[ ${#FAILED[@]} -eq 0 ]] || { echo "sacctmgr.sh: failed: ${FAILED[*]}" >&2; exit 1; }
}

wait_for() { # <what> <command that prints something once it exists>
  local what=$1 _
  shift
  for _ in {1..120}; do
    if "$@" 2>/dev/null; then return; fi
    sleep 0.5
  done
  echo "sacctmgr.sh: no $what after a minute" >&2
  exit 1
}

dbd_answers() { sacctmgr -n show cluster >/dev/null; }

tres_known() { # <gres/gpu>
  sacctmgr -nP show tres format=type,name | grep -xF "${1/\//|}" >/dev/null # not -q: sacctmgr would be cut off
}

sort_qos() { # in `parent|fairshare|default QoS|QoS,...` from standard input
  local parent fairshare default qos
  while IFS='|' read -r parent fairshare default qos; do
    qos=$(tr , '\n' <<<"$qos" | LC_ALL=C sort | paste -sd,)
    echo "$parent|$fairshare|$qos|$default"
  done
}

cluster() { # <name>
  has cluster "$1" format=cluster || made cluster "$1"
}

qos() { # <name>
  has qos where name="$1" format=name || made qos "$1"
}

limits() { # <QoS> <setting>...
  change modify qos where name="$1" set "${@:2}"
}

account() { # <cluster> <name> <parent>
  has assoc where cluster="$1" account="$2" user= format=account || made account "$2" cluster="$1" parent="$3"
}

shares() { # <cluster> <account> <parent> <fairshare> <QoS,sorted> <default QoS>
  local cluster=$1 name=$2 settings=(fairshare="$4" qos="$5" defaultqos="$6") wanted found
  printf -v wanted '%s|%s|%s|%s' "${@:3}"
  found=$(sacctmgr -nP show assoc where cluster="$cluster" account="$name" user= \
    format=parentname,fairshare,defaultqos,qos | sort_qos)
  if [[ $found != "$wanted" ]]; then # a parent that stays the same is an error to sacctmgr
    [[ ${found%%|*} == "$3" ]] || change modify account where name="$name" cluster="$cluster" set parent="$3"
    change modify account where name="$name" cluster="$cluster" set "${settings[@]}"
  fi
}

users() { # <cluster> <account> <name>...
  local cluster=$1 account=$2 missing
  shift 2
  missing=$(sacctmgr -nP show assoc where cluster="$cluster" account="$account" format=user | others "$@")
  [[ -z $missing ]] || change add user "$missing" cluster="$cluster" account="$account"
}

default_account() { # <cluster> <account> <user>...
  local cluster=$1 account=$2 missing
  shift 2
  missing=$(sacctmgr -nP show user where defaultaccount="$account" cluster="$cluster" format=user | others "$@")
  [[ -z $missing ]] || change modify user where name="$missing" cluster="$cluster" set defaultaccount="$account"
}

admin_level() { # <level> <user>...: of users that are in the database, as all who have an account are
  local level=$1 missing known
  shift
  known=$(sacctmgr -nP show user format=user,adminlevel)
  missing=$(sed -n "s/|$level\$//p" <<<"$known" | others "$@")
  missing=$(tr , '\n' <<<"$missing" | grep -xF "$(cut -d'|' -f1 <<<"$known")" | paste -sd, || true)
  [[ -z $missing ]] || change modify user where name="$missing" set adminlevel="$level"
}

others() { # <name>...: those that are not in standard input, separated by commas
  local known
  known=$(cat)
  printf '%s\n' "$@" | grep -vxF "$known" | paste -sd, || true
}
case ${1-} in
before-slurmctld)
  wait_for slurmdbd dbd_answers
  cluster university
  qos long
  qos normal
  account university computer-vision root
  account university deep-learning root
  account university nlp root
  ;;
after-slurmctld)
  wait_for slurmdbd dbd_answers
  shares university computer-vision root 3 long,normal normal
  users university computer-vision carol alice
  shares university deep-learning root 2 long,normal normal
  users university deep-learning dave
  shares university nlp root 3 long,normal normal
  users university nlp alice bob
  default_account university computer-vision carol
  default_account university deep-learning dave
  default_account university nlp alice bob
  wait_for gres/gpu tres_known gres/gpu
  wait_for gres/gpu:l4 tres_known gres/gpu:l4
  wait_for gres/shard tres_known gres/shard
  wait_for gres/gpu:a10g tres_known gres/gpu:a10g
  limits long Priority=0 MaxWall=14-00:00:00 MaxTRESPerUser=cpu=-1,mem=-1,node=-1,billing=-1,gres/gpu=8,gres/gpu:l4=-1,gres/shard=32,gres/gpu:a10g=-1 Flags=DenyOnLimit
  limits normal Priority=0 MaxWall=2-00:00:00 MaxTRESPerUser=cpu=-1,mem=-1,node=-1,billing=-1,gres/gpu=32,gres/gpu:l4=-1,gres/shard=128,gres/gpu:a10g=-1 Flags=DenyOnLimit
  changed
  ;;
*) echo "usage: sacctmgr.sh before-slurmctld | after-slurmctld" >&2; exit 2 ;;
esac

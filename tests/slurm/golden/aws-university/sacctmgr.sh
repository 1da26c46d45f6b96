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

# The description of an account of an organization says so, also after the organization has left.

organization() { # <cluster> <name> <account>...
  local cluster=$1 mark="organization $2" known missing name
  shift 2
  known=$(sacctmgr -nP show account format=account,description)
  missing=$(sed -n "s/|$mark\$//p" <<<"$known" | others "$@")
  for name in ${missing//,/ }; do
    if grep -q "^$name|former organization " <<<"$known"; then
      change modify account where name="$name" cluster="$cluster" set maxsubmitjobs=-1
    fi
    change modify account where name="$name" set description="$mark"
  done
}

close_others() { # <cluster> <account>...: other accounts of organizations take no more jobs
  local cluster=$1 here name mark
  shift
  here=$(sacctmgr -nP show assoc where cluster="$cluster" user= format=account)
  while IFS='|' read -r name mark; do
    if [[ $mark == organization\ * && " $* " != *" $name "* ]] && grep -qxF "$name" <<<"$here"; then
      change modify account where name="$name" cluster="$cluster" set maxsubmitjobs=0
      change modify account where name="$name" set description="former $mark"
    fi
  done < <(sacctmgr -nP show account format=account,description)
}

coordinators() { # <account> [<user>...]
  local name=$1 found missing gone
  shift
  found=$(sacctmgr -nP show account where name="$name" withcoord format=coordinators | tr , '\n')
  missing=$(others "$@" <<<"$found")
  [[ -z $missing ]] || change add coordinator account="$name" names="$missing"
  # shellcheck disable=SC2086
  gone=$(printf '%s\n' "$@" | others $found)
  [[ -z $gone ]] || change delete coordinator where account="$name" names="$gone"
}

only_users() { # <cluster> <account> [<user>...]: someone who left must not use the organization's share
  local cluster=$1 account=$2 found gone
  shift 2
  found=$(sacctmgr -nP show assoc where cluster="$cluster" account="$account" format=user)
  # shellcheck disable=SC2086
  gone=$(printf '%s\n' "$@" | others $found)
  [[ -z $gone ]] || change delete user where name="$gone" cluster="$cluster" account="$account"
}

LIMITED=/var/lib/hpc/budgets # associations with a limit of ours, as `account/user`; those of administrators are left alone

budgets() { # <cluster> [<account>/<user>=<limit>]...: set missing limits, and remove those that are not described any more
  local cluster=$1 limited each
  shift
  if [[ $# -eq 0 && ! -e $LIMITED ]]; then return; fi
  limited=$(sacctmgr -nP show assoc where cluster="$cluster" format=account,user,grptresmins |
    sed -n 's/|[^|]*billing=[^|]*$//p' | tr '|' /)
  printf '%s\n' "${@%=*}" >>$LIMITED # beside the former ones, which the next run removes if this one fails
  for each; do
    grep -qxF "${each%=*}" <<<"$limited" || billing_limit "$cluster" "${each%=*}" "${each##*=}"
  done
  while read -r each; do
    if [[ -n $each && " $* " != *" $each="* ]] && grep -qxF "$each" <<<"$limited"; then billing_limit "$cluster" "$each" -1; fi
  done < <(sort -u $LIMITED)
  if [[ ${#FAILED[@]} -gt 0 ]]; then return; fi
  if [[ $# -eq 0 ]]; then rm $LIMITED; else printf '%s\n' "${@%=*}" >$LIMITED; fi
}

billing_limit() { # <cluster> <account>/<user> <limit>
  local account=${2%/*} user=${2#*/}
  if [[ -n $user ]]; then
    change modify user where name="$user" account="$account" cluster="$1" set grptresmins=billing="$3"
  else
    change modify account where name="$account" cluster="$1" set grptresmins=billing="$3"
  fi
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
  users university deep-learning dave erin
  shares university nlp root 3 long,normal normal
  users university nlp alice bob
  default_account university computer-vision carol
  default_account university deep-learning dave erin
  default_account university nlp alice bob
  admin_level Administrator erin
  admin_level None alice bob carol dave
  close_others university
  budgets university computer-vision/=12000000000 deep-learning/=20000000000 nlp/=8000000000
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

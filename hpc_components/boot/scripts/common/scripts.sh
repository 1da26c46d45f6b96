# The description's own scripts: those for the boot run once on a machine, and again on head and login nodes if they
# change; those for an image run where it is made.
# shellcheck shell=bash

OWN_SCRIPTS=/opt/hpc/scripts

own_scripts() {
  local of list=$HPC_ROLE/scripts.list group name seconds address sum
  if [[ ! -e $list ]]; then return; fi
  case $HPC_ROLE in
    compute) of=$(node_fact queue) ;;
    image) of=$HPC_IMAGE ;;
    *) of=$HPC_ROLE ;;
  esac
  install -d -m 700 $OWN_SCRIPTS
  while read -r group name seconds address sum <&3; do
    if [[ $group == "$of" ]]; then own_script; fi
  done 3<"$list"
}

own_script() { # the one whose line the caller has read
  local file=$OWN_SCRIPTS/$name known status=0 about
  if [[ $address == - ]]; then
    put "$file" 700 <"$HPC_ROLE/scripts/$name"
  else
    fetched "$file"
  fi
  if [[ $HPC_ROLE == image ]]; then
    known=image
    about=(HPC_ROLE=image "HPC_IMAGE=$HPC_IMAGE")
  else
    known=$(node_fact id)\ $(sha256sum <"$file") # an image may have been made from another machine
    about=("HPC_CLUSTER=$HPC_CLUSTER" "HPC_ROLE=$HPC_ROLE" "HPC_NODE=$(hostname)")
    about+=("HPC_QUEUE=$([[ $HPC_ROLE != compute ]] || echo "$group")")
    if [[ $(cat "$file.done" 2>/dev/null) == "$known" ]]; then return; fi
  fi
  # to a file, because whoever waits for the end of a pipe also waits for services that the script has started
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${about[@]}" \
    timeout --kill-after=10 "$seconds" "$file" >"$file.log" 2>&1 </dev/null || status=$?
  cat "$file.log"
  case $status in
    0) put "$file.done" 600 <<<"$known" ;;
    124 | 137) die "script $name: ended after its time_limit of $seconds s" ;;
    *) die "script $name: exit code $status: $(sed '/^[[:space:]]*$/d' "$file.log" | tail -n 1)" ;;
  esac
}

fetched() { # <file>
  if [[ -e $1 ]] && sha256sum --status -c <<<"$sum  $1"; then return; fi
  # an address with a signature needs no identity
  if [[ $address != *\?* ]] && in_bucket "$address"; then
    fetch_object "$address" "$1.new" || die "script $name: $address can't be fetched: may this node's identity read it?"
  else
    curl -fsS -m 120 --retry 5 -o "$1.new" "$address" || die "script $name: $address can't be fetched"
  fi
  sha256sum --status -c <<<"$sum  $1.new" || die "script $name: $address has not the described sha256"
  chmod 700 "$1.new"
  mv "$1.new" "$1"
}

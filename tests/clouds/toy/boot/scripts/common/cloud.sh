# The verbs of first boot on the toy cloud, all of whose services are at one address. What each of them must do is said
# in docs/boot.md, "What a cloud brings".
# shellcheck shell=bash

toy() { # <path> <option of curl>...
  curl -fsS -m 5 "${@:2}" "${TOY:-http://169.254.9.1}/$1"
}

status() { # <path> <option of curl>...: of HTTP; 410 is that of a secret without a value
  curl -sS -m 5 -w '%{http_code}' -o /dev/null "${@:2}" "${TOY:-http://169.254.9.1}/$1"
}

fact() { # id | address | queue | number
  case $1 in
    id | address) toy "metadata/$1" ;;
    queue | number) toy "metadata/label/hpc_$1" ;;
    *) die "no fact of a node is called '$1'" ;;
  esac
}

secret() { echo "secrets/$HPC_CLUSTER/$1"; }

read_secret() { # <name> <seconds>
  local left
  for ((left = $2; left > 0; left--)); do
    [[ $(status "$(secret "$1")") != 200 ]] || break
    sleep 1
  done
  toy "$(secret "$1")" || die "secret $1: nobody has given it a value"
}

keep_secret() { # <name> <file> <bytes>
  local there
  there=$(status "$(secret "$1")")
  [[ $there == @(200|410) ]] || die "there is no secret $1; \`pulumi up\` makes it"
  if [[ ! -s $2 ]]; then
    if [[ $there == 200 ]]; then toy "$(secret "$1")"; else head -c "$3" /dev/urandom; fi | put "$2" 600
  fi
  toy "$(secret "$1")" -X PUT --data-binary "@$2"
}

agree_secret() { # <name> <file>: whoever comes second is answered 412
  local answer
  answer=$(status "$(secret "$1")" -X PUT -H 'If-None-Match: *' --data-binary "@$2")
  [[ $answer == @(200|412) ]] || die "there is no secret $1; \`pulumi up\` makes it"
  toy "$(secret "$1")"
}

read_password() { # <secret>
  local line=''
  read -r line < <(toy "secrets/$1") || [[ -n $line ]] || die "secret $1 has no password in it"
  echo "$line"
}

publish() { toy "buckets/$HPC_CONFIG/published/$1" -X PUT --data-binary "@$2"; } # <name> <file>

published() { # <name> <file> <seconds>
  local left
  for ((left = $3; left > 0; left--)); do
    [[ $(status "buckets/$HPC_CONFIG/published/$1") != 200 ]] || break
    sleep 1
  done
  (umask 077 && toy "buckets/$HPC_CONFIG/published/$1" -o "$2.new") || die "$1: the head node has not published it"
  mv "$2.new" "$2"
}

in_bucket() { [[ $1 == pond://* ]]; }

fetch_folder() { # <pond://bucket/folder> <folder>
  local from=${1#pond://} name
  toy "list/$from" | while read -r name; do
    mkdir -p "$(dirname "$2/$name")"
    toy "buckets/$from/$name" -o "$2/$name"
  done
}

fetch_object() { toy "buckets/${1#pond://}" -o "$2"; } # <pond://bucket/object> <file>

send_log() { tail -n 100 "$1" | toy "logs/$HPC_CLUSTER" -X PUT --data-binary @-; }

send_audit() { toy "logs/$HPC_CLUSTER-audit" -X PUT --data-binary @- <"$1"; }

metrics_login() { :; }

adapt_image() { :; }

cloud_packages() { :; } # curl is in every image

own_disks() { lsblk -dnpro NAME,SERIAL | sed -n 's/ own[0-9]*$//p'; }

image_scratch() { :; }

state_disk() {
  local name try
  for ((try = 0; try < 300; try++)); do
    name=$(lsblk -dnpro NAME,SERIAL | sed -n 's/ state$//p')
    if [[ -n $name ]]; then
      echo "$name"
      return
    fi
    sleep 2
  done
  die "the state volume is not attached after ten minutes"
}

time_source() { echo server 169.254.9.2 iburst; }

metadata_addresses() { echo 169.254.9.1; }

metadata_users() { :; }

lend_bucket_access() { :; } # buckets are open to all in the network

install_fabric() { # node | users
  toy software/current.sh | bash -s "$1" || die "Current's software can't be fetched from ${TOY:-http://169.254.9.1}"
}

fabric_mpi() { :; }

nccl_plugin() { :; }

install_lustre_client() { die "the toy cloud has no Lustre"; }

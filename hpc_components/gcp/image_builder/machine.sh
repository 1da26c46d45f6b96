#!/bin/bash
# Runs one step of an image's bundle on this machine, writes its result as an object of the bucket, and deletes the
# machine. Metadata says which: hpc-config (bucket), hpc-bundle and hpc-result (objects), hpc-sha256, hpc-step,
# hpc-version, hpc-image (name of the image, and of the disk that it is made from).
set -uo pipefail
umask 077

IMDS=${IMDS:-http://169.254.169.254}
STORAGE=${STORAGE:-https://storage.googleapis.com} COMPUTE=${COMPUTE:-https://compute.googleapis.com}
BUNDLE=$(mktemp) LOG=$(mktemp)

attribute() { meta "instance/attributes/hpc-$1"; }

meta() { curl -fsS -m 5 --noproxy '*' -H Metadata-Flavor:Google "$IMDS/computeMetadata/v1/$1"; }

authorization() { # through a pipe: users see arguments
    meta instance/service-accounts/default/token |
        python3 -c 'import json, sys; print("Authorization: Bearer " + json.load(sys.stdin)["access_token"])'
}

google() { # arguments of curl
    authorization | curl -fsS -m 150 -H @- "$@"
}

patiently() { # a new permission takes effect after some minutes
    local _
    for _ in $(seq "${TRIES:-60}"); do
        "$@" && return
        sleep "${PAUSE:-10}"
    done
    return 1
}

object() { echo "$STORAGE/storage/v1/b/$bucket/o/${1//\//%2F}"; }

is_written() { # a missing object is forbidden rather than not found, because this account may list nothing
    google -o /dev/null "$(object "$result")" 2>/dev/null
}

look_for_image() { # sets `made`; fails if Google says neither
    local code
    code=$(google -o /dev/null -w '%{http_code}' "$project/global/images/$image" 2>/dev/null)
    case $code in
    200) made=yes ;;
    404) made=no ;;
    *) return 1 ;;
    esac
}

fetch() { google -o "$BUNDLE" "$(object "$bundle")?alt=media"; }

report() {
    google -H 'Content-Type: text/plain' --data-binary "$outcome" -o /dev/null \
        "$STORAGE/upload/storage/v1/b/$bucket/o?uploadType=media&name=${result//\//%2F}"
}

run() {
    echo "$(attribute sha256)  $BUNDLE" | sha256sum --check --quiet || return 1
    HPC_IMAGE_VERSION=$(attribute version) bash "$BUNDLE" "$step"
}

keep_disk() { # beyond this machine: the image is made of it
    local name
    name=$(google -X POST -H Content-Length:0 \
        "$zone/instances/$self/setDiskAutoDelete?autoDelete=false&deviceName=hpc-image" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])') || return 1
    google -X POST -H Content-Length:0 -o /dev/null "$zone/operations/$name/wait"
}

bake() {
    patiently look_for_image || { echo "whether the image exists is unknown"; return 1; }
    [ "$made" = yes ] || { run && patiently keep_disk; }
}

check() {
    local failed=0
    run || failed=1
    [ "$failed" = 0 ] || patiently google -X DELETE -o /dev/null "$project/global/images/$image"
    google -X DELETE -o /dev/null "$zone/disks/$image" 2>/dev/null # the image no longer needs it
    return "$failed"
}

bucket=$(attribute config) bundle=$(attribute bundle) step=$(attribute step) result=$(attribute result)
image=$(attribute image) self=$(meta instance/name)
project=$COMPUTE/compute/v1/projects/$(meta project/project-id)
zone=$project/zones/$(basename "$(meta instance/zone)")
declare -A steps=([bake]=bake [test]=check)
if ! patiently fetch; then
    outcome="failed: $bundle can't be fetched"
elif is_written; then
    outcome=
elif "${steps[$step]}" >"$LOG" 2>&1; then
    outcome=ok
else
    outcome="failed: $(tail -n 5 "$LOG")"
fi
tail -n 200 "$LOG"
rm -f "$BUNDLE" "$LOG"
[ -z "$outcome" ] || patiently report
sync
google -X DELETE -o /dev/null "$zone/instances/$self" || "${POWEROFF:-poweroff}"

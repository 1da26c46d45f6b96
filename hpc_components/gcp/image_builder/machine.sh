#!/bin/bash
# Runs one step of an image's bundle on this machine, writes its result as an object of the bucket, and powers off.
# Metadata says which: hpc-config (bucket), hpc-bundle (object), hpc-sha256, hpc-step, hpc-version.
set -uo pipefail
umask 077

IMDS=${IMDS:-http://169.254.169.254}
API=${GOOGLEAPIS:-https://storage.googleapis.com}
BUNDLE=$(mktemp) LOG=$(mktemp)

meta() { curl -fsS -m 5 --noproxy '*' -H Metadata-Flavor:Google "$IMDS/computeMetadata/v1/instance/$1"; }

authorization() { # through a pipe: users see arguments
    meta service-accounts/default/token |
        python3 -c 'import json, sys; print("Authorization: Bearer " + json.load(sys.stdin)["access_token"])'
}

patiently() { # a new permission takes effect after some minutes
    local _
    for _ in $(seq "${TRIES:-60}"); do
        "$@" && return
        sleep "${PAUSE:-10}"
    done
    return 1
}

fetch() {
    local object=${1//\//%2F}
    authorization | curl -fsS -m 60 -H @- -o "$BUNDLE" "$API/storage/v1/b/$bucket/o/$object?alt=media"
}

report() {
    authorization | curl -fsS -m 60 -H @- -H 'Content-Type: text/plain' --data-binary "$1" -o /dev/null \
        "$API/upload/storage/v1/b/$bucket/o?uploadType=media&name=${2//\//%2F}"
}

run() {
    patiently fetch "$bundle" || { echo "$bundle can't be fetched"; return 1; }
    echo "$(meta attributes/hpc-sha256)  $BUNDLE" | sha256sum --check --quiet || return 1
    HPC_IMAGE_VERSION=$(meta attributes/hpc-version) bash "$BUNDLE" "$step"
}

bucket=$(meta attributes/hpc-config) bundle=$(meta attributes/hpc-bundle) step=$(meta attributes/hpc-step)
result=${bundle%.sh}-$step-$(meta id).txt
if run >"$LOG" 2>&1; then
    outcome=ok
else
    outcome="failed: $(tail -n 5 "$LOG")"
fi
tail -n 200 "$LOG"
rm -f "$BUNDLE" "$LOG"
patiently report "$outcome" "$result"
"${POWEROFF:-poweroff}"

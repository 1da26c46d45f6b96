#!/bin/bash
# Makes an image. `bash <this file> bake`, as root on a machine of the base image, prepares and seals the machine; then
# an image is made of its disk. `bash <this file> test`, on a machine booted from that image, checks the image.
set -euo pipefail

fail() { echo "hpc-image: FAILED: $*"; exit 1; }

[[ $# -eq 1 && $1 == @(bake|test) ]] || fail "use \`bash $0 bake\` or \`bash $0 test\`"
[[ $(id -u) -eq 0 ]] || fail "$1 needs root"
HPC_IMAGE_VERSION=${HPC_IMAGE_VERSION:-$(sha256sum <"$0" | cut -c 1-12)}
export HPC_IMAGE_VERSION HPC_ROLE=image HPC_CONFIG=
at=$(mktemp -d /var/tmp/hpc-image.XXXXXX)
trap 'rm -rf "$at"' EXIT
sed '1,/^exit # files follow$/d' "$0" | base64 -d | tar -xf - -C "$at" || fail "$0 is incomplete"
mkdir -p /opt/hpc
(cd "$at/files" && bash boot/image.sh "$1") 2>&1 | tee "$at/log" || fail "$1: $(tail -n 1 "$at/log")"
echo "hpc-image: $1 succeeded"
exit # files follow

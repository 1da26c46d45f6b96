#!/bin/bash
# Runs a bundle in a container on a root file system that stays as it is. It is process 1 of new namespaces (mount, pid,
# and for a test also net, so that nothing can be fetched): when it ends, all that it started and mounted ends. It ends when
# the bundle does, or when its standard input, which begins with the bundle, is closed.
# `bash container.sh <bake|test> <bytes of the bundle> <directory for the result, or nothing> <layer>...`: upper layers first.
set -euo pipefail

VERB=$1 BYTES=$2 RESULT=$3
AT=/run/systemd/nspawn/hpc
SYSTEMCTL=$AT/root/usr/local/sbin/systemctl
shift 3

prepare() { # <layer>...
  local layer layers=()
  mkdir -p /run/systemd/nspawn
  mount -t tmpfs -o mode=755 tmpfs /run/systemd/nspawn # systemd-nspawn's own place, so it hides no directory of the user
  mkdir -p "$AT/upper" "$AT/work" "$AT/root"
  for layer in "$@"; do
    layers+=("$AT/layer-${#layers[@]}")
    mkdir "${layers[-1]}"
    mount --bind "$layer" "${layers[-1]}"
  done
  mount -t overlay overlay -o "lowerdir=$(IFS=:; echo "${layers[*]}"),upperdir=$AT/upper,workdir=$AT/work" "$AT/root"
  head -c "$BYTES" >"$AT/root/root/hpc-image.sh"
  install -D -m 755 /dev/stdin "$SYSTEMCTL" <<'END'
#!/bin/bash
# No service runs in this container: units are enabled and disabled, and that is all.
for word; do
  if [[ $word == is-active ]]; then exit 3; elif [[ $word != --now ]]; then words+=("$word"); fi
done
SYSTEMD_OFFLINE=1 exec /usr/bin/systemctl "${words[@]}"
END
}

contained() { # <option of systemd-nspawn>... <command>...
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn -q -D "$AT/root" --hostname=image --register=no --keep-unit \
    --as-pid2 --console=pipe --timezone=off --link-journal=no --kill-signal=SIGKILL "$@"
}

run() {
  if [[ $VERB == bake ]]; then
    contained --resolv-conf=copy-host bash /root/hpc-image.sh bake
  else
    echo '127.0.0.1 image' >>"$AT/root/etc/hosts" # as a cloud's name server knows the machine
    ip link set lo up
    ip address add 192.0.2.1/32 dev lo # daemons look for an address that is not that of a machine without a network
    # what a machine makes at its first boot
    contained bash -c 'systemd-machine-id-setup 2>/dev/null && ssh-keygen -A >/dev/null && exec bash /root/hpc-image.sh test'
  fi
  if [[ $RESULT ]]; then
    rm -f "$AT/root/root/hpc-image.sh" "$SYSTEMCTL"
    rm -rf "$RESULT.part"
    cp -a "$AT/root" "$RESULT.part"
    mv "$RESULT.part" "$RESULT"
  fi
}

prepare "$@"
exec 3<&0 </dev/null
run &
cat <&3 >/dev/null &
wait -n

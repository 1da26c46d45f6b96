#!/bin/bash
# First boot of every node: fetch what its role has in the config bucket, check it by the manifest, run boot/<role>.sh.
# The tags hpc:config (bucket) and hpc:role tell which.
set -uo pipefail
umask 077
@CLOUD_SETTINGS@
ROOT=${HPC_ROOT:-/opt/hpc}
LOG=${HPC_LOG:-/var/log/hpc-boot.log}
CONSOLE=${HPC_CONSOLE:-/dev/console}
TRIES=${HPC_TRIES:-14} # 8 minutes
PAUSE=${HPC_PAUSE:-1} # seconds; doubles up to 60
WHY=""

say() { echo "hpc-boot: $*" | tee -a "$LOG" "$CONSOLE" 2>/dev/null; }
die() { # a compute node that can't join only costs money
  say "FAILED: $*"
  if [[ ${HPC_ROLE:-}${HPC_UPDATE:-} == compute ]] && ! systemctl is-active -q slurmd; then shutdown -h +1; fi
  exit 1
}
fail() { WHY=$*; return 1; }

@CLOUD_FUNCTIONS@

sums() { LC_ALL=C sha256sum -c 2>/dev/null <<<"$ours" | sed -n "s/: $1.*//p"; }

fetch() {
  local ours="" sum path new got
  who_am_i && get manifest && mv new/manifest . || return 1
  while read -r sum path; do
    case $path in
      *..*) die "manifest: $path leaves the directory" ;;
      common/* | "$HPC_ROLE"/* | "boot/$HPC_ROLE.sh") ours+="$sum  $path"$'\n' ;;
    esac
  done <manifest
  mapfile -t new < <(sums FAILED)
  ((${#new[@]})) || return 0
  get "${new[@]}"; got=$?
  (cd new && sums OK | xargs -r cp --parents -t ..)
  rm -rf new
  read -r path < <(sums FAILED) || return 0
  ((got)) || fail "$path: not the checksum of the manifest"
  return 1
}

{ mkdir -p "$ROOT/config" && cd "$ROOT/config"; } || die "$ROOT/config: can't be made"
exec 9<. # one run at a time
flock ${HPC_UPDATE:+-n} 9 || exit 0
for ((n = 1; ; n++)); do
  fetch 2>>"$LOG" && break
  ((n < TRIES)) || die "$WHY ($n attempts)"
  sleep "$PAUSE" && PAUSE=$((PAUSE < 30 ? PAUSE * 2 : 60))
done
if [[ ${HPC_UPDATE:-} ]] && cmp -s manifest applied; then exit 0; fi # nothing new
say "$HPC_ROLE: configuration of $HPC_CONFIG is here"
[[ -f boot/$HPC_ROLE.sh ]] || { say "the manifest has no boot/$HPC_ROLE.sh: nothing to run"; exit 0; }
export HPC_CONFIG HPC_ROLE HPC_REGION
bash "boot/$HPC_ROLE.sh" >>"$LOG" 2>&1 9<&- || die "boot/$HPC_ROLE.sh ended with $?: $(tail -n 1 "$LOG")"
cp manifest applied
say "boot/$HPC_ROLE.sh is done"

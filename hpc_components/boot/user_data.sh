#!/bin/bash
# First boot of every node: fetch boot/<role>.sh, common/*, <role>/* from the config bucket, check them by its manifest,
# run boot/<role>.sh. The tags hpc:config (bucket) and hpc:role tell which.
set -uo pipefail
umask 077
IMDS=${IMDS:-http://169.254.169.254}
ROOT=${HPC_ROOT:-/opt/hpc}
LOG=${HPC_LOG:-/var/log/hpc-boot.log}
CONSOLE=${HPC_CONSOLE:-/dev/console}
TRIES=${HPC_TRIES:-14} # eight minutes
PAUSE=${HPC_PAUSE:-1}  # seconds; doubles up to 60
WHY=""

say() { echo "hpc-boot: $*" | tee -a "$LOG" "$CONSOLE" 2>/dev/null; }
die() { # a compute node that can't join only costs money
  say "FAILED: $*"
  if [[ ${HPC_ROLE:-}${HPC_UPDATE:-} == compute ]] && ! systemctl is-active -q slurmd; then shutdown -h +1; fi
  exit 1
}
fail() { WHY=$*; return 1; } # told after the last attempt

meta() { curl -fsS -m 5 -H "X-aws-ec2-metadata-token: $TOKEN" "$IMDS/latest/meta-data/$1"; }

who_am_i() {
  {
    TOKEN=$(curl -fsS -m 5 -X PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 900" "$IMDS/latest/api/token") &&
    HPC_CONFIG=$(meta tags/instance/hpc:config) && HPC_ROLE=$(meta tags/instance/hpc:role) &&
    HPC_REGION=$(meta placement/region) && DOMAIN=$(meta services/domain) &&
    PROFILE=$(meta iam/security-credentials/) && CREDENTIALS=$(meta "iam/security-credentials/$PROFILE")
  } || fail "instance metadata: no token, tag hpc:config, tag hpc:role, region or role"
}

# Signature version 4 by hand: curl before 7.86 does not sign the session token. Users see arguments, not pipes.
SIGN='
import hashlib, hmac, json, sys, time
host, path, region = sys.argv[1:]
role = json.load(sys.stdin)
now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
send = {"host": host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "x-amz-date": now, "x-amz-security-token": role["Token"]}
scope, names = [now[:8], region, "s3", "aws4_request"], ";".join(send)
asked = "\n".join(["GET", path, "", *map(":".join, send.items()), "", names, "UNSIGNED-PAYLOAD"])
key = ("AWS4" + role["SecretAccessKey"]).encode()
for part in *scope, "\n".join(["AWS4-HMAC-SHA256", now, "/".join(scope), hashlib.sha256(asked.encode()).hexdigest()]):
    key = hmac.digest(key, part.encode(), "sha256")
credential = role["AccessKeyId"] + "/" + "/".join(scope)
send["authorization"] = f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={key.hex()}"
print(*map(": ".join, send.items()), sep="\n")'

get() { # <object> <file>
  local url=${S3:-https://$HPC_CONFIG.s3.$HPC_REGION.$DOMAIN}
  python3 -c "$SIGN" "${url#*://}" "/$1" "$HPC_REGION" <<<"$CREDENTIALS" |
    curl -fsS -m 60 -o "$2" -H @- "$url/$1" || fail "$url/$1: can't be fetched"
}

fetch() { # the manifest, then what of it is ours and new
  local sum path
  who_am_i && get manifest manifest || return 1
  while read -r sum path; do
    case $path in *..*) die "manifest: $path leaves the directory" ;; esac
    case $path in common/* | "$HPC_ROLE"/* | "boot/$HPC_ROLE.sh") ;; *) continue ;; esac
    sha256sum --status -c 2>/dev/null <<<"$sum  $path" && continue
    mkdir -p "$(dirname "$path")" && get "$path" .part || return 1
    sha256sum --status -c <<<"$sum  .part" || fail "$path: not the checksum of the manifest" || return 1
    mv .part "$path"
  done <manifest
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

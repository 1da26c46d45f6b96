IMDS=${IMDS:-http://169.254.169.254}

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

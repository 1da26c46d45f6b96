# `hpc-health`: checks whether the machine of a compute node is healthy, now and later.
# shellcheck shell=bash

HEALTH=/opt/hpc/bin/hpc-health

health() { # a machine that fails a check never joins, and is replaced
  local said status=0
  if [[ ! -e compute/health.json ]]; then
    rm -f $HEALTH $HEALTH-idle /etc/hpc/health.json # an image may have been made from a node
    return
  fi
  base64 -d compute/hpc-health.b64 | put $HEALTH 755
  put $HEALTH-idle 755 <<END
#!/bin/sh
# slurmd runs this while the node is idle
exec $HEALTH check --at idle --drain
END
  put /etc/hpc/health.json 644 <compute/health.json
  said=$($HEALTH check --at boot 2>&1) || status=$?
  grep -v '^well ' <<<"$said" || true
  if ((status == 3)); then die "$(tail -n 1 <<<"$said")"; fi
}

# The audit trail: `hpc-audit` reads it from this node's logs, and a timer sends it to the cloud's log service, where
# it stays when the node is gone. With `audit` in the description only. docs/audit.md
# shellcheck shell=bash

AUDIT=/opt/hpc/bin/hpc-audit
AUDIT_UNIT=/etc/systemd/system/hpc-audit

audit() {
  if [[ ! -e common/hpc-audit.b64 ]]; then
    no_audit
    return
  fi
  base64 -d common/hpc-audit.b64 | put $AUDIT 755
  printf 'HPC_%s\n' "ROLE=$HPC_ROLE" "CONFIG=$HPC_CONFIG" "REGION=$HPC_REGION" | put /etc/hpc/audit.env 644
  audit_units
  running hpc-audit.timer $AUDIT_UNIT.timer $AUDIT_UNIT.service $AUDIT
  running hpc-audit-end $AUDIT_UNIT-end.service
}

audit_units() {
  local seconds=60
  if [[ $HPC_ROLE == compute ]]; then seconds=600; fi # a job on a thousand nodes waits for the slowest of them
  put $AUDIT_UNIT.service 644 <<END
[Unit]
Description=Send the audit trail to the cloud's log service
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
$(sending ExecStart)
END
  put $AUDIT_UNIT.timer 644 <<END
[Unit]
Description=Look for new records of the audit trail

[Timer]
OnActiveSec=10s
OnUnitInactiveSec=${seconds}s
RandomizedDelaySec=$((seconds / 6))s

[Install]
WantedBy=timers.target
END
  put $AUDIT_UNIT-end.service 644 <<END
[Unit]
Description=Send the rest of the audit trail before the node ends
After=network-online.target systemd-resolved.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
$(sending ExecStop)

[Install]
WantedBy=multi-user.target
END
}

sending() { # ExecStart | ExecStop: the lines of a service that sends what is new
  printf '%s\n' WorkingDirectory=/opt/hpc/config EnvironmentFile=/etc/hpc/audit.env SyslogIdentifier=hpc-audit \
    "$1=/bin/bash -Eeuo pipefail -O inherit_errexit common/audit/send.sh" TimeoutSec=120
}

no_audit() {
  if [[ ! -e $AUDIT ]]; then return; fi
  gone $AUDIT_UNIT.timer $AUDIT_UNIT-end.service
  rm -f $AUDIT_UNIT.service /etc/hpc/audit.env
  rm -rf $AUDIT /var/lib/hpc-audit
}

# `hpc-bill`: tells people what their jobs may cost, and on the head node keeps Slurm's limits right. With budgets only.
# shellcheck shell=bash

BILL=/opt/hpc/bin/hpc-bill
SETTLE=/etc/systemd/system/hpc-settle
END_JOBS=/etc/systemd/system/hpc-end-jobs.service
BUDGET_METRICS=/var/lib/prometheus/node-exporter/budgets.prom
AFTER_START=/etc/systemd/system/slurmctld.service.d/hpc-settle.conf

bill() { # on the head node before slurmctld starts, whose unit names hpc-settle
  if [[ ! -e common/budgets.json ]]; then
    no_bill
    return
  fi
  base64 -d common/hpc-bill.b64 | put $BILL 755
  ln -sfn $BILL /usr/local/bin/hpc-bill
  put /etc/hpc/budgets.json 600 <common/budgets.json
  # people call this verb without arguments, and it shows each the budgets that concern them
  put /etc/sudoers.d/hpc-bill 440 <<END
ALL ALL=(root) NOPASSWD: $BILL concerns
Defaults!$BILL secure_path="/usr/sbin:/usr/bin:/sbin:/bin"
END
  if [[ $HPC_ROLE == head ]]; then settled_limits; fi
}

settled_limits() {
  local metrics=""
  if [[ $HPC_MONITORING == yes ]]; then metrics="ExecStart=-$BILL metrics"; else rm -f $BUDGET_METRICS; fi
  put $SETTLE.service 644 <<END
[Unit]
Description=Make the limits of budgets agree with what jobs have cost
After=slurmctld.service slurmdbd.service

[Service]
Type=oneshot
$metrics
ExecStart=$BILL settle
Restart=on-abnormal
RestartSec=1
SyslogIdentifier=hpc-bill
END
  put $SETTLE.timer 644 <<'END'
[Unit]
Description=Look each minute whether the limits of budgets must be settled

[Timer]
OnActiveSec=60s
OnUnitInactiveSec=60s
AccuracySec=1s

[Install]
WantedBy=timers.target
END
  # slurmctld may have forgotten the last minutes, if it was killed
  put $AFTER_START 644 <<'END'
[Service]
ExecStartPost=-systemctl start --no-block hpc-settle.service
END
}

limits_settled() { # on the head node, once Slurm has the limits of a changed description
  if [[ ! -e common/budgets.json ]]; then return; fi
  running hpc-settle.timer $SETTLE.timer $SETTLE.service
  if grep -q '"at_limit": "end"' common/budgets.json; then jobs_ended; else gone $END_JOBS; fi
  $BILL settle
}

jobs_ended() { # in the second in which their budget is spent; without this service, Slurm ends them a minute later
  put $END_JOBS 644 <<END
[Unit]
Description=End the jobs of budgets that are spent
After=slurmctld.service

[Service]
ExecStart=$BILL end
Restart=always
RestartSec=1
SyslogIdentifier=hpc-bill

[Install]
WantedBy=multi-user.target
END
  running hpc-end-jobs $END_JOBS $BILL
}

no_bill() {
  if [[ ! -e $BILL ]]; then return; fi
  rm -f /etc/sudoers.d/hpc-bill /usr/local/bin/hpc-bill /etc/hpc/budgets.json
  rm -f /var/lib/hpc/budgets.{settled,unsettled,months,lock} $BUDGET_METRICS
  gone $SETTLE.timer $END_JOBS
  if [[ -e $AFTER_START ]]; then
    rm -f $AFTER_START $SETTLE.service
    touch "$RUN/reload"
  fi
  rm $BILL
}

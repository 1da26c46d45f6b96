# What jobs have cost, in their comments in slurmdbd. With budgets and cost_estimates only.
# shellcheck shell=bash

BILL=/opt/hpc/bin/hpc-bill
COSTS=/etc/systemd/system/hpc-job-costs

job_costs() {
  if [[ $HPC_JOB_COSTS != yes ]]; then
    gone $COSTS.timer
    rm -f $COSTS.service /var/lib/hpc/costs.written
    return
  fi
  put $COSTS.service 644 <<END
[Unit]
Description=Write what ended jobs have cost into their comments
After=slurmctld.service slurmdbd.service

[Service]
Type=oneshot
ExecStart=$BILL comment
SyslogIdentifier=hpc-bill
# scheduling and users' commands come first
Nice=10
END
  put $COSTS.timer 644 <<'END'
[Unit]
Description=Look each minute whether jobs have ended

[Timer]
OnActiveSec=60s
OnUnitInactiveSec=60s

[Install]
WantedBy=timers.target
END
  running hpc-job-costs.timer $COSTS.timer $COSTS.service
}

# What jobs have cost, in their comments in slurmdbd and in Slurm's e-mails. With budgets and cost_estimates only.
# shellcheck shell=bash

BILL=/opt/hpc/bin/hpc-bill
MAIL=/opt/hpc/bin/hpc-mail
COSTS=/etc/systemd/system/hpc-job-costs

mail_program() { # before slurmctld starts, which names it as MailProg
  if [[ ! -e head/mail_program ]]; then
    rm -f $MAIL
    return
  fi
  # Slurm's e-mails have a subject and no text. Source: Slurm source code, src/slurmctld/agent.c, _mail_proc
  put $MAIL 755 <<END
#!/bin/bash
# Adds what the job has cost to an e-mail of Slurm, whose arguments are -s <subject> <address>.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if [[ \${SLURM_JOB_MAIL_TYPE-} == @(Ended|Failed) ]]; then
  timeout 60 $BILL mail -- "\${2-}" 2>/dev/null
fi | $(printf %q "$(<head/mail_program)") "\$@"
END
}

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

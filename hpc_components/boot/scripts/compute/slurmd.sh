# Slurm on a compute node: who may log in, the watcher for notices, and slurmd at last.
# shellcheck shell=bash

# Without a job there is no session; one that there is belongs to the job and ends with it.
# Source: Slurm documentation, pam_slurm_adopt
logins_with_jobs_only() {
  local file=/etc/pam.d/sshd
  put /etc/security/hpc-access.conf 644 <<'END'
+:root (sudo):ALL
-:ALL:ALL
END
  {
    sed '/ # hpc$/d' $file
    echo 'account sufficient pam_access.so accessfile=/etc/security/hpc-access.conf noaudit # hpc'
    echo 'account required pam_slurm_adopt.so # hpc'
  } | put $file 644
  # it would move the session out of the job again
  if grep -q '^[^#].*pam_systemd' /etc/pam.d/common-session; then pam-auth-update --package --remove systemd; fi
}

watch() { # reads the notices of spot and maintenance
  base64 -d common/hpc-elastic.b64 | put /opt/hpc/bin/hpc-elastic 755
  put /etc/systemd/system/hpc-watch.service 644 <compute/units/hpc-watch.service
  running hpc-watch /etc/systemd/system/hpc-watch.service /opt/hpc/bin/hpc-elastic
}

slurmd() {
  local name gpus unit=/etc/systemd/system/slurmd.service.d/hpc.conf
  name=$(hostname)
  gpus=$(queue gpus) # here, where the step fails if the metadata service does not say
  rm -f /etc/slurm/plugstack.conf # Debian's; here it would stand beside the controller's
  install -d -o slurm -g slurm /var/log/slurm
  rotated slurmd
  put /etc/default/slurmd 644 <<<"SLURMD_OPTIONS=\"--conf-server $HPC_HEAD:6817 -N $name\""
  {
    cat compute/units/slurmd.conf
    echo '[Unit]' # after a reboot too, not without what jobs expect
    sed -n '/^# hpc begin/,/^# hpc end/s/^[^#]\S* \(\S*\) .*/RequiresMountsFor=\1/p' /etc/fstab
    if ((gpus)); then printf '[Service]\nExecStartPre=-/usr/bin/env nvidia-smi -L\n'; fi # makes /dev/nvidia*
  } | put "$unit" 644
  running slurmd /etc/default/slurmd "$unit"
  answers listening || die "slurmd: $(why slurmd)"
}

listening() { # Debian 12's slurmd counts as started before it has looked at its configuration
  [[ -n $(ss -Hltn 'sport = :6818') ]]
}

# Slurm on a compute node: access control, the watcher for notices, and finally slurmd.
# shellcheck shell=bash

# Users can log in only while they have a job here; the session belongs to the job and ends with it.
# Source: Slurm documentation, pam_slurm_adopt
logins_with_jobs_only() {
  local file=/etc/pam.d/sshd
  put /etc/security/hpc-access.conf 644 <<END
+:root ($ADMINISTRATORS) (hpc-admins):ALL
-:ALL:ALL
END
  login_lines <(sed '/ # hpc$/d' $file) <<'END' | put $file 644
account sufficient pam_access.so accessfile=/etc/security/hpc-access.conf noaudit # hpc
account required pam_slurm_adopt.so # hpc
END
  no_session_of_systemd
}

watch() { # reads spot and maintenance notices
  base64 -d common/hpc-elastic.b64 | put /opt/hpc/bin/hpc-elastic 755
  put /etc/systemd/system/hpc-watch.service 644 <compute/units/hpc-watch.service
  running hpc-watch /etc/systemd/system/hpc-watch.service /opt/hpc/bin/hpc-elastic
}

slurmd() {
  local name gpus unit=/etc/systemd/system/slurmd.service.d/hpc.conf
  name=$(hostname)
  gpus=$(queue gpus) # here, where the step fails if the metadata service does not answer
  rm -f /etc/slurm/plugstack.conf # Debian's; it would be merged with the controller's
  install -d -o slurm -g slurm /var/log/slurm
  rotated slurmd
  put /etc/default/slurmd 644 <<<"SLURMD_OPTIONS=\"--conf-server $HPC_HEAD:6817 -N $name\""
  {
    cat compute/units/slurmd.conf
    echo '[Unit]' # mount the shared file systems before slurmd, also after a reboot
    sed -n '/^# hpc begin/,/^# hpc end/s/^[^#]\S* \(\S*\) .*/RequiresMountsFor=\1/p' /etc/fstab
    if ((gpus)); then printf '[Service]\nExecStartPre=-/usr/bin/env nvidia-smi -L\n'; fi # creates /dev/nvidia*
  } | put "$unit" 644
  running slurmd /etc/default/slurmd "$unit"
  answers listening || die "slurmd: $(why slurmd)"
}

listening() { # Debian 12's slurmd counts as started before it has read its configuration
  [[ -n $(ss -Hltn 'sport = :6818') ]]
}

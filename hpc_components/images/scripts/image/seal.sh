# What an image must not have of the machine on which it was made: its identity, its secrets, and where it was.
# Sources: systemd, "Building Images Safely"; virt-sysprep(1), "OPERATIONS"; AWS, "Recommendations for creating shared
# Linux AMIs"
# shellcheck shell=bash

IMAGE=/opt/hpc/image.json

seal() {
  source common/packages.sh
  forget_archives
  systemctl disable -q --now --no-reload slurmd slurmctld slurmdbd munge mariadb "$CHRONY" 2>/dev/null || true
  describe
  # what would write while the machine goes down
  if systemctl is-active -q systemd-journald; then journalctl --relinquish-var; fi
  systemctl stop systemd-random-seed rsyslog syslog.socket 2>/dev/null || true
  machine
  secrets
  cluster
  logs
}

describe() { # /opt/hpc/image.json, for people and for the test of the image
  export HPC_IMAGE HPC_IMAGE_ROLES HPC_OS HPC_SLURM
  python3 - /opt/hpc/boot-steps.json <<'END' | put "$IMAGE" 644
import json, os, sys
steps = json.load(open(sys.argv[1]))["steps"]
about = {
    "recipe": os.environ["HPC_IMAGE"],
    "version": os.environ["HPC_IMAGE_VERSION"],
    "base": os.environ.get("HPC_IMAGE_BASE", ""),
    "os": os.environ["HPC_OS"],
    "kernel": os.uname().release,
    "slurm": os.environ["HPC_SLURM"],
    "roles": os.environ["HPC_IMAGE_ROLES"].split(),
    "steps": {each["step"]: each["seconds"] for each in steps},
}
print(json.dumps(about, indent=1))
END
}

machine() {
  if command -v cloud-init >/dev/null; then
    cloud-init clean --logs --seed
    # the network as cloud-init found it, by the hardware addresses of this machine
    rm -f /etc/netplan/50-cloud-init.yaml /etc/network/interfaces.d/50-cloud-init /etc/systemd/network/10-cloud-init-* \
      /etc/NetworkManager/system-connections/cloud-init-*
  fi
  rm -f /etc/udev/rules.d/70-persistent-net.rules /etc/hostname /etc/machine-info /etc/.resolv.conf.systemd-resolved.bak
  rm -rf /var/lib/dhcp/* /var/lib/dhclient/* /var/lib/NetworkManager/* /var/lib/systemd/{network,timesync,timers}/*
  printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >/etc/hosts
  truncate -s 0 /etc/machine-id # systemd makes a new one if it is empty; if it is missing, a read-only root has no place for it
  rm -f /var/lib/dbus/machine-id
  if [[ -d /var/lib/dbus ]]; then ln -s /etc/machine-id /var/lib/dbus/machine-id; fi
}

secrets() {
  local home
  rm -f /etc/ssh/ssh_host_* /etc/munge/munge.key /etc/slurm/jwt_hs256.key /etc/slurm/slurmdbd.conf
  rm -f /var/lib/systemd/{random-seed,credential.secret} /boot/efi/loader/random-seed
  while IFS=: read -r _ _ _ _ _ home _; do
    rm -f "$home"/.ssh/{authorized_keys,known_hosts,id_*} "$home"/.{bash_history,lesshst,viminfo,python_history,wget-hsts}
  done </etc/passwd
}

cluster() { # if the base was made from a node
  rm -rf /opt/hpc/{config,instance,boot-steps.json,scripts} /etc/cloud/cloud.cfg.d/99-hpc.cfg
}

logs() { # the files stay: some daemons don't make theirs
  rm -rf /var/log/journal/* /var/crash/* /var/mail/*
  find /var/log -type f \( -name '*.gz' -o -name '*.[0-9]' -o -name '*.old' \) -delete
  find /var/log -type f -exec truncate -s 0 {} +
}

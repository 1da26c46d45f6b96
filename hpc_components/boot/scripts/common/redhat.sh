# What differs between families of systems, for those that are built from Red Hat Enterprise Linux 9: Rocky Linux and
# AlmaLinux. debian.sh has the same names.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by steps

PACKAGES=dnf # common/dnf.sh
SSHD=sshd
CHRONY=chronyd
MARIADB=/etc/my.cnf.d/90-hpc.cnf
MODULES=/usr/share/Modules
ADMINISTRATORS=wheel
NAME_SERVICE=altfiles # reads no shadow table. Source: nss-altfiles.spec of RHEL 9
TABLES=/usr/lib
UPDATES=(dnf-automatic.timer dnf-automatic-install.timer dnf-makecache.timer)
PATH=/opt/hpc/python:$PATH # python3 that our programs need, once its package is there

# SELinux has no policy for daemons and files in /opt/hpc and for what Slurm starts, and firewalld would close Slurm's
# ports between nodes: the network's own rules are the fence. Source: ParallelCluster's cookbook and slurm-gcp, which
# switch SELinux off; Slurm's Quick Start Administrator Guide, "Firewall"
system_settings() {
  local config=/etc/selinux/config
  if [[ $(getenforce 2>/dev/null || true) == Enforcing ]]; then setenforce 0; fi
  if [[ -e $config ]]; then sed 's/^SELINUX=enforcing/SELINUX=permissive/' $config | put $config 644; fi
  quiet firewalld.service
}

read_by_chrony() { # its configuration reads no directory of the system's own
  local config=/etc/chrony.conf directory=/etc/chrony.d
  if ! grep -q "^confdir $directory" $config; then
    { cat $config && echo "confdir $directory"; } | put $config 644 >&2
  fi
  echo $directory/hpc.conf
}

where_chrony_reads() { echo /etc/chrony.conf /etc/chrony.d; }

# The system's account modules are included, and one of them ends the list for users of the machine's own files
# (pam_localuser, sufficient): what stands after them is not asked. Source: authselect, profile minimal, password-auth
login_lines() {
  awk -v lines="$(cat)" '/^account[ \t]+(include|substack)[ \t]+password-auth/ && !done { print lines; done = 1 } { print }' "$1"
}

no_session_of_systemd() {
  local file=/etc/pam.d/password-auth
  sed '/^[^#].*pam_systemd/s/^/# hpc: /' $file | put $file 644
}

# ssh-keysign belongs to this group, and root's own keys are of no use to it. Source: openssh.spec of RHEL 9
host_key_for_users() {
  if getent group ssh_keys >/dev/null; then chgrp ssh_keys "$1" && chmod 640 "$1"; fi
}

own_module_of_mpi() { # mpirun is in a directory that only a module adds to PATH
  local file
  for file in /usr/share/modulefiles/mpi/openmpi-* /etc/modulefiles/mpi/openmpi-*; do
    if [[ -e $file ]]; then
      echo "$file"
      return
    fi
  done
}

stands_aside() {
  if [[ ! -e $1.$2 ]]; then mv "$1" "$1.$2"; fi
}

# Whatever the packages are called. Headers are not held: compilers, and modules that vendors build, need them.
kernel_stays() {
  local conf=/etc/dnf/dnf.conf held='kernel kernel-core kernel-modules*'
  if grep -qs "^exclude=.*$held" $conf; then return; fi
  if grep -qs '^exclude=' $conf; then
    sed "s/^exclude=/exclude=$held /" $conf
  else
    cat $conf && echo "exclude=$held"
  fi | put $conf 644
}

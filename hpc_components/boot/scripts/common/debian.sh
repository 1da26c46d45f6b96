# What differs between families of systems, for Debian and Ubuntu. redhat.sh has the same names.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by steps

PACKAGES=apt # common/apt.sh
SSHD=ssh
CHRONY=chrony
MARIADB=/etc/mysql/mariadb.conf.d/90-hpc.cnf
MODULES=/usr/share/modules
ADMINISTRATORS=sudo
NAME_SERVICE=extrausers # the module that finds people in tables of their own, and its directory
TABLES=/var/lib/extrausers
UPDATES=(apt-daily.timer apt-daily-upgrade.timer unattended-upgrades) # units that update the system by themselves

system_settings() { :; }

read_by_chrony() { # <kind of source>: the file for a line of our own; sources.d accepts only servers
  if [[ $1 == refclock ]]; then echo /etc/chrony/conf.d/hpc.conf; else echo /etc/chrony/sources.d/hpc.sources; fi
}

where_chrony_reads() { echo /etc/chrony; }

login_lines() { # <file of PAM>: the file, and after its own account modules the lines from stdin
  cat "$1" -
}

no_session_of_systemd() { # it would move the session out of the job again
  if grep -q '^[^#].*pam_systemd' /etc/pam.d/common-session; then pam-auth-update --package --remove systemd; fi
}

host_key_for_users() { :; } # <host key>: ssh-keysign is root's

own_module_of_mpi() { :; } # mpirun is on PATH

stands_aside() { # <program of the image>: let another take its place, whatever is upgraded
  dpkg-divert --quiet --local --rename --divert "$1.$2" --add "$1"
}

kernel_stays() { # <package or pattern>...: another kernel at the next boot would lack a module that was made for this one
  dpkg-query -W -f '${Package}\n' "$@" 2>/dev/null | xargs -r apt-mark -q hold >/dev/null || true
}

# slurmdbd and its database: who used what, and who may use how much.
# shellcheck shell=bash

DATA=/var/lib/hpc/mysql

database() { # MariaDB here, its data on the state volume; nobody reaches it but over its Unix socket
  local conf=/etc/mysql/mariadb.conf.d/90-hpc.cnf unit=/etc/systemd/system/mariadb.service.d/hpc.conf
  if [[ $HPC_ACCOUNTING != local ]]; then return; fi
  put $conf 644 <<END
[mariadbd]
datadir = $DATA
skip-networking
# Source: Slurm documentation, "Accounting and Resource Limits", slurmdbd
innodb_buffer_pool_size = $(awk '/^MemTotal/ { print int($2 / 1024 / 8) }' /proc/meminfo)M
innodb_lock_wait_timeout = 900
END
  put "$unit" 644 <head/units/mariadb.conf
  if [[ ! -d $DATA/mysql ]]; then
    install -d -o mysql -g mysql -m 700 $DATA
    mariadb-install-db --user=mysql --datadir=$DATA --skip-test-db --auth-root-authentication-method=socket >/dev/null
  elif [[ $(stat -c %U $DATA) != mysql ]]; then
    chown -R mysql:mysql $DATA # another image may number its users differently
  fi
  running mariadb $conf "$unit"
  mariadb <<'END'
create database if not exists slurm_acct_db;
create user if not exists slurm@localhost identified via unix_socket;
grant all on slurm_acct_db.* to slurm@localhost;
END
}

accounting() {
  local unit=/etc/systemd/system/slurmdbd.service.d/hpc.conf text password=
  if [[ $HPC_ACCOUNTING == none ]]; then return; fi
  text=$(<head/slurm/slurmdbd.conf)
  if [[ $HPC_ACCOUNTING == external ]]; then
    password=$(python3 common/aws.py password "$HPC_DATABASE_SECRET")
  fi
  put /etc/slurm/slurmdbd.conf 600 slurm:slurm <<<"${text//@DATABASE_PASSWORD@/"$password"}"
  put "$unit" 644 <head/units/slurm.conf
  running slurmdbd /etc/slurm/slurmdbd.conf "$unit"
  answers sacctmgr -n list cluster || die "slurmdbd: $(why slurmdbd)"
  bash head/slurm/sacctmgr.sh before-slurmctld
}

limits_of_users() {
  if [[ $HPC_ACCOUNTING != none ]]; then bash head/slurm/sacctmgr.sh after-slurmctld; fi
}

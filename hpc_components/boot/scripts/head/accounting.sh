# slurmdbd and its database: accounting and limits.
# shellcheck shell=bash

DATA=/var/lib/hpc/mysql
KNOWN=/var/lib/hpc/slurmctld/assoc_mgr_state # accounts and QoS as last known to slurmctld

# Without the database slurmctld continues with what it knows, and so do queues and jobs. Functions run with `&`, because
# after `if` and `||` an error would not end them.

database() {
  if [[ $HPC_ACCOUNTING != local ]]; then return; fi
  own_database &
  wait $! || [[ -s $KNOWN ]]
}

accounting() {
  if [[ $HPC_ACCOUNTING == none ]]; then return; fi
  daemon &
  if wait $!; then
    bash head/slurm/sacctmgr.sh before-slurmctld
  else
    all_known
  fi
}

limits_of_users() {
  if [[ $HPC_ACCOUNTING == none ]]; then return; fi
  answers sacctmgr -n list cluster || die "slurmdbd: $(why slurmdbd)"
  bash head/slurm/sacctmgr.sh after-slurmctld
}

all_known() { # slurmctld does not start if a partition has a QoS that it does not know
  local qos
  [[ -s $KNOWN ]] || exit 1
  while read -r qos; do
    LC_ALL=C grep -qazE "(^|[^a-z0-9._-])$qos$" $KNOWN || die "cannot create QoS $qos: slurmdbd does not answer"
  done < <(sed -nE 's/^PartitionName=.* QOS=(\S+).*/\1/p' /etc/slurm/slurm.conf)
}

own_database() { # MariaDB on the head node, its data on the state volume; accessible only over its Unix socket
  local unit=/etc/systemd/system/mariadb.service.d/hpc.conf
  put "$MARIADB" 644 <<END
[mariadbd]
datadir = $DATA
skip-networking
# Source: Slurm documentation, "Accounting and Resource Limits", slurmdbd
innodb_buffer_pool_size = $(awk '/^MemTotal/ { print int($2 / 1024 / 8) }' /proc/meminfo)M
innodb_lock_wait_timeout = 900
END
  put "$unit" 644 <head/units/mariadb.conf
  if [[ ! -d $DATA/mysql ]]; then
    rm -rf $DATA.new # an interrupted installation can't be repaired
    install -d -o mysql -g mysql -m 700 $DATA.new
    mariadb-install-db --user=mysql --datadir=$DATA.new --skip-test-db --auth-root-authentication-method=socket >/dev/null
    mv -T $DATA.new $DATA
  elif [[ $(stat -c %U $DATA) != mysql ]]; then
    chown -R mysql:mysql $DATA # another image may number its users differently
  fi
  running mariadb "$MARIADB" "$unit"
  mariadb <<'END'
create database if not exists slurm_acct_db;
create user if not exists slurm@localhost identified via unix_socket;
grant all on slurm_acct_db.* to slurm@localhost;
END
}

daemon() {
  local unit=/etc/systemd/system/slurmdbd.service.d/hpc.conf text password=
  text=$(<head/slurm/slurmdbd.conf)
  if [[ $HPC_ACCOUNTING == external ]]; then
    password=$(read_password "$HPC_DATABASE_SECRET")
    password=$(quoted "$password")
  fi
  put /etc/slurm/slurmdbd.conf 600 slurm:slurm <<<"${text//@DATABASE_PASSWORD@/"$password"}"
  put "$unit" 644 <head/units/slurm.conf
  running slurmdbd /etc/slurm/slurmdbd.conf "$unit"
  answers sacctmgr -n list cluster || die "slurmdbd: $(why slurmdbd)"
}

quoted() { # <password>: quoted for Slurm's parser. Source: Slurm's own source, src/common/parse_config.c
  local text=$1
  [[ $text != *[\"[:cntrl:]]* ]] ||
    die 'the database password contains " or a control character, which slurmdbd.conf cannot express: choose another'
  text=${text//\\/\\\\}
  echo "\"${text//\#/\\\#}\""
}

#!/usr/bin/env bash
# First process of a head node made of namespaces: Slurm's daemons run on the files in $SHARED/etc, then $SHARED/script.
# Nothing outlives it. Needs $LOWER (root file system), $SHARED and $ADDRESS.
set -euo pipefail

top=/dev/shm
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs $top
mkdir -p $top/{upper,work,root,lower}
mount --bind "$LOWER" $top/lower
mount -t overlay overlay -o "lowerdir=$top/lower,upperdir=$top/upper,workdir=$top/work" $top/root
root=$top/root
mount -t proc proc $root/proc
mount --rbind /dev $root/dev
mount -t tmpfs -o mode=1777 tmpfs $root/dev/shm
mount -t tmpfs -o mode=755 tmpfs $root/run
mount -t tmpfs -o mode=1777 tmpfs $root/tmp
mkdir -p $root/shared
mount --bind "$SHARED" $root/shared
hostname head
ip link set lo up
ip addr add "$ADDRESS/32" dev lo
rm -f $root/etc/resolv.conf
echo "127.0.0.1 localhost
$ADDRESS head" >$root/etc/hosts
sed -i "s/^hosts:.*/hosts: files/" $root/etc/nsswitch.conf # what is in no file is nowhere, at once

# shellcheck disable=SC2016  # expanded inside
exec chroot $root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 ADDRESS="$ADDRESS" bash -euo pipefail -c '
  as() { local user=$1; shift; setpriv --reuid="$user" --regid="$user" --init-groups "$@"; }
  wait_for() { for _ in $(seq 1200); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never: $*" >&2; exit 3; }
  export -f as wait_for

  id alice >/dev/null 2>&1 || { echo alice:x:12000:12000::/tmp:/bin/bash >>/etc/passwd; echo alice:x:12000: >>/etc/group; }
  rm -rf /etc/slurm && cp -r /shared/etc /etc/slurm
  head -c 1024 /dev/urandom >/etc/munge/munge.key && head -c 32 /dev/urandom >/etc/slurm/jwt_hs256.key
  mkdir -p /run/munge /run/slurm /run/slurmctld /run/slurmdbd /var/log/slurm /var/lib/hpc/slurmctld /opt/hpc/bin
  chown munge: /etc/munge/munge.key /run/munge && chmod 400 /etc/munge/munge.key
  chown slurm: /run/slurmctld /run/slurmdbd /var/log/slurm /var/lib/hpc/slurmctld /etc/slurm/jwt_hs256.key
  chmod 600 /etc/slurm/jwt_hs256.key
  for program in hpc-resume hpc-suspend hpc-resume-fail hpc-prolog; do
    printf "#!/bin/sh\necho %s \$1 >>/tmp/calls\n" $program >/opt/hpc/bin/$program && chmod 755 /opt/hpc/bin/$program
  done
  as munge munged

  if [[ -e /etc/slurm/slurmdbd.conf ]]; then
    chown slurm: /etc/slurm/slurmdbd.conf && chmod 600 /etc/slurm/slurmdbd.conf
    install -d -o mysql /run/mysqld
    rm -rf /var/lib/mysql && install -d -o mysql /var/lib/mysql
    mariadb-install-db --user=mysql --datadir=/var/lib/mysql --skip-test-db >/dev/null
    mariadbd --no-defaults --user=mysql --datadir=/var/lib/mysql --socket=/run/mysqld/mysqld.sock --skip-networking \
      --innodb-buffer-pool-size=2G --innodb-lock-wait-timeout=900 --innodb-flush-log-at-trx-commit=0 \
      --skip-log-bin >/tmp/mariadbd.log 2>&1 &
    wait_for mariadb -e "select 1"
    mariadb -e "create user slurm@localhost identified via unix_socket; grant all on slurm_acct_db.* to slurm@localhost"
    as slurm slurmdbd -D >/dev/null 2>&1 &
    bash /etc/slurm/sacctmgr.sh before-slurmctld
  fi
  as slurm slurmctld -D >/dev/null 2>&1 &
  wait_for scontrol ping
  [[ -e /etc/slurm/slurmdbd.conf ]] && bash /etc/slurm/sacctmgr.sh after-slurmctld
  code=0
  bash -uo pipefail /shared/script || code=$?
  mkdir -p /shared/log && cp /var/log/slurm/* /shared/log/ && chmod 644 /shared/log/*
  exit $code
'

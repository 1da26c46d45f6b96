# Functions shared by the steps. The runner sources this file before each step.
# shellcheck shell=bash
source common/cluster.env
# shellcheck source=common/debian.sh
source "common/${HPC_FAMILY:-debian}.sh"
source common/cloud.sh # fact, read_secret and other verbs, which each cloud defines: docs/boot.md

RUN=/run/hpc
export SYSTEMD_LOG_LEVEL=err # otherwise systemctl warns about the newly enabled units at each call
trap 'echo "$BASH_COMMAND: status $?" >"$RUN/step.${HPC_STEP:-alone}.failed"' ERR # for a step that fails without output

die() { echo "$*" >&2; exit 1; } # the last line that a step writes is reported as its reason

put() { # <file> <mode> [<owner>[:<group>]]: write stdin to the file, replaced atomically
  local file=$1 mode=$2 owner=${3:-root:root} are
  [[ -d ${file%/*}/ ]] || mkdir -p "${file%/*}"
  (umask 077 && exec cat >"$file.hpc-new")
  chown "$owner" "$file.hpc-new" && chmod "$mode" "$file.hpc-new"
  if cmp -s "$file.hpc-new" "$file" && are=$(stat -c '%a %U %G' "$file.hpc-new" "$file") &&
    [[ ${are%$'\n'*} == "${are#*$'\n'}" ]]; then
    rm "$file.hpc-new"
  else
    if [[ $file == /etc/fstab || $file == /etc/systemd/system/*.d/* ]] || [[ $file == /etc/systemd/system/* && -e $file ]]; then
      alone changed_unit "$file"
    else
      mv "$file.hpc-new" "$file"
    fi
    echo "wrote $file"
  fi
}

# shellcheck disable=SC2034 # used by steps
RESTARTED=no

running() { # <unit> <file>...: enable the unit, and restart it if these files have changed; some may be missing
  local unit=$1 with
  shift
  with=$(sha256sum -- "$@" 2>&1 </dev/null || true)
  enabled "$unit"
  if [[ $(cat "$RUN/$unit.with" 2>/dev/null) == "$with" ]] && settled "$unit"; then return; fi
  reload
  systemctl restart "$unit" || die "$unit: $(why "$unit")"
  echo "$with" >"$RUN/$unit.with"
  echo "started $unit"
  # shellcheck disable=SC2034
  RESTARTED=yes
}

enabled() { # <unit>: start it at the next boot. Nothing depends on that now: systemd reads its units again only at the end
  if ! systemctl is-enabled -q "$1"; then
    touch "$RUN/enabled"
    SYSTEMCTL_SKIP_SYSV=1 systemctl enable -q --no-reload "$1" # update-rc.d would make systemd read them as well
  fi
}

gone() { # <unit file>...: stop and disable the units, and remove their files
  local file
  for file in "$@"; do
    if [[ -e $file ]]; then
      systemctl disable -q --now --no-reload "${file##*/}"
      rm "$file"
      touch "$RUN/reload"
    fi
  done
}

settled() { # <unit>: it runs, or its own conditions prevent that, as in a container
  [[ $(systemctl show --value -p ActiveState -p ConditionResult "$1") == @(active*|*no) ]]
}

rotated() { # <daemon>: rotate its log at 5 MB; the daemon opens a new one on SIGUSR2
  # The packages' own script signals nothing on Ubuntu 24.04, whose slurmctld has no pid file, or makes it read its
  # configuration again. Source: slurmctld(8), slurmd(8), SIGUSR2
  put "/etc/logrotate.d/$1" 644 <<END
/var/log/slurm/$1.log {
  size 5M
  rotate 12
  compress
  delaycompress
  missingok
  notifempty
  nocreate
  postrotate
    systemctl kill --signal=USR2 --kill-who=main $1
  endscript
}
END
}

changed_unit() { # <file>
  touch "$RUN/reload"
  mv "$1.hpc-new" "$1"
}

reload() { alone reload_changed; } # reload units that have changed since systemd read them; new ones are read when first used

reload_changed() {
  if [[ -e $RUN/reload ]]; then
    rm "$RUN/reload"
    systemctl daemon-reload
  fi
}

alone() { # <function> [<argument>]...: not while another step, which runs at the same time, does the same
  (flock 8 && "$@") 8>"$RUN/alone"
}

why() { # <unit>: the last error, or else the last line, that its processes logged
  local said
  said=$(journalctl -q -o cat --no-pager -n 20 "_SYSTEMD_UNIT=$1.service" | sed '/^[[:space:]]*$/d')
  said=$(grep -Ei 'error|fatal|fail' <<<"$said" | tail -n 1 || tail -n 1 <<<"$said")
  echo "${said:-does not start; see systemctl status $1}"
}

environment() { # <name> [<value>]: set a variable for all who log in, and their jobs; without a value, remove it
  local line=${2:+$1=$2} file=/etc/environment
  if [[ -n $line && $(sed -n "/^$1=/p" $file) == "$line" ]]; then return; fi
  { sed "/^$1=/d" $file && if [[ -n $line ]]; then echo "$line"; fi; } | put $file 644
}

node_fact() { # <name>: the result of the verb `fact`, cached until the next boot
  local kept=$RUN/fact.$1
  if [[ ! -s $kept ]]; then
    fact "$1" >"$kept.$BASHPID"
    mv "$kept.$BASHPID" "$kept"
  fi
  echo "$(<"$kept")"
}

queue() { # <field>: a property of the node's queue: fabric, smt, local_scratch; '-' if unset
  local name line
  name=$(node_fact queue)
  line=$(awk -v name="$name" -v field="$1" '$1 == "queue" { for (i = 2; i <= NF; i++) if ($i == field) at = i }
    $1 == name { print $at }' compute/queues)
  [[ -n $line ]] || die "compute/queues lists no queue '$name'"
  echo "$line"
}

answers() { # <command>...: wait until it succeeds, for half a minute at most
  local try
  for ((try = 0; try < 150; try++)); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.2
  done
  return 1
}

# The runner: source it, run the steps, call finish. The stub runs boot/<role>.sh in the directory of the configuration,
# with HPC_ROLE, HPC_CONFIG and HPC_REGION set and its output in the boot log.
# shellcheck shell=bash
set -uo pipefail
umask 022
source common/cluster.env
# shellcheck source=common/debian.sh
source "common/${HPC_FAMILY:-debian}.sh"
source common/cloud.sh
export HOME=/root # not set by cloud-init

RUN=/run/hpc                       # cleared by a reboot
STEPS=/opt/hpc/boot-steps.json     # the steps run, their durations and the result
BEGAN=$EPOCHREALTIME
DONE=()

install -d -m 700 "$RUN" # keys pass through it
chmod 755 /opt/hpc # the stub's files are private to root, the files created from them are not
exec 9>"$RUN/lock" # the stub holds its own lock, but an administrator may run this
flock 9

step() { # <file> <function>: run one step, in its own shell that stops at the first error
  local began=$EPOCHREALTIME why
  bash -Eeuo pipefail -O inherit_errexit -c 'source common/node.sh; source "$1"; "$2"' hpc-boot "$1" "$2" \
    </dev/null >"$RUN/step.log" 2>&1 9>&- || why=$(sed '/^[[:space:]]*$/d' "$RUN/step.log" | tail -n 1)
  cat "$RUN/step.log"
  echo "hpc-boot: $2: $(since "$began") s"
  DONE+=("{\"step\": \"$2\", \"seconds\": $(since "$began")}")
  [[ ! -v why ]] || give_up "$2: ${why:-$(<"$RUN/step.failed")}"
}

since() { # <time>: seconds since then
  local now=$EPOCHREALTIME
  printf '%d.%03d' "$(((${now/./} - ${1/./}) / 1000000))" "$(((${now/./} - ${1/./}) / 1000 % 1000))"
}

finish() {
  if [[ -e $RUN/enabled ]]; then systemctl daemon-reload && rm "$RUN/enabled"; fi
  record ready
  rm -f "$RUN/failed"
  echo "hpc-boot: ready after $(since "$BEGAN") s"
}

give_up() { # <reason>: stop without running further steps
  record "$1"
  if [[ $(cat "$RUN/failed" 2>/dev/null) != "$1" ]]; then # the timer runs the steps every minute: send each reason once
    [[ $HPC_ROLE == image ]] || timeout 30 bash -c 'source common/node.sh; send_log /var/log/hpc-boot.log' && echo "$1" >"$RUN/failed"
  fi
  echo "$1" # the last line of the log, which the stub repeats on console and journal
  exit 1
}

record() { # <result>
  local result=${1//[^[:print:]]/ } steps
  result=${result//\\/\\\\}
  printf -v steps ',\n  %s' "${DONE[@]}"
  printf '{"role": "%s", "ended": "%(%FT%TZ)T", "seconds": %s, "result": "%s", "steps": [%s\n]}\n' \
    "$HPC_ROLE" -1 "$(since "$BEGAN")" "${result//\"/\\\"}" "${steps:1}" >"$STEPS.new"
  mv "$STEPS.new" "$STEPS"
}

remove_old() { # delete files of earlier configurations: steps that check for a file must not find them
  find common boot "$HPC_ROLE" -type f | grep -vxFf <(cut -d ' ' -f 3- manifest) | xargs -r rm -f
}
remove_old

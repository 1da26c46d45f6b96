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

step() { # <file> <function>: run one step
  perform "$1" "$2"
  told "$2"
}

together() { # <file> <function> ...: run steps at the same time that neither need nor disturb each other
  local at
  for ((at = 1; at < $#; at += 2)); do perform "${@:at:2}" & done
  wait
  for ((at = 2; at <= $#; at += 2)); do told "${!at}"; done
}

perform() { # <file> <function>: in its own shell, which stops at the first error
  local began=$EPOCHREALTIME its=$RUN/step.$2 status=0
  HPC_STEP=$2 bash -Eeuo pipefail -O inherit_errexit -c 'source common/node.sh; source "$1"; "$2"' hpc-boot "$1" "$2" \
    </dev/null >"$its.log" 2>&1 9>&- || status=$?
  echo "$status $(since "$began")" >"$its.ended"
}

told() { # <function>: log what a step did and took, and stop here if it has failed
  local its=$RUN/step.$1 status took why
  read -r status took <"$its.ended"
  cat "$its.log"
  echo "hpc-boot: $1: $took s"
  DONE+=("{\"step\": \"$1\", \"seconds\": $took}")
  if ((status)); then
    why=$(sed '/^[[:space:]]*$/d' "$its.log" | tail -n 1)
    give_up "$1: ${why:-$(<"$its.failed")}"
  fi
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

# Prometheus, which keeps the cluster's metrics on the state volume, and Alertmanager, which sends alerts.
# docs/watch.md
# shellcheck shell=bash
source common/node_metrics.sh

UNITS=/etc/systemd/system
CONFIGURATION=/etc/hpc/prometheus
ALERTS=/etc/hpc/alertmanager
DASHBOARDS=/opt/hpc/dashboards
# Prometheus, Alertmanager, node_exporter, the elastic daemon, and what signs metrics for the cloud's service
PORTS='9090, 9093, 9100, 9818, 9819'

targets() { # before the elastic daemon starts, which writes there which nodes are up
  if [[ $HPC_MONITORING == yes ]]; then install -d -o slurm -g slurm -m 755 /var/lib/hpc/targets; else rm -rf /var/lib/hpc/targets; fi
}

prometheus() {
  local options name
  if [[ $HPC_MONITORING != yes ]]; then
    no_monitoring
    return
  fi
  metrics_fence
  node_metrics
  kept /var/lib/hpc/prometheus
  for name in rules/alerts.yml rules/recording.yml; do
    put $CONFIGURATION/$name 644 <head/watch/$name
  done
  configuration | put $CONFIGURATION/prometheus.yml 644
  for name in head/watch/dashboards/*.json; do # to import into Grafana
    put "$DASHBOARDS/${name##*/}" 644 <"$name"
  done
  promtool check config $CONFIGURATION/prometheus.yml >/dev/null
  metrics_login
  options=$(<head/watch/prometheus.options)
  daemon prometheus "/usr/bin/prometheus $options" <<'END'
MemoryMax=40%
LimitNOFILE=65536
END
  running prometheus $UNITS/prometheus.service.d/hpc.conf $CONFIGURATION/prometheus.yml $CONFIGURATION/rules/*.yml
  alertmanager
}

configuration() { # with the address of the cloud's service, which is known only once its workspace exists
  local text address=""
  text=$(<head/watch/prometheus.yml)
  if [[ -e head/watch/remote_write ]]; then read -r address _ <head/watch/remote_write; fi
  echo "${text//"https://remote-write.invalid"/"$address"}"
}

alertmanager() {
  if [[ ! -e head/watch/alertmanager.yml ]]; then
    no_alertmanager
    return
  fi
  kept /var/lib/hpc/alertmanager # which alerts were sent, and which are silenced
  receivers
  daemon prometheus-alertmanager "/usr/bin/prometheus-alertmanager --config.file=$ALERTS/alertmanager.yml" \
    --storage.path=/var/lib/hpc/alertmanager --web.listen-address=127.0.0.1:9093 --cluster.listen-address= <<<'MemoryMax=512M'
  running prometheus-alertmanager $UNITS/prometheus-alertmanager.service.d/hpc.conf $ALERTS/alertmanager.yml $ALERTS/webhook
}

# A secret that can't be read must not keep other alerts from being sent, nor the cluster from working.
receivers() {
  local address password=""
  install -d -g prometheus -m 750 $ALERTS
  if [[ -e head/watch/webhook_secret ]]; then
    if address=$(read_password "$(<head/watch/webhook_secret)"); then
      put $ALERTS/webhook 640 root:prometheus <<<"$address"
    else
      [[ -e $ALERTS/webhook ]] || put $ALERTS/webhook 640 root:prometheus <<<'http://127.0.0.1:1/unknown'
      echo "monitoring.alerts.webhook_secret: the secret can't be read, so no alert reaches the chat program" >&2
    fi
  else
    rm -f $ALERTS/webhook
  fi
  if [[ -e head/watch/password_secret ]]; then
    password=$(read_password "$(<head/watch/password_secret)") ||
      echo "monitoring.alerts.smtp_password_secret: the secret can't be read, so alerts are not sent by mail" >&2
  fi
  # on stdin: arguments of processes are seen by all users
  { cat head/watch/alertmanager.yml && echo && printf %s "$password"; } | python3 -c '
import json, sys
document, end = json.JSONDecoder().raw_decode(text := sys.stdin.read())
if password := text[end:].strip():
    document["global"]["smtp_auth_password"] = password
print(json.dumps(document, indent=1))' | put $ALERTS/alertmanager.yml 640 root:prometheus
}

daemon() { # <unit> <command>...: its own command in place of the package's; more settings are read from stdin
  local unit=$1
  shift
  {
    printf '[Unit]\nRequiresMountsFor=/var/lib/hpc\nStartLimitIntervalSec=0\n\n'
    printf '[Service]\nExecStart=\nExecStart=%s\n' "$*"
    # slurmctld comes first: for processors, and when memory is short
    printf 'Restart=always\nRestartSec=10\nNice=10\nCPUWeight=20\nOOMScoreAdjust=500\n'
    cat
  } | put "$UNITS/$unit.service.d/hpc.conf" 644
}

kept() { # <directory>: a new head node may have another id for the same user
  install -d "$1"
  if [[ $(stat -c %U "$1") != prometheus ]]; then chown -R prometheus:prometheus "$1"; fi
  chmod 700 "$1"
}

# Whoever reaches Prometheus reads what everyone's jobs do, and whoever reaches Alertmanager silences alerts. So only the
# system and administrators may, also through tunnels, which sshd opens under the user's id.
metrics_fence() {
  fence "output" "oif lo tcp dport { $PORTS } meta skuid != { $(may_read) }"
}

may_read() { # numeric, separated by commas
  local name group
  {
    printf '%s\n' root slurm prometheus
    for group in $ADMINISTRATORS hpc-admins; do getent group "$group" | cut -d: -f4 | tr , '\n'; done
  } | while read -r name; do id -u "$name" 2>/dev/null || true; done | sort -nu | paste -sd ,
}

no_alertmanager() {
  local conf=$UNITS/prometheus-alertmanager.service.d/hpc.conf
  if [[ ! -e $conf ]]; then return; fi
  systemctl disable -q --now --no-reload prometheus-alertmanager || true
  rm -rf "$conf" $ALERTS
  touch "$RUN/reload"
}

no_monitoring() { # metrics stay on the state volume
  if [[ ! -e $CONFIGURATION ]]; then return; fi
  no_alertmanager
  no_node_metrics
  metrics_login # nothing is sent any more
  systemctl disable -q --now --no-reload prometheus || true
  rm -rf $UNITS/prometheus.service.d/hpc.conf $CONFIGURATION $DASHBOARDS
  touch "$RUN/reload"
}

# Metrics of this node for Prometheus on the head node: node_exporter, and hpc-metrics, which writes what it lacks.
# docs/watch.md
# shellcheck shell=bash

EXPORTER=/etc/systemd/system/prometheus-node-exporter.service.d/hpc.conf
METRICS=/etc/systemd/system/hpc-metrics

node_metrics() {
  local address=127.0.0.1 from=localhost options=head/watch/node_exporter.options
  if [[ $HPC_MONITORING != yes ]]; then
    no_node_metrics
    return
  fi
  if [[ $HPC_ROLE != head ]]; then
    address=$(node_fact address) from=$HPC_HEAD options=common/node_exporter.options
  fi
  base64 -d common/hpc-metrics.b64 | put /opt/hpc/bin/hpc-metrics 755
  put $METRICS.service 644 <common/units/hpc-metrics.service
  put $METRICS.timer 644 <common/units/hpc-metrics.timer
  running hpc-metrics.timer $METRICS.timer $METRICS.service
  options=$(<$options)
  # the kernel drops what others send, so that users can't keep it busy; $$ is a $ for systemd
  put $EXPORTER 644 <<END
[Unit]
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=
ExecStart=/usr/bin/prometheus-node-exporter ${options//\$/\$\$} --web.listen-address=$address:9100
IPAddressDeny=any
IPAddressAllow=$from
Restart=always
RestartSec=10
# jobs come first
Nice=10
CPUQuota=25%
MemoryMax=256M
OOMScoreAdjust=500
END
  running prometheus-node-exporter $EXPORTER
}

no_node_metrics() {
  if [[ ! -e $EXPORTER ]]; then return; fi
  systemctl disable -q --now --no-reload prometheus-node-exporter || true
  gone $METRICS.timer
  rm -f $EXPORTER $METRICS.service /opt/hpc/bin/hpc-metrics /var/lib/prometheus/node-exporter/hpc.prom
  touch "$RUN/reload"
}

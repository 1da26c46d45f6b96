# Metrics of this node for Prometheus on the head node: node_exporter, and hpc-metrics, which writes what it lacks.
# docs/watch.md
# shellcheck shell=bash

EXPORTER=/etc/systemd/system/prometheus-node-exporter.service.d/hpc.conf
METRICS=/etc/systemd/system/hpc-metrics
FENCE=/etc/hpc/metrics.nft

node_metrics() {
  local address=127.0.0.1 options=head/watch/node_exporter.options
  if [[ $HPC_MONITORING != yes ]]; then
    no_node_metrics
    return
  fi
  if [[ $HPC_ROLE != head ]]; then
    address=$(node_fact address) options=common/node_exporter.options
    # users could keep it busy. IPAddressAllow of systemd would say the same, but does nothing without BPF
    fence "input" "tcp dport 9100 ip saddr != $HPC_HEAD"
  fi
  base64 -d common/hpc-metrics.b64 | put /opt/hpc/bin/hpc-metrics 755
  put $METRICS.service 644 <common/units/hpc-metrics.service
  put $METRICS.timer 644 <common/units/hpc-metrics.timer
  running hpc-metrics.timer $METRICS.timer $METRICS.service
  options=$(<$options)
  # $$ is a $ for systemd
  put $EXPORTER 644 <<END
[Unit]
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=
ExecStart=/usr/bin/prometheus-node-exporter ${options//\$/\$\$} --web.listen-address=$address:9100
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

fence() { # <hook> <packets>: refuse these
  put $FENCE 644 <<END
table inet hpc_metrics
delete table inet hpc_metrics
table inet hpc_metrics {
  chain $1 {
    type filter hook $1 priority filter
    $2 reject with tcp reset
  }
}
END
  put $METRICS-fence.service 644 <common/units/hpc-metrics-fence.service
  running hpc-metrics-fence $METRICS-fence.service $FENCE
}

no_node_metrics() {
  if [[ ! -e $EXPORTER ]]; then return; fi
  systemctl disable -q --now --no-reload prometheus-node-exporter || true
  gone $METRICS.timer $METRICS-fence.service
  nft delete table inet hpc_metrics || true
  rm -f $FENCE
  rm -f $EXPORTER $METRICS.service /opt/hpc/bin/hpc-metrics /var/lib/prometheus/node-exporter/hpc.prom
  touch "$RUN/reload"
}

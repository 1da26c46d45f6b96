# Signs the requests with which Prometheus sends metrics to the workspace (head/metrics_signer.py).
# shellcheck shell=bash

SIGNER=/opt/hpc/bin/hpc-metrics-signer
SIGNER_UNIT=/etc/systemd/system/hpc-metrics-signer.service
SIGNER_SETTINGS=/etc/hpc/metrics-signer.env

sign_metrics() {
  local url region
  read -r url region <head/watch/remote_write
  put $SIGNER 755 <head/metrics_signer.py
  put $SIGNER_SETTINGS 644 <<<"HPC_METRICS_URL=$url"$'\n'"HPC_METRICS_REGION=$region"
  put $SIGNER_UNIT 644 <head/units/hpc-metrics-signer.service
  running hpc-metrics-signer $SIGNER_UNIT $SIGNER_SETTINGS $SIGNER
}

sign_no_metrics() {
  gone $SIGNER_UNIT
  rm -f $SIGNER $SIGNER_SETTINGS
}

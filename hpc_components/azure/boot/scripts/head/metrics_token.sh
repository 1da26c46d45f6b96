# The token with which Prometheus sends metrics to the Azure Monitor workspace, in a file that Prometheus reads again
# for each request.
# shellcheck shell=bash

TOKEN=/etc/hpc/prometheus/remote_write_token
TOKEN_UNIT=/etc/systemd/system/hpc-metrics-token

keep_metrics_token() {
  put $TOKEN_UNIT.service 644 <head/units/hpc-metrics-token.service
  put $TOKEN_UNIT.timer 644 <head/units/hpc-metrics-token.timer
  running hpc-metrics-token.timer $TOKEN_UNIT.timer $TOKEN_UNIT.service
}

no_metrics_token() {
  gone $TOKEN_UNIT.timer
  rm -f $TOKEN_UNIT.service $TOKEN
}

metrics_token() { # run by hpc-metrics-token.service
  local token
  source common/node.sh
  token=$(azure metrics_token)
  put $TOKEN 640 root:prometheus <<<"$token"
}

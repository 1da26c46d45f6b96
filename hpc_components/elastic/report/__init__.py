"""What operators and programs see: events and report of a cycle, status, metrics.

`events` are plain values that the cycle fills; `status` collects them into one JSON document, the source of
`hpc-elastic status` (`text`) and of the metrics for Prometheus (`metrics`). Nothing here changes Slurm or the cloud.
"""

"""What people and programs are told: events and report of a cycle, status, metrics.

`events` are plain values that the cycle fills; `status` collects them into one JSON document, from which `text` makes
`hpc-elastic status` and `metrics` what Prometheus reads. Nothing here changes Slurm or the cloud.
"""

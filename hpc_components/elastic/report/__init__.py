"""Shows operators and programs what is happening: events, cycle reports, the status, and metrics.

`events` contains plain values that the cycle fills in. `status` collects them into one JSON document, from which
`hpc-elastic status` (`text`) and the metrics for Prometheus (`metrics`) are made. Nothing here changes Slurm or the
cloud.
"""

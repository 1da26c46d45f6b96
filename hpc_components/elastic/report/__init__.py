"""Tells operators and programs what is happening, through events, cycle reports, the status and metrics.

`events` defines plain values that the cycle fills in. `status` collects them into one JSON document, from which
`hpc-elastic status` (`text`) and the Prometheus metrics (`metrics`) are produced. Nothing in this package changes
Slurm or the cloud.
"""

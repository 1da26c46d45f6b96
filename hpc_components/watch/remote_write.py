"""The part of prometheus.yml that sends metrics on to the cloud's managed Prometheus service."""

from typing import Any

from hpc_components.spec.monitoring import RemoteWrite

URL = "https://remote-write.invalid"
"""Stands for the service's address, which is known only once its workspace exists. The head node puts in the address
(`head/watch.sh`)."""

SENT = "queue:.+|hpc_slurm_.+|hpc_elastic_.+|ALERTS"
"""Metrics that are sent besides those of the head node. Their number does not depend on the number of nodes."""


def remote_write(remote: RemoteWrite) -> dict[str, Any]:
    """Return the configuration of Prometheus 2.31 to 2.53.

    While the service can't be reached, Prometheus retries what is in its write-ahead log, which has about the last
    two hours, and drops what is older. Source: Prometheus documentation, "Remote write tuning".
    """
    kept = {"source_labels": ["__name__", "job"], "regex": f"({SENT});.*|.+;head", "action": "keep"}
    return {
        "url": URL,
        **remote.login(),
        **({} if remote.nodes else {"write_relabel_configs": [kept]}),
        "queue_config": {
            # at most 10 x 2,500 samples wait in memory. 10 connections suffice for 4,000 nodes
            "max_shards": 10,
            "capacity": 2500,
            "max_samples_per_send": 500,
            "min_backoff": "1s",
            "max_backoff": "1m",
            "retry_on_http_429": True,  # the service is busy; by default, the samples would be dropped
        },
    }

"""prometheus.yml: what Prometheus on the head node scrapes, and how much it keeps."""

from typing import Any

import yaml

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.monitoring import NODE_INTERVAL_SECONDS, Monitoring, metrics_size
from hpc_components.watch.remote_write import remote_write

TARGETS = "/var/lib/hpc/targets"
"""Directory on the head node in which the elastic daemon names the nodes that are up."""

LOGIN_TARGETS = "http://127.0.0.1:9818/targets/login"
"""Address at which the elastic daemon lists the login nodes."""

CONFIGURATION = "/etc/hpc/prometheus"
"""Directory of the configuration on the head node."""

DATA = "/var/lib/hpc/prometheus"
"""Directory of the metrics, on the state volume: a new head node has them too."""

KEPT = (
    "node_load1",
    "node_memory_(MemTotal|MemAvailable|Cached|SwapFree|SwapTotal|Hugetlb|Shmem)_bytes",
    "node_pressure_(cpu_waiting|io_waiting|memory_waiting)_seconds_total",
    "node_(boot_time_seconds|procs_running|procs_blocked|context_switches_total)",
    "node_vmstat_(oom_kill|pgmajfault)",
    "node_network_(receive|transmit)_(bytes|errs|drop)_total",
    "node_disk_(read_bytes|written_bytes|io_time_seconds)_total",
    "node_filesystem_(avail_bytes|size_bytes|readonly)",
    "node_infiniband_(state_id|port_data_(received|transmitted)_bytes_total|link_downed_total|symbol_error_total)",
    "node_edac_(un)?correctable_errors_total",
    "node_timex_(sync_status|offset_seconds)",
    "node_textfile_scrape_error",
    "node_uname_info",
    "hpc_.+",
    "up",
)
"""Metrics that are kept of a node. A new release of node_exporter, or a machine with 400 CPUs, adds no series."""

MAX_SAMPLES_OF_NODE = 5000
"""Maximum number of samples of one scrape. A node that sends more is not scraped: something is wrong with it."""


def prometheus_yml(cluster: ClusterSpec) -> str:
    """Return the configuration of Prometheus 2.31 to 2.53."""
    document: dict[str, Any] = {
        "global": {
            "scrape_interval": "30s",
            "scrape_timeout": "10s",
            "evaluation_interval": "30s",
            "external_labels": {"cluster": cluster.name},
        },
        "rule_files": ["rules/*.yml"],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": ["127.0.0.1:9093"]}]}]},
        "scrape_configs": [
            _local("prometheus", 9090),
            _local("alertmanager", 9093),
            _local("elastic", 9818),
            # asks slurmctld: seldom, and with time for an answer while many jobs end at once
            {
                **_local("slurm", 9818),
                "metrics_path": "/metrics/slurm",
                "scrape_interval": "60s",
                "scrape_timeout": "45s",
            },
            {**_local("head", 9100), "metric_relabel_configs": _kept("node_systemd_unit_state")},
            {
                "job_name": "nodes",
                "scrape_interval": f"{NODE_INTERVAL_SECONDS}s",
                "scrape_timeout": "20s",
                "sample_limit": MAX_SAMPLES_OF_NODE,
                "file_sd_configs": [{"files": [f"{TARGETS}/nodes.json"], "refresh_interval": "1m"}],
                "metric_relabel_configs": _kept(),
            },
        ],
    }
    if cluster.login_nodes is not None:
        document["scrape_configs"].append(_login())
    if cluster.monitoring and cluster.monitoring.remote_write:
        document["remote_write"] = [remote_write(cluster.monitoring.remote_write)]
    if cluster.monitoring is None or cluster.monitoring.alerts is None:
        del document["alerting"]
        document["scrape_configs"] = [one for one in document["scrape_configs"] if one["job_name"] != "alertmanager"]
    return yaml.safe_dump(document, sort_keys=False, width=200)


def prometheus_options(cluster: ClusterSpec, monitoring: Monitoring) -> tuple[str, ...]:
    """Return the command line's options. Users of the head node can't reach what listens on 127.0.0.1: see the step
    `prometheus`."""
    return (
        f"--config.file={CONFIGURATION}/prometheus.yml",
        f"--storage.tsdb.path={DATA}",
        f"--storage.tsdb.retention.time={monitoring.retention.seconds}s",
        f"--storage.tsdb.retention.size={metrics_size(cluster).bytes // 2**20}MB",
        "--storage.tsdb.wal-compression",
        "--web.listen-address=127.0.0.1:9090",
        # a query that reads too much fails, instead of taking slurmctld's memory
        "--query.max-samples=20000000",
        "--query.max-concurrency=4",
        "--query.timeout=60s",
    )


def _login() -> dict[str, Any]:
    """Return the job of login nodes, which the elastic daemon looks up in the cloud whenever Prometheus asks."""
    return {
        "job_name": "login",
        "scrape_interval": f"{NODE_INTERVAL_SECONDS}s",
        "scrape_timeout": "20s",
        "sample_limit": MAX_SAMPLES_OF_NODE,
        "http_sd_configs": [{"url": LOGIN_TARGETS, "refresh_interval": "1m"}],
        "metric_relabel_configs": _kept(),
    }


def _local(job: str, port: int) -> dict[str, Any]:
    return {
        "job_name": job,
        "static_configs": [{"targets": [f"127.0.0.1:{port}"], "labels": {"instance": "head"}}],
    }


def _kept(*more: str) -> list[dict[str, Any]]:
    return [{"source_labels": ["__name__"], "regex": "|".join((*KEPT, *more)), "action": "keep"}]

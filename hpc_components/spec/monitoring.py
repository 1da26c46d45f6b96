"""Model of a cluster's metrics and alerts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hpc_components.catalog.prometheus import bytes_per_sample, series_per_node
from hpc_components.spec.model import Flag, Model
from hpc_components.spec.values import Duration, Size, written_size

if TYPE_CHECKING:
    from hpc_components.spec.cluster import ClusterSpec

NODE_INTERVAL_SECONDS = 60
"""Seconds between two scrapes of a node."""

SHARE_OF_STATE = 4
"""By default, metrics take up to this fraction (1/4) of the state volume."""

TOKEN_FILE = "/etc/hpc/prometheus/remote_write_token"
"""File on the head node with the token for the cloud's service, where Prometheus can't get one by itself."""


class Alerts(Model):
    """Who hears of alerts. At least one of `mail` and `webhook_secret` is set."""

    mail: tuple[str, ...] = ()
    """Recipients' email addresses."""
    smtp: str | None = None
    """Mail server and port that take the alerts, e.g. `smtp.example.org:587`. Encrypted with STARTTLS if the server
    offers it."""
    sender: str | None = None
    """Sender's email address. Default: the first recipient."""
    smtp_user: str | None = None
    """Name with which to log in to the mail server. Default: no login."""
    smtp_password_secret: str | None = None
    """Full name of the secret that holds the password for `smtp_user`. On AWS, this is its ARN."""
    webhook_secret: str | None = None
    """Full name of the secret that holds the address of an incoming webhook of Slack, Mattermost or another chat
    program that takes Slack's messages. On AWS, this is its ARN."""


class RemoteWrite(Model):
    """The cloud's managed Prometheus service, to which the head node sends metrics as well. The service bills by
    sample."""

    nodes: Flag = False
    """Whether to send the metrics of each node too, which are most of the samples. Default: metrics of Slurm, of the
    elastic daemon and of the head node, alerts, and sums over the nodes of each queue."""

    def login(self) -> Mapping[str, Any]:
        """Return those keys of `remote_write` in Prometheus' configuration by which it logs in."""
        raise NotImplementedError


class Monitoring(Model):
    """Metrics of the cluster, which Prometheus keeps on the head node, and alerts."""

    retention: Duration = Duration.parse("15d")
    """How long to keep metrics."""
    size: Size | None = None
    """Maximum size of the metrics on the state volume. Above it, the oldest are deleted even within `retention`.
    Default: a quarter of the volume."""
    alerts: Alerts | None = None
    """Who hears of alerts. Default: alerts are shown by Prometheus only."""
    remote_write: RemoteWrite | None = None
    """The cloud's managed Prometheus service, to which metrics are sent as well. Default: metrics stay on the head
    node."""


def metrics_size(cluster: "ClusterSpec") -> Size:
    """Return the maximum size of the metrics of a cluster with `monitoring`."""
    size = cluster.monitoring.size if cluster.monitoring else None
    return size or Size.parse(written_size(max(1, int(cluster.head_node.state.size.in_gib) // SHARE_OF_STATE)))


def needed_bytes(cluster: "ClusterSpec", retention: Duration) -> int:
    """Return what the metrics take within `retention` if all nodes run all the time.

    Source: Prometheus documentation, "Storage": retention time x samples per second x bytes per sample.
    """
    return samples_of_nodes(cluster, retention.seconds) * bytes_per_sample()


def samples_of_nodes(cluster: "ClusterSpec", seconds: int) -> int:
    """Return the number of samples of all nodes in that time, if they run all the time."""
    return cluster.max_nodes * series_per_node() * seconds // NODE_INTERVAL_SECONDS

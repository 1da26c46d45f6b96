"""Model of a cluster's metrics and alerts."""

from typing import TYPE_CHECKING

from hpc_components.catalog.prometheus import bytes_per_sample, series_per_node
from hpc_components.spec.model import Model
from hpc_components.spec.values import Duration, Size, written_size

if TYPE_CHECKING:
    from hpc_components.spec.cluster import ClusterSpec

NODE_INTERVAL_SECONDS = 60
"""Seconds between two scrapes of a node."""

SHARE_OF_STATE = 4
"""By default, metrics take up to this fraction (1/4) of the state volume."""


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


class Monitoring(Model):
    """Metrics of the cluster, which Prometheus keeps on the head node, and alerts."""

    retention: Duration = Duration.parse("15d")
    """How long to keep metrics."""
    size: Size | None = None
    """Maximum size of the metrics on the state volume. Above it, the oldest are deleted even within `retention`.
    Default: a quarter of the volume."""
    alerts: Alerts | None = None
    """Who hears of alerts. Default: alerts are shown by Prometheus only."""


def metrics_size(cluster: "ClusterSpec") -> Size:
    """Return the maximum size of the metrics of a cluster with `monitoring`."""
    size = cluster.monitoring.size if cluster.monitoring else None
    return size or Size.parse(written_size(max(1, int(cluster.head_node.state.size.in_gib) // SHARE_OF_STATE)))


def needed_bytes(cluster: "ClusterSpec", retention: Duration) -> int:
    """Return what the metrics take within `retention` if all nodes run all the time.

    Source: Prometheus documentation, "Storage": retention time x samples per second x bytes per sample.
    """
    samples = cluster.max_nodes * series_per_node() * retention.seconds // NODE_INTERVAL_SECONDS
    return samples * bytes_per_sample()

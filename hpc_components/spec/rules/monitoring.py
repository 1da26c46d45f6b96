import re
from collections.abc import Iterator

from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.catalog.prometheus import prometheus_systems, unconfirmed_version
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.monitoring import Alerts, Monitoring, metrics_size, needed_bytes, samples_of_nodes
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import wrong_mail_address, wrong_secret
from hpc_components.spec.values import Duration, written_size
from hpc_components.wording import any_of

MIN_RETENTION_SECONDS = 86400
"""Minimum retention in seconds. This limit is our own: reports on jobs read the metrics of the days before."""

MAX_SHARE_OF_STATE = 2
"""Metrics may take at most this fraction (1/2) of the state volume. This limit is our own: the rest is for Slurm's
state and the accounting database, without which no job runs."""

_SERVER = re.compile(r"(?P<host>[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?):(?P<port>[0-9]{1,5})")
_ALERTS: Path = ("monitoring", "alerts")


@rule("HPC-WCH-001", Level.ERROR)
def monitoring_packages(cluster: ClusterSpec) -> Iterator[Problem]:
    """`monitoring` needs an operating system whose archive has Prometheus, Alertmanager and node_exporter.

    Source: the archives of Debian 12 and 13, and of Ubuntu 22.04 and 24.04; Red Hat's family has no packages of them.
    """
    if cluster.monitoring and cluster.os not in prometheus_systems():
        yield Problem(
            path=("os",),
            value=cluster.os,
            places=(("os",), ("monitoring",)),
            reason=f"{cluster.os} has no packages of Prometheus, so nodes could not be set up with monitoring",
            remedy=f"use {any_of(prometheus_systems())}, or remove monitoring",
        )


@rule("HPC-WCH-002", Level.ERROR)
def retention_long_enough(cluster: ClusterSpec) -> Iterator[Problem]:
    """Metrics must be kept for at least a day.

    Reports on jobs read the metrics of the time when they ran. Prometheus itself keeps two hours in any case. Source:
    Prometheus documentation, "Storage".
    """
    if cluster.monitoring and cluster.monitoring.retention.seconds < MIN_RETENTION_SECONDS:
        yield Problem(
            path=("monitoring", "retention"),
            value=str(cluster.monitoring.retention),
            reason="metrics would be gone before anybody looks at yesterday's jobs",
            remedy="use 15d, or at least 1d",
        )


@rule("HPC-WCH-003", Level.ERROR)
def metrics_leave_room(cluster: ClusterSpec) -> Iterator[Problem]:
    """Metrics may take at most half of the state volume, and at least 1 GiB.

    A full state volume stops slurmctld and the elastic daemon. Prometheus needs room for the data of the last hours,
    which it never deletes to save space. Source: Prometheus documentation, "Storage", storage.tsdb.retention.size.
    """
    if cluster.monitoring is None:
        return
    size, state = metrics_size(cluster), cluster.head_node.state.size
    if size.bytes * MAX_SHARE_OF_STATE > state.bytes:
        gib = -(-size.bytes * MAX_SHARE_OF_STATE // 2**30)
        yield Problem(
            path=("monitoring", "size"),
            value=str(size),
            places=(("monitoring", "size"), ("head_node", "state", "size")),
            reason=f"metrics of {size} would take more than half of the state volume, which has {state}",
            remedy=f"use at most {written_size(int(state.in_gib) // MAX_SHARE_OF_STATE)}, or set "
            f"head_node.state.size to {written_size(gib)}",
        )
    elif size.bytes < 2**30:
        yield Problem(
            path=("monitoring", "size"),
            value=str(size),
            reason="the data of the last hours alone may take more",
            remedy="use at least 1GiB",
        )


@rule("HPC-WCH-004", Level.WARNING)
def metrics_fit(cluster: ClusterSpec) -> Iterator[Problem]:
    """`monitoring.size` should hold the metrics of all nodes within the retention.

    The estimate is for nodes that run all the time, so it is an upper bound: nodes that are off send nothing. Source:
    Prometheus documentation, "Storage": retention time x samples per second x bytes per sample.
    """
    monitoring = cluster.monitoring
    if monitoring is None:
        return
    size, needed = metrics_size(cluster), needed_bytes(cluster, monitoring.retention)
    if needed <= size.bytes:
        return
    enough, kept = written_size(-(-needed // 2**30)), _kept(monitoring, size.bytes, needed)
    yield Problem(
        path=("monitoring", "retention"),
        value=str(monitoring.retention),
        places=(("monitoring", "retention"), ("monitoring", "size"), ("head_node", "state", "size")),
        reason=f"with all {cluster.max_nodes:,} nodes up, {size} hold the metrics of {kept} only; "
        f"those of {monitoring.retention} take up to {enough}",
        remedy=f"set monitoring.size to {enough}, on a state volume of twice that size or more; or shorten retention",
    )


def _kept(monitoring: Monitoring, has: int, needed: int) -> Duration:
    hours = monitoring.retention.seconds * has // needed // 3600
    return Duration.parse(f"{hours // 24}d" if hours >= 24 else f"{hours}h")


@rule("HPC-WCH-005", Level.ERROR)
def alerts_have_recipients(cluster: ClusterSpec) -> Iterator[Problem]:
    """`monitoring.alerts` must have recipients, and mail a server that takes it.

    Nodes have no mail server of their own. Source: Alertmanager documentation, "Configuration": `smarthost` is
    required.
    """
    if (alerts := _alerts(cluster)) is None:
        return
    if not alerts.mail and alerts.webhook_secret is None:
        yield Problem(
            path=_ALERTS,
            reason="alerts would have no recipients",
            remedy="add mail: [hpc-admins@example.org] with smtp, or webhook_secret; or remove alerts",
        )
    if alerts.mail and alerts.smtp is None:
        yield Problem(
            path=(*_ALERTS, "mail"),
            reason="no mail server is named that takes the alerts",
            remedy="add one, e.g. smtp: smtp.example.org:587",
        )
    for key in ("smtp", "sender", "smtp_user", "smtp_password_secret"):
        if not alerts.mail and getattr(alerts, key) is not None:
            yield Problem(
                path=(*_ALERTS, key),
                reason="alerts have no recipients of mail",
                remedy="add mail, or remove this key",
            )


@rule("HPC-WCH-006", Level.ERROR)
def recipients_of_alerts(cluster: ClusterSpec) -> Iterator[Problem]:
    """Recipients and sender of alerts must be email addresses, recipients without duplicates.

    Mail to a misspelt address is lost without an error.
    """
    if (alerts := _alerts(cluster)) is None:
        return
    for index, address in enumerate(alerts.mail):
        if wrong := wrong_mail_address(address, alerts.mail[:index]):
            yield Problem(path=(*_ALERTS, "mail", index), value=address, reason=wrong[0], remedy=wrong[1])
    if alerts.sender is not None and (wrong := wrong_mail_address(alerts.sender)):
        yield Problem(path=(*_ALERTS, "sender"), value=alerts.sender, reason=wrong[0], remedy=wrong[1])


@rule("HPC-WCH-007", Level.ERROR)
def mail_server(cluster: ClusterSpec) -> Iterator[Problem]:
    """`smtp` must be a host and a port, and a login needs both a name and a password.

    Alertmanager refuses an address without a port, and doesn't log in without both. Source: Alertmanager
    documentation, "Configuration": smarthost, smtp_auth_username.
    """
    if (alerts := _alerts(cluster)) is None or alerts.smtp is None:
        return
    found = _SERVER.fullmatch(alerts.smtp)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        yield Problem(
            path=(*_ALERTS, "smtp"),
            value=alerts.smtp,
            reason="it is not a host and a port",
            remedy="write it like smtp.example.org:587",
        )
    if (alerts.smtp_user is None) != (alerts.smtp_password_secret is None):
        has, lacks = ("smtp_user", "smtp_password_secret")[:: 1 if alerts.smtp_user else -1]
        yield Problem(path=(*_ALERTS, has), reason=f"{lacks} is missing", remedy=f"add {lacks}, or remove {has}")


@rule("HPC-WCH-008", Level.WARNING)
def mail_can_leave(cluster: ClusterSpec) -> Iterator[Problem]:
    """Alerts should not be sent to port 25, which clouds close to the internet.

    A mail server in the cluster's own network can be reached on port 25. Sources: Amazon EC2 user guide, "Restriction
    on email sent using port 25"; Azure documentation, "Troubleshoot outbound SMTP connectivity problems"; Google
    Cloud documentation, "Sending email from an instance".
    """
    alerts = _alerts(cluster)
    if alerts and alerts.smtp and alerts.smtp.endswith(":25"):
        yield Problem(
            path=(*_ALERTS, "smtp"),
            value=alerts.smtp,
            reason="clouds block port 25 to the internet, so alerts arrive only if the server is in your own network",
            remedy=f"use {alerts.smtp.removesuffix(':25')}:587 if the server offers it",
        )


@rule("HPC-WCH-009", Level.ERROR)
def secrets_of_alerts(cluster: ClusterSpec) -> Iterator[Problem]:
    """A password and the address of a webhook must be in secrets in the cluster's region, specified by full name.

    Everyone who knows the address may write to the channel, so no file of the project contains it. Source: Slack API
    documentation, "Sending messages using incoming webhooks": the URL contains a secret.
    """
    alerts = _alerts(cluster)
    for key in ("smtp_password_secret", "webhook_secret"):
        if alerts and (secret := getattr(alerts, key)) is not None:
            yield from wrong_secret(cluster, (*_ALERTS, key), secret)


@rule("HPC-WCH-010", Level.WARNING)
def confirmed_prometheus(cluster: ClusterSpec) -> Iterator[Problem]:
    """Prefer an operating system whose version of Prometheus is confirmed.

    The configuration is written for Prometheus 2.31 to 2.53. If a version does not accept it, the boot of the head
    node stops at the step `prometheus`: Slurm runs, but nothing is measured. Source: the versions marked `unsure` in
    `catalog/data/prometheus.json`; docs/watch.md, "Not proved".
    """
    if cluster.monitoring and (version := unconfirmed_version(cluster.os)):
        confirmed = (system for system in prometheus_systems() if not unconfirmed_version(system))
        yield Problem(
            path=("os",),
            value=cluster.os,
            places=(("os",), ("monitoring",)),
            reason=f"no source confirms that its archive has Prometheus {version}, and no test ran this version; if "
            "it does not accept the configuration, nothing is measured and no alert is sent",
            remedy=f"use {any_of(confirmed)}; or type `systemctl is-active prometheus` on the head node, and silence "
            "this rule if the answer is active",
        )


@rule("HPC-WCH-014", Level.INFO)
def samples_of_nodes_cost(cluster: ClusterSpec) -> Iterator[Problem]:
    """`monitoring.remote_write.nodes` sends every sample of every node, and the cloud's service bills by sample.

    The estimate is for nodes that run all the time, so it is an upper bound. Source: pricing pages of Amazon Managed
    Service for Prometheus and of Azure Monitor; docs/watch.md has their prices.
    """
    remote = cluster.monitoring.remote_write if cluster.monitoring else None
    if remote and remote.nodes:
        millions = samples_of_nodes(cluster, HOURS_PER_MONTH * 3600) / 1_000_000
        yield Problem(
            path=("monitoring", "remote_write", "nodes"),
            value=True,
            reason=f"with all {cluster.max_nodes:,} nodes up, {millions:,.0f} million samples are sent per month",
            remedy="compare with the prices in docs/watch.md; without this key, sums over the nodes of each queue "
            "are sent, whatever their number",
        )


def _alerts(cluster: ClusterSpec) -> Alerts | None:
    return cluster.monitoring.alerts if cluster.monitoring else None

"""The files by which nodes learn how the cluster is monitored."""

from importlib.resources import files

from hpc_components.catalog.health_checks import fatal_xids
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.monitoring import Alerts
from hpc_components.watch.alertmanager import alertmanager_yml
from hpc_components.watch.dashboards import dashboards
from hpc_components.watch.node_exporter import exporter_options, head_exporter_options
from hpc_components.watch.prometheus import prometheus_options, prometheus_yml

RULES = ("alerts.yml", "recording.yml")


def watch_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the files for the config bucket, as a mapping from path to text. Empty without `monitoring`."""
    monitoring = cluster.monitoring
    if monitoring is None:
        return {}
    return {
        "common/node_exporter.options": f"{exporter_options()}\n",
        "head/watch/node_exporter.options": f"{head_exporter_options(cluster)}\n",
        "head/watch/prometheus.yml": prometheus_yml(cluster),
        "head/watch/prometheus.options": " ".join(prometheus_options(cluster, monitoring)) + "\n",
        **{f"head/watch/rules/{name}": packaged_rules(name) for name in RULES},
        **{f"head/watch/dashboards/{name}": text for name, text in dashboards().items()},
        **(_alert_files(cluster, monitoring.alerts) if monitoring.alerts else {}),
    }


def packaged_rules(name: str) -> str:
    """Return a file of rules, which is the same for all clusters.

    `FATAL_XIDS` stands for a pattern of the codes by which `hpc-health` drains a node.
    """
    text = (files("hpc_components.watch") / "data" / name).read_text(encoding="utf-8")
    return text.replace("FATAL_XIDS", "|".join(map(str, sorted(fatal_xids()))))


def _alert_files(cluster: ClusterSpec, alerts: Alerts) -> dict[str, str]:
    secrets = {"password": alerts.smtp_password_secret, "webhook": alerts.webhook_secret}
    return {
        "head/watch/alertmanager.yml": alertmanager_yml(cluster, alerts),
        **{f"head/watch/{name}_secret": f"{secret}\n" for name, secret in secrets.items() if secret},
    }

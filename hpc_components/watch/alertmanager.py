"""alertmanager.yml: who hears of alerts, and in which words."""

import json
from typing import Any

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.monitoring import Alerts

_UNENCRYPTED = "25"
_TLS_FROM_THE_START = "465"
"""Port on which mail servers expect TLS without STARTTLS. Source: RFC 8314, 7.3; Alertmanager's source,
notify/email/email.go, which then must not ask for STARTTLS."""

WEBHOOK_FILE = "/etc/hpc/alertmanager/webhook"
"""File with the address of the webhook, on the head node."""

_TITLE = "[{cluster}] {{{{ .Status | toUpper }}}}: {{{{ .CommonLabels.alertname }}}}"
_TEXT = """\
{{ range .Alerts }}{{ .Annotations.summary }}{{ if eq .Status "resolved" }} (resolved){{ end }}
{{ .Annotations.description }}
Type on the head node: {{ .Annotations.runbook }}
docs/watch.md, "{{ .Labels.alertname }}", explains this alert.

{{ end }}"""


def alertmanager_yml(cluster: ClusterSpec, alerts: Alerts) -> str:
    """Return the configuration of Alertmanager 0.23 to 0.28, as JSON, which is YAML too.

    It contains no secret: the head node adds the mail server's password, and writes the webhook's address to a file.
    """
    receiver: dict[str, Any] = {"name": "everyone"}
    title = _TITLE.format(cluster=cluster.name)
    document: dict[str, Any] = {}
    if alerts.mail:
        document["global"] = _mail_server(alerts)
        mail = {"to": ", ".join(alerts.mail), "headers": {"Subject": title}, "text": _TEXT, "html": ""}
        receiver["email_configs"] = [{**mail, "send_resolved": True}]
    if alerts.webhook_secret:
        chat = {"api_url_file": WEBHOOK_FILE, "title": title, "text": _TEXT, "fallback": title}
        receiver["slack_configs"] = [{**chat, "send_resolved": True}]
    document["route"] = {
        "receiver": "everyone",
        "group_by": ["alertname", "queue"],
        "group_wait": "30s",
        "group_interval": "5m",
        "repeat_interval": "12h",
    }
    document["inhibit_rules"] = _INHIBITED
    document["receivers"] = [receiver]
    return json.dumps(document, indent=1) + "\n"


_INHIBITED = [
    {  # slurmctld that is down is one alert, not two
        "source_matchers": ["alertname = SlurmctldSilent"],
        "target_matchers": ["alertname = ServiceDown", "name = slurmctld.service"],
    },
    {
        "source_matchers": ["alertname = ServiceDown", "name = hpc-elastic.service"],
        "target_matchers": ["alertname = ElasticDaemonUnhealthy"],
    },
    {
        "source_matchers": ["alertname = BudgetSpent"],
        "target_matchers": ["alertname =~ BudgetAlmostSpent|BudgetWillBeSpent"],
    },
    {
        "source_matchers": ["alertname = AccountBudgetSpent"],
        "target_matchers": ["alertname = AccountBudgetAlmostSpent"],
        "equal": ["kind", "name"],
    },
]


def _mail_server(alerts: Alerts) -> dict[str, Any]:
    port = (alerts.smtp or "").rpartition(":")[2]
    server = {
        "smtp_smarthost": alerts.smtp,
        "smtp_from": alerts.sender or alerts.mail[0],
        "smtp_require_tls": port not in (_UNENCRYPTED, _TLS_FROM_THE_START),
    }
    return {**server, "smtp_auth_username": alerts.smtp_user} if alerts.smtp_user else server

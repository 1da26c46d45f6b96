"""Alerts on their way: real Prometheus, real Alertmanager, a mail server and a chat program of this test."""

import json
import shutil
import socketserver
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from serving import serving

from hpc_components.watch.alertmanager import alertmanager_yml
from hpc_components.watch.files import packaged_rules
from hpc_components.watch.prometheus import prometheus_yml
from tests.boot.cluster import spec

from .programs import PROGRAMS, free_port, started
from .waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in PROGRAMS),
        reason="needs prometheus and prometheus-alertmanager (Debian packages)",
    ),
]

ALERTS = {
    "mail": ["ops@example.org", "oncall@example.org"],
    "smtp": "127.0.0.1:2525",
    "webhook_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:chat-AbCdEf",
}
EXPOSED = """\
hpc_slurm_up 0
hpc_elastic_healthy 1
hpc_elastic_events_total{kind="refused"} 0
"""


class Mailbox(socketserver.ThreadingTCPServer):
    """A mail server that keeps what it gets. It speaks as much of SMTP as a client needs (RFC 5321)."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Smtp)
        self.mails: list[tuple[list[str], str]] = []


class _Smtp(socketserver.StreamRequestHandler):
    server: Mailbox  # ty: ignore

    def handle(self) -> None:
        self._say("220 here")
        recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            verb = line.upper()
            if verb == "DATA":
                self._say("354 go on")
                self.server.mails.append((recipients, self._text()))
                recipients = []
            elif verb.startswith("RCPT TO:"):
                recipients.append(line[8:].strip("<> "))
            self._say("221 bye" if verb == "QUIT" else "250 fine")
            if verb == "QUIT":
                return

    def _text(self) -> str:
        lines = iter(lambda: self.rfile.readline().decode().rstrip("\r\n"), ".")
        return "\n".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class Chat(ThreadingHTTPServer):
    """An incoming webhook that keeps messages."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.messages: list[dict[str, Any]] = []


class _Hook(BaseHTTPRequestHandler):
    server: Chat  # ty: ignore

    def do_POST(self) -> None:
        self.server.messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Exposed(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(EXPOSED.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def alertmanager(folder: Path, mailbox: Mailbox, chat: Chat) -> Sequence[str]:
    """Return the command of Alertmanager with the cluster's configuration; only what is not here is replaced."""
    cluster = spec(monitoring={"alerts": ALERTS})
    assert cluster.monitoring
    assert cluster.monitoring.alerts
    document = json.loads(alertmanager_yml(cluster, cluster.monitoring.alerts))
    assert document["global"]["smtp_require_tls"]
    document["global"] |= {"smtp_smarthost": f"127.0.0.1:{mailbox.server_address[1]}", "smtp_require_tls": False}
    (folder / "webhook").write_text(f"http://127.0.0.1:{chat.server_address[1]}/hooks/1\n")
    document["receivers"][0]["slack_configs"][0]["api_url_file"] = str(folder / "webhook")
    document["route"]["group_wait"] = "1s"
    (folder / "alertmanager.yml").write_text(json.dumps(document))
    return ("prometheus-alertmanager", f"--config.file={folder}/alertmanager.yml", f"--storage.path={folder}/alerts",
            "--cluster.listen-address=")  # fmt: skip


def prometheus(folder: Path, exposed: int, alertmanager_port: int) -> Sequence[str]:
    """Return the command of Prometheus with the cluster's rules, which don't wait here."""
    document = yaml.safe_load(prometheus_yml(spec(monitoring={"alerts": ALERTS})))
    slurm = next(one for one in document["scrape_configs"] if one["job_name"] == "slurm")
    slurm |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
    slurm["static_configs"][0]["targets"] = [f"127.0.0.1:{exposed}"]
    document["scrape_configs"] = [slurm]
    document["global"]["evaluation_interval"] = "1s"
    document["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{alertmanager_port}"]
    (folder / "rules").mkdir()
    (folder / "rules" / "alerts.yml").write_text(packaged_rules("alerts.yml").replace("for: 2m", "for: 1s"))
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
    return ("prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data")


@contextmanager
def alerting(folder: Path) -> Iterator[tuple[Mailbox, Chat]]:
    """Run everything that an alert passes through."""
    with ExitStack() as stack:
        mailbox, chat = Mailbox(), Chat()
        exposed = ThreadingHTTPServer(("127.0.0.1", 0), _Exposed)
        for server in (mailbox, chat, exposed):
            stack.enter_context(serving(server))
        port = free_port()
        listen = f"--web.listen-address=127.0.0.1:{port}"
        stack.enter_context(started([*alertmanager(folder, mailbox, chat), listen], folder / "alertmanager.log"))
        command = prometheus(folder, exposed.server_address[1], port)
        listen = f"--web.listen-address=127.0.0.1:{free_port()}"
        stack.enter_context(started([*command, listen], folder / "prometheus.log"))
        yield mailbox, chat


def test_an_alert_reaches_mail_and_chat_in_words_that_can_be_typed(tmp_path: Path) -> None:
    with alerting(tmp_path) as (mailbox, chat):
        recipients, mail = wait_for(lambda: mailbox.mails and mailbox.mails[0], "mail arrives")
        message = wait_for(lambda: chat.messages and chat.messages[0], "the chat's message arrives")
    assert recipients == ["ops@example.org", "oncall@example.org"]
    assert "Subject: [lab] FIRING: SlurmctldSilent" in mail
    assert "From: ops@example.org" in mail
    plain = mail.replace("=\n", "")  # quoted-printable
    assert "slurmctld does not answer" in plain
    assert "Type on the head node: sudo systemctl status slurmctld;" in plain
    assert "text/html" not in mail
    (shown,) = message["attachments"]
    assert shown["title"] == "[lab] FIRING: SlurmctldSilent"
    assert "scontrol ping" in shown["text"]

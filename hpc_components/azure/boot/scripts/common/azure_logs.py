"""Sends logs of failed boots, and the audit trail, to the tables of the cluster's workspace."""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import json
import socket
import sys
import time
from pathlib import Path

from azure_rest import ask, domains, tag

LOG_LINES = 2000
"""Maximum number of lines to send. Source: Azure Monitor, "Service limits", Logs Ingestion API: 1 MB per call."""

AUDIT_STREAM = "Custom-HpcAudit_CL"


def log(file: str) -> None:
    """Send the file's last lines, each truncated to 200 characters so that all of them fit in one call."""
    lines = [line[:200] for line in Path(file).read_text(errors="replace").splitlines() if line.strip()]
    lines, host, now = lines[-LOG_LINES:], socket.gethostname(), int(time.time() * 1000)
    rows = []
    # one millisecond per line, because the table orders rows only by time
    for at, line in enumerate(lines, start=-len(lines)):
        rows.append({"TimeGenerated": _iso(now + at), "Computer": host, "Message": line})
    _ingest(rows)


def audit(file: str) -> None:
    """Send each line, with a column for each of its parts, to the stream beside that of the logs."""
    rows = []
    for line in Path(file).read_text().splitlines():
        record = json.loads(line)
        who, what, source = record["who"], record["what"], record["from"]
        rows.append({
            "TimeGenerated": record["time"], "Computer": record["node"], "Kind": record["kind"],
            "Who": who, "What": what, "Source": source,
        })  # fmt: skip
    _ingest(rows, AUDIT_STREAM)


def _ingest(rows: list[dict[str, str]], stream: str = "") -> None:
    """Post rows to the stream of the tag `hpc:logs`, or to another one of the same rule."""
    url = tag("hpc:logs") or sys.exit("this machine has no tag hpc:logs")
    if stream:
        url = f"{url.rpartition('/')[0]}/{stream}"
    ask("POST", f"{url}?api-version=2023-01-01", f"https://{domains().monitor}", body=rows)


def _iso(milliseconds: int) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(milliseconds // 1000))}.{milliseconds % 1000:03d}Z"

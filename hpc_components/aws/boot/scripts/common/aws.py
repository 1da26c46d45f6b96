"""Commands that nodes use to access AWS services. A command that fails prints one line.

- `aws.py secret <name> [<seconds>]`: print the secret's value, waiting up to <seconds> for it to exist
- `aws.py password <name>`: print a secret's password: the JSON field `password`, or the whole value if it isn't JSON
- `aws.py key <name> <file> <bytes>`: store the same key in a file and a secret: the key in the file, the
  key in the secret, or a new one
- `aws.py agree <name> <file>`: print the value that all nodes share: the content of the first node's file
- `aws.py publish <name> <file>`: store the file in the config bucket, where all nodes can read it
- `aws.py published <name> <file> <seconds>`: download the last published file, waiting up to <seconds> for it
- `aws.py mirror <s3 address> <folder>`: download all objects under the address to the folder
- `aws.py fetch <s3 address> <file>`: download the object
- `aws.py log <group> <file>`: send the file's last lines to a log stream named after the node
- `aws.py audit <group> <file>`: send the file's lines, records of the audit trail, to the node's log stream

Runs with the system's Python (3.10 or later) and boto3 (1.20 or later).
"""

import json
import os
import socket
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from datetime import datetime
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

LOG_EVENTS = 2000
"""Maximum number of lines to send. Source: CloudWatch Logs API, PutLogEvents: 10,000 events and 1,048,576 bytes per
call."""

DAY = 86_400_000
"""Milliseconds."""

UNMADE_SECONDS = 300.0
"""Seconds during which a denied request is treated as a sign that the secret doesn't exist yet."""

# Credentials come from the metadata service. The defaults (one attempt, one second) are not enough during boot.
os.environ.setdefault("AWS_METADATA_SERVICE_TIMEOUT", "5")
os.environ.setdefault("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "12")


def client(service: str) -> Any:
    config = Config(retries={"mode": "standard", "total_max_attempts": 8}, connect_timeout=5, read_timeout=20)
    return boto3.client(service, region_name=os.environ["HPC_REGION"], config=config)


def current(name: str) -> bytes | None:
    """Return the secret's value, or None if it has no value yet."""
    try:
        value = client("secretsmanager").get_secret_value(SecretId=name)
    except ClientError as error:
        # "can't find the specified secret value for staging label" means that the secret exists but has no value
        if error.response["Error"]["Code"] == "ResourceNotFoundException" and "staging label" in str(error):
            return None
        raise
    return value["SecretBinary"] if "SecretBinary" in value else value["SecretString"].encode()


def secret(name: str, seconds: str = "0") -> None:
    began = time.monotonic()
    until, unmade_until = began + float(seconds), began + min(float(seconds), UNMADE_SECONDS)
    while (value := _there(name, time.monotonic() < unmade_until)) is None:
        if time.monotonic() >= until:
            sys.exit(
                f"secret {name} still has no value after {seconds} s; on the head node, run `sudo "
                "/opt/hpc/bin/hpc-update`, which sets the value or reports why it can't"
            )
        time.sleep(2)
    sys.stdout.buffer.write(value)


def _there(name: str, denied_is_unmade: bool) -> bytes | None:
    """Return the secret's value, or None if the secret has no value or doesn't exist yet.

    `denied_is_unmade` specifies whether to treat a denied request as a missing secret. Nodes may boot before the
    secret is created. Until then, IAM checks the secret's bare name, which doesn't match a policy for
    `<name>-??????`, so AWS denies access. Source: ministackorg/ministack pull request 1737, measured with
    GetSecretValue; aws/aws-cdk 17792.
    """
    unmade = ("ResourceNotFoundException", *(["AccessDeniedException"] if denied_is_unmade else []))
    try:
        return current(name)
    except ClientError as error:
        if error.response["Error"]["Code"] not in unmade:
            raise
        return None


def password(name: str) -> None:
    """Print the password from a plain secret or from a JSON secret created by RDS."""
    value = (current(name) or b"").decode()
    try:
        value = json.loads(value)["password"]
    except (ValueError, TypeError, KeyError):
        value = value.rstrip("\n")
    if not value:
        sys.exit(f"secret {name} has no value; store the password in it")
    print(value)


def key(name: str, file: str, size: str) -> None:
    """Store the same key in the file and the secret. If the file exists, its key takes precedence, because the
    cluster already uses that key.
    """
    path, value = Path(file), current(name)
    if not path.exists():
        _replace(path, value or os.urandom(int(size)))
        print(f"added key {path.name} to the state volume")
    if path.read_bytes() != value:
        client("secretsmanager").put_secret_value(SecretId=name, SecretBinary=path.read_bytes())


def agree(name: str, file: str) -> None:
    """Print the secret's value, which is the same on all nodes. If the secret is still empty, first store the file's
    content in it.
    """
    value = current(name)
    if value is None:
        # All nodes use the same token, so Secrets Manager accepts the first value and refuses all others.
        token = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        content = Path(file).read_bytes()
        try:
            client("secretsmanager").put_secret_value(SecretId=name, SecretBinary=content, ClientRequestToken=token)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceExistsException":
                raise
        value = current(name) or b""
    sys.stdout.buffer.write(value)


def publish(name: str, file: str) -> None:
    client("s3").put_object(Bucket=os.environ["HPC_CONFIG"], Key=f"published/{name}", Body=Path(file).read_bytes())


def published(name: str, file: str, seconds: str) -> None:
    until = time.monotonic() + float(seconds)
    while (content := _last_published(name)) is None:
        if time.monotonic() >= until:
            sys.exit(
                f"{name} has not been published within {seconds} s; on the head node, run `sudo "
                "/opt/hpc/bin/hpc-update`, which publishes it or reports why it can't"
            )
        time.sleep(2)
    _replace(Path(file), content)


def _last_published(name: str) -> bytes | None:
    """Return the content of the last published file, or None if it is missing yet.

    The content is that of one version, because updates of an object are atomic. Source: S3 user guide, "Amazon S3
    data consistency model".
    """
    content = BytesIO()
    try:
        client("s3").download_fileobj(os.environ["HPC_CONFIG"], f"published/{name}", content)
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("404", "NoSuchKey"):
            raise
        return None
    return content.getvalue()


def _replace(path: Path, content: bytes) -> None:
    """Replace the file atomically by a new one with mode 600."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        new = Path(folder, path.name)
        new.touch(mode=0o600)
        with new.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        new.rename(path)


def mirror(address: str, folder: str) -> None:
    bucket, _, prefix = address.removeprefix("s3://").rstrip("/").partition("/")
    s3, prefix = client("s3"), f"{prefix}/" if prefix else ""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for each in page.get("Contents", ()):
            name = each["Key"].removeprefix(prefix)
            if name and not name.endswith("/"):
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                s3.download_file(bucket, each["Key"], str(path))


def fetch(address: str, file: str) -> None:
    bucket, _, key = address.removeprefix("s3://").partition("/")
    client("s3").download_file(bucket, key, file)


def log(group: str, file: str) -> None:
    """Send the file's last lines, each truncated to 200 characters so that they fit in one call."""
    lines = [line[:200] for line in Path(file).read_text(errors="replace").splitlines() if line.strip()]
    now = int(time.time() * 1000)
    events = [{"timestamp": now, "message": line} for line in lines[-LOG_EVENTS:]]
    logs, stream = client("logs"), f"{socket.gethostname()}/boot/{uuid.uuid4()}"
    logs.create_log_stream(logGroupName=group, logStreamName=stream)
    logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=events)


def audit(group: str, file: str) -> None:
    """Send each line at the time in its record. A call accepts events within 24 hours. Source: CloudWatch Logs API,
    PutLogEvents."""
    logs, stream = client("logs"), socket.gethostname()
    with suppress(logs.exceptions.ResourceAlreadyExistsException):
        logs.create_log_stream(logGroupName=group, logStreamName=stream)
    events = [_event(line) for line in Path(file).read_text().splitlines()]
    for _, of_day in groupby(events, lambda each: each["timestamp"] // DAY):
        logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=list(of_day))


def _event(line: str) -> dict[str, Any]:
    at = datetime.fromisoformat(json.loads(line)["time"].replace("Z", "+00:00"))
    return {"timestamp": int(at.timestamp() * 1000), "message": line}


if __name__ == "__main__":
    actions = {
        each.__name__: each for each in (secret, password, key, agree, publish, published, mirror, fetch, log, audit)
    }
    try:
        actions[sys.argv[1]](*sys.argv[2:])
    except (BotoCoreError, ClientError, OSError) as error:
        sys.exit(f"{sys.argv[1]} {sys.argv[2]}: {error}")

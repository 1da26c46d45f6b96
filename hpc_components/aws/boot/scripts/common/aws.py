"""What nodes ask of AWS beside their configuration. Fails with one line.

aws.py secret <name> [<seconds>]     the secret's value to stdout; waits so long for it to be there
aws.py password <name>               the password in a secret: all of it, or the field of that name if it is JSON
aws.py key <name> <file> <bytes>     file and secret hold the same key: the file's, else the secret's, else a new one
aws.py agree <name> <file>           the first node's file becomes the secret's value, for all: prints the value
aws.py mirror <s3 address> <folder>  all objects below the address, into the folder
aws.py log <group> <file>            the file's last lines into a log stream named after the node

Runs with the Python and boto3 of the system: 3.10 and 1.20 at least.
"""

import json
import os
import socket
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

LOG_EVENTS = 2000
"""Lines sent at most. Source: CloudWatch Logs API, PutLogEvents: 10,000 events and 1,048,576 bytes a call."""

UNMADE_SECONDS = 300.0
"""So long a secret that may not be read is taken for one that is not made yet."""

# The metadata service has the credentials; a second and one attempt, the defaults, are little on a node that boots.
os.environ.setdefault("AWS_METADATA_SERVICE_TIMEOUT", "5")
os.environ.setdefault("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "12")


def client(service: str) -> Any:
    """A client that keeps trying for a while, in the node's region."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 8}, connect_timeout=5, read_timeout=20)
    return boto3.client(service, region_name=os.environ["HPC_REGION"], config=config)


def current(name: str) -> bytes | None:
    """The secret's value, or None where it has none yet."""
    try:
        value = client("secretsmanager").get_secret_value(SecretId=name)
    except ClientError as error:
        # "can't find the specified secret value for staging label": the secret itself is there
        if error.response["Error"]["Code"] == "ResourceNotFoundException" and "staging label" in str(error):
            return None
        raise
    return value["SecretBinary"] if "SecretBinary" in value else value["SecretString"].encode()


def secret(name: str, seconds: str = "0") -> None:
    """Print the secret's value."""
    began = time.monotonic()
    until, unmade_until = began + float(seconds), began + min(float(seconds), UNMADE_SECONDS)
    while (value := _there(name, time.monotonic() < unmade_until)) is None:
        if time.monotonic() >= until:
            sys.exit(
                f"secret {name} has no value after {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the head node,"
                " which puts it there or says why it can't"
            )
        time.sleep(2)
    sys.stdout.buffer.write(value)


def _there(name: str, denied_is_unmade: bool) -> bytes | None:
    """The secret's value, or None where it has none or there is no such secret: nodes may be faster than `pulumi up`.

    IAM compares a secret that is not there by its bare name, which no policy for `<name>-??????` matches; so AWS then
    denies access. Source: ministackorg/ministack pull request 1737, measured with GetSecretValue; aws/aws-cdk 17792.
    """
    unmade = ("ResourceNotFoundException", *(["AccessDeniedException"] if denied_is_unmade else []))
    try:
        return current(name)
    except ClientError as error:
        if error.response["Error"]["Code"] not in unmade:
            raise
        return None


def password(name: str) -> None:
    """Print the password; secrets that RDS makes are JSON."""
    value = (current(name) or b"").decode()
    try:
        value = json.loads(value)["password"]
    except (ValueError, TypeError, KeyError):
        value = value.rstrip("\n")
    if not value:
        sys.exit(f"secret {name} has no value; put the database's password there")
    print(value)


def key(name: str, file: str, size: str) -> None:
    """Make file and secret agree. The file counts: the cluster runs with it."""
    path, value = Path(file), current(name)
    if not path.exists():
        new = path.with_suffix(".new")
        new.touch(mode=0o600)
        with new.open("wb") as out:
            out.write(value or os.urandom(int(size)))
            out.flush()
            os.fsync(out.fileno())
        new.rename(path)
        print(f"key {path.name} is new on the state volume")
    if path.read_bytes() != value:
        client("secretsmanager").put_secret_value(SecretId=name, SecretBinary=path.read_bytes())


def agree(name: str, file: str) -> None:
    """Print what all nodes have as the secret's value: the file of the first that asked."""
    value = current(name)
    if value is None:
        # All who try use one token: Secrets Manager takes one value for it and refuses the others.
        token = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        content = Path(file).read_bytes()
        try:
            client("secretsmanager").put_secret_value(SecretId=name, SecretBinary=content, ClientRequestToken=token)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceExistsException":
                raise
        value = current(name) or b""
    sys.stdout.buffer.write(value)


def mirror(address: str, folder: str) -> None:
    """Fetch all objects below an address."""
    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    s3 = client("s3")
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for each in page.get("Contents", ()):
            name = each["Key"].removeprefix(prefix).lstrip("/")
            if name and not name.endswith("/"):
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                s3.download_file(bucket, each["Key"], str(path))


def log(group: str, file: str) -> None:
    """Send the file's last lines, each cut at 200 characters, so that they fit into one call."""
    lines = [line[:200] for line in Path(file).read_text(errors="replace").splitlines() if line.strip()]
    now = int(time.time() * 1000)
    events = [{"timestamp": now, "message": line} for line in lines[-LOG_EVENTS:]]
    logs, stream = client("logs"), f"{socket.gethostname()}/boot/{uuid.uuid4()}"
    logs.create_log_stream(logGroupName=group, logStreamName=stream)
    logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=events)


if __name__ == "__main__":
    actions = {each.__name__: each for each in (secret, password, key, agree, mirror, log)}
    try:
        actions[sys.argv[1]](*sys.argv[2:])
    except (BotoCoreError, ClientError, OSError) as error:
        sys.exit(f"{sys.argv[1]} {sys.argv[2]}: {error}")

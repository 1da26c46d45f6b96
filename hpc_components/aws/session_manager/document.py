import json
from typing import Any

from pulumi import Input, Output

SHELL = "set -a; . /etc/environment; set +a; cd; exec bash -l"
"""Commands that the session's `sh` runs first. Because sessions don't use PAM, nothing else reads /etc/environment,
which has the nodes' variables for users, and nothing else starts a login shell."""


def session_document(
    *, idle_minutes: int, max_minutes: int | None, log_group: Input[str] | None, kms_key: Input[str] | None
) -> Input[str]:
    """Return the body of the cluster's session document as JSON.

    The default user is empty, so Session Manager refuses identities without the tag `SSMSessionRunAs`. If logs must
    be encrypted, the agent refuses sessions that it can't log. Source: Systems Manager user guide, "Session document
    schema" and "Turn on Run As support for Linux and macOS managed nodes"; amazon-ssm-agent,
    agent/session/shell/shell.go.
    """
    inputs: dict[str, Any] = {
        "runAsEnabled": True,
        "runAsDefaultUser": "",
        "idleSessionTimeout": str(idle_minutes),
        "shellProfile": {"linux": SHELL},
        "cloudWatchStreamingEnabled": log_group is not None,
        "cloudWatchEncryptionEnabled": log_group is not None and kms_key is not None,
        "s3EncryptionEnabled": True,
    }
    optional = {
        "maxSessionDuration": None if max_minutes is None else str(max_minutes),
        "cloudWatchLogGroupName": log_group,
        "kmsKeyId": kms_key,
    }
    body = {
        "schemaVersion": "1.0",
        "description": "Logs users in to an HPC cluster under their own accounts",
        "sessionType": "Standard_Stream",
        "inputs": inputs | {name: value for name, value in optional.items() if value is not None},
    }
    plain = isinstance(log_group, str | None) and isinstance(kms_key, str | None)
    return json.dumps(body) if plain else Output.json_dumps(body)

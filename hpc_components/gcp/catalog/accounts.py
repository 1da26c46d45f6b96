"""Names of service accounts and custom roles, decided in one place."""

import hashlib
import re

__all__ = ["LONGEST_ACCOUNT_ID", "account_id", "account_resource", "role_id"]

SHORTEST_ACCOUNT_ID, LONGEST_ACCOUNT_ID = 6, 30
"""Source: IAM API reference, projects.serviceAccounts.create, accountId."""

_DIGEST = 6


def account_id(name: str) -> str:
    """The id of the service account called `name`: that, where Google takes it.

    What is too long or too short has six characters at its end that tell it apart from others.
    """
    if SHORTEST_ACCOUNT_ID <= len(name) <= LONGEST_ACCOUNT_ID:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: LONGEST_ACCOUNT_ID - _DIGEST - 1].rstrip('-')}-{digest}"


def account_resource(email: str, project: str) -> str:
    """The full name of a service account, which its permissions hang on.

    An email of Google's own form has no project in it; `project` is for these.
    """
    found = re.fullmatch(r"[^@]+@([a-z][a-z0-9-]+)\.iam\.gserviceaccount\.com", email)
    return f"projects/{found[1] if found else project}/serviceAccounts/{email}"


def role_id(name: str) -> str:
    """The id of the custom role called `name`, which takes no hyphen.

    Source: IAM API reference, projects.roles.create, roleId: 3 to 64 characters, `[a-zA-Z0-9_.]`.
    """
    return name.replace("-", "_")

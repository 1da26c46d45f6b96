"""Ids of service accounts and custom roles."""

import hashlib
import re

from hpc_components.gcp.catalog.names import longest_name, wrong_name

_DIGEST_LENGTH = 6


def account_id(name: str) -> str:
    """Return the id of the service account called `name`: the name itself, if Google accepts it.

    A name that is too long or too short gets a unique suffix of six characters.
    """
    if wrong_name("service_account", name) is None:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{name[: longest_name('service_account') - _DIGEST_LENGTH - 1].rstrip('-')}-{digest}"


def account_resource(email: str, project: str) -> str:
    """Return the full name of a service account, on which permissions are granted.

    `project` is used for emails without one, such as those of Google's default accounts.
    """
    found = re.fullmatch(r"[^@]+@([a-z][a-z0-9-]+)\.iam\.gserviceaccount\.com", email)
    return f"projects/{found[1] if found else project}/serviceAccounts/{email}"


def role_id(name: str) -> str:
    """Return the id of the custom role called `name`, which can't have hyphens.

    Source: IAM API reference, projects.roles.create, roleId: 3 to 64 characters, `[a-zA-Z0-9_.]`.
    """
    return name.replace("-", "_")

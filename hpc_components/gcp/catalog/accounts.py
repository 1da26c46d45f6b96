"""Names of service accounts and custom roles, decided in one place."""

import hashlib
import re

from hpc_components.gcp.catalog.names import longest_name, wrong_name

_DIGEST = 6


def account_id(name: str) -> str:
    """The id of the service account called `name`: that, where Google takes it.

    What is too long or too short has six characters at its end that tell it apart from others.
    """
    if wrong_name("service_account", name) is None:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: longest_name('service_account') - _DIGEST - 1].rstrip('-')}-{digest}"


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

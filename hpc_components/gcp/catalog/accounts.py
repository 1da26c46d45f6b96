import hashlib
import re

from hpc_components.gcp.catalog.names import longest_name, wrong_name

_DIGEST_LENGTH = 6


def account_id(name: str) -> str:
    """Return `name` if it is a valid service account id. Otherwise, shorten it if necessary, and add a unique suffix
    of six characters.
    """
    if wrong_name("service_account", name) is None:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{name[: longest_name('service_account') - _DIGEST_LENGTH - 1].rstrip('-')}-{digest}"


def account_resource(email: str, project: str) -> str:
    """Return a service account's full resource name, which is needed to grant permissions on the account.

    `project` is used if the email address doesn't include a project. This is the case for Google's default accounts.
    """
    found = re.fullmatch(r"[^@]+@([a-z][a-z0-9-]+)\.iam\.gserviceaccount\.com", email)
    return f"projects/{found[1] if found else project}/serviceAccounts/{email}"


def role_id(name: str) -> str:
    """Return the id for a custom role. Hyphens become underscores, because role ids can't contain hyphens.

    Source: IAM API reference, projects.roles.create, roleId: 3 to 64 characters, `[a-zA-Z0-9_.]`.
    """
    return name.replace("-", "_")

"""The custom metadata of machines: what they read of themselves at boot, and who may log in."""

from dataclasses import dataclass

from pulumi import Input

from hpc_components.gcp.ports import Identities, Services


@dataclass(frozen=True, kw_only=True)
class Login:
    """Who may log in to a machine as an administrator."""

    os_login: bool = False
    """IAM decides (OS Login), and no key is used."""
    admin_user: str = "hpcadmin"
    """Name of the administrator's account."""
    ssh_key: str | None = None
    """Public SSH key of the administrator."""


BY_IAP = Login()
"""Administrators bring a key of their own by Google's tools, as far as IAM lets them."""


def node_metadata(
    *,
    role: str,
    cluster: str,
    project: str,
    services: Services,
    identities: Identities,
    user_data: str,
    login: Login,
    **own: str,
) -> dict[str, Input[str]]:
    """Metadata of machines of a role, with what else they are told (`queue="spot"`) under keys like `hpc-queue`.

    Keys of the project's metadata let nobody in, and the serial port lets in nobody at all.
    """
    lent = {} if identities.lent is None else {"hpc-data-account": identities.lent.email}
    keys = {}
    if login.ssh_key is not None and not login.os_login:
        keys = {"ssh-keys": f"{login.admin_user}:{login.ssh_key.strip()}"}
    return {
        "hpc-cluster": cluster,
        "hpc-role": role,
        "hpc-config": services.config.bucket,
        "hpc-project": project,
        **{f"hpc-{key}": value for key, value in own.items()},
        **lent,
        "enable-oslogin": "TRUE" if login.os_login else "FALSE",
        "block-project-ssh-keys": "true",
        "serial-port-enable": "false",
        **keys,
        "user-data": user_data,
    }

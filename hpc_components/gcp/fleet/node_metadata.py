from dataclasses import dataclass

from pulumi import Input

from hpc_components.gcp.ports import Identities, Services


@dataclass(frozen=True, kw_only=True)
class Login:
    """Administrator access to a machine."""

    os_login: bool = False
    """Whether IAM decides who may log in (OS Login). If so, `ssh_key` is ignored."""
    admin_user: str = "hpcadmin"
    """Name of the administrator's account."""
    ssh_key: str | None = None
    """The administrator's public SSH key."""


BY_IAP = Login()
"""Access through IAP. Google's tools install the administrator's key if IAM allows it."""


def script_key(*, run_by_agent: bool) -> str:
    """Return the key of the boot script. Source: Compute Engine documentation, "Use startup scripts on Linux VMs";
    cloud-init documentation, GCE."""
    return "startup-script" if run_by_agent else "user-data"


def node_metadata(
    *,
    role: str,
    cluster: str,
    project: str,
    services: Services,
    identities: Identities,
    user_data: str,
    run_by_agent: bool,
    login: Login,
    **own: str,
) -> dict[str, Input[str]]:
    """Return the metadata for machines with this role. Additional values, such as `queue="spot"`, get keys like
    `hpc-queue`.
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
        script_key(run_by_agent=run_by_agent): user_data,
    }

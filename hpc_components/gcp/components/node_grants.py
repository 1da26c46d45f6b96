"""What the nodes of each role may do at boot: roles on single buckets and secrets, bound one by one."""

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.ports import ConfigStore, Identity, SecretRef, Services

__all__ = ["grant_compute", "grant_head", "grant_login", "member_of"]

READS_OBJECTS = "roles/storage.objectViewer"
READS_SECRET = "roles/secretmanager.secretAccessor"
ADDS_SECRET = "roles/secretmanager.secretVersionAdder"


def member_of(account: Identity) -> Input[str]:
    """A service account as IAM writes it."""
    if isinstance(account.email, str):
        return f"serviceAccount:{account.email}"
    return Output.concat("serviceAccount:", account.email)


def grant_compute(
    of: str, account: Identity, services: Services, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Compute nodes of component `of`: read the configuration and the munge key."""
    return _Grants(of, account, opts).reads_config(services.config).reads(services.munge).made


def grant_login(
    of: str, account: Identity, services: Services, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Login nodes: read the configuration and the munge key, agree on host keys."""
    grants = _Grants(of, account, opts).reads_config(services.config).reads(services.munge)
    return grants.reads(services.host_keys).adds(services.host_keys).made


def grant_head(of: str, account: Identity, services: Services, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """The head node, launching apart: read the configuration, make the keys."""
    grants = _Grants(of, account, opts).reads_config(services.config)
    for secret in (services.munge, services.jwt):
        grants.reads(secret).adds(secret)
    return grants.made


class _Grants:
    """Bindings for one service account; none for an account that is to get none.

    Each is one member of one role, so that nothing else that is bound there is touched.
    """

    def __init__(self, of: str, account: Identity, opts: pulumi.ResourceOptions) -> None:
        self._of, self._account, self._opts = of, account, opts
        self.made: list[pulumi.Resource] = []

    def reads_config(self, config: ConfigStore) -> "_Grants":
        if self._account.is_ours:
            made = gcp.storage.BucketIAMMember(
                f"{self._of}-reads-config",
                bucket=config.bucket,
                role=READS_OBJECTS,
                member=member_of(self._account),
                opts=self._opts,
            )
            self.made.append(made)
        return self

    def reads(self, secret: SecretRef) -> "_Grants":
        return self._on_secret(secret, "reads", READS_SECRET)

    def adds(self, secret: SecretRef) -> "_Grants":
        return self._on_secret(secret, "adds", ADDS_SECRET)

    def _on_secret(self, secret: SecretRef, verb: str, role: str) -> "_Grants":
        if self._account.is_ours:
            made = gcp.secretmanager.SecretIamMember(
                f"{self._of}-{verb}-{secret.name}",
                secret_id=secret.id,
                role=role,
                member=member_of(self._account),
                opts=self._opts,
            )
            self.made.append(made)
        return self

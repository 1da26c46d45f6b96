"""The keys of an organisation's rules for roles in a description."""

from hpc_components.spec.model import Model


class Iam(Model):
    """Your organisation's rules for the roles that the cluster creates."""

    permissions_boundary: str | None = None
    """ARN of the permissions boundary of every role."""
    role_path: str = "/"
    """Path of the roles and instance profiles."""
    kms_keys: tuple[str, ...] = ()
    """ARNs of customer-managed keys that appear nowhere else: the account's default key for EBS, the keys of your
    images and of `password_secret`. The head node and the service that launches login nodes may use them."""

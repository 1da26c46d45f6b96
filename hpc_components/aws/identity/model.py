from hpc_components.spec.model import Model


class Iam(Model):
    """Your organisation's rules for the roles that the cluster creates."""

    permissions_boundary: str | None = None
    """ARN of the permissions boundary set on every role."""
    role_path: str = "/"
    """IAM path of the roles and instance profiles."""
    kms_keys: tuple[str, ...] = ()
    """ARNs of customer-managed keys that appear nowhere else in the description, such as the account's default key
    for EBS, your images' keys and the key of `password_secret`. The head node and the service that launches login
    nodes may use these keys."""

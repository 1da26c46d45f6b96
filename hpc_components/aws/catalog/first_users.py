from hpc_components.catalog._load import records


def first_user(os: str) -> str | None:
    """Return the account that an operating system's public images create for `key_pair`, or None if it is unknown."""
    family = os.partition("-")[0]
    return next((record["user"] for record in records("first_users", __file__) if record["family"] == family), None)

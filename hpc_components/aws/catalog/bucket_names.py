import re
from ipaddress import IPv4Address

from hpc_components.aws.catalog.limits import reserved_bucket_end, service_limit


def bucket_of(url: str) -> str:
    return url.removeprefix("s3://").partition("/")[0]


def wrong_bucket_name(name: str) -> tuple[str, str] | None:
    """If S3 would refuse `name`, return the reason and the remedy; otherwise, return None.

    Source: S3 user guide, "General purpose bucket naming rules".
    """
    most = service_limit("s3.bucket_name_length")
    if not 3 <= len(name) <= most:
        return f"{name!r} has {len(name)} characters", f"use 3 to {most} characters"
    if bad := re.search(r"[^a-z0-9.-]", name):
        proposed = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip(".-")
        return (
            f"a bucket name can't contain {bad[0]!r}",
            f"use only lower-case letters, digits, dots and hyphens, e.g. {proposed}",
        )
    if not (name[0].isalnum() and name[-1].isalnum()) or ".." in name:
        return (
            f"{name!r} is not a valid bucket name",
            "begin and end the name with a letter or digit, and avoid consecutive dots",
        )
    if end := reserved_bucket_end(name):
        return f"S3 reserves bucket names with the prefix or suffix {end!r}", "use another name"
    if _is_address(name):
        return f"{name!r} looks like an IP address", "use another name"
    return None


def is_express_base(base: str) -> bool:
    """Return whether the name of a directory bucket can begin with `base`.

    Source: S3 user guide, "Directory bucket naming rules".
    """
    return re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", base) is not None


def express_bucket_name(base: str, zone: str, shard: int | str) -> str:
    """Return the name of one shard, in the format that S3 requires.

    Even a single shard is numbered, so that adding shards does not rename existing ones.
    """
    return f"{base}-{shard}--{zone}--x-s3"


def _is_address(name: str) -> bool:
    try:
        IPv4Address(name)
    except ValueError:
        return False
    return True

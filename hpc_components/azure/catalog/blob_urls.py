import re
from dataclasses import dataclass

from hpc_components.azure.catalog.names import wrong_name

BLOB_SUFFIXES = ("blob.core.windows.net", "blob.core.usgovcloudapi.net", "blob.core.chinacloudapi.cn")
"""Host name suffixes of Blob storage in the public, US government and China clouds. Source: Azure CLI, `az cloud
list`, suffixes.storageEndpoint; read 2026-11."""

_FORM = "https://<account>.blob.core.windows.net/<container>[/<prefix>]"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobUrl:
    """The URL of a Blob container, or of the blobs in it whose names begin with a prefix."""

    account: str
    container: str
    prefix: str = ""
    """Prefix without a leading slash; empty for the whole container."""
    suffix: str = BLOB_SUFFIXES[0]

    @property
    def host(self) -> str:
        return f"{self.account}.{self.suffix}"

    @property
    def whole(self) -> "BlobUrl":
        """URL of the container, without a prefix."""
        return BlobUrl(account=self.account, container=self.container, suffix=self.suffix)

    def __str__(self) -> str:
        path = f"{self.container}/{self.prefix}" if self.prefix else self.container
        return f"https://{self.host}/{path}"


def blob_url(text: str) -> BlobUrl | None:
    """Parse `https://<account>.blob.core.windows.net/<container>[/<prefix>]`.

    Return None if the text has a different form, or if the account name, container name or prefix is invalid.
    """
    found = _parts(text)
    return None if found is None or wrong_blob_url(text) else found


def wrong_blob_url(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `blob_url` would return None for this text."""
    found = _parts(text)
    if found is None:
        return _no_container(text)
    if wrong := wrong_name("storage_account", found.account) or wrong_name("container", found.container):
        return wrong
    if re.search(r"[\s?#%]|//", found.prefix) or ".." in found.prefix.split("/"):
        return (
            f"the blob prefix {found.prefix!r} is not supported",
            "use only letters, digits, -, _, . and /, without '..' or '//'",
        )
    return None


def _parts(text: str) -> BlobUrl | None:
    ends = "|".join(map(re.escape, BLOB_SUFFIXES))
    match = re.fullmatch(rf"https://([^/.]+)\.({ends})/([^/?#]+)(?:/([^?#]*))?", text)
    if match is None:
        return None
    account, suffix, container, prefix = match.groups()
    return BlobUrl(account=account, container=container, prefix=prefix or "", suffix=suffix)


def _no_container(text: str) -> tuple[str, str]:
    if "?" in text:
        return (
            "a container URL must not include a SAS token: machines access containers with their identities",
            f"write {_FORM}",
        )
    if re.match(r"https://[^/]+\.(dfs|file)\.core\.", text):
        return f"{text!r} does not belong to Blob storage", f"write {_FORM}"
    if re.fullmatch(r"https://[^/]+/?", text):
        return f"{text!r} doesn't include a container name", f"write {_FORM}"
    return f"{text!r} is not the URL of a Blob container", f"write {_FORM}"

"""Addresses of Blob containers."""

from dataclasses import dataclass

__all__ = ["BLOB_SUFFIXES", "BlobUrl", "blob_url", "wrong_blob_url"]

BLOB_SUFFIXES = ("blob.core.windows.net", "blob.core.usgovcloudapi.net", "blob.core.chinacloudapi.cn")
"""Ends of the host names of Blob storage: the public cloud, that of the US government, that of China."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobUrl:
    """A container, or the blobs in it whose names begin with a prefix."""

    account: str
    container: str
    prefix: str = ""
    """Without a slash at its beginning; empty for the whole container."""
    suffix: str = BLOB_SUFFIXES[0]

    @property
    def host(self) -> str:
        """`<account>.blob.core.windows.net`."""
        return f"{self.account}.{self.suffix}"

    def __str__(self) -> str:
        path = f"{self.container}/{self.prefix}" if self.prefix else self.container
        return f"https://{self.host}/{path}"


def blob_url(text: str) -> BlobUrl | None:
    """The parts of `https://<account>.blob.core.windows.net/<container>[/<prefix>]`; None for any other text, and for
    names that no account or container can have."""
    raise NotImplementedError


def wrong_blob_url(text: str) -> tuple[str, str] | None:
    """Reason and remedy where `blob_url` is None."""
    raise NotImplementedError

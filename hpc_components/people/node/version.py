"""The version of the published document, as an address in the cluster's name service.

A node that asked the config bucket every few seconds would cost money and disturb jobs. Instead, nodes ask the head
node's name server, which they use anyway, and fetch the document only if the version has changed.
"""

import hashlib
import socket

NAME = "people-version"
"""Host name whose address is the version."""


def version_of(text: str) -> str:
    """Return the version of a document: an address in 10.0.0.0/8 with the first three bytes of the text's SHA-256."""
    return ".".join(("10", *map(str, hashlib.sha256(text.encode()).digest()[:3])))


def announced() -> str | None:
    """Return the version that the head node announces, or None if its name server does not answer."""
    try:
        return socket.gethostbyname(NAME)
    except OSError:
        return None

"""The JSON document of an acceptance test, with its own checksum, and its signature by the user's ssh key."""

import hashlib
import subprocess
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from hpc_components.accept.cluster import AcceptanceError
from hpc_components.accept.result import Acceptance
from hpc_components.spec.printable import json_text

VERSION = 1
"""Format version of the document. Within a version, keys may be added, but not changed or removed."""

NAMESPACE = "hpc-accept"
"""What the signature is for, so that it can't be used for another purpose. Source: ssh-keygen(1), -Y sign."""


def document_of(acceptance: Acceptance) -> dict[str, Any]:
    """Return the document. `sha256` is that of all other keys, as `canonical` writes them."""
    document = to_jsonable_python(acceptance) | {"acceptance": VERSION, "passed": acceptance.passed}
    return document | {"sha256": checksum(document)}


def checksum(document: dict[str, Any]) -> str:
    """Return the SHA-256 of a document, of its text by `json_text` without the key `sha256`."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json_text(rest).encode()).hexdigest()


def to_json(acceptance: Acceptance) -> str:
    return json_text(document_of(acceptance)) + "\n"


def sign(file: Path, key: Path) -> Path:
    """Sign a file with an ssh key, and return the file with the signature. Raise AcceptanceError if that fails."""
    signature = file.with_name(f"{file.name}.sig")
    signature.unlink(missing_ok=True)  # ssh-keygen would ask
    try:
        done = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)],
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise AcceptanceError("ssh-keygen is not on PATH; install OpenSSH's client, or leave out --sign") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise AcceptanceError(f"can't sign {file} with {key}: {said[-1] if said else 'ssh-keygen says nothing'}")
    return signature

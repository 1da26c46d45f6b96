"""Prints the private key of the authority that signs the SSH host keys of a cluster.

All nodes derive the same key from the munge key (stdin). It is written in OpenSSH's own format, because ssh-keygen
before 9.6 reads Ed25519 keys in no other. Source: release notes of OpenSSH 9.6.
"""

import base64
import hmac
import subprocess
import sys
from struct import pack

PURPOSE = b"hpc ssh host ca"

PKCS8_BEFORE_SEED = bytes.fromhex("302e020100300506032b657004220420")
"""The bytes of a private key in DER before its seed of 32 bytes. Source: RFC 8410, section 10.3."""


def public_key(seed: bytes) -> bytes:
    command = ["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"]
    run = subprocess.run(command, input=PKCS8_BEFORE_SEED + seed, stdout=subprocess.PIPE, check=True)
    return run.stdout[-32:]


def strings(*values: bytes) -> bytes:
    return b"".join(pack(">I", len(value)) + value for value in values)


def key_file(seed: bytes) -> str:
    """Return an unencrypted private key without a comment. Source: OpenSSH, PROTOCOL.key."""
    public = public_key(seed)
    private = pack(">II", 0, 0) + strings(b"ssh-ed25519", public, seed + public, b"")
    private += bytes(range(1, 1 + -len(private) % 8))
    blob = b"openssh-key-v1\0" + strings(b"none", b"none", b"") + pack(">I", 1)
    blob += strings(strings(b"ssh-ed25519", public), private)
    kind = "OPENSSH PRIVATE KEY-----"
    return f"-----BEGIN {kind}\n{base64.encodebytes(blob).decode()}-----END {kind}\n"


if __name__ == "__main__":
    sys.stdout.write(key_file(hmac.digest(sys.stdin.buffer.read(), PURPOSE, "sha256")))

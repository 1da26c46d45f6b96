"""The authority for SSH host keys, which every node derives from the munge key."""

import hmac
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hpc_components import boot

PROGRAM = Path(str(boot.__file__)).parent / "scripts/common/host_authority.py"


def public_key(folder: Path, munge_key: bytes) -> str:
    """Return what OpenSSH reads from the private key that a node writes."""
    run = subprocess.run([sys.executable, "-I", PROGRAM], input=munge_key, capture_output=True, check=True)
    file = folder / "authority"
    file.touch(mode=0o600)
    file.write_bytes(run.stdout)
    return subprocess.run(["ssh-keygen", "-y", "-f", file], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("munge_key", [b"k" * 1024, os.urandom(1024), b"\0" * 32], ids=["plain", "random", "short"])
def test_openssh_reads_the_key_that_belongs_to_the_seed(tmp_path: Path, munge_key: bytes) -> None:
    seed = hmac.digest(munge_key, b"hpc ssh host ca", "sha256")
    belonging = Ed25519PrivateKey.from_private_bytes(seed).public_key()
    assert public_key(tmp_path, munge_key) == belonging.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def test_every_release_derives_the_same_key(tmp_path: Path) -> None:
    """Nodes of a cluster boot at different times, with the files of different releases."""
    key = "AAAAC3NzaC1lZDI1NTE5AAAAIGn9ScIChSDa9A9S2rPDQ1k7U5cSZBQPJs7dI+f0g23p"
    assert public_key(tmp_path, b"k" * 1024) == f"ssh-ed25519 {key}"

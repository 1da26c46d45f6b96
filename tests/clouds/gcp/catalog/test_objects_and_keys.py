"""Cloud Storage URLs, and public keys of administrators."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.gcp.catalog.gcs_urls import GcsUrl, gcs_url, wrong_gcs_url
from hpc_components.gcp.catalog.ssh_keys import wrong_ssh_key

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKuGzDzRyulNieE76fogCRJRA+0bpvcVGA0tL6Ux40kP"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("gs://runs", GcsUrl("runs", "")),
        ("gs://runs/", GcsUrl("runs", "")),
        ("gs://runs.example.org/in/2026/", GcsUrl("runs.example.org", "in/2026")),
    ],
)
def test_an_address_has_a_bucket_and_a_prefix(text: str, url: GcsUrl) -> None:
    assert gcs_url(text) == url
    assert str(url) == text.rstrip("/")
    assert wrong_gcs_url(text) is None


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("runs/in", "use gs://runs/in"),
        ("s3://runs/in", "use gs://runs/in"),
        ("https://runs/in", "write gs://<bucket>/<prefix>"),
        ("gs://My-Runs/in", ": my-runs"),
        ("gs://runs/*.dat", "write gs://<bucket>/<prefix>, without * or ?"),
        ("gs://runs/a//b", "write gs://<bucket>/<prefix>, without * or ?"),
        ("gs://", "a bucket's name must have 3 to 63 characters"),
        ("", "write gs://<bucket>/<prefix>, without * or ?"),
    ],
)
def test_a_wrong_bucket_address_has_its_remedy(text: str, remedy: str) -> None:
    assert gcs_url(text) is None
    assert (wrong_gcs_url(text) or ("", ""))[1].endswith(remedy)


@given(st.text(max_size=20))
def test_any_text_is_an_address_or_told(text: str) -> None:
    assert (gcs_url(text) is None) is (wrong_gcs_url(text) is not None)


def test_prefixes_overlap_by_whole_words() -> None:
    whole, runs, other = (GcsUrl("b", prefix) for prefix in ("", "runs", "runs-2"))
    assert whole.overlaps(runs)
    assert runs.overlaps(whole)
    assert not runs.overlaps(other)
    assert runs.overlaps(GcsUrl("b", "runs/in"))
    assert not whole.overlaps(GcsUrl("c", ""))


def packed(*parts: bytes) -> str:
    return base64.b64encode(b"".join(len(part).to_bytes(4) + part for part in parts)).decode()


@pytest.mark.parametrize(
    "key",
    [
        ED25519,
        f"{ED25519} hpc-admins@example.org\n",
        "ssh-rsa " + packed(b"ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 256),
        "ecdsa-sha2-nistp256 " + packed(b"ecdsa-sha2-nistp256", b"nistp256", b"\x04" + b"\x01" * 64),
    ],
)
def test_a_right_ssh_key_is_accepted(key: str) -> None:
    assert wrong_ssh_key(key) is None


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("", "this is not a public SSH key"),
        ("~/.ssh/id_ed25519.pub", "this is a file name"),
        (f"alice:{ED25519}", "the key begins with a user name"),
        (f"{ED25519}\n{ED25519}", "the text has more than one line"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "this is a private key, which must stay secret"),
        (ED25519[:-10], "the key is incomplete or damaged"),
        ("ssh-dss AAAAB3NzaC1kc3M=", "sshd does not accept ssh-dss keys"),
        (
            "ssh-rsa " + packed(b"ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 128),
            "the RSA key has only 1024 bits, but at least 2048 bits are needed to be safe",
        ),
    ],
)
def test_a_wrong_ssh_key_is_refused(key: str, reason: str) -> None:
    said = wrong_ssh_key(key)
    assert said is not None
    assert said[0] == reason

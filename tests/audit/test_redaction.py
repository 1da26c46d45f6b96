"""Secrets in logs: which are recognized, and what remains."""

import pytest

from hpc_components.audit.node.redaction import LEFT_OUT, line_filter


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("StoragePass=hunter2", f"StoragePass={LEFT_OUT}"),
        ("password: 'hunter2' given", f"password: '{LEFT_OUT}' given"),
        ('{"api_key": "hunter2", "x": 1}', f'{{"api_key": "{LEFT_OUT}", "x": 1}}'),
        ("mysql://slurm:hunter2@db:3306/x", f"mysql://{LEFT_OUT}@db:3306/x"),
        ("SLURM_JWT_TOKEN=eyJhbGciOi.eyJleHAi.c2ln end", f"SLURM_JWT_TOKEN={LEFT_OUT} end"),
        ("got eyJhbGciOi.eyJleHAi.c2ln end", f"got {LEFT_OUT} end"),
        ("Authorization: Bearer abcdefgh123", f"Authorization: Bearer {LEFT_OUT}"),
        ("GET /x?sv=1&sig=abc%2Fd&se=2", f"GET /x?sv=1&sig={LEFT_OUT}&se=2"),
        ("key AKIAABCDEFGHIJKLMNOP here", f"key {LEFT_OUT} here"),
    ],
)  # fmt: skip
def test_values_of_secrets_are_left_out(line: str, left: str) -> None:
    assert line_filter()(line) == left


@pytest.mark.parametrize(
    "line",
    [
        "slurmctld: error: Node q-1 not responding, setting DOWN",
        "launch token hpc-1234 accepted",
        "secret munge was read",
        "authentication failed for user alice",
        "ssh: Received disconnect from 10.0.0.1 port 22:11",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert line_filter()(line) == line


def test_a_private_key_is_left_out_line_by_line() -> None:
    clean = line_filter()
    lines = ["a", "-----BEGIN OPENSSH PRIVATE KEY-----", "b3Bl", "-----END OPENSSH PRIVATE KEY-----", "b"]
    assert [clean(line) for line in lines] == ["a", *[LEFT_OUT] * 3, "b"]

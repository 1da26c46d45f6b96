"""What a node lends whose metadata service answers late, as after a reboot."""

import importlib.util
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from hpc_components.aws import boot


class OverError(Exception):
    """Ends a loop that has no end."""


def test_credentials_that_come_late_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("node_data", Path(boot.__file__).parent / "scripts/common/data.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "CONTAINER_CREDENTIALS_FULL_URI"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")  # nobody answers who they are for
    monkeypatch.setenv("HPC_REGION", "us-east-2")
    said: list[str] = []

    def pause(_: float) -> None:
        said.append(lender.lent.why)
        if len(said) == 2:
            raise OverError
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    monkeypatch.setattr(program, "time", SimpleNamespace(sleep=pause, monotonic=time.monotonic))
    with program.Lender(("127.0.0.1", 0), program.Handler) as lender, pytest.raises(OverError):
        lender.renew("arn:aws:iam::123456789012:role/data", "debug-1")
    assert "Unable to locate credentials" in said[0]
    assert "Could not connect to the endpoint" in said[1]

"""Buckets are used as by users: by the programs that nodes get, against what stands in for the clouds' services."""

import os
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from hpc_components.accept.checks import buckets
from hpc_components.accept.checks.part import Part, QueueRun, program
from hpc_components.accept.plan import plan_acceptance
from hpc_components.accept.result import State
from hpc_components.cloud import cloud_named
from tests.accept.object_stores import ObjectStore, object_store
from tests.rehearse.performing import described


def programs(cloud: str, at: Path) -> Path:
    (at / "bucket.py").write_text(program("bucket.py"))
    (at / "bucket_api.py").write_text(cloud_named(cloud).parts.bucket_api or "")
    return at


def used(cloud: str, access: str, store: ObjectStore, at: Path) -> tuple[str, int]:
    """What a node prints that uses the bucket, and the exit code."""
    url = f"http://{store.url}/data" if cloud == "azure" else "gs://results"
    lent = {
        "IDENTITY_ENDPOINT": f"http://{store.url}/token",
        "IDENTITY_HEADER": "hpc",
        "GCE_METADATA_HOST": store.url,
        "STORAGE_EMULATOR_HOST": f"http://{store.url}",
    }
    done = subprocess.run(
        [sys.executable, "bucket.py", access, url, "hpc-accept-1-n-1"],
        cwd=programs(cloud, at),
        env={"PATH": os.environ["PATH"], **lent},
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout.strip(), done.returncode


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_a_writable_bucket_is_written_read_and_left_as_it_was(cloud: str, tmp_path: Path) -> None:
    with object_store() as store:
        assert used(cloud, "write", store, tmp_path) == ("ok", 0)
        assert [call.partition(" ")[2] for call in store.calls] == ["object"] * 3
        assert store.objects == {}


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_a_readable_bucket_is_only_listed(cloud: str, tmp_path: Path) -> None:
    with object_store() as store:
        assert used(cloud, "read", store, tmp_path) == ("ok", 0)
        assert store.calls == ["GET list"]


@pytest.mark.parametrize(("cloud", "method"), [("azure", "PUT"), ("gcp", "POST"), ("azure", "GET"), ("gcp", "GET")])
def test_a_refusal_of_the_service_is_printed_in_one_line(cloud: str, method: str, tmp_path: Path) -> None:
    with object_store() as store:
        store.denied = f"{method} .*"
        said, code = used(cloud, "write", store, tmp_path)
        assert code == 1
        assert said.startswith(f"OSError: {method} http")
        assert said.endswith(": 403 Forbidden")
        assert store.objects == {}


def on_s3(
    access: str, url: str, at: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.syspath_prepend(programs("aws", at))
    monkeypatch.delitem(sys.modules, "bucket_api", raising=False)
    monkeypatch.setattr(sys, "argv", ["bucket.py", access, url, "hpc-accept-1-n-1"])
    try:
        runpy.run_path(str(at / "bucket.py"), run_name="__main__")
    except SystemExit as end:
        return str(end.code)
    return capsys.readouterr().out.strip()


@mock_aws
def test_a_bucket_of_s3_is_written_read_and_left_as_it_was(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="archive")
    assert on_s3("write", "s3://archive", tmp_path, capsys, monkeypatch) == "ok"
    assert s3.list_objects_v2(Bucket="archive")["KeyCount"] == 0
    assert on_s3("read", "s3://archive", tmp_path, capsys, monkeypatch) == "ok"
    assert "NoSuchBucket" in on_s3("write", "s3://gone", tmp_path, capsys, monkeypatch)


def run_on(tmp_path: Path, queue: str = "gpu") -> QueueRun:
    (run,) = plan_acceptance(described("azure-nd"), queues=[queue]).runs
    return replace(run, user="alice", folder=f"{tmp_path}/hpc-accept-alice-1a2b")


def test_a_queue_uses_each_bucket_as_the_description_says(tmp_path: Path) -> None:
    run = run_on(tmp_path)
    assert buckets.reachable(run.cluster, "gpu") == {"training": "read", "checkpoints": "write"}
    assert buckets.reachable(run.cluster, "login") == {"training": "write", "checkpoints": "write"}
    part = buckets.buckets(run)
    assert part
    sound = "@n-1: training ok\n@n-1: checkpoints ok\n"
    found = judged(part, sound + sound.replace("n-1", "n-2"))
    assert found == {
        "users can list bucket training": (State.PASSED, ""),
        "users can write, read and delete objects in bucket checkpoints": (State.PASSED, ""),
    }
    refused = "OSError: GET http://b: 403 Forbidden"
    found = judged(part, f"{sound}@n-2: training {refused}\n@n-2: checkpoints lacks boto3\n")
    assert set(found.values()) == {(State.FAILED, f"n-2: {refused}"), (State.LEFT_OUT, "n-2: lacks boto3")}
    found = judged(part, f"{sound}@n-2: no list\n")
    assert set(found.values()) == {(State.FAILED, "n-2: there is no /etc/hpc/buckets")}
    found = judged(part, f"{sound}@n-2: training ok\n")
    assert (State.FAILED, "n-2: /etc/hpc/buckets does not list it") in found.values()
    found = judged(part, f"{sound}@n-2: training \n@n-2: checkpoints ok\n")
    assert (State.FAILED, "n-2: no answer") in found.values()
    assert {state for state, _ in judged(part, sound).values()} == {State.FAILED}  # n-2 is silent


def judged(part: Part, text: str) -> dict[str, tuple[State, str]]:
    return {each.what: (each.state, each.detail) for each in part.judge(text)}


def test_buckets_of_a_rehearsal_are_left_out(tmp_path: Path) -> None:
    part = buckets.buckets(replace(run_on(tmp_path), speeds_count=False))
    assert part
    assert {each.state for each in part.judge("@n-1: no list\n@n-2: no list\n")} == {State.LEFT_OUT}


def test_the_script_uses_every_url_of_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "buckets"
    listed.write_text("training s3://shard-0\ntraining s3://shard-1\narchive s3://a\nother s3://b\n")
    monkeypatch.setattr(buckets, "LISTED", str(listed))
    (tmp_path / "bucket.py").write_text("import sys; print(*sys.argv[1:])")
    script = buckets.use_buckets({"training": "read", "archive": "write"}, "1a2b")
    lines = subprocess.run(["bash", "-c", script], cwd=tmp_path, text=True, check=True, stdout=subprocess.PIPE).stdout
    host = os.uname().nodename.partition(".")[0]
    assert lines.splitlines() == [
        f"training read s3://shard-0 hpc-accept-1a2b-{host}",
        f"training read s3://shard-1 hpc-accept-1a2b-{host}",
        f"archive write s3://a hpc-accept-1a2b-{host}",
    ]
    listed.unlink()
    lines = subprocess.run(["bash", "-c", script], cwd=tmp_path, text=True, check=True, stdout=subprocess.PIPE).stdout
    assert lines == "no list\n"

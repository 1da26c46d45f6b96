"""What Google Cloud refuses or does not answer is left out, and never passes."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import googleapiclient
import pytest
import yaml

from hpc_components.gcp.preflight import PART
from hpc_components.gcp.preflight.part import access_token
from hpc_components.preflight.account import NoAccountError
from hpc_components.preflight.asked import Asked

from . import sound_gcp as sound
from .conftest import GOOGLE_READS_BY_POST, ask_gcp
from .rest_account import RefusedError, RestAccount

DISCOVERY = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
WITHOUT_DOCUMENT = {"quota info"}
"""Google's client library has no document of Cloud Quotas."""

SAMPLES = {
    "image": sound.IMAGE,
    "image family": "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
    "network": sound.NETWORK,
    "subnet": sound.SUBNET,
    "secret": sound.SECRET,
    "encryption key": sound.KEY,
}
"""Ids that are whole paths."""

OFF = {
    "error": {
        "details": [{"reason": "SERVICE_DISABLED", "metadata": {"service": "compute.googleapis.com"}}],
    }
}


def failing(status: int, document: Any = None, **headers: str) -> Any:
    def fail(query: Mapping[str, str], body: Any) -> Any:
        raise RefusedError(status, document, **headers)

    return fail


def test_a_check_without_its_permission_is_left_out(gcp: RestAccount, sound_gcp: tuple[Any, Asked]) -> None:
    gcp.documents[f"compute.googleapis.com/compute/v1/{sound.SUBNET}"] = failing(403)
    done = ask_gcp(gcp, sound_gcp[1])
    assert {each.check: each.permission for each in done.left_out} == {
        "quotas of lustre": None,
        "subnets": "compute.subnetworks.get",
    }
    assert "subnets" not in done.answered
    assert done.findings == ()


def test_a_service_that_is_off_is_named_where_a_check_is_left_out(
    gcp: RestAccount, sound_gcp: tuple[Any, Asked]
) -> None:
    gcp.documents[f"{sound.COMPUTE}/aggregated/machineTypes"] = failing(403, OFF)
    left_out = {each.check: each.reason for each in ask_gcp(gcp, sound_gcp[1]).left_out}
    assert left_out["machine types"] == "not answered: compute.googleapis.com is not enabled"


def test_a_throttled_request_is_repeated_after_the_pause_that_google_wants(
    gcp: RestAccount, sound_gcp: tuple[Any, Asked]
) -> None:
    path, pauses, refusals = f"iam.googleapis.com/v1/projects/-/serviceAccounts/{sound.ACCOUNT}", [], [429, 503]
    document = gcp.documents[path]

    def throttle(query: Mapping[str, str], body: Any) -> Any:
        if refusals:
            raise RefusedError(refusals.pop(), None, **{"Retry-After": "7"})
        return document

    gcp.documents[path] = throttle
    done = ask_gcp(gcp, sound_gcp[1], pauses.append)
    assert (done.findings, pauses) == ((), [7.0, 7.0])


def test_a_server_that_fails_each_time_is_not_answered(gcp: RestAccount, sound_gcp: tuple[Any, Asked]) -> None:
    gcp.documents[f"cloudkms.googleapis.com/v1/{sound.KEY}"] = failing(500)
    left_out = {each.check: each.reason for each in ask_gcp(gcp, sound_gcp[1]).left_out}
    assert left_out["encryption keys"] == (
        "not answered: cloudkms.googleapis.com responded with 500 Internal Server Error"
    )


def test_slow_answers_are_awaited_at_the_same_time(gcp: RestAccount, sound_gcp: tuple[Any, Asked]) -> None:
    server, asked = sound_gcp
    server.latency = 0.05
    try:
        assert ask_gcp(gcp, asked).findings == ()
    finally:
        server.latency = 0.0


def test_expired_credentials_end_everything(gcp: RestAccount, sound_gcp: tuple[Any, Asked]) -> None:
    gcp.documents[sound.MANAGER] = failing(401)
    with pytest.raises(NoAccountError, match="log in again"):
        ask_gcp(gcp, sound_gcp[1])


def test_a_missing_gcloud_is_named_with_its_remedy(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.delenv("GOOGLE_OAUTH_ACCESS_TOKEN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoAccountError, match="gcloud auth application-default login"):
        access_token()


def test_the_token_is_that_of_gcloud(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.delenv("GOOGLE_OAUTH_ACCESS_TOKEN", raising=False)
    gcloud = tmp_path / "gcloud"
    gcloud.write_text('#!/bin/sh\n[ "$*" = "auth application-default print-access-token" ] && echo ya29.token\n')
    gcloud.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert access_token() == "ya29.token"


def test_the_role_has_the_permission_of_each_call_and_no_other() -> None:
    role = yaml.safe_load(PART.policy())
    needed = {call.permission for call in PART.calls.values() if call.permission}
    assert set(role["includedPermissions"]) == needed - {"billing.accounts.get"} | {"serviceusage.services.use"}


def test_every_listed_call_only_reads() -> None:
    for call in PART.calls.values():
        assert call.method == "GET" or call.url.endswith(GOOGLE_READS_BY_POST)


@pytest.mark.parametrize("name", sorted(PART.calls.keys() - WITHOUT_DOCUMENT))
def test_every_call_is_one_of_googles_own(name: str) -> None:
    call = PART.calls[name]
    host, service, version = _service(call.url)
    document = json.loads((DISCOVERY / f"{service}.{version}.json").read_text())
    path = call.url.removeprefix(document["baseUrl"]).replace("{id}", SAMPLES.get(name, "{id}"))
    assert host in document["baseUrl"]
    assert any(
        method["httpMethod"] == call.method and _same_path(path, method.get("flatPath", method["path"]))
        for method in _methods(document)
    ), path


def _service(url: str) -> tuple[str, str, str]:
    found = re.match(r"https://(([a-z]+)\.googleapis\.com)/(?:[a-z]+/)?(v\d)/", url)
    assert found
    return found[1], found[2], found[3]


def _methods(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from node.get("methods", {}).values()
    for each in node.get("resources", {}).values():
        yield from _methods(each)


def _same_path(ours: str, googles: str) -> bool:
    """Return whether a path of ours can be one of Google's, whose placeholders stand for one part each."""
    pattern = re.sub(r"\{\w+\}", "[^/:]+", re.sub(r"[.*]", lambda found: f"\\{found[0]}", googles))
    return re.fullmatch(pattern, ours) is not None

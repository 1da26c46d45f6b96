"""What Azure refuses or does not answer is left out, and never passes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hpc_components.azure.preflight import PART
from hpc_components.azure.preflight.part import login_of_cli
from hpc_components.preflight.account import NoAccountError
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.rest import RestReader

from . import sound_azure as sound
from .conftest import AZURE_READS_BY_POST, ask_azure
from .rest_account import RefusedError, RestAccount


def failing(status: int) -> Any:
    def fail(query: Mapping[str, str], body: Any) -> Any:
        raise RefusedError(status)

    return fail


def test_a_check_without_its_permission_is_left_out(azure: RestAccount, sound_azure: tuple[Any, Asked]) -> None:
    azure.documents[f"{sound.COMPUTE}/skus"] = failing(403)
    done = ask_azure(azure, sound_azure[1])
    assert {each.check: each.permission for each in done.left_out} == {
        "machine types": "Microsoft.Compute/skus/read",
        "quotas of storagecache": None,
    }
    assert done.findings == ()


def test_a_server_that_fails_each_time_is_not_answered(azure: RestAccount, sound_azure: tuple[Any, Asked]) -> None:
    azure.documents[sound.arm(sound.IDENTITY)] = failing(503)
    left_out = {each.check: each.reason for each in ask_azure(azure, sound_azure[1]).left_out}
    assert left_out["identities"].startswith("not answered: management.azure.com responded with 503")


def test_the_long_list_of_sizes_is_read_once(azure: RestAccount, sound_azure: tuple[Any, Asked]) -> None:
    ask_azure(azure, sound_azure[1])
    assert azure.calls[f"{sound.COMPUTE}/skus"] == 2  # pages


def test_an_account_of_ones_own_under_the_name_is_only_shown(
    azure: RestAccount, sound_azure: tuple[Any, Asked]
) -> None:
    azure.documents[f"{sound.HERE}/providers/Microsoft.Storage/checkNameAvailability"] = lambda query, body: {
        "nameAvailable": False
    }
    azure.documents[f"{sound.HERE}/providers/Microsoft.Storage/storageAccounts"] = [
        {"value": []},
        {"value": [{"name": "cfdresultsinstitute"}]},
    ]
    (found,) = ask_azure(azure, sound_azure[1]).findings
    assert (found.path, str(found.level)) == ("buckets.results.name", "info")


def test_the_newest_version_of_a_floating_image_is_looked_up(azure: RestAccount) -> None:
    versions = f"{sound.PUBLISHERS}/a/artifacttypes/vmimage/offers/b/skus/c/versions"
    azure.documents[versions] = lambda query, body: [{"name": "2.0.0"}]
    azure.documents[f"{versions}/2.0.0"] = sound.public_image(imageDeprecationStatus={"imageState": "Deprecated"})
    reader = RestReader(PART.calls, lambda: "token", server=azure.base)
    from hpc_components.azure.preflight.look_ups import LOOK_UPS

    seen = LOOK_UPS["image"](reader, "a:b:c:latest", sound.SUBSCRIPTION, sound.REGION)
    assert seen is not None
    assert seen.problem == "its state is Deprecated"


def test_the_token_goes_to_no_other_host(azure: RestAccount, sound_azure: tuple[Any, Asked]) -> None:
    page = {"value": [], "nextLink": "https://elsewhere.test/skus"}
    azure.documents[f"{sound.COMPUTE}/skus"] = page
    left_out = {each.check: each.reason for each in ask_azure(azure, sound_azure[1]).left_out}
    assert left_out["machine types"] == "not answered: the next page of management.azure.com is on another host"


def test_every_listed_call_only_reads() -> None:
    for call in PART.calls.values():
        assert call.method == "GET" or call.url.partition("?")[0].endswith(AZURE_READS_BY_POST)
        assert call.permission is not None
        assert call.permission.endswith("/read")


def test_the_role_has_the_permission_of_each_call_and_no_other() -> None:
    role = json.loads(PART.policy())
    assert set(role["Actions"]) == {call.permission for call in PART.calls.values()}
    assert not any("*" in action for action in role["Actions"])


def _az(folder: Path, script: str) -> None:
    az = folder / "az"
    az.write_text(f"#!/bin/sh\n{script}\n")
    az.chmod(0o755)


def test_the_token_is_that_of_the_azure_cli(monkeypatch: Any, tmp_path: Path) -> None:
    _az(tmp_path, 'echo \'{"accessToken": "ey.token", "subscription": "s-1"}\'')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert login_of_cli(None) == ("ey.token", "s-1")
    assert login_of_cli("s-2") == ("ey.token", "s-2")


@pytest.mark.parametrize("script", ["echo 'Please run az login' >&2; exit 1", "echo nothing"])
def test_a_cli_without_a_login_is_named_with_its_remedy(monkeypatch: Any, tmp_path: Path, script: str) -> None:
    _az(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(NoAccountError, match="az login"):
        login_of_cli(None)

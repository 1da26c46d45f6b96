"""Each role of the nodes' identities on Azure is needed at boot, and its lack is seen: the tables say by what.

Those with which the head node launches are taken away in `elastic/drivers/test_azure_rights.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from planned_azure import PlannedAzure

from hpc_components.azure import boot
from hpc_components.azure.cluster import Cluster
from hpc_components.preview.record import record

from .azure_stage import IDENTITIES, azure_spec, azure_tags
from .cluster import PEOPLE
from .fake_azure import STREAM, FakeAzure
from .fake_imds import STORAGE, Vm
from .node_programs import CONFIG_OBJECTS, Act, configuration, failing, load_program, pass_no_time

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
READER, WRITER = "Storage Blob Data Reader", "Storage Blob Data Contributor"
USER, OFFICER, LOGS = "Key Vault Secrets User", "Key Vault Secrets Officer", "Monitoring Metrics Publisher"
Rights = Mapping[tuple[str, str], set[str]]

NEEDED: Mapping[str, Rights] = {
    "head": {
        (READER, "container/config"): {"configuration"},
        (WRITER, "container/nodes"): {"publishing", "published file"},
        (OFFICER, "secret/munge"): {"munge key"},
        (OFFICER, "secret/jwt"): {"key of tokens"},
        (LOGS, "logs"): {"log"},
    },
    "login": {
        (READER, "container/config"): {"configuration"},
        (READER, "container/nodes"): {"published file"},
        (USER, "secret/munge"): {"munge key"},
        (OFFICER, "secret/ssh-host"): {"host keys"},
        (LOGS, "logs"): {"log"},
    },
    "compute": {
        (READER, "container/config"): {"configuration"},
        (READER, "container/nodes"): {"name", "published file"},
        (USER, "secret/munge"): {"munge key"},
        (LOGS, "logs"): {"log"},
    },
    "data": {(WRITER, "container/data"): {"read", "write"}},
}
"""What fails without each role, by whose identity it is for; `data` is lent to people and jobs."""

OF_LAUNCHES = {("launch", "group/lab-reaper"), ("use", "group/lab"), ("use", "group/lab-reaper")}

MACHINES = {"head": "lab-head", "login": "lab-login", "compute": "lab-debug-d2s-v5-1", "data": "lab-debug-d2s-v5-1"}


@pytest.fixture(scope="module")
def plan() -> PlannedAzure:
    return PlannedAzure(record(lambda: Cluster("lab", azure_spec(people=PEOPLE)), preview=False))


def acts(
    role: str, azure: FakeAzure, folder: Path, patch: pytest.MonkeyPatch
) -> tuple[dict[str, Act], type[Exception]]:
    """What a node of this role does at boot, or with `data` a job with what it is lent; and its program's error."""
    for name in ("munge", "jwt", "ssh-host"):
        azure.vault.make(name)
    if role == "data":
        lent = load_program(SCRIPTS / "data.py", patch).metadata_token(IDENTITIES["data"])
        return {
            "read": lambda: blob(azure, lent(STORAGE)["access_token"], "GET"),
            "write": lambda: blob(azure, lent(STORAGE)["access_token"], "PUT"),
        }, OSError
    node, line = load_program(SCRIPTS / "azure.py", patch), folder / "line"
    line.write_text("a line\n")
    own: dict[str, dict[str, Act]] = {
        "head": {
            "munge key": lambda: node.key("munge", f"{folder}/munge", "32"),
            "key of tokens": lambda: node.key("jwt", f"{folder}/jwt", "32"),
            "publishing": lambda: node.publish("people.json", str(line)),
        },
        "login": {
            "munge key": lambda: node.secret("munge"),
            "host keys": lambda: node.agree("ssh-host", str(line)),
        },
        "compute": {"munge key": lambda: node.secret("munge"), "name": lambda: node.fact("number")},
    }
    if role != "head":
        azure.vault.put("munge", "", "")
    every: dict[str, Act] = {
        "configuration": lambda: configuration("azure", azure.url),
        "log": lambda: node.log(str(line)),
        "published file": lambda: node.published("published.json", f"{folder}/published", "0"),
    }
    return every | own[role], node.AskError


def blob(azure: FakeAzure, token: str, method: str) -> None:
    """What a job asks Blob Storage for."""
    headers = {"Authorization": f"Bearer {token}", "x-ms-version": "2021-08-06", "x-ms-blob-type": "BlockBlob"}
    urlopen(Request(f"{azure.url}/data/shard-0", b"" if method == "PUT" else None, headers, method=method)).close()


@pytest.mark.parametrize("role", NEEDED)
def test_each_role_is_needed_at_boot(
    role: str, plan: PlannedAzure, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    azure.blob.containers |= {"config": CONFIG_OBJECTS, "data": {"shard-0": b"tokens"}}
    names = b'{"names": {"%s": "debug-9"}}' % Vm({}).id.encode()
    azure.blob.containers["nodes"] = {"lab-debug-d2s-v5-1.json": names, "published/published.json": b"people"}
    tags = azure_tags(role, f"{azure.url}{STREAM}", **{"hpc:queue": "debug", "hpc:data-identity": IDENTITIES["data"]})
    azure.imds.machines[""] = Vm(tags, scale_set="lab-debug-d2s-v5-1")
    settings = {"HPC_CONFIG": "labconfig1a2b3c/config", "HPC_SETTLE_SECONDS": "0"}
    for name, value in {**settings, **dict.fromkeys(("IMDS", "BLOB", "VAULT"), azure.url)}.items():
        monkeypatch.setenv(name, value)
    pass_no_time(monkeypatch)
    granted = plan.grants(plan.tags(MACHINES[role])["hpc:data-identity" if role == "data" else "hpc:identity"])

    def failing_without(*roles: tuple[str, str]) -> set[str]:
        azure.grants = {IDENTITIES[role]: granted - set(roles)}
        (folder := tmp_path / str(len(list(tmp_path.iterdir())))).mkdir()
        done, error = acts(role, azure, folder, monkeypatch)
        return failing(done, error)

    assert failing_without() == set()
    at_boot = granted - OF_LAUNCHES if role == "head" else granted
    assert {each: failing_without(each) for each in at_boot} == NEEDED[role]

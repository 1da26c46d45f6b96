"""Each role of the nodes' service accounts on Google Cloud is needed at boot, and its lack is seen: the tables say by
what.

Those with which the head node launches are taken away in `elastic/drivers/test_gcp_rights.py`.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from planned_gcp import PlannedGcp

from hpc_components.gcp import boot
from hpc_components.gcp.cluster import Cluster
from hpc_components.preview.record import record

from .cluster import PEOPLE
from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, PUBLISH, ROLES
from .gcp_stage import CONFIG, gcp_metadata, gcp_spec
from .node_programs import CONFIG_OBJECTS, Act, configuration, failing, load_program, pass_no_time

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
ACCESS, ADD = "roles/secretmanager.secretAccessor", "roles/secretmanager.secretVersionAdder"
CONFIG_READ, LOGS = ("roles/storage.objectViewer", "bucket/config"), ("roles/logging.logWriter", "project")
CONFIG_USES = {"configuration", "published file"}
MUNGE_READ = (ACCESS, "secret/lab-munge")
LEND = ("roles/iam.serviceAccountTokenCreator", "account/data")
Right = tuple[str, str]

NEEDED: Mapping[str, Mapping[Right, set[str]]] = {
    "head": {
        CONFIG_READ: CONFIG_USES,
        PUBLISH: {"publishing"},
        LOGS: {"log"},
        MUNGE_READ: {"munge key"},
        (ADD, "secret/lab-munge"): {"munge key"},
        (ACCESS, "secret/lab-jwt"): {"key of tokens"},
        (ADD, "secret/lab-jwt"): {"key of tokens"},
        ("transfer", "project"): {"import", "export"},
    },
    "login": {
        CONFIG_READ: CONFIG_USES,
        LOGS: {"log"},
        MUNGE_READ: {"munge key"},
        (ACCESS, "secret/lab-ssh-host"): {"host keys"},
        (ADD, "secret/lab-ssh-host"): {"host keys"},
        LEND: {"lending"},
    },
    "compute": {CONFIG_READ: CONFIG_USES, LOGS: {"log"}, MUNGE_READ: {"munge key"}, LEND: {"lending"}},
    "data": {("roles/storage.objectUser", "bucket/data"): {"read"}},
}
"""What fails without each role, by whose account it is for; `data` is lent to people and jobs."""

TRANSFER = {
    "lustre.instances.exportData": {"export"},
    "lustre.instances.importData": {"import"},
    "lustre.instances.list": {"import", "export"},
    "lustre.operations.get": {"import", "export"},
}
"""What fails without each permission of the head node's own role that launches don't need."""

OF_LAUNCHES = {"launch", "place", "use", "roles/iam.serviceAccountUser"}

MACHINES = {"head": "lab-head", "login": "lab-login", "compute": "lab-debug-n2-standard-4-us-central1-a"}
SCRATCH = "projects/acme-hpc/locations/us-central1-a/instances/lab-scratch"
MOUNT = {"mount": "/scratch", "zone": "us-central1-a"}


@pytest.fixture(scope="module")
def plan() -> PlannedGcp:
    ends = {"import_from": "gs://site-in", "export_to": "gs://site-out"}
    scratch = {"type": "lustre", "mount": "/scratch", "size": "9000GiB", **ends}
    described = gcp_spec(storage={"scratch": scratch}, os="ubuntu-24.04", slurm={"version": "23.11"}, people=PEOPLE)
    return PlannedGcp(record(lambda: Cluster(described.name, described), preview=False))


@pytest.fixture
def cloud(gcp: FakeGcp, plan: PlannedGcp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeGcp:
    gcp.roles = {**ROLES, **plan.permissions()}
    objects = {**CONFIG_OBJECTS, "published/published.json": b"people"}
    gcp.storage.buckets |= {CONFIG: objects, "lab-data-1a2b3c": {"shard-0": b"tokens"}}
    gcp.lustre.instances = {SCRATCH: {"mountPoint": "10.90.64.3@tcp:/lfs", "createTime": "2026-11-22T10:00:00Z"}}
    for name, value in {"IMDS": gcp.url, "GOOGLEAPIS": gcp.url, "HPC_CONFIG": CONFIG}.items():
        monkeypatch.setenv(name, value)
    for folder in ("head", "common"):
        (tmp_path / folder).mkdir()
    links = [{**MOUNT, "import_from": "gs://site-in", "export_to": "gs://site-out"}]
    (tmp_path / "head/lustre.json").write_text(json.dumps(links))
    (tmp_path / "common/mounts.json").write_text(json.dumps([{**MOUNT, "from": "10.90.64.3@tcp:/lfs"}]))
    (tmp_path / "line").write_text("a line\n")
    monkeypatch.chdir(tmp_path)
    pass_no_time(monkeypatch)
    return gcp


def acts(role: str, gcp: FakeGcp, patch: pytest.MonkeyPatch) -> tuple[dict[str, Act], type[Exception]]:
    """What a node of this role does at boot, or with `data` a job with what it is lent; and its program's error."""
    gcp.secrets.secrets = {"lab-munge": [] if role == "head" else [b"key"], "lab-jwt": [], "lab-ssh-host": []}
    lend = load_program(SCRIPTS / "data.py", patch).tokens_of(ACCOUNTS["data"])
    if role == "data":
        return {"read": lambda: read_object(gcp, gcp.metadata.token(ACCOUNTS["data"]))}, OSError
    transfer, node = (load_program(SCRIPTS / f"{name}.py", patch) for name in ("transfer", "google_node"))
    transfer.DONE = Path("done", str(len(gcp.asked)))
    keys = Path(f"keys-{len(gcp.asked)}")
    keys.mkdir()
    own: dict[str, dict[str, Act]] = {
        "head": {
            "munge key": lambda: node.key("lab-munge", str(keys / "munge"), "32"),
            "key of tokens": lambda: node.key("lab-jwt", str(keys / "jwt"), "32"),
            "import": lambda: transfer.transfer("import"),
            "export": lambda: transfer.transfer("export"),
            "publishing": lambda: node.publish("people.json", "line"),
        },
        "login": {
            "munge key": partial(node.secret, "lab-munge"),
            "host keys": lambda: node.agree("lab-ssh-host", "line"),
            "lending": lend,
        },
        "compute": {"munge key": partial(node.secret, "lab-munge"), "lending": lend},
    }
    every: dict[str, Act] = {
        "configuration": lambda: configuration("gcp", gcp.url),
        "log": lambda: node.log("line"),
        "published file": lambda: node.published("published.json", str(keys / "published"), "0"),
    }
    return every | own[role], node.AskError


def read_object(gcp: FakeGcp, token: str) -> None:
    """What a job asks Cloud Storage for."""
    url = f"{gcp.url}/storage/v1/b/lab-data-1a2b3c/o/shard-0?alt=media"
    urlopen(Request(url, headers={"Authorization": f"Bearer {token}"})).close()


def failing_with(granted: frozenset[Right], role: str, gcp: FakeGcp, patch: pytest.MonkeyPatch) -> set[str]:
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata(role), ACCOUNTS[role], f"lab-{role}")
    gcp.grants = {ACCOUNTS[role]: granted}
    done, error = acts(role, gcp, patch)
    return failing(done, error)


@pytest.mark.parametrize("role", NEEDED)
def test_each_role_is_needed_at_boot(
    role: str, plan: PlannedGcp, cloud: FakeGcp, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent = plan.metadata(MACHINES["compute"])["hpc-data-account"]
    granted = plan.grants(lent if role == "data" else plan.account(MACHINES[role]))
    assert failing_with(granted, role, cloud, monkeypatch) == set()
    at_boot = {each for each in granted if each[0] not in OF_LAUNCHES}
    assert {each: failing_with(granted - {each}, role, cloud, monkeypatch) for each in at_boot} == NEEDED[role]


def test_a_role_that_may_not_delete_publishes_once(
    plan: PlannedGcp, cloud: FakeGcp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another file cannot take its place."""
    granted = plan.grants(plan.account("lab-head")) - {PUBLISH} | {("roles/storage.objectCreator", PUBLISH[1])}
    assert failing_with(granted, "head", cloud, monkeypatch) == set()
    assert failing_with(granted, "head", cloud, monkeypatch) == {"publishing"}


def test_each_permission_to_copy_is_needed_and_its_lack_is_seen(
    plan: PlannedGcp, cloud: FakeGcp, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted, roles = plan.grants(plan.account("lab-head")), cloud.roles

    def failing_without(permission: str) -> set[str]:
        cloud.roles = {**roles, "transfer": set(roles["transfer"]) - {permission}}
        return failing_with(granted, "head", cloud, monkeypatch)

    assert {each: failing_without(each) for each in roles["transfer"]} == TRANSFER

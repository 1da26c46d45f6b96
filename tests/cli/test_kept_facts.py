"""From an account's answer to `hpc preflight --keep`, over the file of the project, to what `hpc validate` says."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from moto import mock_aws
from serving import serving

from hpc_components.aws.preflight.account import AwsAccount
from hpc_components.aws.preflight.reader import Reader, calls
from hpc_components.azure.preflight.part import PART as AZURE_PART
from hpc_components.catalog.account_facts import days_kept
from hpc_components.cli import main
from hpc_components.gcp.preflight.part import PART as GCP_PART
from hpc_components.preflight.account import Account, NotPermittedError
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.rest import RestReader
from tests.elastic.drivers.rest_server import RestServer
from tests.preflight.aws_account import AwsDouble
from tests.preflight.rest_account import AZURE_READS_BY_POST, GOOGLE_READS_BY_POST, RestAccount
from tests.preflight.sound_azure import COMPUTE as AZURE_COMPUTE
from tests.preflight.sound_azure import HERE, SUBSCRIPTION, size
from tests.preflight.sound_gcp import COMPUTE as GCP_COMPUTE
from tests.preflight.sound_gcp import MANAGER, PROJECT

HEAD = {"aws": "c6i.xlarge", "azure": "Standard_D4s_v5", "gcp": "n2-standard-4"}
TODAY = datetime.now(UTC).date()

Connect = Callable[[tuple[str, ...]], Any]
"""Returns a context in which an account has the queue's machine type in these zones."""


@dataclass(frozen=True, kw_only=True)
class Case:
    cloud: str
    region: str
    zone: str
    machine: str
    other_zone: str
    zones: str
    """Zones of the queue."""
    doubt: tuple[str, str]
    """What the catalogue alone says against the description: id and path."""
    project: str = ""

    def text(self, *, silence: str = "{}") -> str:
        project = f"project: {self.project}" if self.project else ""
        return f"""\
config:
  hpc:cluster:
    cloud: {self.cloud}
    name: cfd
    region: {self.region}
    zone: {self.zone}
    network: {{cidr: 10.20.0.0/16}}
    head_node: {{machine: {HEAD[self.cloud]}}}
    queues:
      - {{name: mpi, machine: {self.machine}, max: 4, zones: [{self.zones}], placement: none, fabric: false}}
    silence: {silence}
    {project}
"""

    @contextmanager
    def account(self, zones: tuple[str, ...]) -> Iterator[Callable[[Asked], Account]]:
        """An account that has the machine of the queue in these zones, and answers little else."""
        with {"aws": _aws, "azure": _azure, "gcp": _gcp}[self.cloud](self, zones) as connect:
            yield connect


@contextmanager
def _aws(case: Case, zones: tuple[str, ...]) -> Iterator[Callable[[Asked], Account]]:
    aws = AwsDouble()

    def offerings(asked: Any) -> Any:
        (name,) = asked["Filters"][0]["Values"]
        sold = zones if name == case.machine else (case.zone,)
        return {"InstanceTypeOfferings": [{"InstanceType": name, "Location": zone} for zone in sold]}

    for name in calls().keys() - {"sts:GetCallerIdentity", "ec2:DescribeRegions", "ec2:DescribeAvailabilityZones"}:
        aws.deny(name)
    aws.answer("ec2:DescribeInstanceTypeOfferings", offerings)
    with mock_aws():
        yield lambda asked: AwsAccount(Reader(aws.client), case.region)
    assert not aws.refused


@contextmanager
def _azure(case: Case, zones: tuple[str, ...]) -> Iterator[Callable[[Asked], Account]]:
    numbers = tuple(zone.rpartition("-")[2] for zone in zones)
    mappings = [{"logicalZone": number} for number in "123"]
    with _server(
        {
            HERE: {"state": "Enabled"},
            f"{HERE}/locations": {"value": [{"name": case.region, "availabilityZoneMappings": mappings}]},
            f"{AZURE_COMPUTE}/skus": {"value": [size(HEAD["azure"]), size(case.machine, numbers)]},
        }
    ) as server:
        reader = RestReader(AZURE_PART.calls, lambda: "token", server=server, sleep=lambda seconds: None)
        yield lambda asked: AZURE_PART.account(asked, reader, SUBSCRIPTION)


@contextmanager
def _gcp(case: Case, zones: tuple[str, ...]) -> Iterator[Callable[[Asked], Account]]:
    up = {f"{GCP_COMPUTE}/zones/{zone}": {"status": "UP"} for zone in (case.zone, case.other_zone)}
    sold = {zone: {"machineTypes": [{"name": case.machine}]} for zone in zones}
    sold.setdefault(case.zone, {"machineTypes": []})["machineTypes"].append({"name": HEAD["gcp"]})
    with _server(
        {
            MANAGER: {"state": "ACTIVE"},
            f"{GCP_COMPUTE}/regions/{case.region}": {"status": "UP"},
            **up,
            f"{GCP_COMPUTE}/aggregated/machineTypes": {"items": {f"zones/{zone}": sold[zone] for zone in sold}},
        }
    ) as server:
        reader = RestReader(GCP_PART.calls, lambda: "token", server=server, sleep=lambda seconds: None)
        yield lambda asked: GCP_PART.account(asked, reader)


@contextmanager
def _server(documents: dict[str, Any]) -> Iterator[str]:
    account = RestAccount((*AZURE_READS_BY_POST, *GOOGLE_READS_BY_POST))
    account.documents = documents
    with serving(RestServer(account)) as server:
        yield server.url
    assert not account.writes


CASES = [
    Case(
        cloud="aws", region="us-east-2", zone="use2-az2", machine="hpc6a.48xlarge", other_zone="use2-az1",
        zones="use2-az1, use2-az2", doubt=("HPC-MCH-008", "queues[0].zones[0]"),
    ),
    Case(
        cloud="azure", region="eastus2", zone="eastus2-1", machine="Standard_HB368rs_v5", other_zone="eastus2-2",
        zones="eastus2-1", doubt=("HPC-MCH-006", "queues[0].machine"),
    ),
    Case(
        cloud="gcp", region="asia-southeast1", zone="asia-southeast1-a", machine="a2-highgpu-1g",
        other_zone="asia-southeast1-b", zones="asia-southeast1-a", doubt=("HPC-MCH-024", "queues[0].machine"),
        project=PROJECT,
    ),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: case.cloud)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def stack(case: Case, tmp_path: Path) -> Path:
    """A project with only this description."""
    (tmp_path / "Pulumi.yaml").write_text("name: facts\nruntime: python\n")
    file = tmp_path / "Pulumi.cfd.yaml"
    file.write_text(case.text())
    return file


def keep(case: Case, stack: Path, zones: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Result:
    """Ask an account that has the machine of the queue in `zones`, and keep its answers.

    What the catalogue holds for wrong is silenced, as users do until the account has been asked.
    """
    stack.write_text(case.text(silence=f"{{{case.doubt[0]}: the account knows better}}"))
    with case.account(zones) as connect:
        part = f"hpc_components.{case.cloud}.preflight.part.{case.cloud.capitalize()}Part.connect"
        monkeypatch.setattr(part, lambda self, asked: connect(asked))
        done = CliRunner().invoke(main, ["preflight", str(stack), "--keep"])
    stack.write_text(case.text())
    return done


def found(stack: Path) -> dict[tuple[str, str], dict[str, str]]:
    """What `hpc validate` says, by id and path."""
    done = CliRunner().invoke(main, ["validate", str(stack), "--format", "json"])
    return {(each["id"], each["path"]): each for each in json.loads(done.stdout)["clusters"][0]["findings"]}


def kept(case: Case, stack: Path) -> Any:
    return json.loads((stack.parent / "hpc-facts" / f"{case.cloud}.json").read_text())


def test_a_kept_answer_removes_the_doubt_of_the_catalogue(
    case: Case, stack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert case.doubt in found(stack)
    done = keep(case, stack, (case.zone, case.other_zone), monkeypatch)
    assert f"hpc-facts/{case.cloud}.json: 2 facts, 2 of them new or changed; commit this file" in done.stderr
    assert case.doubt not in found(stack)
    record = next(each for each in kept(case, stack)["machines"] if each["machine"] == case.machine)
    assert record["region"] == case.region
    assert {case.zone, case.other_zone} <= {*record["zones"]}
    assert record["as_of"] == TODAY.isoformat()
    assert "reference" in record["source"]


def test_a_kept_answer_that_contradicts_the_description_is_an_error_at_its_key(
    case: Case, stack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(case, stack, (), monkeypatch)
    # Azure sells a size without zones in the region itself
    error = found(stack)["HPC-MCH-007" if case.cloud == "azure" else "HPC-MCH-006", "queues[0].machine"]
    assert error["level"] == "error"
    assert f"as the account answered on {TODAY} (hpc-facts/{case.cloud}.json)" in error["reason"]
    assert error["line"] is not None


def test_help_says_how_long_answers_are_used() -> None:
    done = CliRunner().invoke(main, ["preflight", "--help"])
    assert f"for {days_kept()} days" in " ".join(done.stdout.split())


def _without_permission(self: AwsAccount, machine: str) -> Any:
    raise NotPermittedError("ec2:DescribeInstanceTypeOfferings")


def test_nothing_is_kept_without_the_permission_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "Pulumi.cfd.yaml"
    file.write_text(CASES[0].text())
    with CASES[0].account(()) as connect:
        monkeypatch.setattr("hpc_components.aws.preflight.part.AwsPart.connect", lambda self, asked: connect(asked))
        monkeypatch.setattr(AwsAccount, "offers", _without_permission)
        done = CliRunner().invoke(main, ["preflight", str(file), "--keep"])
    assert "left out: machine types (for head_node, login_nodes, queues): needs ec2:Describe" in done.stdout
    assert "nothing is kept: the check of machine types was left out" in done.stderr
    assert not (tmp_path / "hpc-facts").exists()


def test_an_answer_that_contradicts_the_description_can_be_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, stack = CASES[0], tmp_path / "Pulumi.cfd.yaml"
    stack.write_text(case.text())
    keep(case, stack, (), monkeypatch)
    done = keep(case, stack, (case.zone, case.other_zone), monkeypatch)
    assert "hpc-facts/aws.json: 2 facts, 1 of them new or changed" in done.stderr
    assert ("HPC-MCH-006", "queues[0].machine") not in found(stack)

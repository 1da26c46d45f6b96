"""`hpc catalog refresh`, on price lists of this machine, and what becomes of the prices it writes."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hpc_components.aws import price_list as aws_list
from hpc_components.azure import price_list as azure_list
from hpc_components.catalog import machine, price, service_price
from hpc_components.cli import main
from hpc_components.preview.files import generated_files
from hpc_components.preview.stack import plan_file, plan_stack
from hpc_components.spec.project import find_project, open_stack_file, project_of
from tests.catalog.price_servers import Answer, Asked, as_json, aws_row, aws_text, azure_item, price_server

ROOT = Path(__file__).parents[2]
STACK = """config:
  hpc:cluster:
    cloud: aws
    region: us-east-2
    name: first
    head_node: {{machine: {machine}, zone: use2-az1}}
"""
NONE = {"Operating System": "", "Tenancy": "", "License Model": "", "CapacityStatus": "", "Pre Installed S/W": ""}
ROWS = (
    aws_row(**{"Instance Type": "hpc6a.48xlarge", "PricePerUnit": "2.99"}),
    aws_row(**{"Instance Type": "c6i.xlarge", "PricePerUnit": "0.17"}),
    aws_row(**NONE | {"Product Family": "NAT Gateway", "usageType": "USE2-NatGateway-Hours", "PricePerUnit": "0.5"}),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a stack on AWS."""
    (tmp_path / "Pulumi.yaml").write_text("name: ours\nruntime: python\n", encoding="utf-8")
    (tmp_path / "Pulumi.first.yaml").write_text(STACK.format(machine="c6i.xlarge"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def aws_prices(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[Asked], Answer] = lambda asked: (200, aws_text(*ROWS), None)
) -> Iterator[list[Asked]]:
    with price_server(answer) as (address, asked), monkeypatch.context() as patch:
        patch.setattr(aws_list, "PRICE_LIST", aws_list.AwsPriceList(address))
        yield asked


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["catalog", "refresh", *arguments])


def usd(name: str) -> float:
    known = machine("aws", name)
    assert known
    found = price(known, "us-east-2", "on_demand")
    assert found
    return found.usd


def test_all_prices_of_the_stacks_regions_are_kept_in_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = usd("hpc6a.48xlarge")
    with aws_prices(monkeypatch) as asked:
        done = run()
    assert (done.exit_code, done.stdout) == (
        0,
        "hpc-prices/aws.json: 3 prices, 2 of them new or changed\n",
    )
    assert [path for path, _, _ in asked] == ["/offers/v1.0/aws/AmazonEC2/current/us-east-2/index.csv"]
    lines = (project / "hpc-prices" / "aws.json").read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("[", "]", 5), "one price a line"
    found = json.loads("".join(lines))
    assert [each.get("name") or each["item"] for each in found] == [
        "c6i.xlarge",
        "hpc6a.48xlarge",
        "nat_gateway.hour",
    ]
    assert found[2]["unit"] == "USD/hour"
    assert all(each["source"].startswith("AWS price list, AmazonEC2 of 2026-11-20") for each in found)

    assert usd("hpc6a.48xlarge") == 2.99 != before
    nat = service_price("aws", "nat_gateway.hour", "us-east-2")
    assert nat
    assert (nat.usd, nat.unit, nat.exact_region, nat.as_of) == (0.5, "USD/hour", True, found[0]["as_of"])
    monkeypatch.chdir(project.parent)
    assert usd("hpc6a.48xlarge") == before, "another project has its own"


def test_prices_of_other_regions_stay(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with aws_prices(monkeypatch):
        assert run("--cloud", "aws", "--region", "us-west-2", "--region", "eu-north-1").exit_code == 0
        assert run().exit_code == 0
    found = json.loads((project / "hpc-prices" / "aws.json").read_text(encoding="utf-8"))
    assert sorted({each["region"] for each in found}) == ["eu-north-1", "us-east-2", "us-west-2"]


def test_a_type_of_a_stack_without_a_price_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "Pulumi.first.yaml").write_text(STACK.format(machine="c6i.2xlarge"), encoding="utf-8")
    with aws_prices(monkeypatch):
        assert "no price found for c6i.2xlarge in us-east-2; the built-in price remains in use" in run().stderr


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda asked: (200, aws_text(*ROWS), 700), "lost the connection to 127.0.0.1 ("),
        (lambda asked: (404, b"", None), "AWS doesn't publish a price list for region us-east-2"),
        (lambda asked: (500, b"", None), "127.0.0.1 responded with 500"),
        (lambda asked: (200, aws_text(), None), "the price list of AWS contains no machines in us-east-2"),
    ],
)
def test_a_failed_refresh_leaves_the_prices(
    project: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Asked], Answer], said: str
) -> None:
    with aws_prices(monkeypatch):
        run()
    file = project / "hpc-prices" / "aws.json"
    before = file.read_bytes()
    with aws_prices(monkeypatch, answer):
        done = run()
    assert done.exit_code == 2
    assert f"Error: {said}" in done.stderr
    assert [each.name for each in file.parent.iterdir()] == ["aws.json"]
    assert file.read_bytes() == before


def test_without_a_network_it_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    done = run("--cloud", "aws")
    assert done.exit_code == 2
    assert "can't reach pricing.us-east-1.amazonaws.com" in done.stderr
    assert done.stderr.rstrip().endswith("check your network connection")
    assert not (project / "hpc-prices").exists()


def test_one_cloud_that_fails_keeps_no_other_back(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = STACK.format(machine="Standard_D2s_v5").replace("cloud: aws", "cloud: azure")
    (project / "Pulumi.second.yaml").write_text(described.replace("us-east-2", "eastus"), encoding="utf-8")
    page = {"Items": [azure_item("Standard_D2s_v5", 0.1, skuName="D2s v5")]}
    with (
        aws_prices(monkeypatch, lambda asked: (503, b"", None)),
        price_server(lambda asked: as_json(page)) as (address, _),
    ):
        monkeypatch.setattr(azure_list, "PRICE_LIST", azure_list.AzurePriceList(address))
        done = run()
    assert done.exit_code == 2
    assert done.stdout == "hpc-prices/azure.json: 1 price, 1 of them new or changed\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--region", "us-east-2"), "--region requires --cloud"),
        (("--cloud", "gcp"), "this project has no stack on Google Cloud; specify a cloud and a region"),
    ],
)
def test_what_is_not_clear_is_asked(project: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    "text", ["[", '[{"name": "c6i.xlarge"}]', "{}{}", '[{"usd": "a", "region": "r", "item": "i"}]']
)
def test_a_broken_file_of_prices_is_no_price(project: Path, text: str) -> None:
    (project / "hpc-prices").mkdir()
    (project / "hpc-prices" / "aws.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"aws\.json.* (price|prices|JSON).*; restore the file, or delete it"):
        usd("c6i.xlarge")


def test_a_plan_counts_with_the_prices_of_its_own_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it is asked for, and in the weights that Slurm goes by as well."""
    text = (ROOT / "stacks" / "config" / "Pulumi.aws-cfd.yaml").read_text(encoding="utf-8")
    stack = project / "Pulumi.cfd.yaml"
    stack.write_text(text, encoding="utf-8")
    with aws_prices(monkeypatch):
        run()
    monkeypatch.chdir(ROOT)
    planned = plan_file(project_of(stack), open_stack_file(stack)).plan
    ours = plan_stack(find_project(), "aws-cfd").plan
    assert planned is not None
    assert ours is not None
    assert planned.cost["queues"][0]["node_hour"] == 2.99 != ours.cost["queues"][0]["node_hour"]
    weights = [
        [
            weight
            for file in generated_files(plan.resources, "aws")
            for weight in re.findall(r"Weight=(\d+)", file.text)
        ]
        for plan in (planned, ours)
    ]
    assert "299" in weights[0]
    assert "299" not in weights[1]

"""What a plan asks of a cloud, and what becomes of clouds that answer nothing."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from types import ModuleType, SimpleNamespace
from typing import cast

import pulumi
import pulumi_aws as aws
import pytest
from preview_sample import Program, cfd, network, recording_of

from hpc_components.catalog import Price, Quota
from hpc_components.catalog.clouds import catalog_of
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.clouds import cloud_of, reader_of, reader_of_type, title_of
from hpc_components.preview.files import generated_files
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed, Subnet
from hpc_components.preview.picture.scene import scene_of
from hpc_components.preview.plan import make_plan
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.record import record
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.preview.render.markdown import render_markdown
from hpc_components.preview.stack import _regions
from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse
from hpc_components.spec.project import StackFile

TYPE = "puddle:hut:Hut"


class PuddleReader(PlanReader):
    """A cloud with one type, which is everything at once."""

    def machines(self, resources):
        for each in resources.of_type(TYPE):
            yield MachineUse(
                what=f"hut {each.name}", resource=each.urn, machines=("hut.1",), purchase="on_demand", idle=1, full=2
            )

    def services(self, resources):
        for each in resources.of_type(TYPE):
            yield ServiceUse(what="thatch", resource=each.urn, item="thatch", idle=10, full=20, group="storage")

    def not_counted(self, resources):
        yield "rain"

    def budgets(self, resources):
        return [Decimal(7200), Decimal(9000)]

    def quotas(self, resources):
        huts = Quota(
            key="huts",
            service="puddle",
            code="H-1",
            name="Huts",
            unit="hut",
            default=1,
            source="",
            as_of="2026",
        )
        return [QuotaNeed(quota=huts, what=each.name, need=2) for each in resources.of_type(TYPE)]

    def files(self, resource):
        yield "door.sh", "echo open\n"

    def network(self, resources):
        return Network(title="Puddle 10.0.0.0/16", subnets=(Subnet(zone="east", cidr="10.0.1.0/24", public=True),))

    def standing(self, resources):
        yield Placed(card=Card(kind="head", title="Head node"), zones=("east",), public=True)
        yield Placed(card=Card(kind="server", title="Drifting"))

    def fleets(self, resources):
        yield Fleet(
            queue="q", machines=("hut.1",), zones=("west",), min=0, max=2, purchase="on_demand", fabric=False,
            placement="raft",
        )  # fmt: skip

    def file_systems(self, resources):
        yield Placed(card=Card(kind="nfs", title="/home", links=("well",)), zones=(None,))
        yield Placed(card=Card(kind="lustre", title="/wide"))

    def service_cards(self, resources, linked):
        return [Card(kind="bucket", title=title) for title in linked]

    def ssh_sources(self, resources):
        return ["203.0.113.0/24"]

    def inputs(self):
        def full(inputs):
            return ()

        return InputFacts(properties={TYPE: {"doors": {"range": [1, 2]}}}, everywhere=(full,))


def puddle_price(item: str, region: str) -> Price:
    assert (item, region) == ("thatch", "shore")
    return Price(usd=0.5, unit="USD/hour", region=region, exact_region=True, source="the owner", as_of="2026")


@pytest.fixture
def puddle(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A cloud made for the test, by its one line."""
    package, cloud = ModuleType("puddle"), ModuleType("puddle.cloud")
    package.__path__ = []
    catalog = replace(catalog_of("aws"), service_price=puddle_price)
    cloud.__dict__["CLOUD"] = replace(
        cloud_named("aws"),
        name="puddle",
        title="Puddle",
        package="puddle",
        sdk="pulumi_puddle",
        pulumi_package="puddle",
        parts=SimpleNamespace(catalog=catalog, plan_reader=PuddleReader(), plan_rules=None),
    )
    for module in (package, cloud):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(CLOUDS, "puddle", "puddle")
    yield "puddle"
    for cached in (cloud_named, catalog_of):
        cached.cache_clear()


def huts(**inputs) -> Program:
    program = Program()
    program.add(TYPE, "a", **inputs)
    return program


def test_a_plan_says_what_the_reader_of_its_cloud_reads(puddle: str) -> None:
    plan = make_plan(recording_of(huts()), cloud=puddle, cluster="c", region="shore")
    [line] = plan.cost["lines"]
    assert (line["what"], line["idle_hour"], line["full_hour"], line["group"]) == ("thatch", 5.0, 10.0, "storage")
    [unknown] = plan.cost["unknown"]
    assert (unknown["what"], unknown["reason"]) == ("hut a", "the catalogue has no on-demand price for hut.1")
    assert plan.cost["budget"] == {"monthly": 7200.0, "full_days": 30.0}
    assert plan.cost["not_counted"][1:-1] == ["rain"]
    [quota] = plan.quota
    assert (quota["name"], quota["need"], quota["ask"], quota["for"]) == ("Huts", 2, True, [{"what": "a", "need": 2}])
    assert [(file.name, file.used_by) for file in generated_files(plan.resources, puddle)] == [("door.sh", ("a",))]
    assert "c on Puddle, shore" in render_markdown(plan)


def test_what_stands_nowhere_yet_stands_where_the_first_queue_does(puddle: str) -> None:
    scene = scene_of(huts().resources, puddle, "shore")
    east, west = scene.zones
    assert scene.network == "Puddle 10.0.0.0/16"
    assert (east.id, east.public_cidr, [card.title for card in east.public]) == ("east", "10.0.1.0/24", ["Head node"])
    assert (west.id, [card.title for card in west.private]) == ("west", ["Drifting", "q"])
    assert west.private[1].frame == "raft"
    assert [card.title for card in west.file_systems] == ["/home"]
    assert [card.title for card in scene.file_systems] == ["/wide"]
    assert [card.title for card in scene.services] == ["well"]
    assert scene.users is not None


def test_inputs_are_judged_by_the_facts_of_their_own_cloud(puddle: str) -> None:
    program = cfd()
    program.add(TYPE, "bad", doors=3, roleArn="whatever")
    [fault] = [each for each in check_inputs(recording_of(program)) if each.type == TYPE]
    assert (fault.path, fault.remedy) == ("doors", "use a value from 1 to 2")


def test_the_cloud_of_a_recording_is_that_of_most_resources(puddle: str) -> None:
    program = huts()
    assert cloud_of(recording_of(program)) == "puddle"
    network(program)
    assert cloud_of(recording_of(program)) == "aws"
    assert cloud_of(recording_of(Program())) == next(iter(CLOUDS))


def test_a_package_of_no_cloud_gives_a_plan_without_readings() -> None:
    program = huts()
    cloud = cloud_of(recording_of(program))
    plan = make_plan(recording_of(program), cloud=cloud, cluster="c", region="shore")
    assert (plan.cloud, title_of(cloud)) == ("puddle", "puddle")
    assert plan.cost["lines"] == plan.cost["unknown"] == plan.quota == []
    assert generated_files(plan.resources, cloud) == ()
    assert reader_of(cloud) is reader_of_type("random:index/randomId:RandomId")
    assert scene_of(plan.resources, cloud, "shore").network == "Network"
    assert render_markdown(plan).startswith("## aws-cfd")


def test_the_region_is_read_under_the_providers_own_name() -> None:
    file = cast(StackFile, SimpleNamespace(config={"azure-native:location": "westeurope", "pond:region": "bank"}))
    empty = Recording(project="p", stack="s")
    provider = RecordedResource(
        urn="u", type="pulumi:providers:azure-native", name="main", inputs={"location": "northeurope"}
    )
    assert _regions(empty, file, "azure") == ["westeurope"]
    assert _regions(replace(empty, resources=(provider,)), file, "azure") == ["northeurope"]
    assert _regions(empty, file, "pond") == ["bank"]
    assert _regions(empty, file, "aws") == [""]


def test_the_region_is_that_of_most_resources_and_the_others_are_told() -> None:
    def program() -> None:
        certificates = aws.Provider("a-certificates", region="us-east-1")
        west = aws.Provider("west", region=pulumi.Output.secret("eu-west-1"))
        aws.sns.Topic("dns", opts=pulumi.ResourceOptions(provider=certificates))
        aws.sns.Topic("unknown", opts=pulumi.ResourceOptions(provider=west))
        for name in "abc":
            aws.sns.Topic(name)

    file = cast(StackFile, SimpleNamespace(config={"aws:region": "us-east-2"}))
    recording = record(program)
    assert _regions(recording, file, "aws") == ["us-east-2", "us-east-1"]
    plan = make_plan(recording, cloud="aws", cluster="c", region="us-east-2", elsewhere=["us-east-1"])
    assert (
        plan.cost["not_counted"][0] == "different prices and quotas in us-east-1, where part of the stack is located"
    )

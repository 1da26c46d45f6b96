"""What the matchers and the stand-in provider ask of a cloud."""

import re
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.ingress import Ingress
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.testing import assert_no_secret, assert_no_wildcard_actions, assert_not_open_to_the_world
from hpc_components.testing.engine import _environment
from hpc_components.testing.facts import StandIn, TypeFacts, type_facts


class PuddleStandIn(StandIn):
    """A cloud whose huts have doors and rules."""

    environment = ("PUDDLE_",)

    def types(self):
        return {"puddle:hut:Hut": TypeFacts(id="hut-{hex8}", force_new=("walls",))}


class PuddleReader(PlanReader):
    """What lets in, and what allows."""

    secrets = {"a key of the hut": re.compile("hutkey-[0-9]+")}  # noqa: RUF012

    def ingress(self, resource):
        yield Ingress(sources=tuple(resource.inputs.get("doors", ())), low=0, high=100)

    def wildcard_actions(self, resource):
        yield from resource.inputs.get("allows", ())


@pytest.fixture
def _puddle(monkeypatch):
    package, cloud = ModuleType("puddle"), ModuleType("puddle.cloud")
    package.__path__ = []
    cloud.__dict__["CLOUD"] = replace(
        cloud_named("aws"),
        name="puddle",
        title="Puddle",
        package="puddle",
        pulumi_package="puddle",
        parts=SimpleNamespace(stand_in=PuddleStandIn(), plan_reader=PuddleReader()),
    )
    for module in (package, cloud):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(CLOUDS, "puddle", "puddle")
    yield
    cloud_named.cache_clear()


def hut(**inputs):
    return Recording(
        project="p",
        stack="s",
        resources=(RecordedResource(urn="u", type="puddle:hut:Hut", name="hut", inputs=inputs),),
    )


@pytest.mark.usefixtures("_puddle")
def test_the_matchers_ask_each_resources_own_cloud():
    assert_not_open_to_the_world(hut(doors=["10.0.0.0/8"]))
    assert_not_open_to_the_world(hut(doors=["0.0.0.0/0"]), port=101)
    with pytest.raises(AssertionError, match=r"Hut 'hut' admits 0\.0\.0\.0/0"):
        assert_not_open_to_the_world(hut(doors=["0.0.0.0/0"]))
    with pytest.raises(AssertionError, match="Hut 'hut' allows everything"):
        assert_no_wildcard_actions(hut(allows=["everything"]))
    with pytest.raises(AssertionError, match="note contains a key of the hut"):
        assert_no_secret(hut(note="under the mat: hutkey-123"))


@pytest.mark.usefixtures("_puddle")
def test_the_stand_in_knows_the_types_of_every_cloud(tmp_path, monkeypatch):
    assert type_facts("puddle:hut:Hut").replacing({}) == ("region", "walls")
    assert type_facts("aws:ec2/vpc:Vpc").id.startswith("vpc-")
    monkeypatch.setenv("PUDDLE_TOKEN", "t")
    monkeypatch.setenv("AWS_PROFILE", "p")
    assert not {"PUDDLE_TOKEN", "AWS_PROFILE"} & _environment(tmp_path, tmp_path).keys()


def test_of_a_package_of_no_cloud_nothing_is_known():
    assert type_facts("random:index/randomId:RandomId") == TypeFacts(id="{hex17}")
    assert_not_open_to_the_world(hut(doors=["0.0.0.0/0"]))

"""Stacks that move: to another cloud, another project or another name; and plans of other releases."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from planned_changes import plan_of

from hpc_components.preview.description import encrypted
from hpc_components.preview.plan import Plan, UnreadablePlanError
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Operation, Side
from hpc_components.review.headline import verdict
from hpc_components.review.make import review
from hpc_components.review.planning import Failure, Place, Task, plan_all
from hpc_components.review.repository import SourceError
from hpc_components.review.sources import Source, reviews_of
from hpc_components.review.wording import Urgency, urgency

SIDES = Side(source="main"), Side(source="topic")


def as_stack(plan: Plan, stack: str, project: str) -> Plan:
    """The plan of the same program in another stack."""
    home = f"urn:pulumi:{plan.stack}::{plan.project}::"
    text = plan.to_json().replace(home, f"urn:pulumi:{stack}::{project}::")
    return replace(Plan.from_json(text), stack=stack, project=project)


def test_what_ends_on_the_cloud_that_a_stack_leaves_means_what_it_means_there() -> None:
    aws = plan_of("aws-cfd")
    found = review(aws, as_stack(plan_of("azure-hbv4"), "aws-cfd", aws.project), sides=SIDES)
    ended = {change.name: change for change in found.changes if change.type.startswith("aws:")}
    assert ended["cfd-head-logs"].effect is Effect.DATA_LOST
    assert ended["cfd-home"].effect is Effect.LEFT_BEHIND
    assert [change.name for change in ended.values() if change.effect is Effect.UNKNOWN] == []
    assert verdict(found).startswith("data on cfd-head-logs")
    slurm_conf = {file.name: (bool(file.before), bool(file.after)) for file in found.files}["common/slurm/slurm.conf"]
    assert slurm_conf == (True, True)
    (cloud,) = (change for change in found.description if change.path == "cloud")
    assert cloud.caution


@pytest.mark.parametrize(("stack", "project"), [("aws-cfd", "simulation"), ("cfd", "hpc"), ("cfd", "simulation")])
def test_a_stack_with_another_name_is_compared_as_renamed_and_that_is_said(stack: str, project: str) -> None:
    plan = plan_of("aws-cfd")
    found = review(plan, as_stack(plan, stack, project), sides=SIDES)
    assert found.changes == ()
    (note,) = found.notes
    assert "This stack was previously named hpc/aws-cfd." in note
    assert "pulumi stack rename" in note
    assert verdict(found) == "nothing changes, but see below"
    assert urgency(found) is Urgency.LOOK


def test_what_was_encrypted_anew_is_no_all_clear() -> None:
    plan = plan_of("aws-cfd")
    sides = [
        replace(plan, encrypted=encrypted({"a:token": {"secure": text}, "a:same": {"secure": "v1:x"}, "a:b": text}))
        for text in ("v1:x", "v1:y")
    ]
    found = review(*sides, sides=SIDES)
    (note,) = found.notes
    assert note.startswith("Re-encrypted in the configuration: a:token. ")
    assert (found.changes, urgency(found)) == ((), Urgency.LOOK)
    assert review(sides[0], sides[0], sides=SIDES).notes == ()
    assert review(replace(plan, encrypted=None), sides[0], sides=SIDES).notes == (), "an earlier release has none"


def test_a_stack_of_the_same_name_has_no_note() -> None:
    plan = plan_of("aws-cfd")
    assert review(plan, plan, sides=SIDES).notes == ()


def test_a_plan_of_a_later_release_is_read_without_what_it_added() -> None:
    plan = plan_of("aws-cfd")
    document = json.loads(plan.to_json()) | {"added_later": {}}
    document["resources"][0]["added_later"] = 1
    assert Plan.from_json(json.dumps(document)) == Plan.from_json(plan.to_json())


@pytest.mark.parametrize("resources", [None, 5, ["text"], [{"name": "without a URN"}]])
def test_resources_that_are_none_are_an_error_in_words(resources: object) -> None:
    document = json.loads(plan_of("aws-cfd").to_json()) | {"resources": resources}
    with pytest.raises(UnreadablePlanError, match="resources"):
        Plan.from_json(json.dumps(document))


def test_two_plan_files_are_of_the_stack_that_is_named() -> None:
    sources = [Source(side, plan_of("aws-cfd")) for side in SIDES]
    assert len(reviews_of(*sources, ["aws-cfd"])) == 1
    with pytest.raises(SourceError, match="the plan file is for stack aws-cfd, not other"):
        reviews_of(*sources, ["other"])


def test_a_side_whose_package_writes_other_plans_fails_alone(tmp_path: Path) -> None:
    """The repository holds a package of its own, whose plans have another version."""
    cli = tmp_path / "hpc_components" / "cli"
    cli.mkdir(parents=True)
    (cli.parent / "__init__.py").touch()
    writes = "def main(words):\n    open(words[-1], 'w').write('{\"plan\": 99}')\n"
    (cli / "__init__.py").write_text(writes)
    task = Task(Place(tmp_path, tmp_path, tmp_path), "dev")
    found = plan_all([task])[task]
    assert isinstance(found, Failure)
    assert "`plan` must be 1, not 99" in found.text


def test_retained_and_protected_data_stays_forgotten_when_a_stack_is_renamed_and_changed() -> None:
    """What is compared as renamed is compared as a whole: a file system that also goes is found."""
    scratch = (
        "      scratch: {type: lustre, mount: /fsx, size: 1.2TiB, deployment: scratch_2, "
        'import_from: "s3://my-hpc-data-bucket"}\n'
    )
    found = review(plan_of("aws-cfd"), as_stack(plan_of("aws-cfd", (scratch, "")), "cfd", "hpc"), sides=SIDES)
    (lustre,) = (change for change in found.changes if change.type.endswith(":LustreFileSystem"))
    assert lustre.operation is Operation.FORGET

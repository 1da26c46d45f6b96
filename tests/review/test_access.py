"""Who can reach or do something after a change that could not before."""

import pytest
from planned_changes import changed

from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.access import openings, with_grants
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import ABSENT, Change, Opening, Operation, PropertyChange

ROLE = "aws:iam/rolePolicy:RolePolicy"


def ruled(*rules: tuple[str, int, int]) -> Resources:
    """A network on AWS that lets these ranges in on these ports."""
    return Resources(
        Resource(
            urn=f"urn:{index}",
            type="aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            name=f"rule-{index}",
            inputs={"cidrIpv4": source, "ipProtocol": "tcp", "fromPort": low, "toPort": high},
        )
        for index, (source, low, high) in enumerate(rules)
    )


@pytest.mark.parametrize(
    ("before", "after", "opened", "closed"),
    [
        ((), ("203.0.113.0/24", 22, 22), ["203.0.113.0/24"], []),
        (("203.0.113.0/24", 22, 22), ("0.0.0.0/0", 22, 22), ["0.0.0.0/0"], []),
        (("0.0.0.0/0", 22, 22), ("203.0.113.0/24", 22, 22), [], ["0.0.0.0/0"]),
        (("203.0.113.0/24", 22, 22), ("203.0.113.128/25", 22, 22), [], ["203.0.113.0/24"]),
        (("203.0.113.0/24", 22, 22), ("203.0.113.0/24", 22, 22), [], []),
        ((), ("10.1.0.0/16", 443, 443), [], []),  # of other ports, the whole internet counts
        ((), ("0.0.0.0/0", 8888, 8888), ["0.0.0.0/0"], []),
    ],
)
def test_who_is_let_in_and_out_is_compared(before: tuple, after: tuple, opened: list[str], closed: list[str]) -> None:
    sides = (ruled(*filter(None, [each])) for each in (before, after))
    found = openings(*sides)
    assert [[each.source for each in side] for side in found] == [opened, closed]


def test_an_opening_says_who_was_let_in_before() -> None:
    (opened,), _ = openings(ruled(("203.0.113.0/24", 22, 22)), ruled(("0.0.0.0/0", 22, 22)))
    assert opened == Opening(source="0.0.0.0/0", low=22, high=22, before=("203.0.113.0/24",))


def grants(resource: Resource, operation: Operation, before: list[Resource], after: list[Resource]) -> bool:
    """Whether a change of access of this resource counts."""
    given = {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "parent": resource.parent,
        "words": "",
    }
    change = Change(operation=operation, effect=Effect.ACCESS, **given)
    (found,) = with_grants([change], Resources(before), Resources(after))
    return found.grants


def test_rights_of_a_new_part_are_not_counted() -> None:
    old, new = (Resource(urn=f"urn:{name}", type="hpc:x:Fleet", name=name, component=True) for name in ("old", "new"))
    of_old, of_new = (Resource(urn="urn:p", type=ROLE, name="p", parent=each.urn) for each in (old, new))
    assert grants(of_old, Operation.CREATE, [old], [old, of_old])
    assert not grants(of_new, Operation.CREATE, [old], [old, new, of_new])
    assert grants(of_old, Operation.UPDATE, [old, of_old], [old, of_old])
    assert not grants(of_old, Operation.DELETE, [old, of_old], [old])


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ([("actions[0]", "read", "write"), ("actions[1]", "write", ABSENT)], False),  # the first one goes
        ([("actions[1]", ABSENT, "write")], True),
        ([("actions[0]", "read", "write")], True),
        ([("notActions[0]", "write", ABSENT)], True),
        ([("condition", "only here", ABSENT)], True),
    ],
)
def test_taking_rights_away_is_not_counted(changes: list[tuple[str, str, str]], counts: bool) -> None:
    role = Resource(urn="urn:r", type="azure-native:authorization:RoleDefinition", name="r")
    properties = tuple(PropertyChange(path=path, before=before, after=after) for path, before, after in changes)
    change = Change(
        operation=Operation.UPDATE, effect=Effect.ACCESS, urn="urn:r", type=role.type, name="r", parent=None,
        words="", properties=properties,
    )  # fmt: skip
    (found,) = with_grants([change], Resources([role]), Resources([role]))
    assert found.grants is counts


@pytest.mark.parametrize(
    ("stack", "edit", "names"),
    [
        ("gcp-h3", ("name: spot", "name: cheap"), set()),
        ("aws-cfd", ("machine: c6i.xlarge, public: true", "machine: c6i.xlarge, public: true, key_pair: ops"), set()),
    ],
)
def test_changes_of_real_stacks_are_known_to_grant_access(stack: str, edit: tuple[str, str], names: set[str]) -> None:
    assert {change.name for change in changed(stack, edit).changes if change.grants} == names

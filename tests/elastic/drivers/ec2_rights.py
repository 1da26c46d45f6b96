"""What EC2 asks IAM about a call: names of missing permissions, in the words of its answer.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2"; EC2 user guide,
"Control access to launch templates with IAM permissions"; EBS user guide, "Requirements for Amazon EBS encryption".
"""

from collections.abc import Iterator, Mapping

from iam_allows import Allows

from .ec2_shapes import Machine, Template

TOUCHED = ("instance", "volume", "network-interface", "subnet", "security-group", "image")

KEY_ACTIONS = (
    "kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)  # fmt: skip


def missing_to_launch(allows: Allows, template: Template, tags: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """RunInstances from a template, which names all the rest, with `tags` by the kind of resource that gets them."""
    own = {f"aws:ResourceTag/{key}": value for key, value in template.tags.items()}
    if not allows("ec2:RunInstances", _arns("launch-template", template.id), own):
        yield f"ec2:RunInstances on launch-template/{template.id}"
    more = (["capacity-reservation"] if template.reservation else []) + (["placement-group"] * template.placement)
    kinds = (*TOUCHED, *more)
    for kind in kinds:
        if not allows("ec2:RunInstances", _arns(kind, "x"), {"ec2:IsLaunchTemplateResource": "true"}):
            yield f"ec2:RunInstances on {kind}"
    # a spot request is made by EC2, not named by the template
    if template.market == "spot" and not allows("ec2:RunInstances", _arns("spot-instances-request", "x"), {}):
        yield "ec2:RunInstances on spot-instances-request"
    for kind in {**template.tagged, **tags}:
        pairs = {**template.tagged.get(kind, {}), **tags.get(kind, {})}
        given = {f"aws:RequestTag/{key}": value for key, value in pairs.items()}
        if not allows("ec2:CreateTags", _arns(kind, "x"), {"ec2:CreateAction": "RunInstances", **given}):
            yield f"ec2:CreateTags on {kind}"
    if not allows("iam:PassRole", (template.role,), {"iam:PassedToService": "ec2.amazonaws.com"}):
        yield f"iam:PassRole on {template.role}"
    for key in template.keys:
        for action in KEY_ACTIONS:
            if not allows(action, (key,), {"kms:GrantIsForAWSResource": "true"}):
                yield f"{action} on {key}"
    _, named, parameter = template.image.partition("resolve:ssm:")
    if named and not allows("ssm:GetParameters", (f"arn:aws:ssm:us-east-2:123456789012:parameter{parameter}",), {}):
        yield f"ssm:GetParameters of {parameter}"


def missing_to_terminate(allows: Allows, machine: Machine) -> Iterator[str]:
    """TerminateInstances of one instance."""
    own = {f"aws:ResourceTag/{key}": value for key, value in machine.tags.items()}
    if not allows("ec2:TerminateInstances", _arns("instance", machine.id), own):
        yield f"ec2:TerminateInstances on instance/{machine.id}"


def missing_to_list(allows: Allows, action: str) -> Iterator[str]:
    """A call that only reads."""
    if not allows(f"ec2:{action}", ("*",), {}):
        yield f"ec2:{action}"


def _arns(kind: str, id: str) -> tuple[str, ...]:
    account = "" if kind == "image" else "123456789012"
    return (f"arn:aws:ec2:us-east-2:{account}:{kind}/{id}",)

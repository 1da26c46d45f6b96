"""What `hpc preflight` asks about a description, with the plan of its real program."""

from pathlib import Path

from hpc_components.preflight.asked import Asked, Made
from hpc_components.preview.stack import plan_file
from hpc_components.spec.project import PROGRAM, Project, StackFile, open_stack_file


def asked_about(text: str, folder: Path) -> Asked:
    """The description must have no errors."""
    path = folder / "Pulumi.asked.yaml"
    path.write_text(text, encoding="utf-8")
    return asked_of(open_stack_file(path))


def asked_of(file: StackFile) -> Asked:
    folder = file.path.parent
    planned = plan_file(Project(root=folder, name="hpc", main=PROGRAM, stack_dir=folder), file)
    assert planned.plan is not None, planned.judgement.errors
    assert planned.judgement.cluster is not None
    made = [Made(type=each.type, name=each.name, inputs=each.inputs) for each in planned.plan.resources]
    return Asked(
        cluster=planned.judgement.cluster,
        document=file.cluster,
        config=file.config,
        quotas=planned.plan.quota,
        made=made,
    )

"""Reviews made by hand, one for each kind of change."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.report.parts import Table
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import (
    ABSENT,
    Change,
    ChangedFinding,
    CostChange,
    DescriptionChange,
    FileChange,
    FindingChanges,
    Operation,
    PropertyChange,
    QueueCost,
    QuotaChange,
    Review,
    Side,
)

TIME = datetime(2026, 11, 22, 22, 15, tzinfo=UTC)

FLEET = "hpc:aws:EfaComputeFleet"
HEAD = "hpc:aws:SlurmHeadNode"
BUCKET = "hpc:aws:ConfigBucket"
LUSTRE = "hpc:aws:LustreFilesystem"

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"
FILE_SYSTEM = "aws:fsx/lustreFileSystem:LustreFileSystem"

SLURM_CONF = "\n".join(
    [
        "ClusterName=cfd",
        "SlurmctldHost=head",
        "SlurmctldParameters=cloud_dns,idle_on_node_suspend",
        "SelectType=select/cons_tres",
        "NodeName=compute-[1-16] CPUs=96 RealMemory=370000 State=CLOUD",
        "PartitionName=compute Nodes=compute-[1-16] MaxTime=UNLIMITED",
        "",
    ]
)


def urn(type: str, name: str) -> str:
    return f"urn:pulumi:aws-cfd::hpc::{type}::{name}"


def change(
    operation: Operation, effect: Effect, around: str, component: str, type: str, name: str, **more: Any
) -> Change:
    """A change of a resource within a component."""
    more.setdefault("words", "")
    more.setdefault("is_file", type == OBJECT)
    return Change(
        operation=operation,
        urn=urn(f"{around}${type}", name),
        type=type,
        name=name,
        parent=urn(around, component),
        effect=effect,
        **more,
    )


def prop(path: str, before: Any, after: Any, *, replaces: bool = False) -> PropertyChange:
    return PropertyChange(path=path, before=before, after=after, replaces=replaces)


def total(hour: float, *, at_least: bool = False) -> dict[str, Any]:
    return {"hour": hour, "month": round(hour * 730, 2), "at_least": at_least}


def texts(table: Table) -> list[tuple[str, ...]]:
    """The rows of a table."""
    return [tuple(cell.text for cell in row) for row in table.rows]


def queue_cost(queue: str, nodes: tuple[int | None, int | None], **more: Any) -> QueueCost:
    """Prices of a queue of hpc6a.48xlarge, on the sides where it has nodes."""
    values: dict[str, Any] = {}
    for side, number in zip(("before", "after"), nodes, strict=True):
        there = number is not None
        values |= {
            f"machine_{side}": "hpc6a.48xlarge" if there else None,
            f"nodes_{side}": number,
            f"node_hour_{side}": 2.88 if there else None,
            f"core_hour_{side}": 0.03 if there else None,
        }
    return QueueCost(queue=queue, **(values | more))


def review(**more: Any) -> Review:
    """A review of nothing, of two commits."""
    given: dict[str, Any] = {
        "stack": "aws-cfd",
        "project": "hpc",
        "cloud": "aws",
        "cluster": "cfd",
        "region": "us-east-2",
        "before": Side(source="main", commit="1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"),
        "after": Side(source="faster-queues", commit="5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80"),
    }
    return Review(**(given | more))


def slurm_conf_object(**more: Any) -> Change:
    """The object of slurm.conf, which the head node fetches."""
    text = [SLURM_CONF, SLURM_CONF.replace("[1-16]", "[1-32]")]
    return change(
        Operation.UPDATE,
        Effect.SLURMCTLD_RESTARTS,
        BUCKET,
        "cfd-config",
        OBJECT,
        "cfd-config/common/slurm/slurm.conf",
        **{"properties": (prop("source.asset.text", *text),), **more},
    )


def nothing_changes() -> Review:
    same = total(0.6421)
    cost = CostChange(idle_before=same, idle_after=same, full_before=same, full_after=same, as_of="2026-11")
    return review(cost=cost)


def live_update() -> Review:
    """A queue may have more nodes."""
    files = (
        FileChange(name="compute/queues", before="compute 16\n", after="compute 32\n"),
        FileChange(name="common/slurm/slurm.conf", before=SLURM_CONF, after=SLURM_CONF.replace("[1-16]", "[1-32]")),
    )
    changes = (
        slurm_conf_object(),
        change(
            Operation.UPDATE, Effect.LIVE, BUCKET, "cfd-config", OBJECT, "cfd-config/compute/queues",
            properties=(prop("source.asset.text", "compute 16\n", "compute 32\n"),),
        ),
    )  # fmt: skip
    return review(
        changes=changes,
        description=(DescriptionChange(path="queues[0].max", before=16, after=32, line=17),),
        files=files,
        cost=CostChange(
            idle_before=total(0.6421), idle_after=total(0.6421),
            full_before=total(64.0264), full_after=total(110.1064),
            queues=(queue_cost("compute", (16, 32)),), as_of="2026-11",
        ),
        quotas=(
            QuotaChange(code="L-F7808C92", name="Running On-Demand HPC instances", unit="vCPU", before=1536,
                        after=3072, default=0, ask=True),
            QuotaChange(code="L-0263D0A3", name="EC2-VPC Elastic IPs", unit="address", before=1, after=2,
                        default=5, ask=False),
        ),
        findings=FindingChanges(
            still=(
                {"id": "HPC-COST-002", "level": "warning", "path": "budget", "reason": "no budget is set",
                 "remedy": "budget: {monthly: 20000}", "file": "stacks/config/Pulumi.aws-cfd.yaml", "line": 3,
                 "column": 5},
            ),
        ),
    )  # fmt: skip


def new_nodes_only() -> Review:
    """Another image, and noise of a new provider."""
    changes = tuple(
        change(
            Operation.UPDATE, Effect.NEW_NODES, FLEET, f"cfd-{queue}", TEMPLATE, f"cfd-{queue}-hpc6a",
            properties=(
                prop("imageId", "resolve:ssm:/hpc/image:7", "resolve:ssm:/hpc/image:8"),
                prop("userData", SECRET, SECRET),
                prop("networkInterfaces[0].subnetId", UNKNOWN, ABSENT),
            ),
        )
        for queue in ("compute", "spot")
    )  # fmt: skip
    provider = Change(
        operation=Operation.UPDATE, urn=urn("pulumi:providers:aws", "aws"), type="pulumi:providers:aws", name="aws",
        parent=None, effect=Effect.LIVE, words="", properties=(prop("version", "7.51.0", "7.51.1"),),
    )  # fmt: skip
    return review(
        changes=(*changes, provider),
        description=(DescriptionChange(path="image.serial", before=7, after=8, line=9),),
        after=Side(source="working tree"),
    )


def data_lost() -> Review:
    """A smaller file system, protected, and a queue that goes."""
    file_system = change(
        Operation.REPLACE, Effect.DATA_LOST, LUSTRE, "cfd-scratch", FILE_SYSTEM, "cfd-scratch",
        words="FSx only grows a file system: the smaller one is made empty.",
        remedy="Copy what is needed to the bucket with a data repository task, and wait until it is done.",
        source="terraform-provider-aws internal/service/fsx/lustre_file_system.go", protected=True,
        properties=(prop("storageCapacity", 4800, 2400, replaces=True), prop("tags.Name", "a", "b")),
    )  # fmt: skip
    access = change(
        Operation.UPDATE, Effect.ACCESS, "hpc:aws:Vpc$hpc:aws:SecurityGroups", "cfd",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "cfd-head-ssh",
        properties=(prop("cidrIpv4", "192.0.2.0/24", "0.0.0.0/0"),),
    )  # fmt: skip
    nodes = change(
        Operation.DELETE, Effect.NODES_END, FLEET, "cfd-spot", TEMPLATE, "cfd-spot-c7i",
        words="The nodes of the queue are drained and end with their last job.", remedy="scancel -p spot",
        because=file_system.urn,
    )  # fmt: skip
    made = change(Operation.CREATE, Effect.LIVE, FLEET, "cfd-gpu", TEMPLATE, "cfd-gpu-p5")
    return review(
        changes=(file_system, nodes, access, slurm_conf_object(), made),
        description=(
            DescriptionChange(path="queues[1]", before={"name": "spot", "machine": "c7i.48xlarge", "max": 8},
                              after=ABSENT, line=21),
            DescriptionChange(path="queues[2]", before=ABSENT, after={"name": "gpu", "machine": "p5.48xlarge",
                              "max": 2}, line=21),
            DescriptionChange(path="storage.scratch.size", before="4800 GiB", after="2400 GiB", line=30),
        ),
        cost=CostChange(
            idle_before=total(1.6), idle_after=total(1.1), full_before=total(64.0264),
            full_after=total(60.0, at_least=True), as_of="2026-11",
            queues=(
                queue_cost("spot", (8, None), machine_before="c7i.48xlarge"),
                queue_cost("gpu", (None, 2), machine_after="p5.48xlarge", node_hour_after=None,
                           core_hour_after=None),
            ),
        ),
        findings=FindingChanges(
            new=({"id": "HPC-NET-007", "level": "error", "path": "network.ssh_from",
                  "reason": "0.0.0.0/0 lets the whole internet in", "remedy": "name your own networks",
                  "file": "stacks/config/Pulumi.aws-cfd.yaml", "line": 12, "column": 5},),
            changed=(
                ChangedFinding(
                    before={"id": "HPC-QTA-001", "level": "warning", "path": "queues[0].max", "value": 768,
                            "reason": "the full cluster runs 768 vCPUs", "remedy": "ask for 768"},
                    after={"id": "HPC-QTA-001", "level": "warning", "path": "queues[0].max", "value": 1536,
                           "reason": "the full cluster runs 1,536 vCPUs", "remedy": "ask for 1,536"},
                ),
            ),
            silenced=({"id": "HPC-NET-010", "level": "info", "path": "network", "silenced": "reached over VPN only",
                       "reason": "nobody reaches the head node", "remedy": "public: true"},),
            fixed=({"id": "HPC-SPOT-001", "level": "warning", "path": "queues[1]",
                    "reason": "spot nodes are taken away", "remedy": "buy: on_demand"},),
        ),
    )  # fmt: skip


def head_replaced() -> Review:
    head = change(
        Operation.REPLACE, Effect.HEAD_REPLACED, HEAD, "cfd-head", "aws:ec2/instance:Instance", "cfd-head",
        properties=(prop("ami", "ami-1", "ami-2", replaces=True),),
        source="pulumi-aws schema, replaceOnChanges",
    )  # fmt: skip
    volume = change(
        Operation.REPLACE, Effect.FILES_AWAY, HEAD, "cfd-head",
        "aws:ec2/volumeAttachment:VolumeAttachment", "cfd-head-state", because=head.urn,
        words="The state disk is attached to the new head node.",
    )  # fmt: skip
    return review(changes=(volume, head))


def refused() -> Review:
    return review(
        changes=(
            change(
                Operation.UPDATE, Effect.REFUSED, LUSTRE, "cfd-scratch", FILE_SYSTEM, "cfd-scratch",
                words="FSx takes a new throughput once in six hours.", remedy="Wait six hours.",
                properties=(prop("perUnitStorageThroughput", 250, 500),),
            ),
            change(
                Operation.FORGET, Effect.LIVE, "hpc:aws:HomeFilesystem", "cfd-home",
                "aws:efs/fileSystem:FileSystem", "cfd-home", words="It stays in the cloud and is paid for.",
            ),
            change(
                Operation.UPDATE, Effect.UNKNOWN, HEAD, "cfd-head", "aws:ec2/instance:Instance", "cfd-head",
                properties=(prop("cpuOptions.coreCount", ABSENT, 4),),
            ),
        ),
    )  # fmt: skip


def _everything(operation: Operation, effects: tuple[Effect, Effect]) -> tuple[Change, ...]:
    return (
        change(operation, effects[0], LUSTRE, "cfd-scratch", FILE_SYSTEM, "cfd-scratch"),
        *(change(operation, effects[1], FLEET, f"cfd-{name}", TEMPLATE, f"cfd-{name}") for name in ("a", "b")),
    )


def new_stack() -> Review:
    """The stack is on the newer side alone."""
    files = (FileChange(name="common/slurm/slurm.conf", before="", after=SLURM_CONF),)
    cost = CostChange(
        idle_before=None, idle_after=total(0.6421), full_before=None, full_after=total(64.0264), as_of="2026-11",
        queues=(queue_cost("compute", (None, 16)),),
    )  # fmt: skip
    return review(changes=_everything(Operation.CREATE, (Effect.LIVE, Effect.LIVE)), files=files, cost=cost)


def stack_gone() -> Review:
    """The stack is on the older side alone."""
    files = (FileChange(name="common/slurm/slurm.conf", before=SLURM_CONF, after=""),)
    cost = CostChange(
        idle_before=total(0.6421), idle_after=None, full_before=total(64.0264), full_after=None, as_of="2026-11",
        queues=(queue_cost("compute", (16, None)),),
    )  # fmt: skip
    return review(changes=_everything(Operation.DELETE, (Effect.DATA_LOST, Effect.NODES_END)), files=files, cost=cost)


def failure() -> Review:
    return review(
        failure="stacks/config/Pulumi.aws-cfd.yaml:17:10: queues[0].max: 0 is below queues[0].min, 1\n"
        "  set max to 1 or more"
    )


def large() -> Review:
    """200 queues that all get twice the nodes on another machine."""
    names = [f"queue-{number:03}" for number in range(200)]
    changes = tuple(
        change(
            Operation.REPLACE, Effect.NODES_END, FLEET, f"cfd-{name}", TEMPLATE, f"cfd-{name}-hpc6a",
            words=f"The nodes of {name} are drained.", remedy=f"Wait for the jobs of {name}.",
            properties=(prop("name", f"cfd-{name}", f"cfd2-{name}", replaces=True),),
        )
        for name in names
    )  # fmt: skip
    lines = [f"NodeName={name}-[1-16] CPUs=96 RealMemory=370000 State=CLOUD Weight={index}" for index, name in
             enumerate(names)]  # fmt: skip
    before = "\n".join(lines)
    return review(
        changes=(*changes, slurm_conf_object()),
        description=tuple(
            DescriptionChange(path=f"queues[{index}].max", before=16, after=32, line=20 + 6 * index)
            for index in range(200)
        ),
        files=tuple(
            FileChange(name=name, before=before, after=before.replace("[1-16]", "[1-32]"))
            for name in ("common/slurm/gres.conf", "common/slurm/slurm.conf")
        ),
        cost=CostChange(
            idle_before=total(0.6421), idle_after=total(0.6421), full_before=total(9216.0),
            full_after=total(18432.0), as_of="2026-11", queues=tuple(queue_cost(name, (16, 32)) for name in names),
        ),
    )  # fmt: skip


HOSTILE = "x</details>\n```\n````<script>alert(1)</script>@team | **b** #12 `code` <!-- --> [a](http://b)\x1b[31m"


def hostile(text: str = HOSTILE) -> Review:
    """`text` in every field that may hold a text of a user."""
    finding = {"id": text, "level": "error", "path": text, "reason": text, "remedy": text, "file": text}
    one = Change(
        operation=Operation.REPLACE, urn=urn(text, text), type=f"a:b:{text}", name=text, parent=None,
        effect=Effect.DATA_LOST, words=text, remedy=text, source=text, protected=True,
        properties=(prop(text, text, [text], replaces=True), prop("other", {text: text}, ABSENT)),
    )  # fmt: skip
    return review(
        stack=text, project=text, cluster=text, region=text, cloud=text,
        before=Side(source=text, commit=text), after=Side(source=text),
        changes=(
            one,
            replace(one, operation=Operation.UPDATE, effect=Effect.ACCESS, urn=f"{one.urn}2", because=one.urn,
                    parent=one.urn),
            replace(one, operation=Operation.CREATE, effect=Effect.LIVE, protected=False, urn=f"{one.urn}3",
                    parent=urn(f"c:d:{text}$e:f:{text}", text)),
        ),
        description=(DescriptionChange(path=text, before=text, after={text: [text]}, caution=text),),
        files=(FileChange(name=text, before=f"{text}\n", after=f"{text}\n{text}"),
               FileChange(name=f"{text}.b64", before=text, after="")),
        findings=FindingChanges(
            new=(finding,), fixed=(finding,), still=(finding,), silenced=({**finding, "silenced": text},),
            changed=(ChangedFinding(before={**finding, "value": text}, after={**finding, "value": [text]}),),
        ),
        cost=CostChange(
            idle_before=total(1), idle_after=total(2), full_before=total(3), full_after=total(4), as_of=text,
            queues=(queue_cost(text, (1, 2), machine_before=text),),
        ),
        quotas=(QuotaChange(code=text, name=text, unit=text, before=1, after=2, default=None, ask=True),),
    )  # fmt: skip


REVIEWS = {
    "nothing": nothing_changes,
    "live": live_update,
    "new_nodes": new_nodes_only,
    "data_lost": data_lost,
    "head_replaced": head_replaced,
    "refused": refused,
    "new_stack": new_stack,
    "stack_gone": stack_gone,
    "failure": failure,
    "large": large,
    "hostile": hostile,
}
"""The reviews by the name of their golden files."""

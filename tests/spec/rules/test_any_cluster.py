"""Whatever is described, right or not, each rule says something sensible or nothing."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.rule import rules_for

from .judged import GROUP

MACHINES = st.sampled_from(
    ["", "q9.huge", "z1d.12xlarge", "c7i.4xlarge", "c7i.48xlarge", "c6i.metal", "hpc6a.48xlarge", "hpc6id.32xlarge",
     "c7g.16xlarge", "t3.micro", "p5.48xlarge", "p3dn.24xlarge", "trn1.32xlarge"]
)  # fmt: skip
ZONES = st.sampled_from(["", "use2-az2", "use2-az3", "us-east-2b", "eun1-az2", "use2-az9"])
CIDRS = st.sampled_from(["10.20.0.0/16", "10.20.0.0/20", "10.0.0.0/8", "10.0.0.0/28", "8.8.8.8/32", "0.0.0.0/0"])
COUNTS = st.integers(-1, 3000)
WORDS = st.sampled_from(["", "x", "ami-0123456789abcdef0", "cr-0123456789abcdef0", GROUP])
SUBNETS = st.dictionaries(ZONES, st.fixed_dictionaries({"id": WORDS, "cidr": CIDRS}), max_size=3)


def some(required: dict, **optional: st.SearchStrategy) -> st.SearchStrategy[dict]:
    return st.fixed_dictionaries(required, optional=optional)


def lists(of: st.SearchStrategy, most: int = 3) -> st.SearchStrategy[list]:
    return st.lists(of, max_size=most)


NETWORK = some(
    {},
    cidr=CIDRS,
    existing=some(
        {"vpc": WORDS, "cidr": CIDRS, "private": SUBNETS},
        public=SUBNETS,
        security_groups=some({}, head=lists(WORDS), compute=lists(WORDS, 6)),
    ),
    ssh_from=lists(CIDRS),
    nat=st.sampled_from(["one", "per_zone", "none"]),
    endpoints=lists(st.sampled_from(["", "s3", "ssm", "logss", "nothing"])),
    flow_logs=st.sampled_from(["0d", "1d", "10d"]),
)
QUEUE = some(
    {"name": WORDS, "machine": MACHINES, "max": COUNTS},
    min=COUNTS,
    purchase=st.sampled_from(["spot", "on_demand"])
    | st.fixed_dictionaries({"reservation": WORDS})
    | st.fixed_dictionaries({"capacity_block": WORDS}),
    fallback=lists(MACHINES),
    zones=lists(ZONES),
    placement=st.sampled_from(["cluster", "partition", "spread", "none"]),
    fabric=st.booleans(),
    smt=st.booleans(),
    requeue=st.booleans(),
    max_spot_price=st.floats(allow_nan=True),
    local_scratch=st.just("/scratch"),
    memory=st.sampled_from(["1MiB", "9PiB"]),
    image=WORDS,
    gpu_sharing=st.builds(dict, shards=COUNTS) | st.builds(dict, mps=COUNTS),
    qos=WORDS,
    slurm=st.dictionaries(st.sampled_from(["AllowAccounts", "DenyQos", "MaxTime"]), WORDS),
)
ACCOUNTING = some(
    {},
    qos=st.dictionaries(
        WORDS,
        some(
            {},
            priority=COUNTS,
            max_wall=st.sampled_from(["0d", "30s", "9d"]),
            max_tres_per_user=st.dictionaries(st.sampled_from(["cpu", "gres/gpu", "gres/gpu:h100", ""]), COUNTS),
        ),
    ),
    accounts=st.dictionaries(
        WORDS, some({}, parent=WORDS, users=lists(WORDS), qos=lists(WORDS), fairshare=COUNTS), max_size=4
    ),
)
NODES = some({"machine": MACHINES}, public=st.booleans(), image=WORDS)
CLUSTER = some(
    {
        "cloud": st.just("aws"),
        "name": WORDS,
        "region": st.sampled_from(["", "us-east-2", "us-east-1", "mars"]),
        "zone": ZONES,
        "network": NETWORK,
        "head_node": NODES,
        "queues": lists(QUEUE),
    },
    os=st.sampled_from(["", "ubuntu-24.04", "debian-13", "alinux2", "rocky-8", "rocky-9"]),
    login_nodes=some({"machine": MACHINES}, max=COUNTS, min=COUNTS, public=st.booleans(), zones=lists(ZONES)),
    slurm=some({}, version=st.sampled_from(["22.05", "25.11"]), accounting=ACCOUNTING),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CLUSTER)
def test_rules_take_any_cluster_and_explain_themselves(description):
    cluster = AwsClusterSpec.model_validate(description)
    for rule in rules_for(cluster):
        for problem in rule(cluster):
            assert problem.path, rule.id
            assert problem.path[0] in AwsClusterSpec.model_fields, rule.id
            assert problem.reason.strip(), rule.id
            assert problem.remedy.strip(), rule.id
            assert "None" not in problem.reason + problem.remedy, (rule.id, problem)

"""Mistakes in the form of a description, one at a time; many together are in test_judge.py."""

import pytest

from hpc_components.cloud import CLOUDS
from hpc_components.spec.model import Model
from hpc_components.spec.parsing import FORM_RULES, model_of, read_form
from hpc_components.spec.reference import ANY, keys_of
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge
from tests.spec.described import document, findings, judged, told


def test_a_right_description_is_right() -> None:
    judgement = judged()
    assert judgement.errors == ()
    assert judgement.cluster is not None


# § stands where the finding must be: before the key, if it is unknown or has no value, else before the value.
PLACES = {
    "unknown key": ("§nam: x", "HPC-FRM-001", "nam"),
    "required key misspelt": (
        "queues: [{name: cpu, §Machine: c7i.large, max: 1}]",
        "HPC-FRM-001",
        "queues[0].Machine",
    ),
    "required key of the cluster misspelt": ("§names: x", "HPC-FRM-001", "names"),
    "unknown key below": ("head_node: {machine: c6i.xlarge, §Public: true}", "HPC-FRM-001", "head_node.Public"),
    "unknown key of a kind": (
        "storage: {home: {type: efs, mount: /home, §size: 1TiB}}",
        "HPC-FRM-001",
        "storage.home.size",
    ),
    "unknown key of words": (
        "buckets: {b: {type: s3, archive: {§glaceir: 3d}}}",
        "HPC-FRM-001",
        "buckets.b.archive.glaceir",
    ),
    "both ways of purchase": (
        "queues: [{name: gpu, machine: p5.48xlarge, max: 1, min: 1, placement: none, "
        "purchase: {capacity_block: cr-0123456789abcdef0, §reservation: cr-2}}]",
        "HPC-FRM-001",
        "queues[0].purchase.reservation",
    ),
    "missing": ("queues: [§{name: cpu, max: 1}]", "HPC-FRM-002", "queues[0].machine"),
    "missing in the middle": ("budget: §{monthly: 1000}", "HPC-FRM-002", "budget.notify"),
    "missing type": ("storage: {home: §{mount: /home}}", "HPC-FRM-002", "storage.home.type"),
    "unknown type": ("storage: {home: {type: §nsf, mount: /h}}", "HPC-FRM-003", "storage.home.type"),
    "type of another section": ("buckets: {b: {type: §nfs}}", "HPC-FRM-003", "buckets.b.type"),
    "type is a number": ("storage: {home: {type: §3}}", "HPC-FRM-003", "storage.home.type"),
    "type is nothing": ("storage: {home: {§type: null}}", "HPC-FRM-003", "storage.home.type"),
    "type is a list": ("storage: {home: {type: §[efs]}}", "HPC-FRM-003", "storage.home.type"),
    "word for a mapping": ("storage: {home: §efs}", "HPC-FRM-003", "storage.home"),
    "list for a mapping": ("storage: §[efs]", "HPC-FRM-003", "storage"),
    "nothing for a mapping": ("storage: {§home: null}", "HPC-FRM-003", "storage.home"),
    "nothing for a section": ("§network: null", "HPC-FRM-003", "network"),
    "mapping for text": ("name: §{a: b}", "HPC-FRM-003", "name"),
    "number for text": ("name: §1", "HPC-FRM-003", "name"),
    "number for text in a mapping": ("tags: {a: §1}", "HPC-FRM-003", "tags.a"),
    "word for a list": ("queues: §cpu", "HPC-FRM-003", "queues"),
    "mapping for a list": ("queues: §{}", "HPC-FRM-003", "queues"),
    "nothing for a list": ("§queues: null", "HPC-FRM-003", "queues"),
    "nothing in a list": ("queues: [§null]", "HPC-FRM-003", "queues[0]"),
    "word in a list": ("queues: [§cpu]", "HPC-FRM-003", "queues[0]"),
    "quoted number": ("queues: [{QUEUE, max: §'1'}]", "HPC-FRM-003", "queues[0].max"),
    "number with a point": ("queues: [{QUEUE, max: §1.0}]", "HPC-FRM-003", "queues[0].max"),
    "boolean for a number": ("queues: [{QUEUE, max: §true}]", "HPC-FRM-003", "queues[0].max"),
    "boolean for a price": (
        "queues: [{QUEUE, max: 1, max_spot_price: §true}]",
        "HPC-FRM-003",
        "queues[0].max_spot_price",
    ),
    "quoted price": ("budget: {monthly: §'9', notify: [a@b.org]}", "HPC-FRM-003", "budget.monthly"),
    "boolean for a percentage": (
        "budget: {monthly: 9, notify: [a@b.org], alert_at: [§true]}",
        "HPC-FRM-003",
        "budget.alert_at[0]",
    ),
    "number for a boolean": ("throw_away: §1", "HPC-FRM-003", "throw_away"),
    "word for a boolean": ("queues: [{QUEUE, max: 1, fabric: §yes}]", "HPC-FRM-003", "queues[0].fabric"),
    "size without a unit": ("queues: [{QUEUE, max: 1, memory: §64}]", "HPC-FRM-003", "queues[0].memory"),
    "duration without a unit": ("queues: [{QUEUE, max: 1, idle_time: §10}]", "HPC-FRM-003", "queues[0].idle_time"),
    "duration of a mapping": ("log_retention: §{d: 3}", "HPC-FRM-003", "log_retention"),
    "not one of": ("queues: [{QUEUE, max: 1, placement: §clustr}]", "HPC-FRM-003", "queues[0].placement"),
    "not one of, in a list": (
        "storage: {s: {type: lustre, mount: /s, size: 1200GiB, "
        "associations: [{path: /a, bucket: 's3://abc', auto_import: [§nw]}]}}",
        "HPC-FRM-003",
        "storage.s.associations[0].auto_import[0]",
    ),
    "no range": ("network: {cidr: §10.0.0.0/33}", "HPC-FRM-003", "network.cidr"),
    "bits behind the mask": ("network: {cidr: §10.20.0.1/16}", "HPC-FRM-003", "network.cidr"),
    "range of IPv6": ("network: {cidr: §'fd00::/16'}", "HPC-FRM-003", "network.cidr"),
    "number for a range": ("network: {cidr: §10}", "HPC-FRM-003", "network.cidr"),
    "number for an address": ("head_node: {machine: c6i.xlarge, address: §5}", "HPC-FRM-003", "head_node.address"),
    "word for a list of ranges": (
        "network: {cidr: 10.20.0.0/16, ssh_from: §1.2.3.0/24}",
        "HPC-FRM-003",
        "network.ssh_from",
    ),
    "unknown purchase": ("queues: [{QUEUE, max: 1, purchase: §spott}]", "HPC-FRM-003", "queues[0].purchase"),
    "purchase of a number": ("queues: [{QUEUE, max: 1, purchase: §3}]", "HPC-FRM-003", "queues[0].purchase"),
    "purchase of a list": ("queues: [{QUEUE, max: 1, purchase: §[spot]}]", "HPC-FRM-003", "queues[0].purchase"),
    "purchase of nothing": ("queues: [{QUEUE, max: 1, §purchase: null}]", "HPC-FRM-003", "queues[0].purchase"),
    "empty purchase": ("queues: [{QUEUE, max: 1, purchase: §{}}]", "HPC-FRM-003", "queues[0].purchase"),
    "purchase by another key": (
        "queues: [{QUEUE, max: 1, purchase: §{spot: true}}]",
        "HPC-FRM-003",
        "queues[0].purchase",
    ),
    "reservation is a number": (
        "queues: [{QUEUE, max: 1, purchase: {reservation: §5}}]",
        "HPC-FRM-003",
        "queues[0].purchase.reservation",
    ),
    "setting is a list": (
        "queues: [{QUEUE, max: 1, slurm: {MaxTime: §[1]}}]",
        "HPC-FRM-003",
        "queues[0].slurm.MaxTime",
    ),
    "other cloud": ("cloud: §oci", "HPC-FRM-004", "cloud"),
    "cloud is a list": ("cloud: §[aws]", "HPC-FRM-004", "cloud"),
    "cloud is nothing": ("§cloud: null", "HPC-FRM-004", "cloud"),
    "cloud misspelt": ("cloud: §AWS", "HPC-FRM-004", "cloud"),
}


@pytest.mark.parametrize(("changes", "id", "path"), PLACES.values(), ids=PLACES)
def test_one_mistake_is_one_finding_at_its_place(changes: str, id: str, path: str) -> None:
    changes = changes.replace("QUEUE", "name: cpu, machine: c7i.large")
    before, mark, after = changes.partition("§")
    assert mark
    ((found, where, line, column),) = findings(before + after)
    lines = document(before + after).data
    assert (found, where) == (id, path)
    assert line == list(lines).index(changes.partition(":")[0].strip("§")) + 1
    assert column == len(before) + 1
    assert judged(before + after).cluster is None


@pytest.mark.parametrize("key", ["name", "region", "zone", "network", "head_node", "queues"])
def test_a_required_key_that_is_missing_is_told_and_nothing_follows_from_it(key: str) -> None:
    assert findings(without=key) == [("HPC-FRM-002", key, 1, 1)]


def test_without_a_cloud_nothing_else_can_be_told() -> None:
    assert findings(without="cloud") == [("HPC-FRM-004", "cloud", 1, 1)]


@pytest.mark.parametrize("data", [None, [], "aws", 3, True])
def test_what_is_no_mapping_is_no_cluster(data: object) -> None:
    ((id, problem),) = read_form(data).problems
    assert (id, problem.path) == ("HPC-FRM-004", ())
    (finding,) = judge(Document("f.yaml", data)).findings
    assert finding.path == "hpc:cluster"


MESSAGES = {
    "cloud: awss": ("'awss' is not a supported cloud", "did you mean aws?"),
    "nam: x": ("'nam' is not a key of the cluster", "did you mean name?"),
    "network: {cidr: 10.20.0.0/16, zzz: 1}": (
        "'zzz' is not a key of network", "use one of cidr, existing, ssh_from, nat, endpoints, flow_logs",
    ),
    "buckets: {b: {type: s3, archive: {glaceir: 3d}}}": (
        "'glaceir' is not a key of buckets.b.archive", "did you mean glacier?",
    ),
    "queues: [{name: cpu, machine: c7i.large}]": ("queues[0] has no 'max'", "add max: Maximum number of nodes."),
    "storage: {home: {mount: /home}}": ("storage.home has no 'type'", "add type: lustre or nfs or efs"),
    "storage: {home: {type: nsf, mount: /home}}": (
        "'nsf' is not a valid type for storage.home", "did you mean nfs?",
    ),
    "buckets: {b: {type: gcs}}": (
        "'gcs' is not a valid type for buckets.b", "use one of s3, s3_express",
    ),
    "name: 123": ("123 is not text", "put it in quotes: '123'"),
    "name: null": (
        "the value is missing; it must be text",
        "write text: Name of the cluster, also used as its `ClusterName` tag and as Slurm's ClusterName.",
    ),
    "tags: {beta: true}": ("true is not text", "put it in quotes: 'true'"),
    "slurm: {version: 23.11}": (
        "23.11 is not one of 22.05, 23.11, 24.11, 25.11", "put it in quotes: '23.11'",
    ),
    "slurm: {version: 24.10}": (
        "24.10 is not one of 22.05, 23.11, 24.11, 25.11",
        "put it in quotes, because YAML reads it as a number; write one of 22.05, 23.11, 24.11, 25.11: "
        "Slurm release. Debian 12 includes 22.05, Ubuntu 24.04 includes 23.11, and Debian 13 includes 24.11. "
        "Release 25.11 requires `from_source` or `package_source`.",
    ),
    "queues: [{name: cpu, machine: c7i.large, max: '4'}]": ("'4' is not a whole number", "remove the quotes: 4"),
    "queues: [{name: cpu, machine: c7i.large, max: 1, fabric: off}]": ("'off' is not true or false", "write false"),
    "queues: [{name: cpu, machine: c7i.large, max: 1, efa: false}]": (
        "'efa' is not a key of queues[0]", "rename the key to fabric",
    ),
    "queues: {name: cpu}": (
        "a mapping is not a list", "write a list: Slurm partitions; the first is the default.",
    ),
    "network: {cidr: 10.20.0.0/16, endpoints: s3}": ("'s3' is not a list", "write [s3]"),
    "network: {cidr: 10.20.0.1/16}": (
        "'10.20.0.1/16' is not an address range like 10.20.0.0/16", "write 10.20.0.0/16",
    ),
    "head_node: c6i.xlarge": (
        "'c6i.xlarge' is not a mapping with machine",
        "write a mapping with machine: The node that runs Slurm's controller.",
    ),
    "slurm: {idle_time: 10}": (
        "10 has no unit; add one, as in 10m",
        "write a duration like 10m: Time after which an idle node is terminated.",
    ),
    "queues: [{name: cpu, machine: c7i.large, max: 1, purchase: spott}]": (
        "'spott' is not one of on_demand, spot or a mapping with capacity_block or reservation", "did you mean spot?",
    ),
    "queues: [{name: cpu, machine: c7i.large, max: 1, slurm: {PriorityJobFactor: 1.5}}]": (
        "1.5 is not text or a whole number or true or false", "put it in quotes: '1.5'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), MESSAGES.items(), ids=list(MESSAGES))
def test_the_message_says_what_is_wrong_and_the_way_out(changes: str, words: tuple[str, str]) -> None:
    reason, remedy, _ = told(changes)
    assert (reason, remedy) == words


AS_WRITTEN = (
    "00123", "017", "1.10", "1e5", "1E+5", "0x1F", "0o17", "0b11", "1_000", "+5", ".5", "1.", "True", "FALSE",
    "-0", "1e-7", "123456789012345678901",
)  # fmt: skip


@pytest.mark.parametrize("word", AS_WRITTEN)
@pytest.mark.parametrize("changes", ["name: {}", "tags: {{project: {}}}", "head_node: {{machine: {}}}", "os: {}"])
def test_what_yaml_makes_of_a_word_is_not_what_is_told_of_it(word: str, changes: str) -> None:
    """`put it in quotes: '83'` for `00123` would be another word than the one that was written."""
    reason, remedy, _ = told(changes.format(word))
    assert reason.startswith(f"{word} is not ")
    assert "quotes: " not in remedy or remedy == f"put it in quotes: '{word}'"


def test_what_was_written_is_what_is_judged_on() -> None:
    """The rest is judged as if the quotes were there: 00123 is no name, and 83 would be none for another reason."""
    data = document("name: 00123").data
    assert read_form(data, document("name: 00123").written).cluster.name == "00123"


@pytest.mark.parametrize(
    ("changes", "words"),
    {
        "slurm: {idle_time: 010}": "010 has no unit; add one, as in 10m",
        "head_node: {machine: c6i.xlarge, root: {size: 1e2}}": "1e2 has no unit; add one, as in 100GiB",
        "cloud: 0x1F": "0x1F is not a supported cloud",
        "storage: {home: {type: 010, mount: /home}}": "010 is not a valid type for storage.home",
        "queues: [{name: cpu, machine: c7i.large, max: 1.0}]": "1.0 is not a whole number",
    }.items(),
)
def test_no_number_is_told_as_another(changes: str, words: str) -> None:
    assert told(changes)[0] == words


def test_values_in_findings_are_plain_and_short() -> None:
    assert told("name: {a: b}")[2] == "a mapping"
    assert told("name: [a]")[2] == "a list"
    assert told("name: 12")[2] == 12


def test_the_users_data_is_not_changed() -> None:
    broken = document("queues: [{name: cpu, max: x}]").data
    before = repr(broken)
    read_form(broken)
    assert repr(broken) == before


def test_every_id_is_found_by_some_mistake_here() -> None:
    assert {id for _, id, _ in PLACES.values()} == set(FORM_RULES)


def test_each_cloud_has_a_model() -> None:
    assert all(issubclass(model, Model) for model in map(model_of, CLOUDS))


def nested(path: str, kind: str, value: object) -> object:
    """Data with `value` at a path of the reference, the `type` of its mapping beside it."""
    first, _, rest = path.partition(".")
    below = nested(rest, kind, value) if rest else value
    if isinstance(below, dict) and kind and "." not in rest and rest and first == ANY:
        below = {"type": kind} | below
    return {"one" if first == ANY else first.removesuffix("[]"): [below] if first.endswith("[]") else below}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_unknown_keys_anywhere_get_a_remedy(cloud: str) -> None:
    """Also in a mapping whose keys are all unknown."""
    mappings = [key.text for key in keys_of([cloud]) if "mapping" in key.text.takes and " of " not in key.text.takes]
    assert len(mappings) > 15
    for text in mappings:
        data = nested(text.path, text.kind, {"unheard_of": 1})
        assert isinstance(data, dict)
        for id, problem in read_form({"cloud": cloud} | data).problems:
            assert id != "HPC-FRM-001" or not problem.remedy.endswith(": "), (text.path, problem)

import re
from collections import Counter, defaultdict

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level
from hpc_components.spec.retired import RETIRED
from hpc_components.spec.rule import Rule, all_rules, find_rule, rule, rules_for
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.validate import JUDGE_RULES, judge
from tests.spec.described import document
from tests.spec.rules.judged import cluster

RULES = all_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Rule) -> None:
    assert re.fullmatch(r"HPC-[A-Z]{3}-\d{3}", rule.id)
    assert not rule.title.endswith(".")
    assert "\n" not in rule.title
    assert rule.explanation, "why does it matter?"
    assert all(len(line) <= 120 for line in rule.explanation.splitlines())
    if "Source:" in rule.explanation:
        assert re.search(r"Source:\s+\S.*", rule.explanation)


def test_most_rules_name_their_source() -> None:
    without = [each.id for each in RULES if "Source:" not in each.explanation]
    assert len(without) < len(RULES) / 2, without


def test_ids_are_sorted_and_unlike_each_other() -> None:
    ids = [each.id for each in RULES]
    assert ids == sorted(set(ids))
    assert not set(ids) & set(JUDGE_RULES)


def test_numbers_are_dense_within_a_topic() -> None:
    topics = defaultdict(list)
    for id in sorted({*listed_rules(), *RETIRED}):
        _, topic, number = id.split("-")
        topics[topic].append(int(number))
    assert {topic: numbers for topic, numbers in topics.items() if numbers != list(range(1, len(numbers) + 1))} == {}


def test_titles_are_unlike_each_other() -> None:
    titles = Counter(each.title for each in listed_rules().values())
    assert [title for title, count in titles.items() if count > 1] == []


def test_a_rule_is_found_by_its_id_in_any_case() -> None:
    assert find_rule("hpc-nam-001") is find_rule("HPC-NAM-001") is RULES[[r.id for r in RULES].index("HPC-NAM-001")]
    assert find_rule("HPC-NAM-999") is None


@pytest.mark.parametrize("id", ["HPC-NAM-001", "HPC-NAM-1", "NAM-001", "hpc-nam-900", "HPC-NAM-0001"])
def test_an_id_that_is_taken_or_malformed_is_refused(id: str) -> None:
    def check(cluster):
        """Something holds."""
        yield from ()

    with pytest.raises(TypeError, match=rf"check needs a docstring and a new id like HPC-NET-003, not '{id}'"):
        rule(id, Level.ERROR)(check)


def test_a_rule_without_a_docstring_is_refused() -> None:
    def check(cluster):
        yield from ()

    with pytest.raises(TypeError, match="needs a docstring"):
        rule("HPC-ZZZ-900", Level.ERROR)(check)
    assert find_rule("HPC-ZZZ-900") is None


def test_a_title_that_wraps_is_refused() -> None:
    def check(cluster):
        """Something must hold, and this title
        goes on in the next line.
        """
        yield from ()

    with pytest.raises(TypeError, match="the title must fit on the docstring's first line"):
        rule("HPC-ZZZ-900", Level.ERROR)(check)


def test_a_rule_says_which_clusters_it_holds_for() -> None:
    def check(cluster):
        """Something holds."""
        yield from ()

    with pytest.raises(TypeError, match="the parameter must be annotated with ClusterSpec"):
        rule("HPC-ZZZ-901", Level.ERROR)(check)


def test_a_clouds_own_rules_are_not_applied_to_another_clouds_cluster() -> None:
    here = {each.id for each in rules_for(cluster())}
    elsewhere = {each.id for each in rules_for(ClusterSpec.model_construct(cloud="aws"))}
    assert here == {each.id for each in RULES if each.model in (ClusterSpec, AwsClusterSpec)}
    assert elsewhere == {each.id for each in RULES if each.model is ClusterSpec}
    assert {"HPC-NAM-001"} < elsewhere < here > {"HPC-EFA-001"}


def test_a_retired_id_may_still_be_silenced_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RETIRED, "HPC-NAM-998", "names may be as long as they like")
    found = judge(document("silence: {HPC-NAM-998: we like them long}")).findings
    (finding,) = (each for each in found if each.path.startswith("silence"))
    assert (finding.id, finding.level) == ("HPC-SIL-004", Level.WARNING)
    assert finding.reason == "the rule HPC-NAM-998 was removed: names may be as long as they like"

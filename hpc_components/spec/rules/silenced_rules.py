from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.retired import RETIRED
from hpc_components.spec.rule import find_rule, rule
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.validate import JUDGE_RULES
from hpc_components.wording import did_you_mean


@rule("HPC-SIL-001", Level.ERROR)
def silenced_rule(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each key of `silence` must be a rule id.

    A misspelt id has no effect.
    """
    for id in cluster.silence:
        if id in RETIRED or ((found := find_rule(id)) and found.id == id):
            continue
        known = listed_rules()  # called as late as possible, because it imports the rules of all clouds
        if id in known:
            continue
        yield Problem(
            path=("silence", id),
            reason=f"there is no rule {id!r}",
            remedy=did_you_mean(id, known.keys() - JUDGE_RULES, "run `hpc rules` to list all rule ids"),
        )


@rule("HPC-SIL-002", Level.ERROR)
def silence_reason(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each silenced rule must have a reason.

    The next reader must be able to tell whether the reason still applies.
    """
    for id, reason in cluster.silence.items():
        if not any(sign.isalnum() for sign in reason):
            yield Problem(
                path=("silence", id),
                value=reason,
                reason="the reason is missing",
                remedy=f"add a reason, e.g. {id}: only reachable over VPN",
            )


@rule("HPC-SIL-003", Level.ERROR)
def never_silenced(cluster: ClusterSpec) -> Iterator[Problem]:
    """`silence` must list only rules that can be silenced.

    Findings about malformed values can't be silenced, because such values can't be used. Nor can the finding that a
    line of `silence` is unnecessary, because that line can simply be removed.
    """
    for id in cluster.silence:
        if id in JUDGE_RULES:
            yield Problem(
                path=("silence", id),
                reason=f"{id} can't be silenced ({JUDGE_RULES[id].title})",
                remedy="follow that finding's remedy, and remove this line",
            )

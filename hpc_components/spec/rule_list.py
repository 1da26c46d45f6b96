from hpc_components.spec.account_rules import ACCOUNT_RULES
from hpc_components.spec.input_rules import INPUT_RULES
from hpc_components.spec.neighbours import NEIGHBOUR_RULES
from hpc_components.spec.plan_rule import plan_rules
from hpc_components.spec.rule import RuleText, all_rules
from hpc_components.spec.validate import JUDGE_RULES


def listed_rules() -> dict[str, RuleText]:
    fixed = (JUDGE_RULES, NEIGHBOUR_RULES, INPUT_RULES, ACCOUNT_RULES)
    texts = (*(text for rules in fixed for text in rules.values()), *plan_rules(), *all_rules())
    return {text.id: text for text in sorted(texts, key=lambda text: text.id)}


def topics() -> tuple[str, ...]:
    """Return the sorted topic codes in the ids, e.g. `NET` and `SLM`."""
    return tuple(dict.fromkeys(id.split("-")[1] for id in listed_rules()))

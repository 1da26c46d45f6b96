"""From facts to diagnoses: the most important first, and consequences below what explains them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hpc_components.catalog.level import Level
from hpc_components.operate.doctor.cause import Cause, Found, all_causes
from hpc_components.operate.doctor.facts import Facts


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    id: str
    level: Level
    found: Found
    explains: tuple["Diagnosis", ...] = ()
    """Consequences, which end with this cause."""


def diagnose(facts: Facts, *, about_node: bool = False) -> list[Diagnosis]:
    """Return what is wrong: errors first, then warnings, then what explains why jobs wait.

    A cause that explains an error is as important as the error.
    """
    seen = [
        (each, Diagnosis(id=each.id, level=each.level, found=found))
        for each in all_causes()
        if each.about_node == about_node
        for found in each.look(facts)
    ]
    return ranked(_explained(seen))


def _explained(seen: Iterable[tuple[Cause, Diagnosis]]) -> list[Diagnosis]:
    roots: dict[str, list[Diagnosis]] = {}
    root_of: dict[str, str] = {}
    for each, diagnosis in seen:
        root = next((root_of[other] for other in each.unless if other in root_of), None)
        if root is None:
            root_of.setdefault(each.id, each.id)
            roots.setdefault(each.id, []).append(diagnosis)
        else:
            root_of.setdefault(each.id, root)
            first = roots[root][0]
            level = min(first.level, diagnosis.level, key=lambda each: each.rank)
            roots[root][0] = replace(first, level=level, explains=(*first.explains, diagnosis))
    return [diagnosis for those in roots.values() for diagnosis in those]


def ranked(found: Iterable[Diagnosis]) -> list[Diagnosis]:
    return sorted(found, key=lambda each: (each.level.rank, not each.explains))

"""Invents the values that a cloud would generate: ids, names and computed outputs. The invented values are the same
on every run.
"""

import hashlib
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.testing._values import UNKNOWN, open_secrets
from hpc_components.testing.facts import Autoname, StandIn, TypeFacts, stand_in_of


def autoname(facts: Autoname, urn: str, generation: int) -> str:
    seed = f"{urn} {generation} name"
    ends = {"hex7": _digits(seed, 7), "hex8": _digits(seed, 8), "uuid": _uuid(seed)}
    room = None if facts.longest is None else facts.longest - len(facts.form.format(name="", **ends))
    return facts.form.format(name=urn.split("::", 3)[3][:room], **ends)


def prefix_of(key: str) -> str:
    """Return the name of the input for a name prefix, e.g. `namePrefix` for `name` or `bucketPrefix` for `bucket`."""
    return f"{key}Prefix"


@dataclass(frozen=True, kw_only=True)
class Birth:
    """Everything that determines a resource's id and outputs."""

    urn: str
    generation: int
    """Number of earlier resources with this URN. Each replacement has a higher number, and therefore a new id and
    name."""
    revision: int
    """1 after creation, incremented by every update."""
    region: str
    facts: TypeFacts
    inputs: Mapping[str, Any]

    @property
    def id(self) -> str:
        return self._fill(self.facts.id, "id", {})

    def outputs(self, id_: str) -> dict[str, Any]:
        """Return the inputs and all values that the cloud adds, including those inside lists of objects.

        Outputs whose template refers to a missing input are omitted.
        """
        made = {}
        for key, template in self._templates().items():
            try:
                filled = self._fill(template, key, {"id": id_})
            except KeyError:
                continue
            made[key] = _completed(self.inputs[key], filled) if key in self.inputs else filled
        return {**self._given_back(), **self._tags(), **made}

    def unknown_outputs(self) -> dict[str, Any]:
        templates = self._templates()
        given = {
            key: _completed(value, _unknown(templates[key])) if key in templates else value
            for key, value in self._given_back().items()
        }
        return {**dict.fromkeys(templates, UNKNOWN), **given, **self._tags()}

    def renewed(self, olds: Mapping[str, Any], *, id_: str, preview: bool) -> dict[str, Any]:
        """Return the outputs after an update. Values added by the cloud don't change, unless they are derived from
        the revision.
        """
        fresh = self.unknown_outputs() if preview else self.outputs(id_)
        kept = {
            key: olds[key]
            for key, template in self._templates().items()
            if key in olds and key not in self.inputs and "{revision" not in str(template)
        }
        return {**fresh, **kept}

    def _templates(self) -> Mapping[str, Any]:
        name = {self.facts.autoname.property: "{name}"} if self.facts.autoname else {}
        return {**self.facts.outputs, **name}

    def _given_back(self) -> Mapping[str, Any]:
        return self._stand_in().given_back(self._type(), self.inputs)

    def _tags(self) -> dict[str, Any]:
        output = self._stand_in().tags_output
        return {output: self.inputs["tags"]} if output and "tags" in self.inputs else {}

    def _fill(self, template: Any, key: str, known: Mapping[str, str]) -> Any:
        if isinstance(template, Mapping):
            return {name: self._fill(each, key, known) for name, each in template.items()}
        if isinstance(template, list):
            return [self._fill(each, key, known) for each in template]
        if template == "{revision}":
            return self.revision
        if not isinstance(template, str):
            return template
        names = {name for _, name, _, _ in string.Formatter().parse(template) if name}
        return template.format_map({**{name: self._field(name, key) for name in names}, **known})

    def _field(self, name: str, key: str) -> str:
        """Return the value of a template field: either an invented value or the input with that name."""
        seed = f"{self.urn} {self.generation} {key}"
        number = int(hashlib.sha256(seed.encode()).hexdigest(), 16)
        low, high = number % 250 + 2, number // 250 % 250 + 2
        invented = {
            "id": "",
            "region": self.region,
            "hex8": _digits(seed, 8),
            "hex17": _digits(seed, 17),
            "uuid": _uuid(seed),
            "mount_name": _digits(seed, 8),
            "mac": f"0a:00:00:00:{low:02x}:{high:02x}",
            "ip": f"10.0.{high}.{low}",
            "ip_dashed": f"10-0-{high}-{low}",
            "public_ip": f"203.0.113.{low}",
            "public_ip_dashed": f"203-0-113-{low}",
            "revision_hash": _digits(f"{seed} {self.revision}", 32),
        }
        if name in invented:
            return invented[name]
        inputs = open_secrets(self.inputs)
        if name == "name" and self.facts.autoname:
            prefix = inputs.get(prefix_of(self.facts.autoname.property))
            given = inputs.get(self.facts.autoname.property)
            return str(given if prefix is None else f"{prefix}{_digits(self.urn, 26)}")
        own = self._stand_in().field(name, self.region, inputs)
        return str(inputs[name]) if own is None else own

    def _type(self) -> str:
        return self.urn.split("::")[2].rpartition("$")[2]

    def _stand_in(self) -> StandIn:
        return stand_in_of(self._type().partition(":")[0])


def _completed(given: Any, made: Any) -> Any:
    """Return an input as the cloud would return it.

    If the input is a list of objects, properties missing from an object are taken from the first object in `made`.
    """
    if isinstance(given, list) and isinstance(made, list) and made and isinstance(made[0], Mapping):
        return [{**made[0], **each} if isinstance(each, Mapping) else each for each in given]
    return given


def _unknown(template: Any) -> Any:
    if isinstance(template, list):
        return [_unknown(each) for each in template]
    return dict.fromkeys(template, UNKNOWN) if isinstance(template, Mapping) else UNKNOWN


def _uuid(seed: str) -> str:
    return "-".join((_digits(seed, 8), "4444", "4444", "8888", _digits(seed, 12)))


def _digits(seed: str, count: int) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:count]

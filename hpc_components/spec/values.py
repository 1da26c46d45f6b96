"""Sizes and durations with units, e.g. `1.2TiB` and `2d`, and days, e.g. `2027-09-30`.

All are immutable, ordered values that pydantic parses from text and serializes to the same text.
"""

import datetime
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Self

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema


class _Text:
    """Base class for values that pydantic validates, serializes and documents as text."""

    _pattern: ClassVar[str]
    _example: ClassVar[str]
    _has_unit: ClassVar[bool] = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `text`. Raise ValueError with the reason and the correct notation if `text` is malformed."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def validate(value: Any) -> Any:
            if isinstance(value, cls):
                return value
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not isinstance(value, str) and not (is_number and cls._has_unit):
                raise PydanticCustomError("text_type", "not text")
            if not isinstance(value, str):
                raise PydanticCustomError(
                    "no_unit",
                    "{value} has no unit; write it like {example}",
                    {"value": value, "example": cls._example},
                )
            try:
                return cls.parse(value)
            except ValueError as error:
                raise PydanticCustomError("value_type", "{reason}", {"reason": str(error)}) from None

        return core_schema.no_info_plain_validator_function(
            validate, serialization=core_schema.to_string_ser_schema(when_used="always")
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "pattern": cls._pattern, "examples": [cls._example]}


_SIZE_UNITS = {
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "PiB": 2**50,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "PB": 10**15,
}


@dataclass(frozen=True, order=True)
class Size(_Text):
    """An amount of storage or memory, written as a number and a unit, e.g. `1200GiB` or `1.2TiB`."""

    bytes: int
    text: str = field(default="", compare=False)
    """The value as written in the description."""

    _pattern = r"^[0-9]{1,15}(\.[0-9]{1,9})? ?(MiB|GiB|TiB|PiB|MB|GB|TB|PB)$"
    _example = "100GiB"

    @classmethod
    def parse(cls, text: str) -> Self:
        match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)", text)
        if match is None or match[2] not in _SIZE_UNITS:
            unit = match[2] if match else ""
            near = next((known for known in _SIZE_UNITS if known.lower() == unit.lower()), None)
            if near is None and match is not None:
                near = next((known for known in ("GiB", "MiB", "TiB") if unit and unit[0].upper() == known[0]), None)
            hint = f"; did you mean {match[1]}{near}?" if match and near else f"; units are {', '.join(_SIZE_UNITS)}"
            raise ValueError(f"{text!r} is not a size like {cls._example}{hint}")
        size = int(Decimal(match[1]) * _SIZE_UNITS[match[2]])
        if size == 0:
            raise ValueError(f"{text!r} is less than one byte; write a size like {cls._example}")
        return cls(size, f"{match[1]}{match[2]}")

    @classmethod
    def gib(cls, count: int) -> Self:
        return cls(count * 2**30, f"{count}GiB")

    @property
    def in_gib(self) -> float:
        return self.bytes / 2**30

    @property
    def lustre_gib(self) -> float:
        """The size in GiB by the convention of FSx for Lustre, where 1.2 TiB is 1,200 GiB.

        Source: FSx for Lustre user guide, StorageCapacity (1.2 TiB is 1200 GiB, 2.4 TiB is 2400).
        """
        return float(Decimal(self.text[:-3]) * 1000) if self.text.endswith("TiB") else self.in_gib

    def __str__(self) -> str:
        return self.text or f"{self.bytes}B"


_DURATION_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def written_size(gib: int) -> str:
    return f"{gib // 1024}TiB" if gib % 1024 == 0 else f"{gib}GiB"


@dataclass(frozen=True, order=True)
class Duration(_Text):
    """A span of time in whole seconds, e.g. `10m`, `2d` or `1h30m`."""

    seconds: int
    text: str = field(default="", compare=False)
    """The value as written in the description."""

    _pattern = r"^(?=[0-9])([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?$"
    _example = "10m"

    @classmethod
    def parse(cls, text: str) -> Self:
        match = re.fullmatch(r"(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?", text)
        if match is None or not any(match.groups()):
            raise ValueError(f"{text!r} is not a duration like 2d, 10m or 1h30m (units: d, h, m, s)")
        seconds = sum(
            int(count) * unit for count, unit in zip(match.groups(), _DURATION_UNITS.values(), strict=True) if count
        )
        return cls(seconds, text)

    @property
    def days(self) -> float:
        return self.seconds / 86400

    def __str__(self) -> str:
        return self.text or f"{self.seconds}s"


@dataclass(frozen=True, order=True)
class Day(_Text):
    """A day of the calendar, e.g. `2027-09-30`."""

    date: datetime.date

    _pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    _example = "2027-09-30"
    _has_unit = False

    @classmethod
    def parse(cls, text: str) -> Self:
        try:
            if re.fullmatch(cls._pattern, text):
                return cls(datetime.date.fromisoformat(text))
        except ValueError as error:
            raise ValueError(f"{text!r} is not a day of the calendar: {error}") from None
        raise ValueError(f"{text!r} is not a day like {cls._example}")

    def __str__(self) -> str:
        return self.date.isoformat()

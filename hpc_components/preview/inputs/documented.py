import functools
import re
from dataclasses import dataclass

_TOKEN = r"`\"?([\w$:./+-]+)\"?`(?:\s*\([^()]*\))?"
_LIST = rf"(?P<list>{_TOKEN}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+){_TOKEN.replace('(', '(?:', 1)})*)"
_END = r"(?=\s*(?:$|\.(?:\s|$)|\(?[Dd]efault|,\s*defaults))"
_ADJECTIVE = r"(?:[Vv]alid|[Pp]ossible|[Aa]llowed|[Ss]upported|[Aa]ccepted|[Pp]ermitted)"
_SPELT_OUT = re.compile(
    rf"{_ADJECTIVE} (?:\w+ )?(?:values?|options?|types?)[^.`:;()]{{0,60}}?(?:are|is|:)[ :]*{_LIST}{_END}"
)
_SENTENCE = re.compile(
    r"(?:^|[.\n]\s+)(?:Can be|Must be|One of|Either)(?: (?:one of|either|of the following is supported))*:? "
    rf"{_LIST}{_END}"
)
_MORE = re.compile(r"\b(?:[Aa]dditionally|also|other values|include|e\.g\.|such as|any other)\b")
"""Words that indicate that the list is not exhaustive."""
_IN_SOME_CASES = re.compile(r"\b(?:For|If|When|With)\b[^.]*\b(?:valid|possible|allowed|supported) (?:values|options)")

_NUMBER = r"`?(-?[\d,]*\d)`?(?: ?[A-Za-z/]+)?(?: \([^)]*\))?"
_RANGES = (
    re.compile(rf"(?:[Vv]alid|[Mm]ust be|[Cc]an be|[Ff]rom)[^.]{{0,40}}between {_NUMBER} (?:and|to) {_NUMBER}"),
    re.compile(rf"range (?:is|of|from|to)? ?{_NUMBER} ?(?:-|–|to) ?{_NUMBER}"),
    re.compile(rf"[Mm]inimum of {_NUMBER}(?: and|,)? (?:a )?maximum of {_NUMBER}"),
    re.compile(rf"[Bb]etween {_NUMBER} (?:and|to) {_NUMBER} \(?inclusive"),
)
_BETWEEN = re.compile(rf"[Bb]etween {_NUMBER} (?:and|to) {_NUMBER}")
_ZERO_TOO = re.compile(r"\bor `?0`?\b|`?\b0`? (?:or|to (?:disable|force|turn))|equal to `?0`? or")


@dataclass(frozen=True)
class Range:
    low: int
    high: int
    zero_too: bool = False

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high or (self.zero_too and value == 0)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" + (", or 0" if self.zero_too else "")


@functools.cache
def documented_values(doc: str) -> tuple[str, ...]:
    """Return the allowed values that are listed in `doc`, or an empty tuple if there is no exhaustive list.

    Sentences such as "Valid values are `a`, `b` and `c`." and "Can be `a` or `b`." are recognized.
    """
    found = {
        tuple(re.findall(_TOKEN, match["list"])) for form in (_SPELT_OUT, _SENTENCE) for match in form.finditer(doc)
    }
    values = found.pop() if len(found) == 1 else ()
    is_open = _MORE.search(doc) or _IN_SOME_CASES.search(doc)
    return values if len(values) > 1 and not is_open else ()


@functools.cache
def documented_range(doc: str) -> Range | None:
    """Return the range of numbers in `doc`, or None if `doc` contains no range or more than one."""
    found = {match.groups() for form in _RANGES for match in form.finditer(doc)}
    if len(found | {match.groups() for match in _BETWEEN.finditer(doc)}) != 1 or not found:
        return None
    low, high = (int(number.replace(",", "")) for number in found.pop())
    return Range(low, high, bool(_ZERO_TOO.search(doc))) if low < high else None

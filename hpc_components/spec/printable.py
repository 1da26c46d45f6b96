"""Escaping of untrusted text for output: names in a description may contain control sequences."""

import json
import re
from typing import Any

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: the cursor, colours, the window's title
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line separators, and marks of the writing direction
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"  # invisible characters, and halves of surrogate pairs
)
"""Characters to escape: Unicode's categories Cc, Zl, Zp, Cs, and those of Cf that change what is displayed."""


def printable(text: str, *, keep: str = "") -> str:
    r"""Return `text` with control characters escaped (`\x1b`, `\u202e`), except those in `keep`."""
    return _CONTROLS.sub(
        lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode("ascii"), text
    )


def json_text(document: Any, *, indent: int = 1) -> str:
    """Return a document as JSON for files and people: keys sorted, control characters escaped.

    If nothing has to be escaped, pydantic writes it: Python's own writer takes ten times as long with indentation.
    """
    from pydantic_core import from_json, to_json  # `printable` alone needs no pydantic

    flat = json.dumps(document, sort_keys=True, ensure_ascii=False)
    if flat.isprintable():
        return to_json(from_json(flat), indent=indent).decode()
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, indent=indent)
    return _CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)

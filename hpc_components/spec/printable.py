"""Escapes untrusted text for output, because names in a description may contain control sequences."""

import json
import re
from typing import Any

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1 can move the cursor and set colours or the window title
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line separators and text-direction marks
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"  # invisible characters and lone surrogates
)
"""Characters to escape: Unicode categories Cc, Zl, Zp and Cs, and Cf characters that change what is displayed."""


def printable(text: str, *, keep: str = "") -> str:
    r"""Return `text` with control characters escaped (e.g. `\x1b` or `\u202e`), except those in `keep`."""
    return _CONTROLS.sub(
        lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode("ascii"), text
    )


def json_text(document: Any, *, indent: int = 1) -> str:
    """Return a document as indented JSON with sorted keys and escaped control characters.

    Python's own encoder takes ten times as long with indentation, so pydantic formats the text if nothing needs
    escaping.
    """
    from pydantic_core import from_json, to_json  # imported here because `printable` must work without pydantic

    flat = json.dumps(document, sort_keys=True, ensure_ascii=False)
    if flat.isprintable():
        return to_json(from_json(flat), indent=indent).decode()
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, indent=indent)
    return _CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)

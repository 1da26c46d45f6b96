"""Makes text of unknown origin safe to show: names in a description may contain control sequences."""

import json
import re

__all__ = ["printable", "printable_json"]

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: the cursor, colours, the window's title
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line ends, and what turns the direction of writing
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"  # what no one can see, and halves of characters
)
"""Characters to escape: Unicode's categories Cc, Zl, Zp, Cs, and those of Cf that change what is seen."""


def printable(text: str, *, keep: str = "") -> str:
    r"""`text` with its control characters written out (`\x1b`, `\u202e`), those of `keep` left as they are."""
    return _CONTROLS.sub(
        lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode("ascii"), text
    )


def printable_json(document: str) -> str:
    """The same JSON, with every control character in its texts as an escape."""
    return _CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], document)

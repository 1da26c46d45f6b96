"""Shared parts of self-contained pages: templates that show texts of unknown origin literally, and style sheets."""

import base64
import hashlib
from functools import cache
from importlib import resources as packaged

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hpc_components.spec.printable import printable

PACKAGE = "hpc_components.preview.render"
"""The package whose folder `templates` has the style sheets of all pages."""


class Style:
    """The style sheet of a page: its text, and the hash by which the page's content security policy allows it."""

    def __init__(self, *sheets: str) -> None:
        self.text = Markup("".join(sheets))
        self.hash = base64.b64encode(hashlib.sha256(self.text.encode()).digest()).decode()


@cache
def css(name: str, package: str = PACKAGE) -> str:
    """Return the text of a style sheet in a package's folder `templates`."""
    return packaged.files(package).joinpath("templates", f"{name}.css").read_text(encoding="utf-8")


@cache
def environment(package: str = PACKAGE) -> Environment:
    """Return the template environment of a package. Every text is escaped, with its control characters made
    visible.
    """
    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=lambda value: printable(value, keep="\n\t") if type(value) is str else value,
    )

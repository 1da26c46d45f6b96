"""Renders self-contained HTML pages from a shared frame, style sheets and templates. All text is escaped."""

import base64
import hashlib
from functools import cache
from importlib import resources as packaged
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hpc_components.report.parts import Page
from hpc_components.spec.printable import printable

_PACKAGE = "hpc_components.report"


class Style:
    """A page's style sheet, and the hash that allows it in the page's content security policy."""

    def __init__(self, *sheets: str) -> None:
        self.text = Markup("".join(sheets))
        self.hash = base64.b64encode(hashlib.sha256(self.text.encode()).digest()).decode()


def render_page(package: str, template: str, page: Page, sheets: tuple[str, ...], **values: Any) -> str:
    """Render an HTML page. `page` provides the values of the surrounding layout, and the template renders the
    sections from `values`.

    The template and the `sheets` are in the `templates` folder of `package`.
    """
    style = Style(css("colours"), css("style"), *(css(sheet, package) for sheet in sheets))
    return environment(package).get_template(template).render(page=page, style=style, **values)


def render_svg(package: str, template: str, sheet: str, **values: Any) -> str:
    """Render an SVG picture with a light and a dark theme. The template and the style sheet are in `package`."""
    paper = ".picture .paper { fill: var(--paper); stroke: none; }"
    style = Style(css("colours"), css(sheet, package), paper)
    return environment(package).get_template(template).render(style=style.text, **values)


@cache
def css(name: str, package: str = _PACKAGE) -> str:
    return packaged.files(package).joinpath("templates", f"{name}.css").read_text(encoding="utf-8")


@cache
def environment(package: str) -> Environment:
    """Return a package's template environment, including the shared templates.

    All text is escaped, and control characters are made visible.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates"), PackageLoader(_PACKAGE, "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=lambda value: printable(value, keep="\n\t") if type(value) is str else value,
    )
    environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    return environment

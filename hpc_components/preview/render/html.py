"""Renders a plan as a self-contained HTML page, which loads nothing from the network and runs no scripts."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.clouds import title_of
from hpc_components.preview.files import GeneratedFile, generated_files, grouped
from hpc_components.preview.picture.layout import NARROW, WIDE, draw
from hpc_components.preview.picture.lettering import SIZES
from hpc_components.preview.picture.scene import describe, scene_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render import tables, wording
from hpc_components.preview.resources import Resource
from hpc_components.report.page import render_page, render_svg
from hpc_components.report.parts import Figure, Footnotes, Page, Section
from hpc_components.report.wording import count, hour, month, place
from hpc_components.spec.findings import Level

_PACKAGE = "hpc_components.preview.render"

_INPUT_CHARACTERS = 300
"""Maximum length, in characters, of a text shown in full among the inputs. Longer texts are usually files, which the
page shows in full further down."""


def render_html(plan: Plan) -> str:
    """Return the page. The result is always the same for the same plan."""
    files = generated_files(plan.resources, plan.cloud)
    scene = scene_of(plan.resources, plan.cloud, plan.region)
    asked, enough = wording.ask_for(plan)
    return render_page(
        _PACKAGE,
        "page.html.j2",
        _page(plan, has_files=bool(files)),
        ("picture",),
        plan=plan,
        findings=plan.reported,
        silenced=len(plan.findings) - len(plan.reported),
        groups=wording.cost_groups(plan.cost["lines"]),
        notes=Footnotes(),
        asked=asked,
        enough=enough,
        files=grouped(files),
        branches=wording.branches(plan.resources),
        wide=draw(scene, WIDE),
        narrow=draw(scene, NARROW),
        words=describe(scene),
        steps=scene.steps,
        **_WORDS,
    )


def _page(plan: Plan, *, has_files: bool) -> Page:
    cloud = title_of(plan.cloud)
    oldest = min((line["as_of"] for line in plan.cost["lines"] if line["as_of"]), default="")
    of = f", the oldest of {oldest}" if oldest else ""
    return Page(
        title=f"{plan.stack}: {plan.cluster} on {cloud}",
        heading=plan.stack,
        where=f"Cluster {plan.cluster} on {cloud}, {plan.region}",
        figures=tuple(_figures(plan)),
        skip_to="picture",
        sections=tuple(_sections(has_access=plan.access is not None, has_files=has_files)),
        footer=f"Prices are list prices{of}, not a quotation. Made by hpc from the stack's program alone; "
        "without access to a cloud.",
    )


def _figures(plan: Plan) -> Iterator[Figure]:
    idle, full = plan.cost["idle"], plan.cost["full"]
    fewest, most = wording.total_nodes(plan)
    levels = Counter(str(finding["level"]) for finding in plan.reported)
    found = ", ".join(count(levels[level], level) for level in Level if levels[level])
    yield Figure("Idle", _usd(idle, "month"), f"a month, ${month(idle['hour'])} an hour")
    yield Figure("Every queue full", _usd(full, "hour"), f"an hour, ${month(full['month'])} a month")
    yield Figure("Compute nodes", f"{fewest:,} to {most:,}", f"in {count(len(plan.cost['queues']), 'queue')}")
    yield Figure("Findings", str(len(plan.reported)), found or "none to report")


def _usd(total: Mapping[str, Any], per: str) -> str:
    return f"{'≥ ' if total['at_least'] else ''}${month(total[per])}"


def _sections(*, has_access: bool, has_files: bool) -> Iterator[Section]:
    for name in ("Picture", *(["Access"] if has_access else []), "Findings", "Cost", "Quotas", "Resources"):
        yield Section(name.lower(), name)
    if has_files:
        yield Section("files", "Generated files")


def _inputs(resource: Resource) -> str:
    """Return a resource's inputs as JSON, with long texts truncated."""
    return json.dumps(_cut(resource.inputs), indent=2, sort_keys=True, ensure_ascii=False)


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _INPUT_CHARACTERS:
        return f"{value[:60]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _readable(file: GeneratedFile) -> str:
    """Return a file's text or, if the file is packed as base64, its size and checksum."""
    if not file.name.endswith(".b64"):
        return file.text
    sha256 = hashlib.sha256(file.text.encode()).hexdigest()
    return f"packed as base64: {len(file.text):,} characters, sha256 {sha256}"


def render_picture(plan: Plan) -> str:
    """Return just the picture, as an SVG file with a light and a dark theme."""
    scene = scene_of(plan.resources, plan.cloud, plan.region)
    picture, words = draw(scene, WIDE), describe(scene)
    return render_svg(_PACKAGE, "picture_alone.svg.j2", "picture", picture=picture, words=words, **_WORDS)


_WORDS: dict[str, Any] = {
    "count": count,
    "hour": hour,
    "inputs": _inputs,
    "month": month,
    "place": place,
    "readable": _readable,
    "sizes": SIZES,
    "tables": tables,
    "wording": wording,
}
"""Functions, modules and constants that the templates use."""

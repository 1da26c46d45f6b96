"""A plan as one self-contained HTML page, which loads nothing from the network and runs no script."""

import hashlib
import json
from collections import Counter
from typing import Any

from hpc_components.preview.clouds import title_of
from hpc_components.preview.files import GeneratedFile, generated_files, grouped
from hpc_components.preview.picture.layout import NARROW, WIDE, draw
from hpc_components.preview.picture.lettering import SIZES
from hpc_components.preview.picture.scene import describe, scene_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render import wording
from hpc_components.preview.render.page import Style, css, environment
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level

_INPUT_CHARACTERS = 300
"""Maximum characters of an input shown among the inputs; longer ones are files, which are shown in full below."""


def render_html(plan: Plan) -> str:
    """Return the page; the same text for the same plan."""
    scene = scene_of(plan.resources, plan.cloud, plan.region)
    findings = plan.reported
    asked, enough = wording.ask_for(plan)
    files = generated_files(plan.resources, plan.cloud)
    levels = Counter(str(finding["level"]) for finding in findings)
    style = Style(css("colours"), css("style"), css("picture"))
    return environment().get_template("page.html.j2").render(
        plan=plan,
        cloud=title_of(plan.cloud),
        nodes=wording.total_nodes(plan),
        findings=findings,
        silenced=len(plan.findings) - len(findings),
        levels=", ".join(wording.count(levels[level], level) for level in Level if levels[level]),
        groups=wording.cost_groups(plan.cost["lines"]),
        notes=wording.Footnotes(),
        oldest=min((line["as_of"] for line in plan.cost["lines"] if line["as_of"]), default=""),
        asked=asked,
        enough=enough,
        files=grouped(files),
        branches=wording.branches(plan.resources),
        sections=_sections(has_access=plan.access is not None, has_files=bool(files)),
        wide=draw(scene, WIDE),
        narrow=draw(scene, NARROW),
        words=describe(scene),
        steps=scene.steps,
        style=style.text,
        style_hash=style.hash,
        **_WORDS,
    )  # fmt: skip


def _sections(*, has_access: bool, has_files: bool) -> list[tuple[str, str]]:
    names = ["Picture", *(["Access"] if has_access else []), "Findings", "Cost", "Quotas", "Resources"]
    return [(name.lower(), name) for name in names] + ([("files", "Generated files")] if has_files else [])


def _inputs(resource: Resource) -> str:
    """Return the inputs of a resource as JSON, with long texts truncated."""
    return json.dumps(_cut(resource.inputs), indent=2, sort_keys=True, ensure_ascii=False)


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _INPUT_CHARACTERS:
        return f"{value[:60]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _readable(file: GeneratedFile) -> str:
    """Return the text of a file; for a packed file, its size and checksum."""
    if not file.name.endswith(".b64"):
        return file.text
    sha256 = hashlib.sha256(file.text.encode()).hexdigest()
    return f"packed as base64: {len(file.text):,} characters, sha256 {sha256}"


def render_picture(plan: Plan) -> str:
    """Return the picture alone, as an SVG file with a light and a dark theme."""
    scene = scene_of(plan.resources, plan.cloud, plan.region)
    style = Style(css("colours"), css("picture"), ".picture .paper { fill: var(--paper); stroke: none; }").text
    template = environment().get_template("picture_alone.svg.j2")
    return template.render(picture=draw(scene, WIDE), words=describe(scene), style=style, **_WORDS)


_WORDS: dict[str, Any] = {
    "budget_words": wording.budget_words,
    "count": wording.count,
    "hour": wording.hour,
    "inputs": _inputs,
    "login_words": wording.login_words,
    "longest_job": wording.longest_job,
    "marks": wording.marks,
    "month": wording.month,
    "place": wording.place,
    "readable": _readable,
    "sizes": SIZES,
    "total": wording.total,
}
"""Functions and constants for the templates."""

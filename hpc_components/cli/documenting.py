import sys
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import Command, Refused, show
from hpc_components.cli.terminal import wrapped
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.wording import any_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpc_components.spec.reference import Key


def _complete_key(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.spec.reference import keys_of

    return sorted({key.text.path for key in keys_of() if key.text.path.startswith(incomplete)})


@click.command(cls=Command)
@click.argument("key", required=False, shell_complete=_complete_key)
@click.option("--cloud", type=click.Choice(list(CLOUDS)), help="Show only this cloud's keys. Default: all clouds.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def docs(key: str | None, cloud: str | None, format_: str) -> None:
    """Explain a key of a description: its values, its default, and the clouds that have it.

    KEY is the path of a key in a stack file, or the end of such a path. Without KEY, the top-level keys are listed.

    \b
    Examples:
      hpc docs
      hpc docs queues.purchase
      hpc docs storage.scratch.size --cloud azure
      hpc docs lustre.size
    """
    from hpc_components.spec.reference import find_keys, keys_of, similar_keys

    known = keys_of([cloud] if cloud else list(CLOUDS))
    found = find_keys(key, known) if key else [each for each in known if "." not in each.text.path]
    if key and not found:
        near = similar_keys(key, known)
        hint = f"did you mean {any_of(near)}?" if near else "run `hpc docs` to list the top-level keys"
        raise Refused(f"{key} is not a key{f' on {cloud_named(cloud).title}' if cloud else ''}; {hint}")
    if format_ == "json":
        import json
        from dataclasses import asdict

        entries = [{**asdict(each.text), "clouds": each.clouds} for each in found]
        show(json.dumps({"keys": entries}, indent=1, sort_keys=True, ensure_ascii=False))
    else:
        show("\n\n".join(wrapped(_text(each, known, bool(key)), sys.stdout, indent=4) for each in found))


def _text(key: "Key", known: "Sequence[Key]", with_below: bool) -> str:
    from hpc_components.spec.reference import keys_below

    text = key.text
    kind = f" (type: {text.kind})" if text.kind else ""
    default = {"required": ", required", "": ""}.get(text.default, f", default {text.default}")
    lines = [f"{text.path}{kind}  {_titles(key.clouds)}", f"    {text.takes}{default}", f"    {text.meaning}"]
    for kind, names in (keys_below(key, known) if with_below else {}).items():
        parts = [name if clouds == key.clouds else f"{name} ({_titles(clouds)})" for name, clouds in names.items()]
        lines.append(f"    Keys{f' of type {kind}' if kind else ''}: {', '.join(parts)}")
    return "\n".join(lines)


def _titles(clouds: "Sequence[str]") -> str:
    return ", ".join(cloud_named(cloud).title for cloud in clouds)

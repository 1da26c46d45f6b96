"""Says which software a cluster offers by `module load`."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.catalog.eessi import eessi_versions
from hpc_components.catalog.pyxis import pinned_source
from hpc_components.preview.plan import Plan
from hpc_components.spec.software import EasyBuild, build_directory
from hpc_components.wording import listed


def software_lines(plan: Plan) -> tuple[str, ...]:
    """Return a sentence for each source of software that the description names."""
    value = plan.description["value"] if plan.description else {}
    found = value.get("software") if isinstance(value, Mapping) else None
    return tuple(_lines(value, found)) if isinstance(found, Mapping) else ()


def _lines(value: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    if (eessi := found.get("eessi")) is not None:
        version = eessi.get("version") or eessi_versions()[-1].name
        yield f"EESSI {version}: module load EESSI, then any of its packages"
    if (built := found.get("easybuild")) is not None:
        mounts = {store["mount"]: store["type"] for store in value.get("storage", {}).values()}
        directory = build_directory(EasyBuild.model_validate(built), mounts)
        queue = built.get("queue") or value["queues"][0]["name"]
        yield f"EasyBuild: a job in queue {queue} builds {listed(built['install'], 6)} into {directory}"
    if found.get("pyxis"):
        names = " and ".join(f"{name.title()} {pinned_source(name).version}" for name in ("pyxis", "enroot"))
        yield f"containers: srun --container-image, by {names}"
    if modules := found.get("modules"):
        yield f"modules of your own: {listed(modules, 6)}"

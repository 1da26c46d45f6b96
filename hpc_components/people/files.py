import json
from typing import Any

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.people import ADMIN_GID, ADMIN_GROUP, People, User


def people_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the file about people for the config bucket, as a mapping from path to text. Only the head node fetches
    it; other nodes get to know people from the head node. Without people, there is no file.
    """
    if cluster.people is None:
        return {}
    return {"head/people.json": json.dumps(people_document(cluster.people), indent=1, sort_keys=True) + "\n"}


def people_document(people: People) -> dict[str, Any]:
    """Return what nodes get to know, in plain JSON types. `hpc-people` reads it (`node/document.py`)."""
    gids = {name: group.gid for name, group in people.groups.items()} | {ADMIN_GROUP: ADMIN_GID}
    return {
        "groups": {name: {"gid": gids[name], "members": sorted(them)} for name, them in people.members.items()},
        "users": {name: _user(user) for name, user in people.admitted.items()},
        "waiting_jobs": people.waiting_jobs,
    }


def _user(user: User) -> dict[str, Any]:
    given = {
        "full_name": user.full_name,
        "keys": [key.strip() for key in user.keys],
        "expires": str(user.expires) if user.expires else None,
    }
    return {"uid": user.uid} | {key: value for key, value in given.items() if value}

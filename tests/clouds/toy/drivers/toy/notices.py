"""What the toy cloud tells a machine: when it is taken away, and nothing else."""

import time
from collections.abc import Iterator

from hpc_components.elastic.drivers.toy.api import Api

from hpc_components.elastic.drivers.contract import Notice, NoticeKind


def notice_source() -> "ToyNotices":
    """As `contract` has it."""
    return ToyNotices(Api())


class ToyNotices:
    """Reads `/metadata/notice`: `{"at": 1790000000}`."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @property
    def address(self) -> str:
        """Its name for people."""
        return self._api.address

    def read(self) -> Iterator[Notice]:
        """The one notice there is."""
        status, said = self._api.ask("GET", "/metadata/notice")
        if status == 404:
            return
        try:
            at = float(said["at"])
        except (KeyError, TypeError, ValueError):
            raise OSError(f"{self.address}: HTTP {status}, {said!r} is no notice") from None
        when = time.strftime("%H:%M:%S", time.localtime(at))
        yield Notice(kind=NoticeKind.SPOT, at=at, words=f"the spot machine is taken away at {when}")

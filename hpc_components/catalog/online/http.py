"""Reads from a price list's server. Proxies are those of the environment (`HTTPS_PROXY`)."""

import gzip
import http.client
import io
import json
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from hpc_components.errors import HpcError

__all__ = ["NotThereError", "PriceListError", "read_json", "text_lines"]

_TIMEOUT = 60
"""Seconds without a byte."""


class PriceListError(HpcError):
    """A price list could not be read as a whole. The message says why; `status` is the server's, where it has one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NotThereError(PriceListError):
    """The price list has no such region."""


@contextmanager
def text_lines(url: str) -> Generator[io.TextIOBase]:
    """The text behind an address, line by line: some lists have hundreds of megabytes."""
    with _opened(url, {"Accept-Encoding": "gzip"}) as answer:
        packed = answer.headers.get("Content-Encoding") == "gzip"
        content = gzip.GzipFile(fileobj=answer) if packed else answer
        yield io.TextIOWrapper(content, encoding="utf-8", newline="")  # type: ignore[arg-type]
        if answer.length:  # read by parts, an answer that is cut off looks like its end
            raise EOFError(f"{answer.length} bytes are missing")


def read_json(url: str, headers: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """The JSON object behind an address."""
    with _opened(url, headers) as answer:
        try:
            found = json.loads(answer.read())
        except ValueError:
            raise PriceListError(f"{_host(url)} answered with something that is no JSON; try again later") from None
    if not isinstance(found, dict):
        raise PriceListError(f"{_host(url)} answered with something that is no object; try again later")
    return found


@contextmanager
def _opened(url: str, headers: Mapping[str, str]) -> Generator[http.client.HTTPResponse]:
    """The answer; what goes wrong with the connection, also while it is read, is one sentence without the address."""
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "hpc-components", **headers})
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        with error:
            message = f"{_host(url)} refused with {error.code} {error.reason}; {_remedy(error)}"
            raise PriceListError(message, error.code) from None
    except urllib.error.URLError as error:
        raise PriceListError(f"{_host(url)} can't be reached ({error.reason}); is there a network?") from None
    except (http.client.HTTPException, EOFError, OSError) as error:
        why = str(error) or type(error).__name__
        raise PriceListError(f"the connection with {_host(url)} was lost ({why}); try again") from None


def _remedy(error: urllib.error.HTTPError) -> str:
    if error.code in (400, 401, 403):
        return "see whether the key or the region is right"
    return "try again later"


def _host(url: str) -> str:
    return urlsplit(url).hostname or url

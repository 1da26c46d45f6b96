"""Sends HTTP requests to price-list servers, through the proxy in the environment variable `HTTPS_PROXY` if it is
set.
"""

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

_TIMEOUT = 60
"""Timeout in seconds for connecting and for each read."""


class PriceListError(HpcError):
    """Raised if a price list can't be read completely. The message contains the reason. `status` is the HTTP status,
    or None if the failure was not an HTTP error.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NotThereError(PriceListError):
    """Raised if a price list doesn't contain the region."""


@contextmanager
def text_lines(url: str) -> Generator[io.TextIOBase]:
    """Open a URL as a text stream. Some lists are hundreds of megabytes long, so callers read them line by line."""
    with _opened(url, {"Accept-Encoding": "gzip"}) as answer:
        packed = answer.headers.get("Content-Encoding") == "gzip"
        content = gzip.GzipFile(fileobj=answer) if packed else answer
        yield io.TextIOWrapper(content, encoding="utf-8", newline="")  # type: ignore[arg-type]
        if answer.length:  # when a response is read in parts, truncation raises no error
            raise EOFError(f"{answer.length} bytes are missing")


def read_json(url: str, headers: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    with _opened(url, headers) as answer:
        try:
            found = json.loads(answer.read())
        except ValueError:
            raise PriceListError(f"the response from {_host(url)} is not JSON; try again later") from None
    if not isinstance(found, dict):
        raise PriceListError(f"the response from {_host(url)} is not a JSON object; try again later")
    return found


@contextmanager
def _opened(url: str, headers: Mapping[str, str]) -> Generator[http.client.HTTPResponse]:
    """Open a URL. Convert errors, including those while reading, to a PriceListError whose message omits the URL."""
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "hpc-components", **headers})
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        with error:
            message = f"{_host(url)} responded with {error.code} {error.reason}; {_remedy(error)}"
            raise PriceListError(message, error.code) from None
    except urllib.error.URLError as error:
        raise PriceListError(f"can't reach {_host(url)} ({error.reason}); check your network connection") from None
    except (http.client.HTTPException, EOFError, OSError) as error:
        why = str(error) or type(error).__name__
        raise PriceListError(f"lost the connection to {_host(url)} ({why}); try again") from None


def _remedy(error: urllib.error.HTTPError) -> str:
    if error.code in (400, 401, 403):
        return "check the API key and the region"
    return "try again later"


def _host(url: str) -> str:
    return urlsplit(url).hostname or url

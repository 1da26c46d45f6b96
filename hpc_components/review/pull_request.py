"""Comments of a pull request on GitHub: written, found again, and brought up to date."""

import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpc_components.errors import HpcError
from hpc_components.strict_json import parse_json
from hpc_components.user_files import LARGEST_DOCUMENT, read_user_text

__all__ = ["CommentError", "NotAllowedError", "PullRequest"]

_SECONDS = 30.0


class CommentError(HpcError):
    """Comments can't be written. The message says why, and the way out."""


class NotAllowedError(CommentError):
    """The token may not write comments, as in the workflow of a fork."""


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """A pull request whose comments can be read and written.

    Source: GitHub REST API, "Issue comments": comments of a pull request are those of the issue with its number.
    """

    api: str
    """`https://api.github.com`, or that of the company's own server."""
    graphql: str
    """`https://api.github.com/graphql`, or that of the company's own server."""
    repository: str
    """`owner/name`."""
    number: int
    token: str

    @classmethod
    def of_workflow(cls, environment: Mapping[str, str]) -> "PullRequest":
        """The one that a GitHub workflow runs for; CommentError if there is none, or no token to write with."""
        event = environment.get("GITHUB_EVENT_PATH", "")
        if not event or not Path(event).is_file():
            raise CommentError("this is no GitHub workflow (GITHUB_EVENT_PATH names no file); leave --comment out")
        number = _number(Path(event))
        if number is None:
            raise CommentError("this workflow runs for no pull request; start it on: pull_request, not on a push")
        token = environment.get("GITHUB_TOKEN", "")
        if not token:
            raise CommentError("GITHUB_TOKEN is not set; give the step env: {GITHUB_TOKEN: ${{ github.token }}}")
        return cls(
            api=environment.get("GITHUB_API_URL", "https://api.github.com"),
            graphql=environment.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
            repository=environment["GITHUB_REPOSITORY"],
            number=number,
            token=token,
        )

    def put(self, comments: Mapping[str, str], earlier: Mapping[str, int]) -> None:
        """Write comments by the marker that is their first line: in place of the earlier ones, else new ones.

        `earlier` is what `markers` says. NotAllowedError, CommentError.
        """
        for marker, text in comments.items():
            if marker in earlier:
                self._ask("PATCH", f"{self._repository}/issues/comments/{earlier[marker]}", {"body": text})
            else:
                self._ask("POST", self._comments, {"body": text})

    def markers(self) -> dict[str, int]:
        """First line -> id of all comments that this token's owner has written; of two alike, the older one.

        Comments of others do not count, whatever they begin with.
        """
        author = self._author()
        found: dict[str, int] = {}
        for comment in self._pages(f"{self._comments}?per_page=100"):
            first, _, _ = (comment.get("body") or "").partition("\n")
            if comment["user"] and comment["user"]["login"] == author:  # one of a deleted account is nobody's
                found.setdefault(first.strip(), comment["id"])
        return found

    @property
    def _repository(self) -> str:
        return f"{self.api}/repos/{self.repository}"

    @property
    def _comments(self) -> str:
        return f"{self._repository}/issues/{self.number}/comments"

    def _author(self) -> str:
        """Who writes with this token: a person, `github-actions[bot]`, or another app, which REST tells to no app."""
        told, _ = self._ask("POST", self.graphql, {"query": "{viewer {login}}"})
        try:
            return told["data"]["viewer"]["login"]
        except (KeyError, TypeError):
            raise CommentError(
                f"GitHub does not tell whose token it is ({self.graphql}); run the job again"
            ) from None

    def _pages(self, url: str) -> Iterator[Mapping[str, Any]]:
        following: str | None = url
        while following:
            page, following = self._ask("GET", following)
            yield from page

    def _ask(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> tuple[Any, str | None]:
        """The answer, and the address of the next page."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                return json.load(answer), _next(answer.headers.get("Link", ""))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, f"{method} {url.removeprefix(self.api)}") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise CommentError(f"{self.api} can't be reached: {reason}; run the job again") from None
        except ValueError:
            raise CommentError(f"{self.api} answered with something that is no JSON; run the job again") from None


def _number(event: Path) -> int | None:
    """The number of the pull request that a workflow's event is about."""
    try:
        found = parse_json(read_user_text(event, LARGEST_DOCUMENT))
    except (OSError, ValueError) as error:
        raise CommentError(f"the workflow's event {event} can't be read: {error}; run the job again") from None
    request = found.get("pull_request") if isinstance(found, dict) else None
    number = request.get("number") if isinstance(request, dict) else None
    return number if isinstance(number, int) else None


def _refusal(error: urllib.error.HTTPError, asked: str) -> CommentError:
    """What an answer means. Source: GitHub REST API, "Rate limits": too many requests are refused with 403 or 429."""
    told = f"{error.code} {error.reason}"
    if error.code == 401:
        return CommentError(f"GitHub does not take GITHUB_TOKEN ({told}): it is wrong, or no longer valid")
    if "Retry-After" in error.headers or error.headers.get("X-RateLimit-Remaining") == "0":
        return CommentError(f"GitHub was asked too often ({told} to {asked}); run the job again later")
    if error.code in (403, 404):
        return NotAllowedError(
            f"GitHub refuses {asked} ({told}); the job needs permissions: {{pull-requests: write}}, which workflows "
            "of forks don't get"
        )
    return CommentError(f"GitHub answers {told} to {asked}; run the job again")


def _next(links: str) -> str | None:
    found = re.search(r'<([^>]+)>;\s*rel="next"', links)
    return found[1] if found else None

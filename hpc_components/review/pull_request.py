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
from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_user_text

_TIMEOUT_SECONDS = 30.0


class CommentError(HpcError):
    """Raised if comments can't be written. The message gives the reason and the remedy."""


class NotAllowedError(CommentError):
    """Raised if the token does not have permission to write comments, as in workflows triggered from forks."""


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """A pull request whose comments can be read and written.

    GitHub treats pull request comments as comments on the issue with the same number. Source: GitHub REST API, "Issue
    comments".
    """

    api: str
    """Base URL of the REST API: `https://api.github.com`, or that of a GitHub Enterprise server."""
    graphql: str
    """URL of the GraphQL API: `https://api.github.com/graphql`, or that of a GitHub Enterprise server."""
    repository: str
    """Repository in the form `owner/name`."""
    number: int
    token: str

    @classmethod
    def of_workflow(cls, environment: Mapping[str, str]) -> "PullRequest":
        """Return the pull request that triggered this GitHub workflow.

        Raise CommentError if there is no pull request or no token.
        """
        event = environment.get("GITHUB_EVENT_PATH", "")
        if not event or not Path(event).is_file():
            raise CommentError(
                "--comment works only in a GitHub workflow (GITHUB_EVENT_PATH is not the path of an existing "
                "file); run the command without --comment"
            )
        number = _number(Path(event))
        if number is None:
            raise CommentError(
                "this workflow was not triggered by a pull request; trigger it with `on: pull_request` "
                "instead of `on: push`"
            )
        token = environment.get("GITHUB_TOKEN", "")
        if not token:
            raise CommentError("GITHUB_TOKEN is not set; add `env: {GITHUB_TOKEN: ${{ github.token }}}` to the step")
        return cls(
            api=environment.get("GITHUB_API_URL", "https://api.github.com"),
            graphql=environment.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
            repository=environment["GITHUB_REPOSITORY"],
            number=number,
            token=token,
        )

    def put(self, comments: Mapping[str, str], earlier: Mapping[str, int]) -> None:
        """Write the comments, updating existing comments that have the same marker (first line).

        `comments` maps markers to texts, and `earlier` is the result of `markers`. Raise NotAllowedError or
        CommentError if writing fails.
        """
        for marker, text in comments.items():
            if marker in earlier:
                self._ask("PATCH", f"{self._repository}/issues/comments/{earlier[marker]}", {"body": text})
            else:
                self._ask("POST", self._comments, {"body": text})

    def markers(self) -> dict[str, int]:
        """Return the ids of the token owner's comments, keyed by their first lines.

        If two comments have the same first line, the older comment's id is returned. Comments by other authors are
        ignored, even if they have a marker.
        """
        author = self._author()
        found: dict[str, int] = {}
        for comment in self._pages(f"{self._comments}?per_page=100"):
            first, _, _ = (comment.get("body") or "").partition("\n")
            if comment["user"] and comment["user"]["login"] == author:  # deleted accounts have no user
                found.setdefault(first.strip(), comment["id"])
        return found

    @property
    def _repository(self) -> str:
        return f"{self.api}/repos/{self.repository}"

    @property
    def _comments(self) -> str:
        return f"{self._repository}/issues/{self.number}/comments"

    def _author(self) -> str:
        """Return the login of the token's owner: a person, `github-actions[bot]` or an app.

        The GraphQL API is used because the REST API does not show an app its own login.
        """
        answer, _ = self._ask("POST", self.graphql, {"query": "{viewer {login}}"})
        try:
            return answer["data"]["viewer"]["login"]
        except (KeyError, TypeError):
            raise CommentError(
                f"GitHub's response does not include the token's owner ({self.graphql}); run the job again"
            ) from None

    def _pages(self, url: str) -> Iterator[Mapping[str, Any]]:
        following: str | None = url
        while following:
            page, following = self._ask("GET", following)
            yield from page

    def _ask(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> tuple[Any, str | None]:
        """Return the response body, and the URL of the next page if there is one."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
                return json.load(answer), _next(answer.headers.get("Link", ""))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, f"{method} {url.removeprefix(self.api)}") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise CommentError(f"{self.api} can't be reached: {reason}; run the job again") from None
        except ValueError:
            raise CommentError(f"{self.api} sent a response that is not JSON; run the job again") from None


def _number(event: Path) -> int | None:
    """Return the pull request's number from a workflow's event file, or None if the event has no pull request."""
    try:
        found = parse_json(read_user_text(event, MAX_DOCUMENT_BYTES))
    except (OSError, ValueError) as error:
        raise CommentError(f"the workflow's event file {event} can't be read: {error}; run the job again") from None
    request = found.get("pull_request") if isinstance(found, dict) else None
    number = request.get("number") if isinstance(request, dict) else None
    return number if isinstance(number, int) else None


def _refusal(error: urllib.error.HTTPError, asked: str) -> CommentError:
    """Return the error for an HTTP status.

    GitHub returns 403 or 429 if there are too many requests. Source: GitHub REST API, "Rate limits".
    """
    status = f"{error.code} {error.reason}"
    if error.code == 401:
        return CommentError(f"GitHub rejects GITHUB_TOKEN ({status}): the token is invalid or expired")
    if "Retry-After" in error.headers or error.headers.get("X-RateLimit-Remaining") == "0":
        return CommentError(f"GitHub's rate limit is exceeded ({status} for {asked}); run the job again later")
    if error.code in (403, 404):
        return NotAllowedError(
            f"GitHub refuses {asked} ({status}); add `permissions: {{pull-requests: write}}` to the job "
            "(workflows triggered from forks can't get this permission)"
        )
    return CommentError(f"GitHub returned {status} for {asked}; run the job again")


def _next(links: str) -> str | None:
    found = re.search(r'<([^>]+)>;\s*rel="next"', links)
    return found[1] if found else None

"""HTTP to a Neotoma server: one bounded, timed request, and every way it can go wrong as one of our errors."""

from __future__ import annotations

import json
import time

from neotoma_hooks.errors import (
    KeyMismatch,
    OutcomeUnknown,
    ReadRefused,
    StoreAway,
    StoreBusy,
    StoreError,
    Unauthorised,
    WriteRefused,
)
from neotoma_hooks.settings import is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Any

    import httpx

LARGEST_ANSWER_BYTES = 32_000_000
"""A store answer echoes the content, and a server takes bodies up to 10 MiB; JSON escapes may triple that."""

MOST_CONNECTIONS = 16
LONGEST_CAUSE = 200
LONGEST_CODE = 80
DEFAULT_RETRY_AFTER_SECONDS = 5.0


class Http:
    """One connection pool to the server at `base_url`; `token`, printable ASCII, is sent only when there is one.

    Nothing of the environment is used for a server on this machine: a proxy would be asked for it in vain. Redirects
    are not followed, so the token goes to no other host.
    """

    def __init__(self, base_url: str, token: str) -> None:
        import httpx

        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        # A compressed answer could swell past every bound before it is counted
        headers["Accept-Encoding"] = "identity"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self.client = httpx.Client(
                base_url=base_url,
                headers=headers,
                trust_env=not is_loopback(base_url),
                verify=_trusted(base_url),
                follow_redirects=False,
                limits=httpx.Limits(max_connections=MOST_CONNECTIONS),
            )
        except (httpx.InvalidURL, ValueError, OSError) as error:
            raise StoreAway(f"the address {base_url} cannot be used: {error}") from error
        except ImportError as error:
            raise StoreAway(f"the proxy that the environment names for {base_url} is of an unknown kind") from error
        self.base_url = base_url

    def post(self, path: str, body: bytes, deadline: float) -> dict[str, Any]:
        """The answer's JSON object.

        `deadline` is on `time.monotonic`'s clock and holds for the whole exchange. Raises StoreAway when the request
        surely did not arrive, OutcomeUnknown when it may have, and what the status says.
        """
        return self._exchange("POST", path, body, deadline)

    def get(self, path: str, deadline: float) -> dict[str, Any]:
        """As `post`, for a request without a body."""
        return self._exchange("GET", path, None, deadline)

    def close(self) -> None:
        """Close all connections."""
        self.client.close()

    def _exchange(self, method: str, path: str, body: bytes | None, deadline: float) -> dict[str, Any]:
        import httpx

        left = deadline - time.monotonic()
        if left <= 0:
            raise StoreAway(f"there was no time left to ask {self.base_url}")
        try:
            with self.client.stream(method, path, content=body, timeout=httpx.Timeout(left)) as response:
                data = self._bounded(response, deadline)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol) as error:
            raise StoreAway(f"cannot reach {self.base_url}: {_cause(error)}") from error
        except httpx.HTTPError as error:
            raise OutcomeUnknown(f"{self.base_url} did not answer as it should: {_cause(error)}") from error
        if response.is_success:
            return self._object(data)
        raise self._refusal(response, data)

    def _bounded(self, response: httpx.Response, deadline: float) -> bytes:
        """The answer's bytes, unless they are too many or drip in too slowly."""
        data = bytearray()
        for piece in response.iter_bytes():
            data += piece
            if len(data) > LARGEST_ANSWER_BYTES:
                raise OutcomeUnknown(f"{self.base_url} answered with more than {LARGEST_ANSWER_BYTES} bytes")
            if time.monotonic() > deadline:
                raise OutcomeUnknown(f"{self.base_url} did not finish its answer in time")
        return bytes(data)

    def _object(self, data: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise OutcomeUnknown(f"{self.base_url} answered with something that is not JSON") from error
        if not isinstance(answer, dict):
            raise OutcomeUnknown(f"{self.base_url} answered with JSON that is not an object")
        return answer

    def _refusal(self, response: httpx.Response, data: bytes) -> StoreError:
        """What a status other than 2xx means, whichever of the three error formats it comes in."""
        status = response.status_code
        code = _error_code(data)
        told = f"{self.base_url} answered {status}" + (f" {code}" if code else "")
        if 300 <= status < 400:
            return StoreAway(f"{self.base_url} answers with a redirect; set base_url to the address that it names")
        if status == 401 or (status == 403 and "POLICY" not in code):
            return Unauthorised(f"{told}; check NEOTOMA_TOKEN, or `token` in the settings")
        if status == 429:
            return StoreBusy(f"{told}; it takes a limited number of writes a minute", _retry_after(response))
        if status in (404, 405) and not code:
            return StoreAway(f"{told}; is this the address of a Neotoma server?")
        if status == 413:
            return WriteRefused(f"{told}; the message is larger than the server takes (10 MiB)", "413")
        if status == 408 or status >= 500:
            return OutcomeUnknown(told)
        if code == "ERR_IDEMPOTENCY_MISMATCH":
            return KeyMismatch(told, code)
        return WriteRefused(told, code or str(status))


def _trusted(base_url: str) -> ssl.SSLContext:
    """Whom to trust over TLS: what SSL_CERT_FILE or SSL_CERT_DIR name, else the authorities that come with httpx.

    Over plain HTTP nobody is asked, and reading all the authorities would take longer than the look-ups.
    """
    import ssl

    if base_url.startswith("https:"):
        import httpx

        return httpx.create_ssl_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def reading(error: StoreError) -> StoreError:
    """The same error as a reader has to see it: nothing was written, so nothing can be refused or mismatched."""
    return ReadRefused(str(error)) if isinstance(error, WriteRefused) else error


def _cause(error: Exception) -> str:
    """The innermost cause in words; httpx wraps what the system said.

    Of what breaks the protocol nothing is quoted: on our side that may be the token, and a server may send back what it
    was sent.
    """
    import httpx

    if isinstance(error, httpx.LocalProtocolError):
        return "the request cannot be sent as HTTP"
    inner: BaseException = error
    while inner.__cause__ is not None or inner.__context__ is not None:
        inner = inner.__cause__ or inner.__context__ or inner
    said = str(inner) or str(error)
    if isinstance(error, httpx.RemoteProtocolError):
        said = said.partition(":")[0]
    return said[:LONGEST_CAUSE] or type(error).__name__


def _error_code(data: bytes) -> str:
    """The code of an error answer, flat or nested; "" for one that is no JSON. Its message may repeat what was sent."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(answer, dict):
        return ""
    nested = answer.get("error")
    if isinstance(nested, dict):
        issues = nested.get("issues")
        first = issues[0] if isinstance(issues, list) and issues and isinstance(issues[0], dict) else nested
        return str(first.get("code") or nested.get("code") or "")[:LONGEST_CODE]
    return str(answer.get("error_code") or "")[:LONGEST_CODE]


def _retry_after(response: httpx.Response) -> float:
    """Seconds to wait, from a `Retry-After` in seconds or as an HTTP date."""
    given = response.headers.get("Retry-After", "").strip()
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (TypeError, ValueError):
        return DEFAULT_RETRY_AFTER_SECONDS

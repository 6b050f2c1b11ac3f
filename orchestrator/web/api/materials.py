"""/api/v1/materials: files that are sent besides a deck, and how they were understood, before a session
starts."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, File, HTTPException, Path, Query, UploadFile

from orchestrator.core.errors import InputError
from orchestrator.web.description import Reply
from orchestrator.web.site import Site, site_of
from orchestrator.web.uploads import Kind, Material

router = APIRouter(tags=["materials"])
At = Annotated[Site, Depends(site_of)]


State = Literal["read", "reading", "refused"]


class MaterialRead(Reply):
    """A file as it was understood; `material` names it when a session begins."""

    material: str
    """Its id."""
    kind: Kind
    name: str
    state: State
    """reading: sound is being recognised, ask again."""
    says: str
    """What was understood, or why it was refused, in words."""
    speakers: list[str]
    """The labels in a recording, of which `speaker` may name one."""


@router.post("/materials/{kind}", status_code=HTTPStatus.CREATED)
def read_material(
    kind: Annotated[Kind, Path(description="What it is.")],
    file: Annotated[UploadFile, File(description="The file itself.")],
    site: At,
    deck: Annotated[str | None, Query(max_length=64, description="Whose names are listened for.")] = None,
) -> MaterialRead:
    """Read a recorded talk (as `run --speech`), a board (`--board`) or news (`--intel`).

    Nothing of it is kept beyond this server's life, but in the sessions that begin with it.
    """
    about = site.uploads.get(deck).deck if deck is not None else None
    name = file.filename or kind
    return _as_read(site.materials.take(kind, name, file.file.read(), site.own.config, about))


@router.get("/materials/kept/{material}")
def get_material(
    material: Annotated[str, Path(description="Its id, as it came back when it was sent.")], site: At
) -> MaterialRead:
    """Give what was sent once more: also how far its recognition is."""
    try:
        return _as_read(site.materials.get(material))
    except InputError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(error)) from error


def _as_read(one: Material) -> MaterialRead:
    state: Literal["read", "reading", "refused"] = (
        "refused" if one.refused else "read" if one.is_read else "reading"
    )
    return MaterialRead(
        material=one.id,
        kind=one.kind,
        name=one.name,
        state=state,
        says=one.refused or one.says,
        speakers=list(one.speakers),
    )

"""The rule: who somebody is, what that person may see, and whether a request is let through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from orchestrator.access.needs import Need
from orchestrator.core.legible import one_line
from orchestrator.core.owner import Owner, identity_of
from orchestrator.panel.config.access import ANY, Access

MAX_NAME_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is signed in, with what the configuration allows that person.

    Args:
        identity: Who it is, as `identity_of` spells it.
        groups: Those of the person's groups that the configuration names.
        reviews: The groups whose sessions this person sees; `ANY` for those of everybody with an identity.
        window: The session of whose window this is, for a device that was paired; such a device is nobody,
            and sees that session alone.
    """

    identity: str
    name: str = ""
    groups: tuple[str, ...] = ()
    is_presenter: bool = False
    is_keeper: bool = False
    reviews: frozenset[str] = frozenset()
    window: str = ""

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of this person's roles, for the log and the pages."""
        has = {"keeper": self.is_keeper, "presenter": self.is_presenter, "reviewer": bool(self.reviews)}
        return ("window",) if self.window else tuple(name for name, is_so in has.items() if is_so)

    @property
    def owner(self) -> Owner:
        """What the first record of a session that this person starts says."""
        return Owner(self.identity, self.groups)

    def owns(self, identity: str) -> bool:
        """Return whether a session is this person's own; one without an identity is nobody's."""
        return bool(identity) and identity == self.identity

    def sees(self, identity: str, groups: Iterable[str]) -> bool:
        """Return whether this person may see a session, by its owner and the owner's groups at its start."""
        if self.is_keeper:
            return True
        if not identity or not self.roles:
            return False
        is_of_group = ANY in self.reviews or not self.reviews.isdisjoint(groups)
        return self.owns(identity) or is_of_group


class Verdict(Enum):
    """What comes of a request."""

    YES = "yes"
    SIGN_IN = "sign in"
    """Nobody is signed in."""
    UNKNOWN = "unknown"
    """There is no such session for this person, whether there is one or not."""
    FORBIDDEN = "forbidden"
    """The person's roles do not allow it."""


def person_of(access: Access, identity: str, name: str, groups: Iterable[str]) -> Person:
    """Return the person with the roles that the configuration gives to these groups.

    Args:
        identity: As `identity_of` returned it.
    """
    own = tuple(sorted(access.named.intersection(groups)))
    reviewed = (seen for group, seen in access.reviewers.items() if group in own)
    return Person(
        identity,
        one_line(name)[:MAX_NAME_CHARS],
        own,
        is_presenter=ANY in access.presenters or not set(own).isdisjoint(access.presenters),
        is_keeper=not set(own).isdisjoint(access.keepers),
        reviews=frozenset(one for seen in reviewed for one in seen),
    )


def presenter_alone(identity: str) -> Person:
    """Return the person of this identity as a presenter, for a program that serves that one's own sessions.

    Raises:
        ValueError: *identity* names nobody.
    """
    if not (spelt := identity_of(identity)):
        raise ValueError(f"{identity[:80]!r} is nobody's identity")
    return Person(spelt, is_presenter=True)


def judged(need: Need, person: Person | None, sessions: Sequence[Owner | None]) -> Verdict:
    """Return what comes of a request that needs *need*: the one place in which that is decided.

    Args:
        person: Who asks, or None if nobody is signed in.
        sessions: The owner of each session that the request names; `NOBODY` for one without an owner, and
            None for one that there is not.
    """
    if need is Need.OPEN:
        return Verdict.YES
    if person is None:
        return Verdict.SIGN_IN
    if person.is_keeper:
        return Verdict.YES
    if not person.roles:
        return Verdict.FORBIDDEN
    if any(one is None or not person.sees(one.identity, one.groups) for one in sessions):
        return Verdict.UNKNOWN
    allowed = {
        Need.SIGNED_IN: True,
        Need.SEEN: bool(sessions),
        Need.OWN: person.is_presenter
        and bool(sessions)
        and all(one is not None and person.owns(one.identity) for one in sessions),
        Need.PRESENTER: person.is_presenter,
        Need.KEEPER: False,
    }
    return Verdict.YES if allowed[need] else Verdict.FORBIDDEN


NOBODY: Final = Owner("")
"""The owner of a session that was started where nobody had to sign in."""

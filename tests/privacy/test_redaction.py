"""Names of people who spoke are taken out, however they are written."""

from __future__ import annotations

import pytest

from orchestrator.core.privacy.masking import redacted

PEOPLE = [("Dana Whitfield", "[presenter]"), ("Zoë O’Brien-Lee", "[speaker 1]"), ("Li", "[speaker 2]")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Dana Whitfield, chief operating officer", "[presenter], chief operating officer"),
        ("Dana's plan, and WHITFIELD's risk", "[presenter]'s plan, and [presenter]'s risk"),
        ("so dana the floor is yours", "so [presenter] the floor is yours"),
        ("the session dana_run-2", "the session [presenter]_run-2"),
        ("Zoe and ZOË and Zoe\u0308 agree", "[speaker 1] and [speaker 1] and [speaker 1] agree"),
        ("Ms O'Brien-Lee asked", "Ms O'[speaker 1]-[speaker 1] asked"),
        ("Da\u00adna spoke", "[presenter] spoke"),
        ("Li said: limits", "[speaker 2] said: limits"),
        ("a bandana is no name", "a bandana is no name"),
        ("write to dana.whitfield@fennmark.example now", "write to [e-mail address] now"),
        ("Ilse Varnholt is only spoken of", "Ilse Varnholt is only spoken of"),
        ("Café stays as it was", "Café stays as it was"),
    ],
)
def test_names_of_speakers_go_and_other_words_stay(text: str, shown: str) -> None:
    assert redacted(text, PEOPLE) == shown

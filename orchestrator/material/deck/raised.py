"""Raised and lowered text as Unicode has it: marks, powers and indices, no digits of the number beside it."""

from __future__ import annotations

_SMALL = "0123456789+-−=()abcdefghijklmnoprstuvwxyz"  # there is no raised q
_RAISED = str.maketrans(_SMALL, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def raised(text: str) -> str:
    """*text* in raised characters, or behind "^" where there are none: "¹", "ⁿ", "⁻⁶", "^(Q1)".

    Letters alone stay as they are, since they are endings ("2nd", "™" typed as TM), but for a single small
    one, which may be the mark of a footnote.
    """
    letters = text.strip()
    if not any(map(str.isdigit, text)) and (len(letters) != 1 or not letters.islower()):
        return text
    found = text.translate(_RAISED)
    return f"^({letters})" if any(c.isascii() and c.isalnum() for c in found) else found


def lowered(text: str) -> str:
    """*text* with lowered digits: "CO₂"."""
    return text.translate(_LOWERED)

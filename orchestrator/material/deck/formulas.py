"""Convert Office formulas to one line of text in which fractions and powers stay recognisable.

Source: ECMA-376 part 1, 22.1 (Office Math Markup Language).
"""

from __future__ import annotations

from orchestrator.material.deck.ooxml import Element, M

# ---------------------------------------------------------------------- raised
# Raised and lowered text as Unicode has it: marks, powers and indices, no digits of the number beside it.


_SMALL = "0123456789+-−=()abcdefghijklmnoprstuvwxyz"  # there is no raised q
_RAISED = str.maketrans(_SMALL, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def raised(text: str) -> str:
    """Return *text* as superscript, or behind "^" if it has none: "¹", "ⁿ", "⁻⁶", "^(Q1)".

    Text of letters alone stays as it is, since it is an ending ("2nd", "™" typed as TM). The exception is a
    single small letter, which may be the mark of a footnote.
    """
    letters = text.strip()
    if not any(map(str.isdigit, text)) and (len(letters) != 1 or not letters.islower()):
        return text
    found = text.translate(_RAISED)
    return f"^({letters})" if any(c.isascii() and c.isalnum() for c in found) else found


def lowered(text: str) -> str:
    """Return *text* with its digits as subscript: "CO₂"."""
    return text.translate(_LOWERED)


# ---------------------------------------------------------------------- formulas


def formula(element: Element) -> str:
    """Return the formula in *element* as text: "12/48", "(a+b)/(2c)", "2³", "x₁", "√(2)", "∑_(i)^(n) (x)"."""
    kind = element.tag.removeprefix(M)
    if kind == "t":
        return element.text or ""
    if kind == "f":
        return f"{_within(_part(element, 'num'))}/{_within(_part(element, 'den'))}"
    if kind == "rad":
        return f"{raised(_part(element, 'deg'))}√({_part(element, 'e')})"
    if kind == "nary":
        sign = _sign(element, "naryPr", "chr", "∫")
        return (
            f"{sign}{subscript(_part(element, 'sub'))}{power(_part(element, 'sup'))} ({_part(element, 'e')})"
        )
    if kind in ("sSup", "sSub", "sSubSup"):
        return (
            f"{_within(_part(element, 'e'))}{subscript(_part(element, 'sub'))}{power(_part(element, 'sup'))}"
        )
    if kind == "sPre":
        return (
            f"{subscript(_part(element, 'sub'))}{power(_part(element, 'sup'))}{_within(_part(element, 'e'))}"
        )
    if kind in ("limLow", "limUpp"):
        return f"{_part(element, 'e')}_({_part(element, 'lim')})"
    if kind == "func":
        return f"{_part(element, 'fName')}({_part(element, 'e')})"
    if kind == "d":
        between = _sign(element, "dPr", "sepChr", "|")
        inside = between.join(formula(part) for part in element.iterfind(f"{M}e"))
        return f"{_sign(element, 'dPr', 'begChr', '(')}{inside}{_sign(element, 'dPr', 'endChr', ')')}"
    if kind in ("m", "eqArr"):
        inside = "; ".join(formula(row) for row in element if row.tag in (f"{M}mr", f"{M}e"))
        return f"[{inside}]" if kind == "m" else inside
    return (" " if kind == "mr" else "").join(formula(part) for part in element)


def _part(element: Element, name: str) -> str:
    part = element.find(f"{M}{name}")
    return "" if part is None else formula(part)


def power(text: str) -> str:
    """Return *text* as a power, "³" or "^(xy)", or "" if it is empty."""
    small = raised(text)
    return small if small != text else text and f"^({text})"


def subscript(text: str) -> str:
    """Return *text* as an index, "₁" or "_(i)", or "" if it is empty."""
    return lowered(text) if text.isdecimal() else text and f"_({text})"


def _within(text: str) -> str:
    """Return *text* in brackets unless it is a single number or name."""
    return text if text.replace(".", "").replace(",", "").isalnum() else f"({text})"


def _sign(element: Element, properties: str, name: str, default: str) -> str:
    found = element.find(f"{M}{properties}/{M}{name}")
    return default if found is None else found.get(f"{M}val", "")

"""Faults in dates and durations: each as the pieces of a deck, right and wrong."""

from __future__ import annotations

from functools import partial
from random import Random

from tests.planted_mentions import said
from tests.planted_numbers import count_words
from tests.planted_world import MONTHS, Block, Piece, World, capital, lower

Month = int  # months since the year 0


def _told(month: Month, form: str, day: int) -> str:
    """A date in one of the ways in which boards read dates."""
    year, index = divmod(month, 12)
    name = MONTHS[index]
    return {
        "month": f"{name} {year}",
        "day": f"{day} {name} {year}",
        "american": f"{name} {day}, {year}",
        "quarter": f"Q{index // 3 + 1} {year}",
        "iso": f"{year}-{index + 1:02}-{day:02}",
    }[form]


def dates(world: World) -> list[Piece]:
    """One event with two dates."""
    rng = world.rng
    title, clause, noun = world.events[0]
    month = world.year * 12 + rng.randint(14, 26)
    shift = rng.choice((-5, -4, -3, 3, 4, 5, 6))
    day = rng.randint(3, 27)
    forms = ("month", "month", "day", "american", "quarter", "iso")
    first = _told(month, rng.choice(forms), day)
    form = rng.choice(forms)
    good, bad = _told(month, form, day), _told(month + shift, form, day)
    words = _event_words(title, clause, noun)
    one, other = rng.sample(words, 2)
    here = one.format(_when(one, first))
    there = [other.format(_when(other, date)) for date in (good, bad)]
    piece = Piece("plan", Block(rng.choice(("bullet", "bullet", "title", "box")), here), a=(here,))
    if rng.random() < 0.25:
        table = Block(
            "table", rows=(("Milestone", "Date"), (title, first), ("Next report to the board", "quarterly"))
        )
        piece = Piece("plan", table, a=(first, title))
    if rng.random() < 0.3 and form != "iso":
        texts = world.alike(partial(said, world), *there)
        return [piece, Piece("plan", Block("said", texts[0]), Block("said", texts[1]), b=(texts[1],))]
    kind = rng.choice(("bullet", "box", "title", "notes"))
    return [
        piece,
        Piece(rng.choice(("next", "glance")), Block(kind, there[0]), Block(kind, there[1]), b=(there[1],)),
    ]


def _event_words(title: str, clause: str, noun: str) -> list[str]:
    return [
        f"{title}: {{}}",
        f"{clause} {{}}",
        f"{capital(noun)} is planned for {{}}",
        f"We have set {noun} for {{}}",
        f"{{}}: {lower(title)}",
    ]


def _when(words: str, date: str) -> str:
    if not words.endswith(" {}") or words.endswith((": {}", "for {}")):
        return date
    return f"on {date}" if date.count(" ") == 2 or "-" in date else f"in {date}"


def durations(world: World) -> list[Piece]:
    """A duration that does not fit its start and end, or another mention of it."""
    return world.rng.choice((_span, _span, _two_durations, _two_durations))(world)


def _months_text(rng: Random, count: int) -> str:
    return f"{count_words(count) if count <= 12 and rng.random() < 0.5 else count} months"


def _span(world: World) -> list[Piece]:
    rng = world.rng
    work = world.works[0]
    count = rng.choice((4, 5, 6, 8, 9, 10, 12, 15, 18))
    other = rng.choice([one for one in (3, 4, 6, 8, 10, 12, 14, 18, 24) if abs(one - count) >= 3])
    start = world.year * 12 + rng.randint(8, 20)
    first, last = _told(start, "month", 1), _told(start + count - 1, "month", 1)
    if rng.random() < 0.35:
        end = 30 if (start + count - 1) % 12 in (3, 5, 8, 10) else 28 if (start + count - 1) % 12 == 1 else 31
        first, last = _told(start, "day", 1), _told(start + count - 1, "day", end)
    seed = rng.random()
    good, bad = (_months_text(Random(seed), one) for one in (count, other))
    span = rng.choice(
        (
            f"{capital(work)} runs from {first} to {last}",
            f"{capital(work)}: {first} – {last}",
            f"{capital(work)} starts in {first} and ends in {last}"
            if first.count(" ") == 1
            else f"{capital(work)} starts on {first} and ends on {last}",
        )
    )
    if rng.random() < 0.4:
        texts = [rng.choice(("{} ({})", "{}, {} in all")).format(span, good)]
        texts.append(texts[0].replace(good, bad) if good not in span else f"{span} ({bad})")
        return [
            Piece("plan", Block("bullet", texts[0]), Block("bullet", texts[1]), a=(texts[1],), b=(texts[1],))
        ]
    if rng.random() < 0.3:
        tables = [
            Block("table", rows=(("Work", "Start", "End", "Duration"), (capital(work), first, last, length)))
            for length in (good, bad)
        ]
        return [Piece("plan", tables[0], tables[1], a=(bad,), b=(first, last, capital(work)))]
    words = rng.choice(("{} takes {}", "{} will last {}", "{} needs {} from start to end", "{}: {}"))
    lengths = [words.format(capital(work), length) for length in (good, bad)]
    kind = rng.choice(("bullet", "box", "title"))
    return [
        Piece("plan", Block("bullet", span), b=(span,)),
        Piece(
            rng.choice(("plan", "next")), Block(kind, lengths[0]), Block(kind, lengths[1]), a=(lengths[1],)
        ),
    ]


def _two_durations(world: World) -> list[Piece]:
    rng = world.rng
    work = world.works[0]
    unit, count = rng.choice(
        (("weeks", rng.randint(4, 16)), ("months", rng.randint(4, 20)), ("days", rng.randint(5, 60)))
    )
    other = max(2, round(count * rng.choice((0.5, 0.65, 1.4, 1.6, 2))))
    words = [
        "{} takes {}",
        "{} will last {}",
        "We need {1} for {0}",
        "It takes us {1} to finish {0}",
        "{}: {}",
        "The time needed for {0} is {1}",
    ]
    one, two = rng.sample(words, 2)

    def told(form: str, figure: str) -> str:
        return capital(form.format(work if "{0}" in form else capital(work), figure))

    first = told(one, f"{count} {unit}")
    piece = Piece("plan", Block(rng.choice(("bullet", "title", "box")), first), a=(first,))
    if rng.random() < 0.4:
        lengths = [told(two, f"{count_words(value)} {unit}") for value in (count, other)]
        texts = world.alike(partial(said, world), *lengths)
        return [piece, Piece("plan", Block("said", texts[0]), Block("said", texts[1]), b=(texts[1],))]
    good, bad = (told(two, f"{value} {unit}") for value in (count, other))
    kind = rng.choice(("bullet", "box"))
    return [piece, Piece(rng.choice(("next", "glance")), Block(kind, good), Block(kind, bad), b=(bad,))]

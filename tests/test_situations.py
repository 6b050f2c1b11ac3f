"""What a sentence puts before a board, who asks about it, and when the panel keeps quiet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.claims.extract import deck_claims
from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.engines.needs import parts_of
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import CandidateRequest, FocusBriefRequest, Scene
from orchestrator.engines.situating import SITUATION, angles_in
from orchestrator.engines.sorts import NAMES, sorts_of
from orchestrator.engines.statements import statements
from orchestrator.errors import PersonaError
from orchestrator.exchange import Candidate, Exchange, Turn
from orchestrator.finding import Findings
from orchestrator.outline import Line
from orchestrator.pattern import FINDINGS, SORTS, Pattern, read_question
from orchestrator.persona import Seat, read_domain, read_persona
from tests.test_offline_engine import DOMAIN, PERSONA, scene_of

ENGINE = OfflineEngine()
TEMPLATES = Path(__file__).resolve().parents[1] / "agents" / "templates"


def seats() -> list[Seat]:
    """The panel of the checkout."""
    return [
        Seat(
            read_persona((folder / "persona.md").read_text(encoding="utf-8"), "persona.md"),
            read_domain((folder / "domain-knowledge.md").read_text(encoding="utf-8"), "domain-knowledge.md"),
        )
        for folder in sorted(TEMPLATES.iterdir())
        if (folder / "domain-knowledge.md").is_file()
    ]


def deck_of(*slides: tuple[str, str]) -> Deck:
    """One slide for each title, with its lines apart by a bar."""
    made = tuple(
        Slide(n, title, tuple(line for line in lines.split(" | ") if line))
        for n, (title, lines) in enumerate(slides, 1)
    )
    return Deck("md", "deck.md", "0" * 64, "Plan", made)


def sorts(title: str, line: str) -> tuple[str, ...]:
    """The sorts of a slide's first line."""
    deck = deck_of(("Opening", "Good morning"), (title, line))
    known: list[Claim] = [*deck_claims(deck), *statements(deck)]
    claim = next(one for one in known if one.slide == 2 and one.text in line and one.origin == "line")
    return sorts_of(claim, title, f"{title}\n{line}")


def question(only: str, words: str, unless: tuple[str, ...] = ()) -> Pattern:
    text = f'{{place}} you say "{{quote}}". {words}'
    return Pattern(("any",), ("number",), text, frozenset({"place", "quote"}), (only,), unless)


def seat_with(*patterns: Pattern) -> Seat:
    return Seat(replace(PERSONA, initial=patterns), replace(DOMAIN, red_flags=(), benchmarks=()))


def ask(seat: Seat, scene: Scene) -> Candidate | None:
    taken = frozenset(exchange.claim for exchange in scene.exchanges if exchange.claim)
    return ENGINE.reply(CandidateRequest(seat, scene, taken=taken))


def asked_in_turn(deck: Deck, panel: list[Seat], rounds: int = 4) -> list[Candidate]:
    """What the panelists ask about a deck, in turn."""
    exchanges: list[Exchange] = []
    questions: list[Candidate] = []
    for number in range(rounds * len(panel)):
        found = ask(panel[number % len(panel)], scene_of(deck, exchanges=tuple(exchanges)))
        if found is not None:
            questions.append(found)
            turn = Turn(f"{found.lead_in} {found.question}".strip(), found.needs)
            exchanges.append(
                Exchange(
                    f"x{number}", found.agent, found.claim, found.slide, None, found.quote, found.grounded,
                    "", 0.0, (turn,), "satisfied",
                )
            )  # fmt: skip
    return questions


# -- what a sentence is


@pytest.mark.parametrize(
    ("title", "line", "sort"),
    [
        ("Decision", "Release 90,000 dollars for the well", "request"),
        ("The plan", "We ask the council to approve the second bridge", "request"),
        ("Funding", "We are raising $3m", "round"),
        ("What we propose", "Replace the ferry with a bus", "proposal"),
        ("Summary", "We recommend the smaller kitchen", "recommendation"),
        ("Permits", "The county has not yet approved the drainage plan", "condition"),
        ("Money", "The ministry pays a third if the province agrees", "condition"),
        ("Software", "The backup has never been tested", "untested"),
        ("Tenants", "The bakery has indicated that it would stay", "word"),
        ("Contracts", "The cleaning contract ends in May", "expiry"),
        ("Offer", "The offer lapses if we do not answer", "due"),
        ("Staff", "Our head of nursing retires in June", "leaving"),
        ("Staff", "Three posts in the kitchen are vacant", "vacancy"),
        ("The year", "The lift failed twice in March", "incident"),
        ("Root cause", "The gasket was of the wrong grade", "incident"),
        ("Lessons and request", "We request 18,000 euros for valves that failed", "request"),
        ("The board is asked to", "Approve the new kitchen", "request"),
        ("What we propose", "Open on 1 September 2027, six days a week", "milestone"),
        ("What we propose", "400 more meals in the first full year", "forecast"),
        ("Customers", "Largest customer (Brill, 11% of sales) renews in May", "dependence"),
        ("The year", "Fuel cost 40,000 euros more than budgeted", "variance"),
        ("The year", "The eastern school has asked to postpone", "variance"),
        ("Stock", "We hold nine weeks of stock; our policy says twelve", "guideline"),
        ("Neighbours", "The allotment holders have objected", "objection"),
        ("Staff", "Drivers fear the new rota", "worry"),
        ("Objections", "Commuters get nothing for their money", "worry"),
        ("Key risks", "Flooding of the lower car park", "risk"),
        ("Sales", "One customer, Brill, buys a third of our cheese", "dependence"),
        ("Return", "Pays for itself in nine years", "payback"),
        ("Effects", "Saves 30,000 euros a year in rent", "saving"),
        ("Effects", "Ticket sales would rise to 2 million euros", "income"),
        ("Effects", "We expect 400 pupils in 2031", "forecast"),
        ("Cash", "230,000 euros in the bank, five months of spending", "cash"),
        ("Paying for it", "A loan of 2 million euros over 20 years", "borrowing"),
        ("What it costs", "Total 4.2 million euros", "cost"),
        ("What it costs", "9,000 euros per room to equip", "unit-cost"),
        ("Suppliers", "The laundry charges us 2 euros a kilo, and we pay 80,000 euros", "price"),
        ("Customers", "Three hotels pay us 11 euros a bag", "earned"),
        ("Paying for it", "A grant of 60% has been approved by the county", "funding"),
        ("Space", "We use 3 floors of the 5 we rent", "idle"),
        ("Patients", "81% of patients say they would come again", "survey"),
        ("Elsewhere", "Two neighbouring towns have closed their baths", "precedent"),
        ("The plan", "No compulsory redundancies in the depots", "pledge"),
        ("Timetable", "Tender opens: March 2027", "milestone"),
        ("Next steps", "Appoint an architect", "step"),
        ("The year", "Complaints rose from 40 to 95", "change"),
        ("Storage", "A nine-year lease on the cold store", "binding"),
        ("The ask", "Authorise the director to sign with the mill", "mandate"),
        ("Suppliers", "The secretary's sister would do the accounts", "interest"),
        ("Costs", "The offers are from 2023", "stale"),
        ("Costs", "The roof has not been inspected since 2019", "stale"),
        ("Costs", "No provision for asbestos", "unfunded"),
        ("Staff", "The union wants a fifth week of leave", "demand"),
        ("The pilot", "Queues were 4 minutes shorter in the three halls", "trial"),
        ("The year", "We lost 3 points of margin because the ferry stopped", "cause"),
        ("Licence", "The port authority must agree before May", "condition"),
        ("Grant", "Lottery money of 90,000 euros, applied for in June", "condition"),
        ("Income", "The abbey takes 61% of what we bake", "dependence"),
        ("Income", "The county pays for the ferry until 2028", "expiry"),
        ("What we expect", "400 fewer missed visits", "forecast"),
        ("Key risks", "Our two cranes are of the same age", "gap"),
        ("Neighbours", "70% of tenants who answered would accept a later start", "survey"),
        ("Where we go next", "Leave the old warehouse", "step"),
        ("Neighbours", "240 signatures against closing the path", "objection"),
        ("Effects", "The bells will not be affected", "assurance"),
        ("Effects", "No lasting damage to the meadow is expected", "assurance"),
        ("Terms", "A bonus of 20% tied to sales", "reward"),
        ("Terms", "The county pays 60% of the overrun, we pay 40%", "split"),
        ("Progress", "Rewriting the ticket office software", "underway"),
        ("Permits", "Permit expected in May", "condition"),
        ("Staff", "Our chief pilot resigned in May", "leaving"),
        ("Choice", "The jury unanimously recommends the second design", "recommendation"),
        ("The year", "Breakage 9%, against 4% assumed", "variance"),
        ("Decision", "Tender: March 2027; contract: June 2027", "milestone"),
        ("Robots", "The maker will stop making our belt in 2029", "expiry"),
        ("Money", "The covenant asks for 6 million euros of cash at all times", "standard"),
        ("Stock", "Tins for 2.6 million euros, twice what we need", "idle"),
        ("Other towns", "In Leith visits rose by 12% in the first year", "precedent"),
        ("Till", "8% of parcels come back unopened in this region", "fact"),
    ],
)  # fmt: skip
def test_a_sentence_is_told_by_how_it_is_built_and_where_it_stands(title: str, line: str, sort: str) -> None:
    assert sorts(title, line)[:1] == (sort,)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Spending", "Vans and travel 41,000 euros"),  # an account of what was
        ("Terms", "A night shift is paid at 1.4 times the normal rate"),  # a rule
        ("The building", "42 flats in two blocks, built in 1968"),  # a fact
        ("Competition", "The big chains build lockers in towns only"),  # somebody else's plan
        ("Options", "Go live in October, which costs 180,000 euros more"),  # one way among several
        ("The trial", "318 patients at 41 sites"),
        ("Rules", "No payments in the first three months"),
        ("Background", "The application is moved to the data"),  # how such things work
        ("Results", "99% of risky outages correctly predicted"),  # no outage happened
        ("Features", "Hardware isolation guarantees"),  # no promise of ours
        ("Lessons and request", "The night shift is strong and acted well"),  # nothing went wrong
        ("What went wrong", "Our neighbours were kind to us"),
        ("The ask", "Introductions to the heads of other museums"),  # a favour
        ("The board is asked to", "Note the list of gifts"),
        ("Timetable", "April: board approval"),  # the board's own act
        ("Our proposal", "Board approval in April 2027"),
        ("Outlook", "The regulation is meant to reduce waiting times by 2030"),  # a lawmaker's aim
        ("Laboratory", "The filter rejects one sample in five"),  # nobody is against anything
        ("Profile", "Ten years in printing, five of them in a leading post"),  # no first place
        ("Tariff", "The insurer pays 85% of the doctor's rate"),  # nobody shares a cost
        ("Effects", "The act aims to improve the safety of bridges"),
    ],
)
def test_where_no_sort_can_be_told_there_is_none(title: str, line: str) -> None:
    assert sorts(title, line) == ()


@pytest.mark.parametrize(
    ("line", "sort"),
    [
        ("Reserves stand at 480,000 euros; our policy is to hold no less than 400,000 euros", "standard"),
        ("Reserves stand at 380,000 euros; our policy is to hold no less than 400,000 euros", "guideline"),
        ("Noise reaches 52 decibels, the legal maximum is 55", "standard"),
        ("We inspect 61% of the lifts, though the law requires all of them", "standard"),  # nobody can tell
        ("Overtime came to 9%, above our own rule of 6%", "guideline"),
    ],
)
def test_a_rule_is_broken_only_where_the_sentence_shows_it(line: str, sort: str) -> None:
    assert sorts("The year", line)[:1] == (sort,)


def test_what_many_do_late_is_no_plan_that_failed_once() -> None:
    assert "variance" in sorts("The year", "The wing opened 3 months later than planned")
    assert "variance" not in sorts("The year", "38% of parcels arrive later than planned")


def test_a_plan_under_others_is_theirs_and_what_was_done_is_no_plan() -> None:
    assert sorts("Next steps", "Open a second shop in Leith")[:1] == ("step",)
    assert sorts("What others do", "Open a second shop in Leith") == ()
    assert "step" not in sorts("Next steps", "We opened and sold a second shop in Leith")


def test_a_risk_with_its_answer_and_a_fault_that_was_dealt_with_are_left_alone() -> None:
    assert sorts("Risks", "A pump stops at night and floods the hall")[:1] == ("risk",)
    assert sorts("Risks", "A pump stops at night: the second one takes over") == ()
    assert sorts("What went wrong", "A gate jammed for a week")[:1] == ("incident",)
    assert sorts("What went wrong", "A gate jammed, repaired within a day") == ()


# -- what is asked


def test_a_question_for_one_sort_is_put_to_no_other() -> None:
    seat = seat_with(question("expiry", "What comes after it?"))
    deck = deck_of(("Contracts", "The cleaning contract ends in May | We spent 40,000 euros on soap"))
    first = ask(seat, scene_of(deck))
    assert first is not None
    assert first.question == 'On slide 1 you say "The cleaning contract ends in May". What comes after it?'
    assert first.angle == NAMES["expiry"]
    other = ask(seat, scene_of(deck_of(("Contracts", "We spent 40,000 euros on soap"))))
    assert other is None or not other.grounded


def test_it_is_asked_of_a_sentence_that_claims_nothing_too() -> None:
    deck = deck_of(("Neighbours", "The allotment holders have objected"))
    assert deck_claims(deck) == ()
    found = ask(seat_with(question("objection", "Why are they wrong?")), scene_of(deck))
    assert found is not None
    assert (found.quote, found.grounded) == ("The allotment holders have objected", True)


def test_what_is_answered_anywhere_in_the_deck_is_not_asked() -> None:
    seat = seat_with(question("cost", "How firm is that?", unless=("fixed price",)))
    line = ("What it costs", "Total 4.2 million euros")
    open_deck, told = deck_of(line), deck_of(line, ("Tender", "Brill has offered a fixed price"))
    asked = [ask(seat, scene_of(deck)) for deck in (open_deck, told)]
    assert [found is not None and found.grounded for found in asked] == [True, False]


@pytest.mark.parametrize(
    ("line", "words", "is_asked"),
    [
        ("The allotment holders have objected", "How many of them see it like that?", True),
        ("8 of 31 allotment holders have objected", "How many of them see it like that?", False),
    ],
)
def test_what_the_sentence_itself_tells_is_not_asked(line: str, words: str, is_asked: bool) -> None:
    found = ask(seat_with(question("objection", words)), scene_of(deck_of(("Neighbours", line))))
    assert (found is not None and found.grounded) is is_asked


def test_what_the_deck_prices_in_a_table_is_not_asked_again() -> None:
    seat = seat_with(question("step", "What does that take, in money or in paid days?"))
    plan = Slide(1, "Next steps", ("Hire two technicians at the store",))
    costs = Slide(2, "Costs", (), (Table((("Item", "2027"), ("Technicians", "$22,000"))),))
    others = Slide(2, "Costs", (), (Table((("Item", "2027"), ("Fridges", "$22,000"))),))
    asked = [
        ask(seat, scene_of(Deck("md", "deck.md", digest * 64, "Plan", (plan, slide))))
        for digest, slide in (("1", others), ("2", costs))
    ]
    assert [found is not None and found.grounded for found in asked] == [True, False]


def test_other_ways_are_not_asked_for_where_a_slide_compares_them() -> None:
    seat = seat_with(question("cost", "What is the cheaper version?"))
    line = ("What it costs", "Total 4.2 million euros")
    options = ("Options we looked at", "Repair the old roof")
    asked = [ask(seat, scene_of(deck)) for deck in (deck_of(line), deck_of(line, options))]
    assert [found is not None and found.grounded for found in asked] == [True, False]


def test_no_two_questions_of_a_session_sound_alike_while_another_fits() -> None:
    deck = deck_of(("Summary", "We recommend the smaller kitchen | Pays for itself in nine years"))
    first = question("recommendation", "Which figures is that based on, and of which year are they?")
    same = question("payback", "Which figures was that based on, and of which year are they?")
    other = question("payback", "What would have to go wrong first?")
    asked = asked_in_turn(deck, [seat_with(first, same, other)], rounds=2)
    asked_words = {one.question.rpartition('". ')[2] for one in asked}
    assert asked_words == {first.text.rpartition('". ')[2], other.text.rpartition('". ')[2]}


def test_a_liable_party_that_is_named_is_not_asked_for() -> None:
    seat = seat_with(question("borrowing", "Who is liable if the income falls short?"))
    plain = "A loan of 2 million euros over 20 years"
    found = [
        ask(seat, scene_of(deck_of(("Paying for it", line))))
        for line in (plain, f"{plain}, guaranteed by the county")
    ]
    assert [one is not None and one.grounded for one in found] == [True, False]


def test_a_focus_brief_says_what_the_sentence_puts_before_the_board() -> None:
    deck = deck_of(("Contracts", "The cleaning contract ends in May"))
    seat = seat_with(question("expiry", "What comes after it?"))
    brief = ENGINE.reply(FocusBriefRequest(seat, scene_of(deck)))
    assert [(one.quote, one.angle, one.good_answer) for one in brief] == [
        (
            "The cleaning contract ends in May",
            "something that ends, and what comes after it",
            "What comes after it? It takes the figure itself, with its unit.",
        )
    ]


def test_a_quote_keeps_the_no_that_it_begins_with() -> None:
    deck = deck_of(("The plan", "No compulsory redundancies in the depots"))
    found = ask(seat_with(question("pledge", "Until when?")), scene_of(deck))
    assert found is not None
    assert found.quote == "No compulsory redundancies in the depots"


def test_nobody_asks_how_what_is_only_planned_is_kept_going() -> None:
    line = "Improved reference implementations and shader"
    stock = "kept going|keep that going|use it in an ordinary month"
    for title in ("Future contributions", "Roadmap"):
        asked = asked_in_turn(deck_of(("Opening", "Good morning"), (title, line)), seats())
        assert not any(words in one.question for one in asked for words in stock.split("|"))


def test_the_panel_asks_about_things_decided_paid_and_limited_as_what_they_are() -> None:
    """Sentences that the stock questions were put to: each is asked what suits it, or nothing."""
    deck = deck_of(
        ("Where the money went", "Early reading 2.1 million euros | Music 1.2 million euros"),
        ("Safety", "Nobody works more than 48 hours a week"),
        ("Tariff", "The insurer pays 85% of the doctor's rate"),
        ("Old version", "About 300 customers run it on a system that we cannot patch"),
        ("What did not work", "The portal went live five months late"),
    )
    asked = [one.question for one in asked_in_turn(deck, seats()) if one.grounded]
    assert asked
    for nonsense in (
        "full cost of getting there", "longest that any one part", "one more of those", "of how many",
        "extrapolated", "three largest parts", "tried it and left",
    ):  # fmt: skip
        assert not any(nonsense in words for words in asked), nonsense
    assert not any("Early reading" in words or "Music" in words for words in asked)


# -- the panel's own questions


def test_every_question_of_the_panel_says_what_sort_of_sentence_it_is_for() -> None:
    for seat in seats():
        patterns = [one for one in seat.persona.initial if not set(one.heads) & set(FINDINGS)]
        assert [one.text for one in patterns if not one.only] == []


def test_every_sort_of_sentence_has_somebody_who_asks_about_it() -> None:
    assert {sort for seat in seats() for one in seat.persona.initial for sort in one.only} == set(SORTS)
    assert set(SORTS) == set(NAMES)


def test_no_question_of_the_panel_asks_for_more_things_than_it_is_checked_for() -> None:
    """Else an answer to the one half would pass for an answer to both."""
    for seat in seats():
        for one in seat.persona.initial:
            assert len(parts_of(one.text.replace("{note}", ""))) <= len(one.needs), one.text


def asked_of_every_line(title: str, line: str) -> list[str]:
    """All that the panel could ask of a slide's line for what it puts before the board."""
    deck = deck_of(("Opening", "Good morning"), (title, line))
    claims: list[Claim] = [*deck_claims(deck), *statements(deck)]
    claim = next(one for one in claims if one.slide == 2 and one.text in line and one.origin == "line")
    return [
        pattern.text.partition('". ')[2]
        for seat in seats()
        for angle in angles_in(deck, claim, seat)
        if angle.kind == SITUATION
        for pattern in angle.patterns
    ]


@pytest.mark.parametrize(
    ("title", "line", "words", "is_asked"),
    [
        # a share is asked about where there is one
        ("Sales", "One customer, Brill, buys 30% of our cheese", "How large was that share", True),
        ("Plan", "A licence with one vendor for 2,000 pupils", "How large was that share", False),
        ("Plan", "A licence with one vendor for 2,000 pupils", "Who else could do that", True),
        # a change of mind is for a choice, and success has a figure where something is to change
        ("The ask", "Approve the second bridge", "change your mind", False),
        ("Our proposal", "Replace the ferry with a bus", "change your mind", True),
        ("Our proposal", "Replace the ferry with a bus", "call that a success", True),
        ("Our proposal", "Two halls and 14 rooms in the old mill", "call that a success", False),
        ("Our proposal", "Two halls and 14 rooms in the old mill", "arrive at that size", True),
        # what moved is put in money where it costs or brings some
        ("The year", "Sales fell by 12%", "come to in money", True),
        ("The year", "Measles cover dropped from 91% to 84%", "come to in money", False),
        # a figure is brought back where something is to come of it
        ("The ask", "Approve the plan for the second bridge", "come back with the figure", True),
        ("The ask", "Approve the rule on late fees", "come back with the figure", False),
        # what takes place on its day does not come late
        ("Timetable", "14 April: members' assembly decides", "half a year", False),
        ("Timetable", "14 April: members' assembly decides", "done before that day", True),
        ("Timetable", "March 2027: the new kiln starts", "half a year late", True),
        # what holds always has no until, and a count in words is a count
        ("The plan", "The ford stays open throughout", "until when", False),
        ("The plan", "No compulsory redundancies in the depots", "until when", True),
        ("Neighbours", "Three angling clubs have objected", "How many of them", False),
        # a notice that is named is the way out
        ("Terms", "A five-year contract with twelve months' notice", "cost us to get out", False),
        ("Terms", "A five-year contract with the mill", "cost us to get out", True),
        # what the sentence says, or says to be missing, is not asked for
        ("Next steps", "Review of the cranes, owner to be named", "Who does that", False),
        ("Next steps", "Appoint an architect", "Who does that", True),
        # something went wrong, and that nothing was done before is not said
        ("The year", "The roof was patched and leaked every winter since", "prevented that", True),
        ("The year", "The roof was patched and leaked every winter since", "nothing done", False),
    ],
)
def test_a_question_suits_what_the_sentence_says(title: str, line: str, words: str, is_asked: bool) -> None:
    assert any(words in one for one in asked_of_every_line(title, line)) is is_asked


def test_no_benchmark_is_a_rule_on_what_has_to_be_disclosed() -> None:
    """A threshold for naming a customer is no range in which companies lie."""
    domains = [seat.domain for seat in seats() if seat.domain is not None]
    assert not [row.metric for one in domains for row in one.benchmarks if "disclos" in row.source.lower()]


# -- the grammar


def read(text: str) -> Pattern:
    findings = Findings("p.md")
    found = read_question(findings, Line(7, text))
    findings.refuse()
    return found


def test_a_question_may_say_which_sentences_it_is_for_and_what_answers_it() -> None:
    found = read(
        "(any, money; only cost, unit-cost; unless Fixed price, tendered; needs number) "
        '{place} "{quote}". Why?'
    )
    assert (found.heads, found.only, found.unless, found.needs) == (
        ("any", "money"), ("cost", "unit-cost"), ("fixed price", "tendered"), ("number",),
    )  # fmt: skip


def test_a_sort_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(PersonaError, match="'deadline' is no sort of sentence: use request, "):
        read('(any; only deadline; needs number) {place} "{quote}". Why?')

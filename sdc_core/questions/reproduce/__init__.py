"""Reproduce: does what the papers print come out here?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sdc_core.papers import running
from sdc_core.papers.every import PAPERS
from sdc_core.papers.item import Attempt, Finding
from sdc_core.papers.record import Part, Record, Table, good, last_run
from sdc_core.parameters import Choice
from sdc_core.questions import sources
from sdc_core.questions.answer import STORED as AS_STORED
from sdc_core.questions.answer import Answer, Job, Notice, Panel, Pick
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.reproduce import figures, tables
from sdc_core.questions.reproduce.method import METHOD
from sdc_core.questions.work import about
from sdc_core.words import reproduction as words
from sdc_core.words import reproduction_tables as frames
from sdc_core.words.numbers import at_the_start, counted

AGAIN = "reproduce"  # the key of the job that makes a table again
STORED, QUICK, FULL = "stored", "quick", "full"
FAILING, EVERY = "failing", "all"
NUMBERS = "reproduce-numbers"  # the panel of the numbers of one table


def table(given: Given) -> Choice:
    """One of those that print numbers, or that something is said of in words."""
    listed = last_run().tables
    return Choice(
        name="rp_item", title="Table or figure", default=words.table_id(listed[0]),
        choices=tuple(words.table_id(one) for one in listed),
        titles={words.table_id(one): words.table_title(one) for one in listed},
    )


def ours(given: Given) -> Choice:
    return Choice(
        name="rp_ours", title="Ours", default=STORED, choices=(STORED, QUICK, FULL),
        titles={STORED: "as in the stored full run", QUICK: "made now, with fewer releases",
                FULL: "made now, in full"},
        help="Made now, on this machine and by this version, once you have pressed the button.",
    )


def claims_of(given: Given) -> Choice:
    return Choice(
        name="rp_claims", title="Claims", default=FAILING, choices=(FAILING, EVERY, *PAPERS),
        titles={FAILING: "that fail somewhere", EVERY: "of all papers",
                **{one: f"of {one}, {who}" for one, who in PAPERS.items()}},
    )


def made_again(part: str, full: bool, progress: Callable[[float], None] | None = None) -> Part:
    attempt = Attempt(full, tell=progress) if progress else Attempt(full)
    return running.make(part, attempt)


def again(given: Given, chosen: Table, stored: Record) -> Record | None:
    """The table made now, with the claims that belong to it, once somebody has asked for it."""
    full, work = given["rp_ours"] == FULL, given.work
    if given["rp_ours"] == STORED or chosen.item is None:
        return None
    parts = running.chosen_parts([chosen.item.id], full=full)
    held = all(work.keep.holds(made_again, part, full) for part in parts)
    if not held and not work.may_start(AGAIN):
        seconds = sum(stored.parts[one].seconds for one in parts if one in stored.parts)
        expected = about(seconds * (1 if full else running.QUICK_SHARE)) if seconds else "a while"
        work.wait_for(Job(
            AGAIN, f"Make {chosen.paper} {words.short_name(chosen)} again",
            f"It takes {expected}. Moving any control cancels; until then the stored numbers stay.",
            panel=NUMBERS))
        return None
    names = {part: f"{chosen.paper} {words.short_name(chosen)}, {number} of {len(parts)}"
             for number, part in enumerate(parts, start=1)}
    made = {part: work.told(names[part], made_again, part, full) for part in parts}
    real = tuple(one for one in chosen.item.data if Attempt().has(one))
    return Record(made, full=full, data=real, seconds=sum(one.seconds for one in made.values()))


def answer(given: Given) -> Answer:
    stored = last_run()
    chosen = next(one for one in stored.tables if words.table_id(one) == given["rp_item"])
    now = again(given, chosen, stored)
    shown = chosen if now is None else now.tables[0]
    made_now = "" if now is None else (
        f"; those of {chosen.paper} {words.short_name(chosen)} made now, with seed {now.seed}")
    given.work.computed_as = _stored_words(stored) + made_now
    return Answer(words.headline(stored), words.more(stored), (
        all_panel(stored, given.dark), numbers_panel(shown, chosen, stored, now), *why_panel(shown),
        claims_panel(given["rp_claims"], stored), *theorems_panel(stored),
    ), tuple(_notices(stored)))


def _stored_words(stored: Record) -> str:
    if not stored.parts:
        return f"{AS_STORED}: none yet"
    how = "full" if stored.full else "quick"
    return (f"{AS_STORED} in the {how} run of {stored.made} (version {stored.version}, seed "
            f"{stored.seed})")


def _notices(stored: Record) -> Iterator[Notice]:
    if stored.parts:
        yield Notice(words.made_sentence(stored), "quiet")
    if not Attempt().has("ma2019"):
        yield Notice(
            "The papers’ own data are not on this machine. What is stored comes from them all the "
            "same; what is made now is made on synthetic twins, and is then not judged.",
            "info", "info")


def all_panel(stored: Record, dark: bool) -> Panel:
    bars = figures.bars_of(stored)
    when = (f"the {'full' if stored.full else 'quick'} run of {stored.made}, version "
            f"{stored.version}, on the papers’ own data, real records" if stored.parts else
            "no run yet")
    return Panel(
        "reproduce-papers", "What became of every printed number",
        f"From {when}. Blue comes out as printed, to the digit or within a tolerance that is "
        "stated beside the number with its reason. Tables that print few numbers are one bar. A "
        "click on a bar shows its numbers below.",
        (figures.verdict_bars(bars, dark),), lambda: frames.by_table(stored),
        alt=figures.bars_alt(bars), legend=figures.legend(stored.numbers),
        pick=Pick("rp_item", tuple(words.table_id(bar.first) for bar in bars)),
    )


def numbers_panel(shown: Table, chosen: Table, stored: Record, now: Record | None) -> Panel:
    """The numbers of one table beside each other; a figure whose text prints none has its claims.
    """
    mine = _claims_of(now or stored, chosen)
    said = words.table_sentence(shown.judged)
    drawing = tables.numbers_table(shown.judged) if shown.judged else tables.claims_table(mine)
    about = (chosen.item.about, chosen.item.missing) if chosen.item else ()
    return Panel(
        NUMBERS, f"{chosen.paper} {words.short_name(chosen)}: printed and ours",
        " ".join(one for one in (_whence(shown, chosen, stored, now), *about) if one),
        drawing, lambda: frames.numbers_frame(shown.judged) if shown.judged
        else frames.cases_frame(mine),
        alt=f"{words.table_title(chosen)}. {said}", controls=("rp_item", "rp_ours"),
        prose=(" ".join(one for one in (said, words.claims_sentence(mine)) if one),),
    )


def _claims_of(found: Record, chosen: Table) -> list[Finding]:
    return [one for one in found.findings
            if (one.claim.paper, one.claim.item) == (chosen.paper, chosen.name)]


def _whence(shown: Table, chosen: Table, stored: Record, now: Record | None) -> str:
    """Which run these numbers are from, and on whose data it was made."""
    if now is None:
        return (f"Ours as in the stored run of {stored.made}, on the papers’ own data, real "
                "records.") if stored.parts else ""
    twins = sorted({one.ours.dataset for one in shown.judged
                    if one.ours and one.ours.dataset.endswith("-twin")})
    where = f", on {', '.join(words.data_name(one) for one in twins)} (synthetic)" if twins else ""
    how = "in full" if now.full else "with fewer releases, which scatter more"
    fine, number = good(chosen.judged)
    before = f" In the stored run {fine} of {number} came out." if stored.parts and number else ""
    return f"Ours were made now, {how}{where}.{before}"


def why_panel(shown: Table) -> Iterator[Panel]:
    drawing = tables.reasons_table(shown.judged)
    if drawing:
        yield Panel(
            "reproduce-why", "Why, and what other readings of the paper give", drawing=drawing,
            alt="Numbers that are not as printed, by their verdict, with the reason.", minor=True)


def claims_panel(wanted: str, stored: Record) -> Panel:
    found = [one for one in stored.findings if wanted in (EVERY, one.claim.paper) or (
        wanted == FAILING and one.fails)]
    which = {FAILING: "that fail somewhere", EVERY: "of all papers"}.get(wanted, f"of {wanted}")
    said = counted(len(found), "claim", "claims") + f" {which}"
    return Panel(
        "reproduce-claims", "What the papers say in words",
        f"{at_the_start(said)}, failing ones first. ✓ holds, ✗ does not, ? was not decided. Where "
        "there are two signs, the first is with empty groups left at zero, the second with empty "
        "groups treated like any other.",
        tables.claims_table(found) if found else None, lambda: frames.cases_frame(found),
        alt=f"{said}: {_first(found)}", controls=("rp_claims",), pictured=False,
    )


def _first(found: Sequence[Finding]) -> str:
    said = [f"{one.claim.sentence} {words.outcome(one.tried)}" for one in found[:3]]
    return "; ".join(said) or "there is none"


def theorems_panel(stored: Record) -> Iterator[Panel]:
    found = stored.theorems
    if found:
        yield Panel(
            "reproduce-theorems", "Theorems and formulas as printed",
            "Exact is what the method does, from its law and not from a simulation, at the "
            "settings named.",
            tables.theorems_table(found), lambda: frames.theorems_frame(found),
            alt=f"{len(found)} theorems and formulas with their verdicts.", folded=True,
        )


QUESTION = Question(
    address="reproduce", title="Reproduce", section="What is promised", icon="fact_check",
    asks="does what the papers print come out here, number by number and claim by claim?",
    sentence="So many of so many published numbers come out as printed, these do not and why, and "
    "this claim holds in Massachusetts but not elsewhere.",
    answer=answer, method=METHOD,
    sources=(sources.P0, sources.P1, sources.P2, sources.P3, sources.P4),
    method_title="What is compared with what, and when is a number within tolerance?",
    controls=(
        Control(table, at_panel=True, width=430), Control(ours, at_panel=True, width=280),
        Control(claims_of, at_panel=True, width=320),
    ),
    methods=no_methods, own_table=True,
    own_data="Five papers, P0 to P4: numbers as they are printed, beside ours from the papers’ own "
    "data, real records",
    uses=frozenset(),
)

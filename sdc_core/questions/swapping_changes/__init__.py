"""What swapping changes: which tables does it change, and which does it leave untouched?"""

from __future__ import annotations

from sdc_core.data.census1940 import (
    PRINTED_RATE,
    SOURCE,
    massachusetts_1940,
    massachusetts_1940_printed_release,
)
from sdc_core.histogram import Histogram
from sdc_core.metrics.tables import mean_absolute_percentage_error
from sdc_core.parameters import Choice, Percentage
from sdc_core.questions.answer import Action, Answer, Job, Notice, Panel, See
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.swapping_changes import figures, tables, words
from sdc_core.questions.swapping_changes.compute import (
    RATES,
    RUNS,
    Demonstration,
    Runs,
    eight_households,
    percentage_error_of_run,
    swap_massachusetts,
)
from sdc_core.questions.swapping_changes.method import METHOD

MANY_RUNS = "swap-runs"


def rate(given: Given) -> Percentage:
    """The same name and range as in the question about swap rate and ε, so that it is kept on the
    way from one to the other."""
    return Percentage(
        name="rate", title="Share of dwellings that are swapped", default=5.0, low=0.1, high=99.9,
        help="Each dwelling is selected with this chance; the selected exchange their counties. "
        "The slides go from 1% to 50%.",
    )


def step(given: Given) -> Choice:
    return Choice(
        name="step", title="Step", default="1", choices=tuple(words.STEPS), titles=words.STEPS,
        segments=True, label_hidden=True,
    )


def dwellings(given: Given) -> Histogram:
    return massachusetts_1940()


def answer(given: Given) -> Answer:
    given.work.releases_seen = max(given.work.releases_seen, 1)
    found = given.work.kept(swap_massachusetts, given["rate"] / 100, given.seed)
    headline, more = words.massachusetts_sentences(found)
    return Answer(
        headline, more,
        (changes(given, found), before_and_after(given, found, headline), many_runs(given),
         steps(given)),
        (Notice(
            f"One swapped release, seed {given.seed}.",
            "quiet",
        ),),
        (See("swap_rate", "Which ε a swap rate buys"),),
    )


def changes(given: Given, found: Demonstration) -> Panel:
    return Panel(
        "swapped-changes", "Where owned dwellings are counted now",
        "Each county's rented dwellings change by as much the other way, so its total stays. "
        "Diamonds are the averages over all releases, known exactly: what they do not explain is "
        "chance.",
        (figures.change_bars(found, given.dark),), lambda: figures.change_frame(found),
        alt=words.changes_in_words(found),
    )


def before_and_after(given: Given, found: Demonstration, headline: str) -> Panel:
    return Panel(
        "swapped-1940", "Massachusetts 1940, before and after",
        "Owned and rented dwellings by county. Only the inner counts change; colour shows by how "
        "much.",
        tables.before_after(found.table, found.released, found.margins, headline, given.dark),
        lambda: tables.before_after_frame(found.table, found.released, found.margins), headline,
    )


def many_runs(given: Given) -> Panel:
    name, title = "swap-error", "How far off, over many runs?"
    runs = runs_made(given)
    said = words.runs_sentence(runs)
    if not said:
        return Panel(name, title, f"{words.RUNS_PLANNED} Nothing has been run with this seed yet.")
    printed = mean_absolute_percentage_error(
        massachusetts_1940().counts, massachusetts_1940_printed_release().counts
    )
    return Panel(
        name, title, f"{said} {words.PRINTED}",
        (figures.error_boxes(runs, RATES, {PRINTED_RATE: printed.percent}),),
        lambda: figures.error_frame(runs),
        alt=f"Box plots of the mean absolute percentage error by swap rate. {said}",
        note=words.progress_sentence(runs),
    )


def runs_made(given: Given) -> Runs:
    """The errors of all runs that have been made with this seed; those that are missing wait to be
    asked for."""
    work, make = given.work, percentage_error_of_run
    wanted = [(rate, given.seed, run) for rate in RATES for run in range(RUNS)]
    missing = [one for one in wanted if not work.keep.holds(make, *one)]
    if missing and work.may_start(MANY_RUNS):
        work.each(lambda i: f"{len(missing)} swaps of the 1940 table", make, wanted)
    elif missing:
        work.wait_for(Job(
            MANY_RUNS, f"Run {len(missing)} swaps",
            "How far off, over many runs? Moving any control cancels; what is done is kept.",
        ))
    made = [one for one in wanted if work.keep.holds(make, *one)]
    runs = {rate: [work.kept(make, *one) for one in made if one[0] == rate] for rate in RATES}
    work.releases_seen = max(work.releases_seen, *map(len, runs.values()))
    return runs


def steps(given: Given) -> Panel:
    here = int(given["step"])
    example = given.work.kept(eight_households, given.seed)
    said = words.step_sentence(example, given["step"])
    return Panel(
        "eight-households", "Step by step, with eight households", prose=(said,),
        drawing=tables.example_table(example, here, said, given.dark), alt=said,
        controls=("step",),
        actions=(
            Action("Back", {"step": str(here - 1)}, "arrow_back", disabled=here == 1),
            Action("Next step", {"step": str(here + 1)}, "arrow_forward",
                   disabled=here == len(words.STEPS), primary=True),
        ),
    )


QUESTION = Question(
    address="swapping_changes", title="What swapping changes", section="Is it still true?",
    icon="shuffle", asks="which tables does swapping change, and which does it leave untouched?",
    sentence="Swapping p% of dwellings counts so many more as owned in county X and as many fewer "
    "elsewhere, yet every total stays exact.",
    answer=answer, method=METHOD, sources=(SOURCE,),
    method_title="What is swapped with what, and how is it computed?",
    controls=(Control(rate, width=560, prominent=True), Control(step, at_panel=True)),
    methods=no_methods,
    table=dwellings, own_table=True,
    own_data=f"Massachusetts 1940, real counts of owned and rented dwellings by county: {SOURCE}",
    uses=frozenset({"seed"}),
)

"""Texts that stay the same whatever the data are: methods explained, help, captions, definitions,
lessons. Where one says which way round something is, the fragment that says it stands here beside a
small computation of whether that is so (`truths`). Turned round, the text no longer has it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sdc_core as sdc
from tests import truths as so
from tests import truths_of_pages as page
from tests import truths_of_rules as rule

ROOT = Path(sdc.__file__).parent
Truth = Callable[[], bool]

# A file, and what it says with what shows that it is so.
CLAIMS: dict[str, list[tuple[str, Truth]]] = {
    "questions/tune/method.py": [
        ("With swap rates ε is smallest somewhere in the middle", so.smallest_in_the_middle),
        ("at 0% nobody is swapped, and at 100% everybody is known to have been moved",
         so.almost_everybody_swapped_has_a_large_epsilon),
        ("may meet any wish about error and promise nothing", so.promises_in_words),
    ],
    "questions/tune/__init__.py": [
        ("off by at most so much, noise needs an ε of at least so much",
         so.smaller_epsilon_more_noise),
    ],
    "questions/tune/wish.py": [("as hiding counts below 6?", so.hidden_is_what_is_below_k)],
    "questions/frontier/__init__.py": [
        ("Methods that add noise put people into empty groups, too; offices that hide counts "
         "usually do not", so.noise_puts_people_into_empty_groups),
        ("filled marks have a promise that holds, hollow ones none to rely on",
         so.promises_in_words),
        ("At the error of hiding counts below 6", so.hidden_is_what_is_below_k),
        ("Down and left is better", so.beaten_beyond_two_standard_errors),
    ],
    "questions/frontier/method.py": [
        ("A release that has nothing to do with the data gains nothing; the data as they are gain "
         "most", so.attack_gains_all_from_the_data_and_nothing_from_elsewhere),
        ("Luck: combinations that nobody has and that are shown all the same",
         so.attack_gains_all_from_the_data_and_nothing_from_elsewhere),
        ("shows more people of this combination than halfway between the count without and with "
         "the person", so.halfway_is_the_best_rule_for_noise),
        ("For noise this rule is the best there is", so.halfway_is_the_best_rule_for_noise),
        ("For other methods a cleverer intruder may gain more, so it is a lower bound",
         so.a_cleverer_intruder_may_gain_more),
        ("if another one is lower on one axis by more than two standard errors of the difference, "
         "and on the other axis as well, or for certain not higher",
         so.beaten_beyond_two_standard_errors),
        ("**Filled marks** have a promise that holds, at least in part; hollow ones none, a broken "
         "one, or one that is too slack or nearly empty", so.promises_in_words),
        ("takes the most frequent sensitive one among people who look alike in the release, and is "
         "compared with always giving the most frequent answer of the data",
         rule.guesses_are_held_against_the_data_s_most_common_answer),
    ],
    "questions/undo/method.py": [
        ("**Hidden** is every count below k", so.hidden_is_what_is_below_k),
        ("gives it away, as the total less all that is shown", so.hidden_counts_follow_from_totals),
        ("**At least and at most**: the smallest and the largest number that a hidden count can be "
         "so that all totals come out", so.hidden_counts_follow_from_totals),
        ("are whole numbers, so the bounds are exact",
         so.hidden_counts_follow_from_totals),
        ("each get Laplace noise with a third of ε, so that all together keep ε",
         so.epsilons_of_tables_add_up),
    ],
    "questions/published_tables/method.py": [
        ("What a hidden number can be is the least and the largest value in any table, over real "
         "numbers, that agrees with this", page.a_range_is_all_that_fits_what_is_shown),
        ("Two would tell that every × is from 1 to k − 1, closer than the rule allows",
         page.two_signs_tell_more_than_the_rule_allows),
        ("of each kind move by a + b together, but the sum of all by their difference only",
         page.a_changed_record_moves_the_sum_of_all_by_the_difference),
        ("splits ε evenly over the kinds of numbers", so.epsilons_of_tables_add_up),
        ("since without negatives totals would be too high",
         page.without_negatives_totals_are_too_high),
        ("at random, so that it is right on average", page.rounding_either_way_is_right_on_average),
    ],
    "questions/delta_epsilon/attack.py": [
        ("Theorems say how much is given away at most, an attack how much at least",
         so.halfway_is_the_best_rule_for_noise),
        ("What it can do is a lower limit of what the method gives away",
         so.a_cleverer_intruder_may_gain_more),
        ("A small number proves nothing: a better attack may find more",
         so.a_cleverer_intruder_may_gain_more),
    ],
    "questions/delta_epsilon/__init__.py": [
        ("The guarantee is the worst case over all tables with counts up to B. Leave it empty for "
         "the largest group in this data; a small B, such as 12, shows more of the curves",
         so.a_large_largest_count_leaves_no_promise),
        ("How often the odds move by more than e^ε, in the worst tables",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("Never less than δ, which counts only what goes beyond",
         so.delta_is_below_the_chance_of_a_larger_loss),
    ],
    "questions/delta_epsilon/method.py": [
        ("It is never below δ: a release that is a little more than e^ε times as likely counts in "
         "full here and hardly in δ", so.delta_is_below_the_chance_of_a_larger_loss),
        ("how often a release comes out that is more than e^ε times as likely as under the "
         "neighbour, for the worst neighbours", so.delta_is_below_the_chance_of_a_larger_loss),
        ("The two are equal where such releases are impossible under the neighbour",
         so.equal_where_the_loss_is_infinite),
        ("The published bound **does not hold** where the true δ is larger",
         so.promises_in_words),
        ("**A δ is small** if it is below one over the number of people: a δ of 1/n would allow to "
         "publish one of n records as it is", so.a_slack_of_one_in_n_publishes_a_record),
        ("an upper bound unless δ = 0 (group privacy)", so.steps_of_several_people_add_up),
        ("changes one count and not two: noise with δ = 0 then has ε/2",
         so.one_count_instead_of_two_halves_epsilon),
        ("with a chance of at least p on one side and at most q on the other",
         so.chances_lie_between_their_bounds),
        ("**True δ** is the largest, over all neighbours with counts up to the largest count B",
         so.a_large_largest_count_leaves_no_promise),
        ("so ε is at least ln((p − δ)/q)", rule.an_event_bounds_epsilon_from_below),
        ("the best bound counts: more tries only tighten it", rule.more_tries_tighten_a_bound),
        ("one more person can make a larger count", so.a_large_largest_count_leaves_no_promise),
        ("Suppression of all counts below k", so.hidden_is_what_is_below_k),
    ],
    "questions/compare/method.py": [
        ("Noise averages out but for counts below zero, which are set to zero; hiding does not",
         so.noise_averages_out_but_below_zero),
        ("Noise always reaches empty groups", so.noise_puts_people_into_empty_groups),
        ("the largest bias of any group minus the smallest, over all groups, empty ones included, "
         "as the papers define it. Zero means that all groups are moved alike",
         so.alpha_is_zero_if_all_are_moved_alike),
        ("It is not how often the odds move by more than e^ε",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("which leaves noise in every average and makes systematic error and α come out too large",
         so.averages_of_absolute_values_come_out_too_large),
        ("ranked only if they are more than two of them apart, and a size of group is called moved "
         "only beyond three, since it is picked from several",
         so.two_standard_errors_may_be_chance),
        ("what remains of it when many releases are averaged",
         so.noise_averages_out_but_below_zero),
        ("A method can be better by the one and worse by the other",
         rule.better_by_one_error_and_worse_by_the_other),
        ("or an upper bound of it (\"at most\")", so.a_large_largest_count_leaves_no_promise),
    ],
    "questions/classification/__init__.py": [
        ("The finer the released table, the more it is disturbed", so.more_groups_more_error),
    ],
    "questions/classification/method.py": [
        ("whoever always says the same gets 50%",
         so.always_saying_the_same_is_right_for_half_of_the_answers),
        ("as they are picked from many, it takes three standard errors",
         so.two_standard_errors_may_be_chance),
        ("more than two of its standard errors", rule.ranked_beyond_two_or_three_standard_errors),
        ("gives a model that always says that class", rule.a_model_of_one_class_says_that_class),
    ],
    "questions/funding/__init__.py": [
        ("The more groups a table has, the more error adds up in each place",
         so.more_groups_more_error),
        ("Rule: more than, %", rule.a_rule_is_more_than_a_share),
        ("Applies to places where the group is a larger share", rule.a_rule_is_more_than_a_share),
        ("the rule “more than x% renters” flips", rule.a_rule_is_more_than_a_share),
    ],
    "questions/funding/method.py": [
        ("is half the sum of all gains and losses: what one place has too much, another has too "
         "little", so.pot_half_the_sum_of_gains_and_losses),
        ("A place's gain is what it gets by a released table minus what it gets by the true counts",
         so.pot_half_the_sum_of_gains_and_losses),
        ("A chance that is seen in none of 200 releases is below 1.5% with 95% confidence",
         so.zero_of_n_excludes_three_in_n),
        ("**Groups that have nobody** matter for money", so.noise_puts_people_into_empty_groups),
        ("noise adds up, and groups that are hidden and filled in add up in one direction",
         so.hiding_leans_to_one_side),
        ("applies to a place if more than x% of its people belong to the group. It flips if the "
         "released table says otherwise than the true one. Equality is not *more than*",
         rule.a_rule_is_more_than_a_share),
        ("release by release, is more than two standard errors; else",
         rule.ranked_beyond_two_or_three_standard_errors),
        ("A place gains or loses *on average* where its mean is more than three standard errors "
         "from nothing, and *steadily* where it also does so in more than nine of ten releases",
         rule.steadily_is_nine_of_ten),
    ],
    "questions/map/method.py": [
        ("noise always reaches them", so.noise_puts_people_into_empty_groups),
        ("places are ranked only where they are more than three standard errors apart (of many "
         "places some are two apart by chance)", so.two_standard_errors_may_be_chance),
        ("a zero then proves that nobody is there",
         so.zero_left_alone_proves_that_nobody_is_there),
        ("A method can be worse by the one and better by the other",
         rule.better_by_one_error_and_worse_by_the_other),
        ("Small places show more for every 1,000",
         rule.the_same_error_is_more_for_every_thousand_of_a_small_place),
        ("Counts that are too high make up for others that are too low, so a method near 0 leans "
         "to no side and may still be far off", rule.too_high_makes_up_for_too_low),
    ],
    "questions/protected/method.py": [
        ("ε for h people is h times ε for one, and counts with noise do reach it. With zCDP ρ "
         "grows with h²", so.steps_of_several_people_add_up),
        ("With zCDP ρ grows with h²", so.rho_grows_with_the_square),
        ("otherwise the larger of this and ln(p/(1 − p)); b is the largest group of records",
         so.smallest_in_the_middle),
        ("t tables about the same people, ε each, are tε together", so.epsilons_of_tables_add_up),
    ],
    "questions/protected/__init__.py": [
        ("Common practice is well below one over the number of people",
         so.a_slack_of_one_in_n_publishes_a_record),
        ("Too slack: δ is not below one over the number of people. Nearly empty: what it allows "
         "excludes hardly anything. Broken: less holds than was published", so.promises_in_words),
    ],
    "questions/reidentification/method.py": [
        ("none in n releases is read as in at most 3/n of them", so.zero_of_n_excludes_three_in_n),
        ("where a method shows 0 only if nobody is there, answers at 0 are ruled out",
         so.zero_left_alone_proves_that_nobody_is_there),
        ("One with a member who is one of a kind always is",
         so.household_with_one_of_a_kind_is_one),
        ("whose combination is in the release at least once; Das et al. 2024 (§7, Figure 5) take "
         "singletons of both, that is exactly once", rule.at_least_once_and_exactly_once),
        ("ranked only where they differ by more than two standard errors",
         rule.ranked_beyond_two_or_three_standard_errors),
        ("a single answer is left above 0", so.zero_left_alone_proves_that_nobody_is_there),
        ("Noise can bring any count to 0, so it makes no answer certain",
         rule.noise_can_make_any_count_zero),
        ("It is held against always guessing the **most common answer** in the data, which is the "
         "same for all methods", rule.guesses_are_held_against_the_data_s_most_common_answer),
        ("**Guess**: the most frequent value of the sensitive feature among released records",
         rule.guesses_are_held_against_the_data_s_most_common_answer),
    ],
    "questions/sparsity/method.py": [
        ("So on average people appear where there are none",
         so.noise_puts_people_into_empty_groups),
        ("what falls below 0 is put back to 0", so.noise_averages_out_but_below_zero),
        ("and thereby tells everybody that nobody is there",
         so.zero_left_alone_proves_that_nobody_is_there),
        ("pays k/2 people for each", so.filled_zeros_cost_half_of_k),
        ("plus z f(0) for z empty ones, and two straight lines meet at z = difference of the first "
         "parts / difference of the f(0)", so.crossing_of_two_lines),
        ("More features make smaller groups as well as more empty ones",
         so.many_features_make_groups_smaller_and_emptier),
    ],
    "questions/subgroups/method.py": [
        ("flatter has a slope that is 18% closer to zero", so.slopes_and_points),
        ("the largest minus the smallest change of slope, with their signs, in percentage points "
         "of the true slope: −6% and +22% are 28 points apart", so.slopes_and_points),
        ("noise does so, since counts below zero are set to zero",
         so.noise_averages_out_but_below_zero),
        ("so that small errors are seen beside large ones", so.square_root_lifts_what_is_small),
        ("the finer a table, the larger all errors", so.more_groups_more_error),
        ("fitted by least squares through all people", rule.least_squares_is_least),
    ],
    "questions/swap_rate/__init__.py": [
        ("Dots are the theorem's smallest ε; in small groups the exact one, a ring, is lower",
         so.theorem_is_never_below_the_exact_worst_case),
        ("Swapping almost everybody has a large ε too",
         so.almost_everybody_swapped_has_a_large_epsilon),
        ("Matching on more features can make groups smaller, and with them ε, but releases more "
         "counts untouched: a smaller ε does not mean that less is revealed",
         so.many_features_make_groups_smaller_and_emptier),
        ("The wider the area within which households are exchanged, the larger ε",
         so.larger_groups_have_a_larger_epsilon),
        ("no swap rate gets below 6.2", so.smallest_in_the_middle),
        ("the thick line is the exact worst case for the largest group of this table",
         so.theorem_is_never_below_the_exact_worst_case),
    ],
    "questions/swap_rate/method.py": [
        ("above it the larger of that and ln o. It is 0 for b = 1 and infinite at p = 0 and p = "
         "100%. The smallest is ½ ln(b + 1), at o = √(b + 1)", so.smallest_in_the_middle),
        ("Its smallest value is 0 for b = 2 (at p = 50%), 0.23 for b = 3",
         so.rare_groups_have_forms_of_their_own),
        ("The theorem is never below it and for large groups almost the same",
         so.theorem_is_never_below_the_exact_worst_case),
        ("**ε, exact worst case**: the larger of ln o and ½ ln(D_b / D_{b−2}) − ln o for b of at "
         "least 4", so.theorem_is_never_below_the_exact_worst_case),
        ("and the size b of the largest group", so.larger_groups_have_a_larger_epsilon),
        ("where D_n counts the shuffles of n values that leave nobody their own",
         rule.derangements_leave_nobody_their_own),
        ("and the largest of ln o, ⅓ ln 2 − ln o and ½ (ln 2 − ln o)",
         so.rare_groups_have_forms_of_their_own),
    ],
    "questions/theorems/method.py": [
        ("the largest minus the smallest average error of a group, with its sign",
         so.alpha_is_zero_if_all_are_moved_alike),
        ("a bound below the exact value *fails*; one more than ten times as large *holds but says "
         "little*; a formula that claims to be the exact value holds only if it is",
         rule.verdicts_follow_printed_and_exact),
    ],
    "questions/told_apart/method.py": [
        ("None in n releases is read as in at most 3/n of them", so.zero_of_n_excludes_three_in_n),
        ("noise always makes some up", so.noise_puts_people_into_empty_groups),
        ("half the sum of the differences is the share of people in the wrong group",
         so.half_the_differences_are_in_the_wrong_group),
        ("a released record with a score of {} or more", rule.scores_of_95_or_more),
        ("ranked only where they differ by more than two standard errors",
         rule.ranked_beyond_two_or_three_standard_errors),
    ],
    "questions/intruders/__init__.py": [
        ("Cut off the largest 2% first | Top-coding: before any method, the largest 2% of every "
         "number become the next one", rule.top_coding_cuts_the_largest),
        ("The second knows who has the largest", rule.the_largest_is_taken_for_the_largest),
        ("Looked for: whoever has the largest", rule.the_largest_is_taken_for_the_largest),
        ("for the third intruder 50% is a guess", rule.who_is_in_the_data_is_closer),
    ],
    "questions/intruders/figures.py": [
        ("Knows who has the largest value", rule.the_largest_is_taken_for_the_largest),
    ],
    "questions/classification/words.py": [
        ("the model then always says that class", rule.a_model_of_one_class_says_that_class),
        ("of what has two values nearly everybody has the same",
         page.what_nearly_everybody_answers_alike_is_not_predicted),
    ],
    "questions/funding/captions.py": [
        ("gains in one release and loses in another cancels out in its bar, so bars add up to less "
         "than what a single release sends to the wrong",
         page.what_goes_up_and_down_cancels_in_the_mean),
    ],
    "questions/microdata_lab/words.py": [
        ("show the original's first two components", page.the_first_components_hold_most),
        ("The marked record, the most exposed one",
         rule.the_largest_distance_of_cook_changes_the_fit_most),
    ],
    "questions/reidentification/figures.py": [
        ("only one is left above 0, and zeros are real",
         so.zero_left_alone_proves_that_nobody_is_there),
    ],
    "questions/intruders/words.py": [
        ("Nobody is alone with what this intruder knows, so there is nobody to find that way",
         page.where_all_come_in_pairs_nobody_is_alone),
        ("of whoever has the largest {} is read off rightly in so many releases",
         rule.the_largest_is_taken_for_the_largest),
        ("The largest 2% of every number were cut off before each method",
         rule.top_coding_cuts_the_largest),
        ("(50% is a guess)", rule.who_is_in_the_data_is_closer),
    ],
    "questions/intruders/method.py": [
        ("knows who has the largest value of a variable, takes the released record with the "
         "largest value for that person's", rule.the_largest_is_taken_for_the_largest),
        ("that of somebody in the data and somebody not the first is closer; 50% is a guess",
         rule.who_is_in_the_data_is_closer),
        ("yes if the intruder is right in at most 10% of cases, in part up to 50%",
         rule.few_right_is_a_yes),
        ("averaged, as sdcMicro does by itself, nobody has the largest value alone",
         rule.averaged_tails_hide_who_is_largest),
        ("may do better: a yes here is no promise", so.a_cleverer_intruder_may_gain_more),
    ],
    "questions/told_apart/words.py": [
        ("nobody real is found by this: it tells where a record comes from, not whose it is",
         page.whoever_looks_alike_is_as_likely_released),
    ],
    "questions/undo/words.py": [
        ("or hides no further counts to protect the first (secondary suppression), which is what "
         "offices do against this attack", so.hidden_counts_follow_from_totals),
    ],
    "questions/told_apart/__init__.py": [
        ("a score of {} or more", rule.scores_of_95_or_more),
    ],
    "questions/protected/perverse.py": [
        ("Nobody is better protected: by then no count is protected at all",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("nobody is better protected by it",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("odds move by at most", rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("The same tables in print, so nobody is better protected",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("The noise is the same, so nobody is better protected",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("changes none of them, so nobody is better protected",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("With more tables the sum counts; nobody is better protected by quoting them one by one",
         so.epsilons_of_tables_add_up),
        ("Publish more exactly", rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("Make the unit smaller", so.steps_of_several_people_add_up),
        ("No finite ε holds for this noise", so.delta_is_below_the_chance_of_a_larger_loss),
        ("Measure more kindly", so.rho_grows_with_the_square),
        ("a factor of more than a million", so.promises_in_words),
        ("the largest group of exchangeable records stays as it is here",
         rule.the_largest_stratum_is_the_largest),
        ("the largest group of exchangeable records has {} instead of {}",
         rule.the_largest_stratum_is_the_largest),
        ("Count people by two features or more to see this trick",
         rule.the_largest_stratum_is_the_largest),
    ],
    "questions/sparsity/figures.py": [
        ("Who has less error, at which ε?", rule.first_has_less_error_where_it_is_said),
        ("has less error nowhere", rule.first_has_less_error_where_it_is_said),
        ("has less error up to {} empty", rule.first_has_less_error_where_it_is_said),
        ("has less error from {} empty on", rule.first_has_less_error_where_it_is_said),
    ],
    "questions/sparsity/__init__.py": [
        ("what remains when many releases are averaged", so.noise_averages_out_but_below_zero),
        ("the method that adds noise has less error, by ε", so.smaller_epsilon_more_noise),
        ("from which share of empty groups on is noise worse than suppression",
         so.crossing_of_two_lines),
        ("With this table Laplace has less error than suppression that leaves empty groups at 0, "
         "as long as fewer than so many of the groups are empty", so.crossing_of_two_lines),
    ],
    "questions/theorems/__init__.py": [
        ("Left of the line at 1 a theorem fails; far to the right it holds but says little",
         rule.verdicts_follow_printed_and_exact),
    ],
    "questions/swap_rate/figures.py": [
        ("Left of the dots,<br>larger groups have a <b>larger</b> ε",
         so.larger_groups_have_a_larger_epsilon),
        ("Every larger ε<br>is reached by<br><b>two</b> swap rates", so.smallest_in_the_middle),
        ("Dots: for each<br>size, a <b>smallest</b><br>ε exists", so.smallest_in_the_middle),
    ],
    "questions/microdata_lab/method.py": [
        ("**The most exposed record** is the one with the largest Cook's distance in the "
         "regression of the outcome on all other variables: without it, the fit would change most",
         rule.the_largest_distance_of_cook_changes_the_fit_most),
    ],
    "questions/compare/__init__.py": [
        ("Exact formulas give what infinitely many would", so.noise_averages_out_but_below_zero),
    ],
    "mechanisms/suppression.py": [
        ("this breaks the guarantee: a zero then proves that nobody is there",
         so.zero_left_alone_proves_that_nobody_is_there),
        ("a count is hidden if count plus noise is below k", so.hidden_is_what_is_below_k),
        ("every count below k is hidden, and by noise some above it", rule.noise_hides_some_above),
        ("Hides every count below k and publishes about k/2 instead",
         so.hidden_is_what_is_below_k),
        ("Not to larger groups: every count of k or more is published exactly",
         so.hidden_is_what_is_below_k),
        ("some tables that differ in one person can always be told apart (δ = 1)",
         rule.hiding_tells_two_tables_apart),
        ("never look alike, and whoever knows everybody else can tell them apart for sure",
         rule.hiding_tells_two_tables_apart),
        ("every count of {} or more", so.hidden_is_what_is_below_k),
        ("Hide below a noisy limit | hiding below a noisy limit", rule.noise_hides_some_above),
        ("Hides counts that fall below k after noise; publishes all others exactly",
         rule.noise_hides_some_above),
        ("All others, nearly always those of large groups, are published exactly",
         so.a_large_largest_count_leaves_no_promise),
        ("because a 0 then proves that nobody is there",
         so.zero_left_alone_proves_that_nobody_is_there),
        ("never come out alike. The true δ is 1", so.equal_where_the_loss_is_infinite),
        ("large counts are almost always published exactly",
         so.a_large_largest_count_leaves_no_promise),
    ],
    "mechanisms/noise.py": [
        ("A second table about the same people adds its own ε", so.epsilons_of_tables_add_up),
        ("may lie above e^ε times what it is when one person's record changes. It is not how often "
         "the odds move by more than e^ε, which happens more often. Common practice: well below "
         "one over the number of people", so.delta_is_below_the_chance_of_a_larger_loss),
        ("the larger δ, the smaller ε", rule.a_larger_slack_has_a_smaller_epsilon),
        ("So the true δ is smaller than the published one", rule.printed_slack_is_larger),
        ("Exact: the chance of any output moves by at most e^ε",
         so.one_count_instead_of_two_halves_epsilon),
        ("finds the smallest noise that meets a wanted (ε, δ) exactly",
         rule.less_noise_would_not_do),
    ],
    "mechanisms/permutation.py": [
        ("More features make smaller groups: less is changed, and more is published exactly",
         so.many_features_make_groups_smaller_and_emptier),
        ("b is the largest group of matching records. Larger groups cost more",
         so.larger_groups_have_a_larger_epsilon),
        ("and a larger one makes ε larger", so.larger_groups_have_a_larger_epsilon),
        ("nobody can exchange values alone", rule.derangements_leave_nobody_their_own),
        ("every record for sure loses its own value", rule.derangements_leave_nobody_their_own),
    ],
    "mechanisms/kanonymity.py": [
        ("that is published is shared by at least k people. Groups that are smaller are merged",
         so.merged_groups_have_at_least_k),
        ("values that at least k people share", so.merged_groups_have_at_least_k),
        ("has k people or more", so.merged_groups_have_at_least_k),
        ("a group has at least k people", so.merged_groups_have_at_least_k),
        ("A group of k people or more, not a person", so.merged_groups_have_at_least_k),
        ("until each has k people or more", so.merged_groups_have_at_least_k),
        ("δ is at most β: 63% at ε = 1", rule.a_sample_shows_whom_it_keeps),
        ("The paper's δ is larger: it bounds how often the loss is above ε, which is more often "
         "than δ", so.delta_is_below_the_chance_of_a_larger_loss),
        ("Merging groups afterwards can only lower it, so it is an upper bound",
         rule.what_is_made_of_a_release_tells_no_more),
    ],
    "mechanisms/microaggregation.py": [
        ("Every released record has the same numbers as at least k − 1 others",
         rule.averaged_records_look_alike),
        ("Replaces the numbers of k or more similar records by their means",
         rule.averaged_records_look_alike),
        ("k or more look alike", rule.averaged_records_look_alike),
        ("A cluster of k records or more, not a person", rule.averaged_records_look_alike),
        ("whoever knows everybody else can tell (δ = 1)", rule.the_last_one_follows_from_a_mean),
        ("whoever knows all other records can work out the last one",
         rule.the_last_one_follows_from_a_mean),
    ],
    "mechanisms/dp_swapping.py": [
        ("the donor is drawn at random, closer ones more often", rule.closer_donors_are_likelier),
        ("they may come from another record, nearer ones more often",
         rule.closer_donors_are_likelier),
    ],
    "mechanisms/topdown.py": [
        ("more for one means more noise in the other", rule.a_shared_budget_is_shared),
        ("for the table made from them, which reveals no more",
         rule.what_is_made_of_a_release_tells_no_more),
    ],
    "parameters.py": [
        ("by a factor of at most e^ε. At ε = 0.1 it moves by 10%; at ε = 1 by 2.7 times; at ε = 4 "
         "by 55 times. Smaller is more private and less accurate",
         rule.odds_in_the_help_of_epsilon),
    ],
    "privacy/protection.py": [
        ("no set of tables is more than e^ε times as likely, plus δ",
         rule.an_event_bounds_epsilon_from_below),
        ("no published table becomes more than e^ε times as likely or unlikely",
         so.one_count_instead_of_two_halves_epsilon),
    ],
    "questions/study.py": [
        ("Left at 0, a zero proves that nobody is there, which breaks the promise of DP "
         "suppression. Methods that add noise always add it to empty groups as well",
         so.zero_left_alone_proves_that_nobody_is_there),
    ],
    "metrics/areas.py": [
        ("How many people too high (+) or too low (−) the average release puts the counts",
         rule.too_high_makes_up_for_too_low),
        ("on balance: one too high makes up for one too low", rule.too_high_makes_up_for_too_low),
        ("puts into a place's groups that have nobody", so.noise_puts_people_into_empty_groups),
    ],
    "questions/protected/census.py": [
        ("zCDP: an average over the odds, not their worst case", so.rho_grows_with_the_square),
        ("on top of TopDown's: the same people are in both", so.epsilons_of_tables_add_up),
        ("on the largest group of matching households b", so.larger_groups_have_a_larger_epsilon),
        ("depends on the match but is more than TopDown keeps", rule.swapping_keeps_totals),
        ("Their distance takes a square root, so its square is the ρ of zCDP",
         rule.the_census_epsilon_is_recomputed),
        ("15.29 is that ρ. The recomputed ε is 0.01 below the printed one",
         rule.the_census_epsilon_is_recomputed),
    ],
    "questions/reidentification/words.py": [
        ("where a group of one person or nobody is shown, nobody is there",
         so.noise_puts_people_into_empty_groups),
        ("in groups that it publishes to the last person", so.hidden_is_what_is_below_k),
    ],
    "questions/sparsity/words.py": [
        ("the more empty groups, the more systematic error noise has, while that of suppression "
         "stays", so.crossing_of_two_lines),
        ("and what an empty group adds cannot be told", so.crossing_of_two_lines),
    ],
    "questions/compare/figures.py": [
        ("when many releases are averaged", so.noise_averages_out_but_below_zero),
    ],
    "questions/delta_epsilon/figures.py": [
        ("Pr[loss > ε]: chance that odds move by more than e^ε",
         so.delta_is_below_the_chance_of_a_larger_loss),
    ],
    "questions/protected/figures.py": [
        ("less looks better", so.smaller_epsilon_is_stronger),
    ],
    "questions/protected/words.py": [
        ("by publishing more exactly, the ε of swapping on this table",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
        ("with nothing exempted, neither of the two has a finite ε", rule.swapping_keeps_totals),
        ("not below one over the number of people: too much to rely on, since it would allow to "
         "print a record or more as it is", so.a_slack_of_one_in_n_publishes_a_record),
        ("the other for a household, and swapping keeps more counts exact",
         rule.swapping_keeps_totals),
        ("and nobody is better protected",
         rule.tricks_make_epsilon_smaller_and_protect_nobody_better),
    ],
    "questions/swapping_changes/__init__.py": [
        ("counts so many more as owned in county X and as many fewer elsewhere, yet every total "
         "stays exact", rule.swapping_keeps_totals),
    ],
    "questions/swapping_changes/words.py": [
        ("; every total stays exact.", rule.swapping_keeps_totals),
        ("so that nobody gets back their own", rule.derangements_leave_nobody_their_own),
    ],
    "words/glossary.py": [
        ("so smaller is stronger", so.smaller_epsilon_is_stronger),
        ("may go beyond what ε allows, from 0 (no slack) to 1 (no promise)",
         so.a_slack_of_one_in_n_publishes_a_record),
        ("Hides a count if it is below the limit k after noise has been added",
         so.hidden_is_what_is_below_k),
        ("A combination of values that nobody in the data has; noise can make people appear there "
         "who do not exist", so.noise_puts_people_into_empty_groups),
        ("of which no other one has less error without helping an intruder more",
         so.beaten_beyond_two_standard_errors),
        ("makes groups of at least k people", so.merged_groups_have_at_least_k),
        ("Merges groups until at least k people look alike", so.merged_groups_have_at_least_k),
        ("The smallest number of people that may be shown: groups with fewer are hidden",
         so.hidden_is_what_is_below_k),
        ("number of records in the largest group of those that may exchange values",
         so.larger_groups_have_a_larger_epsilon),
        ("the true value is no worse than this, and may be much better",
         so.theorem_is_never_below_the_exact_worst_case),
        ("a mere guess, so smaller is closer to the original",
         so.scores_nearer_to_a_guess_have_a_smaller_pmse),
        ("smaller is stronger, and it can be turned into ε with a small δ",
         so.rho_grows_with_the_square),
        ("about two thirds of all draws are closer to zero than this",
         so.two_thirds_lie_within_sigma),
        ("differences of less than two of them may be chance",
         so.two_standard_errors_may_be_chance),
        ("that stays when many releases are averaged: how far a count is too high or too low on "
         "average", so.noise_averages_out_but_below_zero),
        ("The smallest δ for which the privacy promise holds at its ε",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("the largest systematic error of any group minus the smallest; 0 means that all are moved "
         "alike", so.alpha_is_zero_if_all_are_moved_alike),
        ("1000 is full agreement", so.half_the_differences_are_in_the_wrong_group),
    ],
    "lessons/epsilon.py": [
        ("They know what everybody else said, but nothing about you", so.half_knows_nothing),
        ("How many dots can they fill now, at the very worst?",
         so.surest_grows_from_a_toss_up_to_nearly_all),
        ("and never more, whatever they know about everybody else. Move the slider: with a small ε "
         "it stays close to a toss-up, with a large one nearly all dots fill",
         so.surest_grows_from_a_toss_up_to_nearly_all),
        ("At most {factor} to one", so.surest_grows_from_a_toss_up_to_nearly_all),
        ("Here are two that are in print. | What does the larger of them",
         so.numbers_in_use_are_in_order),
        ("Some kinds of noise keep to ε only nearly always",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("red ones give away more than ε = {epsilon} allows",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("it counts each of them only by how far it goes beyond, so it is smaller",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("After the table, at worst", so.surest_grows_from_a_toss_up_to_nearly_all),
        ("even odds become at most", so.smaller_epsilon_is_stronger),
        ("Red: tables that give away more than ε", so.delta_is_below_the_chance_of_a_larger_loss),
        ("Purple and red: tables that give away more than ε",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("why a large one promises little", so.smaller_epsilon_is_stronger),
    ],
    "lessons/seven_people.py": [
        ("You know a man who lives in block one", so.the_only_man_in_the_first_block_may_vote),
        ("That he {known}: the table has only {men} man in that block",
         so.the_only_man_in_the_first_block_may_vote),
        ("An office hides every count below {k}", so.hidden_is_what_is_below_k),
        ("In the others nobody is there, so {invented} are invented",
         so.filled_zeros_cost_half_of_k),
        ("swapping genders never touches those numbers", so.swapping_gender_leaves_the_rest),
        ("until every group that it prints has at least {k} people",
         so.merged_groups_have_at_least_k),
        ("a random number is added or taken away, and large ones are rare",
         so.large_noise_is_rarer),
        ("the smaller it is, the more noise", so.smaller_epsilon_more_noise),
        ("The noise does not grow with the table", so.noise_hangs_on_epsilon_not_on_the_count),
        ("A promise that holds for everybody comes with", so.promises_in_words),
    ],
    "report/brief.py": [
        ("whoever publishes several about the same people gives away more: where there is an ε, "
         "they add up", so.epsilons_of_tables_add_up),
    ],
    "calibrate/declared.py": [
        ("The mean bias: plus is too high, minus too low. Errors either way cancel",
         so.noise_averages_out_but_below_zero),
        ("Σ bias over groups that have nobody", so.noise_puts_people_into_empty_groups),
        ("the groups moved up most and least to be {amount} apart",
         so.alpha_is_zero_if_all_are_moved_alike),
        ("how much further up the average release moves the one",
         so.alpha_is_zero_if_all_are_moved_alike),
        ("Pr[loss > ε] in the worst tables, which is not δ",
         so.delta_is_below_the_chance_of_a_larger_loss),
        ("No promise counts as an ε without end", so.promises_in_words),
    ],
}


@functools.cache
def text_of(file: str) -> str:
    """All that a file says, each text in one piece; where a number is filled in stands {}."""
    tree = ast.parse((ROOT / file).read_text())
    inside = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}

    def pieces() -> Iterator[tuple[int, int, str]]:
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield node.lineno, node.col_offset, "".join(
                    str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (
                    id(node) not in inside):
                yield node.lineno, node.col_offset, node.value

    return " | ".join(re.sub(r"\s+", " ", piece) for _, _, piece in sorted(pieces()))


@pytest.mark.parametrize("file", CLAIMS)
def test_a_text_says_which_way_round_it_is(file: str) -> None:
    missing = [says for says, _ in CLAIMS[file] if says not in text_of(file)]
    assert not missing


# What would be said if a word were turned round where only one way round makes sense.
NONSENSE = re.compile(
    r"\bhow few\b|\bHow few\b|\bSo few\b|\bfor (so few (people|after|when)|as few)\b"
    r"|too few or too few|too many or too many|too (high or( too)? high|low or( too)? low)\b"
    r"|\b[tT]akes up\b|that takes noise|\badds (a setting|a while|minutes|long|equation|the other|"
    r"the (share|whole|most|gender|released)|with a chance)"
    r"|\b(have|has|where) everybody( is| in|\.|\)| anywhere| has)|values that everybody"
    r"|combinations that everybody|everybody (has the largest|gets back|keeps their|can be found)"
    r"|to neither sides?\b|\bneither (lie|are equal)\b|fear least|show neither\.|as never\."
    r"|real synthetic|synthetic (people|ones\.|file which)|stated by synthetic"
    r"|(kept|[sS]tays?|keeps|counts|to what is) simulated\b|simulated (totals|copy|worst|match\*)"
    r"|\b(exact|simulated|their|not the) best case|without protecting any(one|body) worse"
    r"|off by so few|[cC]hoose below"
    r"|nobody else (said|in)|from nobody's|Guess last|last or second|nobody alike",
)


@functools.cache
def all_files() -> tuple[str, ...]:
    return tuple(sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*.py")))


def test_nothing_is_said_that_makes_sense_only_the_other_way_round() -> None:
    said = [(file, found[0]) for file in all_files()
            for found in NONSENSE.finditer(text_of(file))]
    assert not said


TRUTHS = sorted({truth for claims in CLAIMS.values() for _, truth in claims},
                key=lambda truth: truth.__name__)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.__name__)
def test_it_is_so(truth: Truth) -> None:
    assert truth()

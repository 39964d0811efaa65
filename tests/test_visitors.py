"""Visitors without a browser see what a browser would, and nothing of each other."""

from __future__ import annotations

import pytest

from sdc_core.questions import QUESTIONS
from tests.page_driver import TWIN
from tests.visitors import Visitor

pytestmark = pytest.mark.slow

OWN = b"town,sex\n" + b"".join(b"T%d,%s\n" % (i % 7, b"mf"[i % 2:i % 2 + 1]) for i in range(80))


def test_a_move_is_in_the_link_and_leaves_others_alone(address: str) -> None:
    with Visitor(address) as one, Visitor(address) as other:
        first = one.open("compare", **TWIN, **{"m1.epsilon": "2"})
        other.open("compare", **TWIN)
        assert first.headline and not first.exceptions and not first.errors
        assert one.link["m1.epsilon"] == "2"
        moved = one.set("url.m1.epsilon", "3")
        assert moved.seconds > 0 and moved.size > 0
        assert one.link["m1.epsilon"] == "3"
        assert other.link["m1.epsilon"] == "1"
        other.set("url.m4.k", other.values("url.m4.k")[0])
        assert one.link["m4.k"] != other.link["m4.k"]


def test_what_is_closed_opens_and_holds_its_widgets(address: str) -> None:
    with Visitor(address) as visitor:
        visitor.open("compare", **TWIN)
        closed = set(visitor.widgets)
        visitor.set("own-settings", True)
        assert "url.simulate" in set(visitor.widgets) - closed


def test_every_page_is_reached_from_the_menu(address: str) -> None:
    with Visitor(address) as visitor:
        visitor.open("compare", **TWIN)
        for question in QUESTIONS:
            run = visitor.open(question.address)
            assert run.headline, question.address
            assert not run.exceptions, (question.address, run.exceptions)


def test_the_page_one_is_on_keeps_its_settings_when_it_is_chosen_again(address: str) -> None:
    with Visitor(address) as visitor:
        first = visitor.open("compare", **TWIN, **{"m1.epsilon": "2"})
        before = visitor.link
        again = visitor.open("compare")
        assert visitor.link == before
        assert again.headline == first.headline


def test_a_file_is_its_visitors_alone(address: str) -> None:
    with Visitor(address) as owner, Visitor(address) as other:
        owner.open("your_data", **TWIN)
        owner.upload("upload", "mine.csv", OWN)
        assert owner.link["data"].startswith("own-")
        assert "mine.csv" in owner.page.headline
        other.open("your_data", **owner.link)
        assert "mine.csv" not in other.page.headline

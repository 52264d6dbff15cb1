"""The walk without a window: every page, every branch, and that nothing has to be answered to go on."""

from __future__ import annotations

import attrs
import pytest

from engine import flow
from engine.consultation import Immediacy, Profile, Waiting, Workload
from engine.edits import put
from engine.errors import UnknownId
from engine.flow import PageId, StepState, Walk
from engine.questions import QUESTIONS, Step

EMPTY = Workload("w")
BATCH = Workload("b", profile=Profile(waiting=Waiting.BATCH))
RULES = ["immediacy", "data", "intelligence", "scale", "updates", "offline", "circumstances"]


def test_pages_follow_the_steps_and_every_question_has_one():
    steps = [at.step for at in flow.pages()]
    assert steps == sorted(steps, key=list(Step).index)
    assert set(steps) == set(Step)
    assert {(q.step, q.group) for q in QUESTIONS} <= {(at.step, at.group) for at in flow.pages()}
    assert len(set(flow.pages())) == len(flow.pages())


def test_the_rules_step_has_a_page_a_rule_and_one_for_what_else_counts():
    assert [at.group for at in flow.pages() if at.step is Step.RULES] == RULES


def test_large_questions_come_first_on_their_page():
    for at in flow.pages():
        flags = [q.headline for q in flow.questions_on(at, EMPTY)]
        assert flags == sorted(flags, reverse=True)


def test_walking_forward_visits_every_page_once_with_nothing_answered():
    walk, seen = flow.start(EMPTY), []
    while True:
        seen.append(walk.at)
        if walk.is_last(EMPTY):
            break
        walk = walk.forward(EMPTY)
    assert tuple(seen) == flow.pages_of(EMPTY)
    assert walk.at == PageId(Step.PROPOSAL, "proposal")
    assert walk.forward(EMPTY) == walk


def test_a_batch_workload_is_not_asked_about_waiting():
    online = {q.path for at in flow.pages_of(EMPTY) for q in flow.questions_on(at, EMPTY)}
    batch = {q.path for at in flow.pages_of(BATCH) for q in flow.questions_on(at, BATCH)}
    assert "immediacy.latency_budget_s" in online - batch
    assert "demand.batch_items" in batch - online


def test_a_page_whose_questions_became_pointless_is_skipped(monkeypatch):
    silenced = tuple(attrs.evolve(q, asked_if=lambda _w: False) if q.group == "scale" else q for q in QUESTIONS)
    monkeypatch.setattr(flow, "QUESTIONS", silenced)
    walk = Walk("w", PageId(Step.RULES, "intelligence")).forward(EMPTY)
    assert walk.at == PageId(Step.RULES, "updates")


def test_back_returns_where_one_came_from_and_forward_goes_there_again():
    walk = flow.start(EMPTY).forward(EMPTY).forward(EMPTY)
    third = walk.at
    jumped = walk.to_question("offline.need")
    assert jumped.at == PageId(Step.RULES, "offline")
    assert jumped.back(EMPTY).at == third
    assert jumped.back(EMPTY).forward(EMPTY) == jumped


def test_a_jump_forgets_what_lay_ahead():
    walk = flow.start(EMPTY).forward(EMPTY).back(EMPTY)
    assert walk.ahead
    assert not walk.jump(flow.page(Step.COST)).ahead
    assert walk.jump(walk.at) is walk


def test_back_without_a_trail_is_the_page_before():
    walk = Walk("w", PageId(Step.RULES, "data"))
    assert walk.back(EMPTY).at == PageId(Step.RULES, "immediacy")
    first = flow.start(EMPTY)
    assert first.back(EMPTY) == first
    assert not first.can_go_back
    assert walk.can_go_back


def test_unknown_pages_and_questions_name_the_nearest():
    with pytest.raises(UnknownId):
        flow.page("rulez")
    with pytest.raises(UnknownId):
        flow.page(Step.RULES, "dta")
    with pytest.raises(UnknownId):
        flow.start(EMPTY).jump(PageId(Step.RULES, "dta"))
    with pytest.raises(UnknownId):
        flow.page_of("offline.ned")
    assert flow.page(Step.RULES).group == "immediacy"


def test_progress_counts_only_what_is_asked():
    assert flow.progress(EMPTY, Step.RULES).state is StepState.OPEN
    some = put(EMPTY, "offline.need", "no")
    assert flow.progress(some, Step.RULES).state is StepState.PARTIAL
    done = put(some, "offline.closed_network", False)
    assert flow.progress(done, Step.RULES, "offline") == flow.Progress(2, 2)
    assert flow.progress(done, Step.RULES, "offline").state is StepState.DONE
    assert flow.progress(EMPTY, Step.PROPOSAL).state is StepState.DONE
    assert flow.progress(BATCH, Step.RULES, "immediacy").asked < flow.progress(EMPTY, Step.RULES, "immediacy").asked


def test_an_empty_list_is_no_answer_and_no_is_one():
    assert not flow.is_answered(EMPTY, "data.regulations")
    assert flow.is_answered(put(EMPTY, "offline.closed_network", False), "offline.closed_network")
    assert flow.is_answered(Workload("w", immediacy=Immediacy(outage_s=0.0)), "immediacy.outage_s")


def test_the_next_open_question_follows_the_walk_and_comes_round():
    first = flow.next_open(EMPTY)
    assert first is not None
    assert first.path == "profile.task"
    answered = put(EMPTY, "profile.task", "chat")
    following = flow.next_open(answered, "profile.task")
    assert following is not None
    assert following.path != "profile.task"
    assert flow.next_open(answered, "data.boundary").path == "data.sensitivity"
    last = [q for at in flow.pages() for q in flow.questions_on(at, EMPTY)][-1]
    assert flow.next_open(EMPTY, last.path).path == "profile.task"


def test_the_next_open_question_after_one_that_is_not_asked_any_more():
    after = flow.next_open(BATCH, "immediacy.latency_budget_s")
    assert after is not None
    assert flow.pages().index(flow.page_of(after.path)) >= flow.pages().index(PageId(Step.RULES, "data"))


def test_nothing_is_open_when_everything_is_answered(monkeypatch):
    few = tuple(q for q in QUESTIONS if q.path in ("offline.need", "offline.closed_network"))
    monkeypatch.setattr(flow, "QUESTIONS", few)
    done = put(put(EMPTY, "offline.need", "no"), "offline.closed_network", False)
    assert flow.next_open(done) is None


def test_another_workload_opens_on_the_same_page_or_the_next_it_walks():
    walk = Walk("w", PageId(Step.RULES, "data"), (PageId(Step.RULES, "immediacy"),))
    assert walk.to_workload(BATCH) == Walk("b", PageId(Step.RULES, "data"))


def test_pages_have_readable_names():
    assert str(PageId(Step.RULES, "data")) == "rules/data"

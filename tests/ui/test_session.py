"""The open consultation: one direction, undo of everything, the last good value."""

from __future__ import annotations

import threading

import pytest

from app.session import SaveState, Session, parts
from app.session.tasks import Cancelled, InlineTasks, Tasks
from engine.consultation import Boundary, Change, Consultation, Origin, Workload
from engine.messages import msg
from engine.results import Assessment


class Heard(list):
    """Remembers what a signal said."""

    def __call__(self, *said):
        self.append(said[0] if len(said) == 1 else said)


@pytest.fixture
def document():
    return Consultation("c1", "Test", workloads=(Workload("w1", "one"), Workload("w2", "two")))


@pytest.fixture
def session(qapp, document):
    made = Session(InlineTasks(), assessor=lambda consultation, found: Assessment(consultation, found.version, ()))
    made.open(document)
    yield made
    made.tasks.close()


def test_an_answer_makes_a_new_document(session, document):
    heard = Heard()
    session.changed.connect(heard)
    assert session.answer("data.boundary", "organisation", initiator="me")
    assert session.workload.data.boundary is Boundary.ORGANISATION
    assert document.workloads[0].data.boundary is None
    assert heard[-1].fields == {"w1/data.boundary"}
    assert heard[-1].initiator == "me"


def test_undo_and_redo_tell_no_initiator(session):
    session.answer("data.boundary", "organisation", initiator="me")
    heard = Heard()
    session.changed.connect(heard)
    session.undo()
    assert session.workload.data.boundary is None
    session.redo()
    assert session.workload.data.boundary is Boundary.ORGANISATION
    assert [c.initiator for c in heard] == [None, None]


def test_typing_is_one_step_until_the_focus_leaves(session):
    for users in (8, 80, 800):
        session.answer("scale.users", users, merge=True)
    session.seal()
    session.answer("scale.users", 900, merge=True)
    assert session.undo_stack.count() == 2
    session.undo()
    assert session.workload.scale.users == 800
    session.undo()
    assert session.workload.scale.users is None


def test_typing_back_to_the_start_leaves_no_step(session):
    session.answer("scale.users", 8, merge=True)
    session.answer("scale.users", None, merge=True)
    assert session.undo_name is None


def test_choices_do_not_merge(session):
    session.answer("data.boundary", "organisation")
    session.answer("data.boundary", "device")
    assert session.undo_stack.count() == 2


@pytest.mark.parametrize("value", [-1, 0, float("nan"), 1e12, "many", True])
def test_a_bad_value_is_refused_and_the_last_good_one_stays(session, value):
    session.answer("scale.users", 800)
    heard = Heard()
    session.refused.connect(heard)
    assert not session.answer("scale.users", value)
    assert session.workload.scale.users == 800
    path, message = heard[-1]
    assert path == "scale.users"
    assert message.key.startswith("error.")
    assert session.undo_stack.count() == 1


def test_context_beyond_the_model_is_refused(session, catalogue):
    session.set_catalogue(catalogue)
    session.answer("serving.model", "qwen3-32b")
    limit = catalogue.models["qwen3-32b"].max_context
    assert session.answer("serving.context_tokens", limit)
    heard = Heard()
    session.refused.connect(heard)
    assert not session.answer("serving.context_tokens", limit + 1)
    assert heard[-1][1].key == "ui.field.context_too_long"
    assert session.workload.serving.context_tokens == limit


def test_an_unknown_id_is_refused(session, catalogue):
    session.set_catalogue(catalogue)
    heard = Heard()
    session.refused.connect(heard)
    assert not session.answer("serving.device", "nvidia-l40z")
    assert "nvidia-l40s" in heard[-1][1].params["nearest"]


def test_origins_are_kept_and_undone(session):
    session.answer("immediacy.round_trip_s", 0.03, origin=Origin.MEASURED)
    assert session.consultation.origin("w1", "immediacy.round_trip_s") is Origin.MEASURED
    session.undo()
    assert session.consultation.origins == {}


def test_several_answers_are_one_step(session):
    changes = (Change("data.boundary", "country", "w1"), Change("data.sensitivity", "regulated", "w1"))
    session.apply_all(msg("ui.edit.preset"), changes, Origin.PRESET)
    assert session.consultation.origin("w1", "data.sensitivity") is Origin.PRESET
    session.undo()
    assert session.workload.data.boundary is None
    assert session.workload.data.sensitivity is None


def test_a_removed_workload_comes_back(session):
    session.show_workload("w2")
    session.edit(msg("ui.edit.workload_removed"), parts.remove_workload(session.consultation, "w2"), ("workloads",))
    assert session.workload_id == "w1"
    session.undo()
    assert [w.id for w in session.consultation.workloads] == ["w1", "w2"]


def test_opening_clears_the_undo_history(session):
    session.answer("scale.users", 800)
    session.open(Consultation("c2", workloads=(Workload("x"),)))
    assert session.undo_name is None
    assert session.workload_id == "x"


def test_the_draft_is_written_a_moment_later(session, qtbot):
    saved = []
    session.keep_drafts(saved.append)
    session.answer("scale.users", 800)
    assert session.save_state is SaveState.WAITING
    assert saved == []
    session.flush()
    assert saved[-1].workloads[0].scale.users == 800
    assert session.save_state is SaveState.SAVED


def test_a_draft_that_cannot_be_written_is_said_and_tried_again(session):
    def full(_document):
        raise OSError(28, "No space left on device")

    heard = Heard()
    session.failed.connect(heard)
    session.keep_drafts(full)
    session.answer("scale.users", 800)
    session.flush()
    assert session.save_state is SaveState.FAILED
    assert heard[-1].key == "ui.error.draft"
    saved = []
    session.keep_drafts(saved.append)
    session.answer("scale.users", 900)
    session.flush()
    assert saved[-1].workloads[0].scale.users == 900


def test_an_answer_that_cannot_be_computed_keeps_the_document(qapp, document, catalogue):
    def broken(_consultation, _catalogue):
        raise ZeroDivisionError("x")

    session = Session(InlineTasks(), assessor=broken)
    heard = Heard()
    session.failed.connect(heard)
    session.set_catalogue(catalogue)
    session.open(document)
    assert heard[-1].key == "ui.error.assess"
    assert session.answer("scale.users", 5)
    assert session.workload.scale.users == 5


def test_one_question_at_a_time_and_the_last_one_counts(qapp, catalogue, document, qtbot):
    """What is asked while the engine works is asked once, as it then stands."""
    gate, asked = threading.Event(), []

    def slow(consultation, found):
        asked.append(consultation.workloads[0].scale.users)
        gate.wait(5)
        return Assessment(consultation, found.version, ())

    session = Session(Tasks(), assessor=slow)
    heard, stale = Heard(), Heard()
    session.assessed.connect(heard)
    session.assessing.stale_changed.connect(stale)
    session.set_catalogue(catalogue)
    session.open(document)
    qtbot.waitUntil(lambda: asked == [None])
    for users in (1, 2, 3):
        session.answer("scale.users", users)
    qtbot.waitUntil(lambda: stale == [True])
    gate.set()
    qtbot.waitUntil(lambda: bool(heard))
    assert asked == [None, 3]
    assert [a.consultation.workloads[0].scale.users for a in heard] == [3]
    assert stale == [True, False]
    session.tasks.close()
    session.assessing.deleteLater()


def test_stability_follows_the_answer_and_a_new_question_forgets_it(qapp, catalogue, document, qtbot):
    """The deeper answer replaces the one on show and leaves what the last edit changed alone; asked anew it is dropped."""
    session = Session(InlineTasks())
    heard = Heard()
    session.assessed.connect(heard)
    session.set_catalogue(catalogue)
    session.open(document)
    for path, value in (("data.boundary", "organisation"), ("intelligence.hardness", "medium")):
        session.answer(path, value)
    session.answer("immediacy.network_trust", "reliable")
    shown, before = session.assessment, session.before_last
    assert shown is heard[-1]
    assert shown.workloads[0].placement.stability is not None
    assert before is not None
    assert before.consultation != shown.consultation
    session.assessing.deepened.emit(before)
    assert session.assessment is shown


def test_work_with_a_title_can_be_stopped_by_hand(qapp, qtbot):
    gate, heard = threading.Event(), Heard()

    def work(cancel):
        gate.wait(5)
        cancel.check()

    tasks = Tasks()
    job = tasks.run(work, heard, heard, title="making the proposal")
    assert tasks.titled is job
    tasks.stop(job)
    assert [type(said) for said in heard] == [Cancelled]
    assert tasks.busy == 0
    gate.set()
    tasks.close()
    assert len(heard) == 1


def test_errors_and_news_arrive_on_this_thread(qapp, qtbot):
    here, seen = threading.get_ident(), []

    def work(cancel):
        cancel.tell(threading.get_ident())
        raise KeyError("x")

    def told(news):
        seen.append(("told", news != here, threading.get_ident() == here))

    def failed(error):
        seen.append(("failed", isinstance(error, KeyError), threading.get_ident() == here))

    tasks = Tasks()
    tasks.run(work, seen.append, failed, told=told)
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [("told", True, True), ("failed", True, True)]
    tasks.close()


def test_a_channel_keeps_only_its_newest_job(qapp, qtbot):
    heard, gate = Heard(), threading.Event()
    tasks = Tasks()
    tasks.run(lambda _c: gate.wait(5) and 1, heard, channel="x")
    tasks.run(lambda _c: 2, heard, channel="x")
    gate.set()
    qtbot.waitUntil(lambda: bool(heard))
    tasks.close()
    assert heard == [2]

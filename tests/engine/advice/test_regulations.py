"""Regulations set boundaries with their source, only ever narrower, and leave conditions to be asked."""

from __future__ import annotations

import pytest

from engine.advice import regulations
from engine.consultation import (
    Boundary,
    Consultation,
    Customer,
    DataBoundary,
    HardwareNeeds,
    Origin,
    Purpose,
    Sensitivity,
    UpdateFrequency,
    UserScale,
    Workload,
)
from engine.edits import apply
from engine.errors import UnknownId

PLAIN = Workload("w")


def changes(workload, ids, catalogue):
    return {c.path: c.value for c in regulations.preset(workload, ids, catalogue).changes}


def test_network_separation_keeps_data_in_the_organisation(catalogue):
    made = regulations.preset(PLAIN, ["kr-efs-network-separation"], catalogue)
    values = {c.path: c.value for c in made.changes}
    assert values["data.boundary"] is Boundary.ORGANISATION
    assert values["data.sensitivity"] is Sensitivity.REGULATED
    assert values["data.regulations"] == ("kr-efs-network-separation",)
    assert dict(made.sources)["data.boundary"] == catalogue.regulations["kr-efs-network-separation"].source
    assert made.strictest == "kr-efs-network-separation"


def test_the_strictest_of_several_counts(catalogue):
    values = changes(PLAIN, ["kr-medical-emr", "kr-defence-tech"], catalogue)
    assert values["data.boundary"] is Boundary.ORGANISATION
    assert changes(PLAIN, ["kr-medical-emr"], catalogue)["data.boundary"] is Boundary.COUNTRY


def test_a_condition_sets_no_boundary_but_is_asked_about(catalogue):
    made = regulations.preset(PLAIN, ["kr-pipa-transfer"], catalogue)
    assert "data.boundary" not in {c.path for c in made.changes}
    assert [m.key for m in made.ask] == ["advice.regulation.conditional"]


def test_what_was_said_narrower_stays(catalogue):
    narrow = Workload("w", data=DataBoundary(Boundary.DEVICE, Sensitivity.SECRET))
    values = changes(narrow, ["kr-efs-network-separation"], catalogue)
    assert set(values) == {"data.regulations"}


def test_a_rule_without_a_place_changes_nothing_but_the_list(catalogue):
    assert set(changes(PLAIN, ["kr-ai-basic-act"], catalogue)) == {"data.regulations"}
    named = Workload("w", data=DataBoundary(regulations=("kr-ai-basic-act",)))
    assert changes(named, ["kr-ai-basic-act"], catalogue) == {}


def test_an_unverified_row_says_so(catalogue):
    asked = regulations.preset(PLAIN, ["kr-military-secrets"], catalogue).ask
    assert "advice.regulation.unverified" in [m.key for m in asked]


def test_unknown_regulations_name_the_nearest(catalogue):
    with pytest.raises(UnknownId) as refused:
        regulations.preset(PLAIN, ["kr-pipa"], catalogue)
    assert "kr-pipa-transfer" in refused.value.nearest


def test_changes_apply_to_the_document_with_their_origin(catalogue):
    consultation = Consultation("c", workloads=(PLAIN,))
    for change in regulations.preset(PLAIN, ["kr-csap"], catalogue).changes:
        consultation = apply(consultation, change, Origin.PRESET)
    assert consultation.workload("w").data.boundary is Boundary.COUNTRY
    assert consultation.origin("w", "data.boundary") is Origin.PRESET


def test_suggestions_follow_country_and_sector(catalogue):
    finance = regulations.suggested(Customer(sector="finance", country="kr"), catalogue)
    assert "kr-efs-network-separation" in finance
    assert "kr-pipa-transfer" in finance
    assert finance.index("kr-efs-network-separation") < finance.index("kr-pipa-transfer")
    assert "kr-medical-emr" not in finance
    assert regulations.suggested(Customer(country="KR"), catalogue)[0].startswith("kr-")
    assert regulations.suggested(Customer(), catalogue) == ()


def keyboard(**scale):
    return Workload(
        "k",
        data=DataBoundary(Boundary.DEVICE),
        updates=UpdateFrequency(30),
        scale=UserScale(**{"users": 1e6, **scale}),
    )


def test_federated_learning_is_named_only_where_it_answers_a_need():
    assert regulations.federated_learning_helps(keyboard()) is not None
    assert regulations.federated_learning_helps(keyboard(users=10)) is None
    assert regulations.federated_learning_helps(PLAIN) is None
    inside = Workload(
        "i",
        data=DataBoundary(Boundary.ORGANISATION, Sensitivity.PERSONAL),
        hardware=HardwareNeeds(purpose=Purpose.TRAINING),
        scale=UserScale(5_000),
    )
    assert regulations.federated_learning_helps(inside) is not None

"""The tables of the field as data: keys only, the words stand in concept.po. What can be computed is computed, not stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from engine.advice.answers import Answers, answers_of
from engine.advice.placement import judge
from engine.advice.results import PlacementVerdict
from engine.advice.rules import Context
from engine.consultation import Workload
from engine.edits import put
from engine.frozen import frozen_map
from engine.messages import Message, Quantity, msg
from engine.units import BYTES, GIGA


@frozen
class TextTable:
    """A table of words: `rows` and `columns` are names; cell words stand at table.<id>.<row>.<column>."""

    id: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def title(self) -> Message:
        return msg(f"table.{self.id}")

    def header(self, column: str) -> Message:
        return msg(f"table.{self.id}.column.{column}")

    def name(self, row: str) -> Message:
        return msg(f"table.{self.id}.{row}")

    def cell(self, row: str, column: str) -> Message:
        return msg(f"table.{self.id}.{row}.{column}")


TABLES: Final = (
    TextTable("chip", ("built_for", "strong", "weak", "choose"), ("cpu", "gpu", "tpu", "lpu", "npu")),
    TextTable("framework", ("for", "strength"), ("vllm", "sglang", "trt_llm", "triton", "llama_cpp", "ray_serve")),
    TextTable("memory", ("seen_by", "size", "use"), ("registers", "shared", "global")),
    TextTable("threads", ("holds", "limit"), ("thread", "block", "grid")),
    TextTable("cuda_steps", ("what",), ("prepare", "allocate", "copy_in", "launch", "copy_out", "free")),
    TextTable("multi_gpu", ("splits", "when"), ("data_parallel", "model_parallel")),
    TextTable("gpu_fit", ("suits", "does_not"), ("amount", "shape", "reuse", "branches")),
    TextTable(
        "tpu_steps",
        ("what",),
        ("host_sends", "to_memory", "load_weights", "stream_inputs", "multiply", "pass_on", "activate", "return"),
    ),
    TextTable("place", ("cloud", "device", "premise"), ("delay", "data", "size", "cost", "updates", "offline")),
)


@frozen
class PrecisionRow:
    """Bytes a model's weights take in one number format."""

    format: str
    bits: int
    weights: Quantity

    @property
    def gigabytes(self) -> float:
        """Decimal gigabytes, as models are spoken of."""
        return self.weights.value / GIGA


def precision_table(params: float = 7e9) -> tuple[PrecisionRow, ...]:
    """Weights alone by format: 7 billion parameters are 28, 14, 7 and 3.5 GB in 32, 16, 8 and 4 bits."""
    formats = (("FP32", 32), ("FP16 / BF16", 16), ("INT8 / FP8", 8), ("INT4", 4))
    return tuple(PrecisionRow(name, bits, Quantity(params * bits / 8, BYTES)) for name, bits in formats)


@frozen
class Feature:
    """A feature everybody knows, as answers: where it runs comes out of the rules."""

    id: str
    said: Mapping[str, Any] = field(converter=frozen_map, hash=False)

    @property
    def name(self) -> Message:
        return msg(f"feature.{self.id}")

    def workload(self) -> Workload:
        made = Workload(self.id)
        for path, value in self.said.items():
            made = put(made, path, value)
        return made


_PHONE = {"profile.device_class": "phone", "immediacy.network_trust": "patchy"}
_INSTANT = {**_PHONE, "immediacy.actor": "machine", "intelligence.hardness": "narrow", "intelligence.hard_share": 0.0}

FEATURES: Final = (
    Feature("face_unlock", {**_INSTANT, "immediacy.latency_budget_s": 0.3, "data.boundary": "device", "offline.need": "full"}),
    Feature("keyboard", {**_INSTANT, "immediacy.latency_budget_s": 0.05, "data.boundary": "device"}),
    Feature("noise_cancelling", {**_INSTANT, "immediacy.latency_budget_s": 0.02}),
    Feature("camera_effect", {**_INSTANT, "immediacy.latency_budget_s": 0.033}),
    Feature("wake_word", {**_PHONE, "immediacy.actor": "machine", "immediacy.latency_budget_s": 0.3,
                          "data.sensitivity": "personal", "intelligence.hardness": "narrow", "intelligence.hard_share": 0.0}),
    Feature("photo_search", {**_PHONE, "profile.waiting": "batch", "data.boundary": "device", "data.sensitivity": "personal",
                             "intelligence.hardness": "narrow", "updates.update_interval_days": 365.0}),
    Feature("driving", {"profile.device_class": "car", "immediacy.actor": "machine", "immediacy.network_trust": "patchy",
                        "immediacy.latency_budget_s": 0.1, "immediacy.speed_m_per_s": 27.8, "intelligence.hardness": "narrow",
                        "offline.need": "full"}),
    Feature("sign_translation", {**_PHONE, "immediacy.network_trust": "none", "intelligence.hardness": "narrow",
                                 "offline.need": "full"}),
    Feature("voice_assistant", {**_PHONE, "immediacy.actor": "person", "intelligence.hardness": "medium",
                                "intelligence.hard_share": 0.2, "offline.need": "basics"}),
    Feature("photo_editing", {**_PHONE, "immediacy.actor": "person", "intelligence.hardness": "medium",
                              "scale.eligible_device_share": 0.6}),
    Feature("chat_assistant", {**_PHONE, "immediacy.actor": "person", "intelligence.hardness": "frontier",
                               "offline.need": "no"}),
    Feature("web_search", {"profile.device_class": "server", "immediacy.network_trust": "reliable", "data.boundary": "none",
                           "intelligence.hardness": "medium", "updates.update_interval_days": 3.0, "offline.need": "no"}),
    Feature("fraud_check", {"profile.device_class": "server", "immediacy.network_trust": "reliable",
                            "data.boundary": "organisation", "data.sensitivity": "regulated", "scale.shared_state": True,
                            "intelligence.hardness": "narrow"}),
    Feature("patient_records", {"profile.device_class": "pc", "immediacy.network_trust": "reliable",
                                "data.boundary": "organisation", "data.sensitivity": "regulated",
                                "intelligence.hardness": "medium", "offline.need": "no"}),
    Feature("bank_documents", {"profile.device_class": "server", "data.boundary": "organisation",
                               "data.sensitivity": "regulated", "intelligence.hardness": "medium",
                               "offline.closed_network": True}),
    Feature("recommendations", {"profile.device_class": "server", "profile.waiting": "batch", "data.boundary": "none",
                                "intelligence.hardness": "narrow"}),
)  # fmt: skip


def where_features_run(context: Context) -> tuple[tuple[Feature, PlacementVerdict], ...]:
    """Every feature judged by the rules as they are now."""
    return tuple((feature, judge(_answers(feature), context)) for feature in FEATURES)


def _answers(feature: Feature) -> Answers:
    return answers_of(feature.workload())

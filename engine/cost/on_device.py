"""The user's own device: everything before and between the answers, nothing per answer for the maker.

The cost does not vanish: the user pays in battery, storage and download. That share is computed too and shown apart.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import field, frozen

from engine.catalogue.rows import DeviceClass, Model
from engine.consultation import DeviceClass as DeviceKind
from engine.consultation import DownloadCarrier
from engine.cost import staff
from engine.cost.kinds import CostKind
from engine.cost.model import Line, Point
from engine.cost.offers import LEAST_YEARS, Case, Offer
from engine.estimate import Basis, Estimate, Input, Trace, as_input
from engine.inputs import FloatArray, Known
from engine.messages import Message, Name, msg
from engine.questions import question
from engine.units import (
    BYTES,
    COUNT,
    DAYS,
    DAYS_PER_MONTH,
    GIGA,
    JOULES,
    MONTHS_PER_YEAR,
    RATIO,
    TOKENS_PER_S,
    USD,
    WATTS,
)

ENGINEERING: Final = "budget.on_device_engineering_usd"
TEST: Final = "budget.test_usd_per_device_class"
CLASSES: Final = "budget.device_classes_tested"
ELIGIBLE: Final = "scale.eligible_device_share"
INTERVAL: Final = "updates.update_interval_days"
PER_UPDATE: Final = "cost.update_engineering_share"
RETEST: Final = "cost.update_retest_share"
SIZE: Final = "cost.model_bytes"
TRAFFIC: Final = "cost.download_usd_per_gb"
FETCHED: Final = "cost.download_share"

_LEAST_DAYS: Final = 1 / 24
"""A model cannot be replaced more often than every hour."""
_PERSON_MONTHS: Final = (12.0, 6.0, 24.0)
_OWN_HOSTING: Final = (0.03, 0.005, 0.085)
"""USD a GB of a content network: planning figure, from volume contracts to small list prices."""
_PAYS_ITSELF: Final = (None, DownloadCarrier.APP, DownloadCarrier.SYSTEM)
"""Carriers that host the file at no charge to the maker: the app store (also taken where nobody said), the system."""


_ENGINEERING_LINE: Final = msg("cost.line.engineering")
_DEVICE_TESTS_LINE: Final = msg("cost.line.device_tests")
_FIRST_DOWNLOAD_LINE: Final = msg("cost.line.first_download")
_WRITTEN_OFF_LINE: Final = msg("cost.line.written_off")
_UPDATES_LINE: Final = msg("cost.line.updates")
_UPDATE_DOWNLOADS_LINE: Final = msg("cost.line.update_downloads")
_PER_ANSWER_LINE: Final = msg("cost.line.per_answer")


@frozen
class OnDeviceOption:
    """Engineering and tests up front; updates, their tests and downloads each month; zero per answer."""

    label: Message
    kind: CostKind = field(default=CostKind.ON_DEVICE, init=False)

    def served(self, point: Point) -> FloatArray:
        """The users whose device can run the model."""
        return point[ELIGIBLE]

    def lines(self, point: Point) -> tuple[Line, ...]:
        engineering, tests = point[ENGINEERING], point[CLASSES] * point[TEST]
        updates = DAYS_PER_MONTH / np.maximum(point[INTERVAL], _LEAST_DAYS)
        people = point.users * point[ELIGIBLE]
        once = people * point[SIZE] / GIGA * point[TRAFFIC]
        return (
            Line(_ENGINEERING_LINE, engineering, "on_device_engineering_usd", (ENGINEERING,), upfront=True),
            Line(
                _DEVICE_TESTS_LINE,
                tests,
                "device_classes_tested * test_usd_per_device_class",
                (CLASSES, TEST),
                upfront=True,
            ),
            Line(
                _FIRST_DOWNLOAD_LINE,
                once,
                "users * eligible_device_share * model_bytes / 1e9 * download_usd_per_gb",
                ("scale.users", ELIGIBLE, SIZE, TRAFFIC),
                upfront=True,
            ),
            Line(
                _WRITTEN_OFF_LINE,
                (engineering + tests + once) / (np.maximum(point[HORIZON], LEAST_YEARS) * MONTHS_PER_YEAR),
                "upfront / (horizon_years * 12)",
                (ENGINEERING, CLASSES, TEST, HORIZON),
                written_off=True,
            ),
            Line(
                _UPDATES_LINE,
                updates * (engineering * point[PER_UPDATE] + tests * point[RETEST]),
                "30.4 / update_interval_days * (on_device_engineering_usd * update_engineering_share"
                " + device_classes_tested * test_usd_per_device_class * update_retest_share)",
                (INTERVAL, ENGINEERING, PER_UPDATE, CLASSES, TEST, RETEST),
            ),
            Line(
                _UPDATE_DOWNLOADS_LINE,
                updates * once * point[FETCHED],
                "30.4 / update_interval_days * first downloads * download_share",
                (INTERVAL, ELIGIBLE, SIZE, TRAFFIC, FETCHED),
            ),
            Line(_PER_ANSWER_LINE, np.asarray(0.0), "0", ()),
        )


HORIZON: Final = "budget.horizon_years"


def build(case: Case, model: Model | None, model_bytes: Estimate | None) -> Offer:
    """The on-device option. `model_bytes`: size of the file; worked out at 4 to 5 bits a weight where it is not known."""
    label = msg("cost.option.on_device")
    if case.workload.profile.device_class is DeviceKind.SERVER:
        return Offer(CostKind.ON_DEVICE, label, None, missing=(msg("cost.missing.user_device"),))
    size = model_bytes or _size(case, model)
    salary = staff.salary(case)
    known = (
        salary,
        _engineering(case, salary.estimate),
        case.said(TEST, Estimate(10_000, 5_000, 20_000, USD, Basis.ASSUMED), question(TEST).short),
        case.said(CLASSES, Estimate(6, 3, 12, COUNT, Basis.ASSUMED), question(CLASSES).short),
        case.said(ELIGIBLE, Estimate(0.5, 0.2, 0.85, RATIO, Basis.ASSUMED), question(ELIGIBLE).short),
        case.said(INTERVAL, Estimate(90, 45, 180, DAYS, Basis.ASSUMED), question(INTERVAL).short),
        case.assumed(
            PER_UPDATE, Estimate(0.05, 0.02, 0.12, RATIO, Basis.ASSUMED), msg("cost.input.update_engineering")
        ),
        case.assumed(RETEST, Estimate(0.3, 0.15, 0.6, RATIO, Basis.ASSUMED), msg("cost.input.update_retest")),
        Known(SIZE, msg("cost.input.model_bytes"), size),
        _traffic(case),
        case.assumed(FETCHED, Estimate(0.85, 0.6, 0.95, RATIO, Basis.ASSUMED), msg("cost.input.download_share")),
    )
    warnings = [msg("cost.warning.user_pays")]
    eligible = next(k.estimate for k in known if k.path == ELIGIBLE)
    if eligible.value < 1:
        warnings.append(msg("cost.warning.not_served", share=Estimate(
            1 - eligible.value, 1 - eligible.high, 1 - eligible.low, RATIO, eligible.basis
        )))  # fmt: skip
    named = msg("cost.option.on_device_named", model=Name("model", model.id)) if model else label
    return Offer(CostKind.ON_DEVICE, named, OnDeviceOption(label), known, (), tuple(warnings))


def _engineering(case: Case, salary: Estimate) -> Known:
    """Person-months of shrinking the model, fitting each platform and measuring quality again."""
    months, low, high = _PERSON_MONTHS
    a_month = salary.value / MONTHS_PER_YEAR
    inputs = (Input("person_months", months, COUNT, Basis.ASSUMED), as_input("staff_usd_per_year", salary))
    trace = Trace("cost.trace.engineering", "person_months * staff_usd_per_year / 12", inputs)
    fallback = Estimate(months * a_month, low * a_month, high * a_month, USD, Basis.ASSUMED, trace)
    return case.said(ENGINEERING, fallback, question(ENGINEERING).short, None, msg("cost.why.person_months"))


def _traffic(case: Case) -> Known:
    label = msg("cost.input.download_price")
    if case.workload.updates.carrier in _PAYS_ITSELF:
        return Known(TRAFFIC, label, Estimate(0.0, 0.0, 0.0, USD, Basis.DATASHEET))
    return case.assumed(TRAFFIC, Estimate(*_OWN_HOSTING, USD, Basis.ASSUMED), label)


_SMALL_MODEL: Final = (2e9, 0.7e9, 4e9)
"""File of a small model as phones take it, where none was named."""


def _size(case: Case, model: Model | None) -> Estimate:
    """The file's size from its parameters at 4 to 5 bits each; an assumed small model where none was named."""
    if model is None:
        return case.assumed(
            SIZE,
            Estimate(*_SMALL_MODEL, BYTES, Basis.ASSUMED),
            msg("cost.input.model_bytes"),
            msg("cost.why.small_model"),
        ).estimate
    inputs = (Input("parameters", model.params_total, COUNT, Basis.DATASHEET, model.source),)
    trace = Trace("cost.trace.device_size", "parameters * 4.7 / 8", inputs)
    n = model.params_total
    return Estimate(n * 4.7 / 8, n * 4.2 / 8, n * 5.5 / 8, BYTES, Basis.ASSUMED, trace)


@frozen
class DeviceSpeed:
    """What the target does for one user."""

    decode_tokens_per_s: Estimate
    prefill_tokens_per_s: Estimate
    power_w: Estimate


_POWER_W: Final = {"phone": (4.0, 2.0, 8.0), "tablet": (6.0, 3.0, 12.0), "laptop": (18.0, 8.0, 45.0)}
_READS_PER_WRITE: Final = (12.0, 5.0, 30.0)
"""Prompt tokens read in the time one is written, on processors of hand-held devices."""


def device_speed(device: DeviceClass, model_bytes: Estimate) -> DeviceSpeed | None:
    """Speed of a device class from its memory bandwidth alone: 0.6 of bandwidth over the bytes a token moves.

    For the battery where the speed room was not asked; None where the class has no bandwidth.
    """
    if device.bandwidth_bytes_per_s is None:
        return None
    low, high = device.bandwidth_bytes_per_s
    middle = (low + high) / 2
    trace = Trace(
        "cost.trace.device_speed",
        "0.6 * bandwidth / model_bytes",
        (Input("bandwidth", middle, "B/s", Basis.ASSUMED, device.source), as_input("model_bytes", model_bytes)),
    )
    size = model_bytes.value
    decode = Estimate(0.6 * middle / size, 0.35 * low / size, 0.85 * high / size, TOKENS_PER_S, Basis.ASSUMED, trace)
    reads, fewest, most = _READS_PER_WRITE
    prefill = Estimate(
        decode.value * reads, decode.low * fewest, decode.high * most, TOKENS_PER_S, Basis.ASSUMED, trace
    )
    kind = next((k for k in _POWER_W if device.id.startswith(k)), "phone")
    return DeviceSpeed(decode, prefill, Estimate(*_POWER_W[kind], WATTS, Basis.ASSUMED))


_USUAL_CLASS: Final = {
    DeviceKind.PHONE: "phone-mid",
    DeviceKind.PC: "laptop-no-gpu",
    DeviceKind.WEARABLE: "watch",
}
"""What most users of a kind of device hold; the others hang on the mains."""


def usual_speed(case: Case, model: Model | None, model_bytes: Estimate | None) -> DeviceSpeed | None:
    """Speed on the named target, else on the usual device of its kind; None where no battery is involved."""
    named = case.workload.serving.target_device
    kind = case.workload.profile.device_class
    row = named if named in case.catalogue.device_classes else _USUAL_CLASS.get(kind) if kind else None
    held = case.catalogue.device_classes.get(row or "")
    if held is None or held.battery_joules is None:
        return None
    return device_speed(held, model_bytes or _size(case, model))


def battery_joules(speed: DeviceSpeed, prompt_tokens: float, output_tokens: float) -> Estimate:
    """Energy one answer takes from the user's battery: power * (prompt / reading speed + answer / writing speed)."""

    def energy(power: float, decode: float, prefill: float) -> float:
        return power * (prompt_tokens / prefill + output_tokens / decode)

    d, p, w = speed.decode_tokens_per_s, speed.prefill_tokens_per_s, speed.power_w
    trace = Trace(
        "cost.trace.battery",
        "power * (prompt_tokens / prefill + output_tokens / decode)",
        (
            as_input("power", w),
            Input("prompt_tokens", prompt_tokens, "token", Basis.DATASHEET),
            as_input("prefill", p),
            Input("output_tokens", output_tokens, "token", Basis.DATASHEET),
            as_input("decode", d),
        ),
    )
    value = energy(w.value, d.value, p.value)
    spread = np.hypot(np.log(w.high / w.low), np.log(d.high / d.low)) / 2
    return Estimate(value, value * float(np.exp(-spread)), value * float(np.exp(spread)), JOULES, Basis.ASSUMED, trace)

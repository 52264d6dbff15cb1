"""Small builders that every page uses: a figure, a machine's name, a gap said as a gap."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from app.present.scene import Scene
from app.present.translator import Translator
from app.present.views import Bullet, Callout, FigureView, Tone
from engine.catalogue import Device
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Trace
from engine.messages import Message, Name, Quantity

BASIS_TONE: Final = {
    Basis.MEASURED: Tone.GOOD,
    Basis.CALIBRATED: Tone.ACCENT,
    Basis.DATASHEET: Tone.PLAIN,
    Basis.ASSUMED: Tone.WARN,
}
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TIMES_ONE: Final = re.compile(r" × 1(?![\d.,])(?! [A-Za-z])")
_SIGNS: Final = {"*": "×", "/": "÷", "-": "−"}
FORMULA_LENGTH: Final = 46
"""A short formula stands under its number in one line."""
_COUNTER: Final = {
    "gpu": "card", "tpu": "chip", "lpu": "chip", "wafer": "system", "npu": "card", "cpu": "socket",
    "apple-soc": "machine", "apu": "machine", "phone-soc": "machine", "edge": "machine",
}  # fmt: skip


def figure(
    key: str, label: str, estimate: Estimate | None, t: Translator, formula: str = "", value: str = ""
) -> FigureView:
    """An estimate as the look page asks: value, short formula, band and basis. None is a gap and says so."""
    if estimate is None:
        return FigureView(key, label, t.text("present.no_figure"), formula, basis_tone=Tone.MUTED)
    return FigureView(
        key,
        label,
        value or t.figure(estimate),
        formula or short_formula(estimate.trace, t),
        t.band(estimate),
        t.basis(estimate),
        BASIS_TONE[estimate.basis],
        estimate.trace,
        exact=t.exact(estimate),
    )


def short_formula(trace: Trace | None, t: Translator) -> str:
    """The formula with its numbers in it ("864 GB/s ÷ 17.6 GB"), or "" where that takes more than a line."""
    if trace is None:
        return ""
    inputs = {i.name: i for i in trace.inputs}
    names = _WORD.findall(trace.formula)
    if len(set(names)) < 2 or any(name not in inputs for name in names):
        return ""  # prose, or a mere change of unit

    beside_a_rate = any(i.unit == "B/s" for i in trace.inputs)

    def number(found: re.Match[str]) -> str:
        given = inputs[found.group(0)]
        if isinstance(given.value, str):
            return given.value
        show = decimal if beside_a_rate else quantity
        return show(given.value, given.unit, t)

    text = _WORD.sub(number, trace.formula.split("=", 1)[-1].strip())
    for sign, shown in _SIGNS.items():
        text = text.replace(f" {sign} ", f" {shown} ")
    text = _TIMES_ONE.sub("", text)
    return text if len(text) <= FORMULA_LENGTH else ""


def decimal(value: float, unit: str, t: Translator) -> str:
    """As `Translator.number`, but bytes in decimal units, so that a quotient with GB/s reads right."""
    if unit == "B":
        return t.number(value, "B/s").removesuffix("/s")
    return t.number(value, unit)


def machine(device: Device, count: int, t: Translator) -> str:
    """ "L40S 2장", "2 × L40S"."""
    kind = _COUNTER.get(device.kind, "card")
    key = f"present.machine.{kind}" if count != 1 else f"present.machine.{kind}.one"
    return t.text(key, device=Name("device", device.id), count=count)


def counted(device: Device, count: int, t: Translator) -> str:
    """ "2장", "2 cards"."""
    kind = _COUNTER.get(device.kind, "card")
    return t.text(f"present.count.{kind}" if count != 1 else f"present.count.{kind}.one", count=count)


def machine_of(deployment: Deployment, t: Translator) -> str:
    return machine(deployment.device, deployment.device_count, t)


def device_name(device: Device, t: Translator) -> str:
    return t.value(Name("device", device.id))


def model_line(deployment: Deployment, t: Translator) -> str:
    """ "Qwen3 32B · FP8 · vLLM"."""
    named = (
        Name("model", deployment.model.id),
        Name("format", deployment.weight_format.id),
        Name("engine", deployment.engine.id),
    )
    return " · ".join(t.value(name) for name in named)


def gap(scene: Scene, room: str) -> Callout:
    """Why a room has no answer and what to do about it; a room that gave no reason says that too."""
    reasons = [message for name, message in scene.assessed.gaps if name == room]
    text = " ".join(scene.t(reason) for reason in reasons) or scene.t.text("present.gap.unsaid")
    return Callout(text, Tone.WARN, scene.t.text("present.gap"))


def bullets_of(messages: tuple[Message, ...], t: Translator, tone: Tone = Tone.PLAIN) -> tuple[Bullet, ...]:
    return tuple(Bullet(t(message), tone=tone) for message in messages)


def sentences(parts: Iterable[str]) -> str:
    """Several statements in one line, each ended like a sentence."""
    ended = (p if p.endswith((".", "?", "!", "。")) else f"{p}." for p in parts if p)
    return " ".join(ended)


def quantity(value: float, unit: str, t: Translator) -> str:
    return t.figure(Quantity(value, unit))


def signed(value: float, unit: str, t: Translator) -> str:
    """A difference with its sign: "+1.2 GiB", "−37 토큰/초"."""
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return sign + quantity(abs(value), unit, t)

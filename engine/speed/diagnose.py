"""What the customer sees now against what the machine could do: how near the ceiling, the likely limits, what to check first.

Each limit is scored by what the readings say against the estimate for the same deployment: a score is how many times slower that
cause alone would make things (in the logarithm), so that the ranking says which explains the gap. Readings nobody gave score by
how often the cause is behind such complaints (field notes: layers on the CPU first, then builds, spills, threads, links).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.messages import Message, Quantity, msg
from engine.speed.results import SpeedResult
from engine.speed.speed import speed
from engine.units import RATIO, SECONDS, TOKENS_PER_S

_NEAR: Final = 0.8
"""From this share of the expected speed on, nothing is wrong: the machine gives what such machines give."""
_SLOW_UTILISATION: Final = 0.5
_SLOW_CLOCK: Final = 0.85
_COPYING: Final = 0.15
"""Share of the time in copies from which they are worth a look."""
_SECOND: Final = 0.3


@frozen
class Observation:
    """What is seen now. None: nobody looked."""

    tokens_per_s: float | None = None
    """One user's output tokens a second."""
    total_tokens_per_s: float | None = None
    """All users together."""
    time_to_first_token_s: float | None = None
    utilisation: float | None = None
    """Of the accelerator, 0 to 1, as its monitor shows it while answering."""
    memory_utilisation: float | None = None
    clock_share: float | None = None
    """Present clock over the highest one."""
    power_share: float | None = None
    """Present power over the limit."""
    layers_on_device_share: float | None = None
    copy_time_share: float | None = None
    """Share of the time in copies between host and device."""
    waiting_requests: float | None = None
    batches: bool | None = None
    """False: requests are answered one after the other."""


@frozen
class Suspect:
    """One likely limit with its weight (0 to 1 over all suspects), why, and the first check."""

    name: str
    """prefill, decode, queue, copies, batching, link, layers_on_cpu, power, kernel, cache"""
    weight: float
    why: Message
    check: Message


@frozen
class Diagnosis:
    """How near the ceiling, and what stands in the way, most likely first."""

    of_ceiling: Estimate | None
    """Present speed over the ceiling; None where no speed was given."""
    of_expected: Estimate | None
    verdict: Message
    suspects: tuple[Suspect, ...]
    expected: SpeedResult


def diagnose(deployment: Deployment, seen: Observation) -> Diagnosis:
    """Compare what is seen with the estimate for the same deployment. Raises Refused where there is no estimate."""
    result = speed(deployment)
    now = _one_user(deployment, seen)
    under_load = deployment.concurrency > 1
    reference = 1.0 / result.time_per_output_token_s.value if under_load else result.decode_tokens_per_s.value
    of_expected = None if now is None else _share("expected", now, reference)
    of_ceiling = None if now is None else _share("ceiling", now, result.ceiling_tokens_per_s.value)
    gap = 1.0 if now is None else max(reference / now, 1.0)
    weighed = sorted(_suspects(deployment, seen, result, gap), key=lambda s: -s.weight)
    total = sum(s.weight for s in weighed) or 1.0
    suspects = tuple(Suspect(s.name, s.weight / total, s.why, s.check) for s in weighed if s.weight > 0)
    return Diagnosis(of_ceiling, of_expected, _verdict(of_ceiling, of_expected, suspects), suspects, result)


def _one_user(deployment: Deployment, seen: Observation) -> float | None:
    if seen.tokens_per_s is not None:
        return seen.tokens_per_s
    if seen.total_tokens_per_s is not None:
        return seen.total_tokens_per_s / max(deployment.concurrency, 1)
    return None


def _share(name: str, now: float, reference: float) -> Estimate:
    given = Source("said by the customer")
    trace = Trace(
        f"speed.trace.of_{name}",
        f"now / {name}",
        (
            Input("now", now, TOKENS_PER_S, Basis.MEASURED, given),
            Input(name, reference, TOKENS_PER_S, Basis.CALIBRATED, given),
        ),
        "handbook 12.5.1",
    )
    value = now / reference
    return Estimate(value, value, value, RATIO, Basis.MEASURED, trace)


def _verdict(ceiling: Estimate | None, expected: Estimate | None, suspects: tuple[Suspect, ...]) -> Message:
    if ceiling is None or expected is None:
        return msg("speed.diagnose.no_speed")
    if ceiling.value > 1.0:
        return msg("speed.diagnose.impossible", share=ceiling)
    if expected.value >= _NEAR:
        return msg("speed.diagnose.as_expected", share=ceiling)
    first = msg(f"speed.suspect.{suspects[0].name}") if suspects else msg("speed.suspect.kernel")
    return msg("speed.diagnose.slow", share=ceiling, expected=expected, first=first)


def _suspects(d: Deployment, seen: Observation, result: SpeedResult, gap: float) -> Iterator[Suspect]:
    lost = math.log(gap)
    yield from _placement(d, seen, lost)
    yield from _machine(d, seen, lost)
    yield from _serving(d, seen, result)
    if gap < 1.0 / _NEAR:
        yield _suspect("decode", 0.2 + _SECOND * (seen.utilisation or 0.0), share=1.0 / gap)
    elif not d.flash_attention or seen.utilisation is None or seen.utilisation > _SLOW_UTILISATION:
        yield _suspect("kernel", 0.5 * lost, gap=gap)


def _placement(d: Deployment, seen: Observation, lost: float) -> Iterator[Suspect]:
    """Layers on the processor, and copies."""
    on_device = seen.layers_on_device_share
    splits_layers = d.engine.id in ("llama.cpp", "ollama")
    if on_device is not None and on_device < 1.0:
        yield _suspect("layers_on_cpu", 1.0 + lost, share=1.0 - on_device)
    elif on_device is None and splits_layers and lost > 0.5:
        low = seen.utilisation is not None and seen.utilisation < _SLOW_UTILISATION
        yield _suspect("layers_on_cpu", lost * (1.0 if low else 0.6), share=None)
    copies = seen.copy_time_share
    if copies is not None and copies > _COPYING:
        yield _suspect("copies", -math.log(max(1.0 - copies, 0.05)) + _SECOND, share=copies)
    elif copies is None and lost > 0.5 and not d.device.unified_memory:
        yield _suspect("copies", 0.2 * lost, share=None)


def _machine(d: Deployment, seen: Observation, lost: float) -> Iterator[Suspect]:
    """Power and clocks, and the link between devices."""
    clock = seen.clock_share
    if clock is not None and clock < _SLOW_CLOCK:
        at_limit = seen.power_share is not None and seen.power_share > 0.95
        yield _suspect("power", -math.log(max(clock, 0.05)) + (_SECOND if at_limit else 0.1), share=clock)
    if d.tensor_parallel > 1 and lost > 0.2:
        pcie = not d.device.interconnect
        yield _suspect("link", lost * (0.8 if pcie else 0.3), devices=d.tensor_parallel)


def _serving(d: Deployment, seen: Observation, result: SpeedResult) -> Iterator[Suspect]:
    """Batching, queue, prompts, cache."""
    low = seen.utilisation is not None and seen.utilisation < _SLOW_UTILISATION
    if seen.batches is False and d.concurrency > 1:
        yield _suspect("batching", 1.0 + math.log(d.concurrency) / 3.0, users=d.concurrency)
    elif seen.batches is None and d.concurrency > 1 and low:
        yield _suspect("batching", 0.6, users=d.concurrency)
    first, expected = seen.time_to_first_token_s, result.time_to_first_token_s.value
    alone = d.prompt_tokens / result.prefill_tokens_per_s.value
    if first is not None:
        late = math.log(max(first / expected, 1e-3))
        waiting = seen.waiting_requests or 0.0
        if late > 0.2 and (d.concurrency > 1 or waiting > 0):
            yield _suspect("queue", late * (1.0 if waiting > 0 else 0.7), seconds=Quantity(first - alone, SECONDS))
        if late > 0.2:
            yield _suspect("prefill", late * 0.6, seconds=Quantity(first, SECONDS), tokens=d.prompt_tokens)
        elif alone > 0.5 * first and first > 1.0:
            yield _suspect("prefill", 0.5, seconds=Quantity(first, SECONDS), tokens=d.prompt_tokens)
    full = any(n.key == "speed.note.cache_full" for n in result.notes)
    if full or (seen.memory_utilisation or 0.0) > 0.98:
        yield _suspect("cache", 0.8 if full else 0.3, users=d.concurrency)


def _suspect(name: str, weight: float, **params: object) -> Suspect:
    said = {k: v for k, v in params.items() if v is not None}
    key = f"speed.why.{name}" if len(said) == len(params) else f"speed.why.{name}_unseen"
    return Suspect(name, max(weight, 0.0), msg(key, **said), msg(f"speed.check.{name}"))

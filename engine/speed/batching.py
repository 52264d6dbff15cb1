"""Many users at once: a closed loop in which each asks again when answered.

Balance of a closed loop: with B requests running, each cycle of length (TTFT + (output - 1) x TPOT) takes in B prompts, and while a
prompt is taken in the others wait. So TPOT = step / (1 - U) with U = interference x prefill x B / cycle, the share of time spent
on prompts. Solving for TPOT gives a quadratic with one positive root. The first tokens wait for the running step, for prompts
before them, and, in a test that starts all users together, for the first wave. Requests beyond what the cache holds wait for a
place (engines that reserve the whole length) or are paused in between (engines that admit by present use).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from attrs import frozen

from engine.speed.calibration import Constants
from engine.speed.case import Case, Floats
from engine.speed.decode import DecodeStep, decode_step
from engine.speed.parallel import replicas
from engine.speed.prefill import prefill_seconds

_ROUNDS: Final = 4
_BUSIEST: Final = 0.97
_FINITE_TEST: Final = 0.8
"""A finite test ends with short queues: its mean wait for a place is this share of the steady one."""


@frozen
class Load:
    """A service under load; seconds, tokens/s of all replicas together."""

    step: DecodeStep
    prefill_s: Floats
    """One prompt alone."""
    time_to_first_token_s: Floats
    time_per_output_token_s: Floats
    throughput_tokens_per_s: Floats
    running: Floats
    """Sequences in flight in one replica that the cache has room for."""
    room: Floats
    """Sequences of this length the cache of one replica holds."""
    prompt_share: Floats
    """Share of time spent on prompts."""
    queue_s: Floats
    """Part of the time to first token spent waiting."""


def new_prompt(case: Case) -> tuple[Any, Any]:
    """Tokens of a prompt that must be computed and tokens found in the prefix cache."""
    cached = case.prompt * np.clip(case.cached_prefix, 0.0, 1.0)
    return np.maximum(case.prompt - cached, 1.0), cached


def cache_places(case: Case) -> Any:
    """Sequences the cache of one replica holds: bytes left on a device over what one sequence claims there."""
    ranks = np.where(case.attention_data, case.data, 1.0)
    return np.maximum(case.cache_room / case.sequence_cache * ranks, 1.0)


def serve(case: Case, constants: Constants, concurrency: Any = None) -> Load:
    """Speed at a concurrency (the case's own if none is given), all replicas sharing it evenly."""
    users = case.concurrency if concurrency is None else np.asarray(concurrency, np.float64)
    copies = replicas(case)
    held = np.maximum(users / copies, 1.0)
    active_copies = np.minimum(users, copies)
    places = cache_places(case)
    running = np.minimum(held, places)
    over = held / running
    fresh, cached = new_prompt(case)
    prompt_s = prefill_seconds(case, constants, fresh, cached)
    step = decode_step(case, constants, running, case.prompt + case.output / 2.0)
    plain = step.seconds / case.tokens_a_step
    token_s, first_s, busy = _loop(case, constants, running, plain, prompt_s)
    cycle = first_s + gaps(case) * token_s
    extra = (over - 1.0) * cycle
    in_queue = np.where(case.reserves_whole, 1.0, case.prompt / (case.prompt + case.output / 2.0))
    counted = _FINITE_TEST * extra
    waited = first_s + counted * in_queue
    return Load(
        step=step,
        prefill_s=prompt_s,
        time_to_first_token_s=waited,
        time_per_output_token_s=token_s + counted * (1.0 - in_queue) / gaps(case),
        throughput_tokens_per_s=active_copies * held * case.output / (cycle + extra),
        running=running,
        room=places,
        prompt_share=busy,
        queue_s=np.maximum(waited - prompt_s - constants["request_s"], 0.0),
    )


def gaps(case: Case) -> Any:
    """Waits between tokens of one answer: one fewer than its tokens, because TPOT is (whole time - TTFT) / (tokens - 1)."""
    return np.maximum(case.output - 1.0, 1.0)


def _loop(case: Case, constants: Constants, running: Any, step_s: Any, prompt_s: Any) -> tuple[Any, Any, Any]:
    """TPOT, TTFT and the share of time spent on prompts, for requests that have a place."""
    out = gaps(case)
    stolen = constants["interference"] * prompt_s
    others = stolen * (running - 1.0)
    first = constants["request_s"] + prompt_s
    token, busy = step_s, np.zeros_like(np.asarray(step_s, np.float64))
    for _ in range(_ROUNDS):
        token = closed_loop_token_seconds(step_s, others, first, out)
        busy = np.minimum(others / (first + out * token), _BUSIEST)
        waiting = constants["queue"] * busy / (1.0 - busy) + constants["first_wave"] * (running - 1.0) / 2.0
        alone = running <= 1.0
        first = constants["request_s"] + prompt_s * (1.0 + np.where(alone, 0.0, waiting))
        first = first + np.where(alone, 0.0, 0.5 * token + constants["slot_wait"] * out * token)
    burst = step_s + others / 2.0 / out
    token = np.where(case.closed_loop, token, np.where(case.static, step_s, burst))
    together = np.where(case.static, prompt_s * running, constants["request_s"] + prompt_s * (running + 1.0) / 2.0)
    return token, np.where(case.closed_loop, first, together), np.where(case.closed_loop, busy, 0.0)


def closed_loop_token_seconds(step_s: Any, stolen_s: Any, first_s: Any, output: Any) -> Any:
    """T with T (1 - stolen / (first + output T)) = step.

    The positive root of output T^2 + (first - stolen - output step) T - step first = 0.
    """
    linear = first_s - stolen_s - output * step_s
    return (-linear + np.sqrt(linear * linear + 4.0 * output * step_s * first_s)) / (2.0 * output)

"""Many users at once: a closed loop in which each asks again when answered.

Balance of a closed loop: with B requests running, each cycle of length (TTFT + (output - 1) x TPOT) takes in B prompts, and while a
prompt is taken in the others wait. So TPOT = step / (1 - U) with U = interference x prefill x B / cycle, the share of time spent
on prompts. Solving for TPOT gives a quadratic with one positive root. The first tokens wait for the running step, for prompts
before them, and, in a test that starts all users together, for the first wave. Requests beyond what the cache holds wait for a
place (engines that reserve the whole length) or are paused in between (engines that admit by present use).
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from engine.arithmetic import Number, choose, least, most, root
from engine.speed.calibration import Constants
from engine.speed.case import Case
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
    prefill_s: Number
    """One prompt alone."""
    time_to_first_token_s: Number
    time_per_output_token_s: Number
    throughput_tokens_per_s: Number
    running: Number
    """Sequences in flight in one replica that the cache has room for."""
    room: Number
    """Sequences of this length the cache of one replica holds."""
    prompt_share: Number
    """Share of time spent on prompts."""
    queue_s: Number
    """Part of the time to first token spent waiting."""


def new_prompt(case: Case) -> tuple[Number, Number]:
    """Tokens of a prompt that must be computed and tokens found in the prefix cache."""
    cached = case.prompt * least(most(case.cached_prefix, 0.0), 1.0)
    return most(case.prompt - cached, 1.0), cached


def cache_places(case: Case) -> Number:
    """Sequences the cache of one replica holds: bytes left on a device over what one sequence claims there."""
    ranks = choose(case.attention_data, case.data, 1.0)
    return most(case.cache_room / case.sequence_cache * ranks, 1.0)


def serve(case: Case, constants: Constants, concurrency: Number = None) -> Load:
    """Speed at a concurrency (the case's own if none is given), all replicas sharing it evenly."""
    users = case.concurrency if concurrency is None else concurrency
    copies = replicas(case)
    held = most(users / copies, 1.0)
    active_copies = least(users, copies)
    places = cache_places(case)
    running = least(held, places)
    over = held / running
    fresh, cached = new_prompt(case)
    prompt_s = prefill_seconds(case, constants, fresh, cached)
    step = decode_step(case, constants, running, case.prompt + case.output / 2.0)
    plain = step.seconds / case.tokens_a_step
    token_s, first_s, busy = _loop(case, constants, running, plain, prompt_s)
    cycle = first_s + gaps(case) * token_s
    extra = (over - 1.0) * cycle
    in_queue = choose(case.reserves_whole, 1.0, case.prompt / (case.prompt + case.output / 2.0))
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
        queue_s=most(waited - prompt_s - constants["request_s"], 0.0),
    )


def gaps(case: Case) -> Number:
    """Waits between tokens of one answer: one fewer than its tokens, because TPOT is (whole time - TTFT) / (tokens - 1)."""
    return most(case.output - 1.0, 1.0)


def _loop(
    case: Case, constants: Constants, running: Number, step_s: Number, prompt_s: Number
) -> tuple[Number, Number, Number]:
    """TPOT, TTFT and the share of time spent on prompts, for requests that have a place."""
    out = gaps(case)
    stolen = constants["interference"] * prompt_s
    others = stolen * (running - 1.0)
    first = constants["request_s"] + prompt_s
    token, busy = step_s, 0.0 * step_s
    for _ in range(_ROUNDS):
        token = closed_loop_token_seconds(step_s, others, first, out)
        busy = least(others / (first + out * token), _BUSIEST)
        waiting = constants["queue"] * busy / (1.0 - busy) + constants["first_wave"] * (running - 1.0) / 2.0
        alone = running <= 1.0
        first = constants["request_s"] + prompt_s * (1.0 + choose(alone, 0.0, waiting))
        first = first + choose(alone, 0.0, 0.5 * token + constants["slot_wait"] * out * token)
    burst = step_s + others / 2.0 / out
    token = choose(case.closed_loop, token, choose(case.static, step_s, burst))
    together = choose(case.static, prompt_s * running, constants["request_s"] + prompt_s * (running + 1.0) / 2.0)
    return token, choose(case.closed_loop, first, together), choose(case.closed_loop, busy, 0.0)


def closed_loop_token_seconds(step_s: Number, stolen_s: Number, first_s: Number, output: Number) -> Number:
    """T with T (1 - stolen / (first + output T)) = step.

    The positive root of output T^2 + (first - stolen - output step) T - step first = 0.
    """
    linear = first_s - stolen_s - output * step_s
    return (-linear + root(linear * linear + 4.0 * output * step_s * first_s)) / (2.0 * output)

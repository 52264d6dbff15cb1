"""What the speed room answers."""

from __future__ import annotations

from attrs import frozen

from engine.estimate import Estimate
from engine.messages import Message


@frozen
class SpeedResult:
    """Speed of one deployment at its concurrency, prompt and output lengths."""

    ceiling_tokens_per_s: Estimate
    """One user, physics: bandwidth over the bytes a token must move. No measurement may beat it."""
    decode_tokens_per_s: Estimate
    """One user alone, expected."""
    throughput_tokens_per_s: Estimate
    """Output tokens of all users together at the deployment's concurrency."""
    prefill_tokens_per_s: Estimate
    prefill_ceiling_tokens_per_s: Estimate
    time_to_first_token_s: Estimate
    """At the deployment's concurrency; `unloaded` says whether a queue is in it."""
    time_per_output_token_s: Estimate
    unloaded: bool
    bound_by: Message
    """What limits one user's speed: memory, compute, per-step cost, link."""
    notes: tuple[Message, ...] = ()
    calibrated: bool = True
    """False: nothing like this device was in the calibration; the bands are wide and say so."""

"""What the service promises its users: said, or what people and machines usually bear."""

from __future__ import annotations

from typing import Final

from engine.assumptions import Ledger
from engine.capacity.assumed import PERCENTILE, PLANNING, fallbacks
from engine.capacity.sizing import Promise
from engine.consultation import Actor, Waiting, Workload
from engine.estimate import Basis, exact
from engine.messages import msg
from engine.questions import question
from engine.units import RATIO

FIRST: Final = "targets.time_to_first_token_s"
PER_TOKEN: Final = "targets.time_per_output_token_s"


def promise_of(workload: Workload, ledger: Ledger) -> Promise:
    """The targets said; without any, rule 1's latency budget; without that, assumed ones that the ledger lists.

    Nobody waits for a batch: it promises nothing but its window. A budget is the whole answer for a machine that acts on it
    and the first token for a person who reads along; the round trip comes out of it.
    """
    if workload.profile.waiting is Waiting.BATCH:
        return Promise(PERCENTILE)
    said = workload.targets
    share = ledger.value(
        workload,
        "targets.percentile",
        exact(PERCENTILE, RATIO, Basis.ASSUMED),
        question("targets.percentile").short,
        None,
        PLANNING,
    ).value
    promise = Promise(share, said.time_to_first_token_s, said.time_per_output_token_s, said.end_to_end_s)
    if not promise.empty:
        return promise
    budget = workload.immediacy.latency_budget_s
    if budget is not None:
        left = max(budget - (workload.immediacy.round_trip_s or 0.0), 0.0)
        if workload.immediacy.actor is Actor.MACHINE:
            return Promise(share, end_to_end_s=left)
        return Promise(share, time_to_first_token_s=left)
    table = fallbacks(workload)
    first, per_token = (
        ledger.value(workload, path, table[path][0], question(path).short, None, msg("capacity.why.no_target")).value
        for path in (FIRST, PER_TOKEN)
    )
    return Promise(share, time_to_first_token_s=first, time_per_output_token_s=per_token)

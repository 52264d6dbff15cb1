"""A model behind somebody else's endpoint: input, cached input, output, long prompts, peak hours, batch, retries.

A provider's long-prompt price counts for the whole request once its prompt is longer than the threshold (OpenAI, Anthropic,
Google, xAI; docs.perplexity.ai/docs/gateway/models says so for OpenAI and xAI): the dearer reading is used for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import Final

import numpy as np
from attrs import field, frozen

from engine.capacity import lengths
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import ApiPrice
from engine.consultation import Intelligence, Waiting
from engine.cost.kinds import CostKind
from engine.cost.model import Line, Point
from engine.cost.offers import Case, Offer
from engine.cost.prices import checked_per_mtok, dated, warnings_of
from engine.estimate import Basis, Estimate, exact
from engine.inputs import FloatArray, Known
from engine.messages import Message, Name, msg
from engine.questions import question
from engine.units import KILO, MEGA, RATIO, TOKENS_PER_MTOK, USD_PER_MTOK

INPUT: Final = "cost.api_input_usd_per_mtok"
CACHED: Final = "cost.api_cached_usd_per_mtok"
OUTPUT: Final = "cost.api_output_usd_per_mtok"
RETRIES: Final = "cost.api_retry_share"
DISCOUNT: Final = "budget.api_batch_discount"

_LONG: Final = re.compile(r"\(prompt >(\d+(?:\.\d+)?)([KM])\)")
_PEAK: Final = re.compile(r"\(peak ([A-Za-z]+)-([A-Za-z]+) UTC ([\d\-and ]+)\)")
_OFF_PEAK: Final = re.compile(r"\(off-peak\)")
_FROM: Final = re.compile(r"\([^)]*from (\d{4}-\d{2}-\d{2})\)")
_UNTIL: Final = re.compile(r"\([^)]*until (\d{4}-\d{2}-\d{2})\)")
_GONE: Final = re.compile(r"\(deprecated\)")
_ANY: Final = re.compile(r"\s*\([^)]*\)")
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


_API_INPUT_LINE: Final = msg("cost.line.api_input")
_API_CACHED_LINE: Final = msg("cost.line.api_cached")
_API_OUTPUT_LINE: Final = msg("cost.line.api_output")
_API_RETRIES_LINE: Final = msg("cost.line.api_retries")
_API_BATCH_LINE: Final = msg("cost.line.api_batch")


@frozen
class LongTier:
    """Prices of requests whose prompt is longer than `beyond_tokens`, over the base prices."""

    beyond_tokens: float
    input_factor: float
    cached_factor: float
    output_factor: float


@frozen
class PeakTier:
    """Hours in which everything costs `factor` times the base."""

    factor: float
    utc_hours: frozenset[int]
    days: int
    """Days of the week it counts on."""


@frozen
class ApiOffer:
    """One model of one provider with all its tiers."""

    base: ApiPrice
    name: str
    """The model without the brackets of its tiers."""
    long: LongTier | None
    peak: PeakTier | None
    deprecated: bool

    @property
    def cached(self) -> float | None:
        return self.base.cached_input_usd_per_mtok


@cache
def base_name(model: str) -> str:
    """The model's name without what its brackets say."""
    return _ANY.sub("", model).strip()


def offer_of(catalogue: Catalogue, price_id: str, as_of: date) -> ApiOffer | None:
    """The offer that row belongs to, with the tiers in force on the day. None where input or output has no price."""
    row = catalogue.api_prices.get(price_id)
    if row is None:
        return None
    name = base_name(row.model)
    family = [p for p in catalogue.api_prices.values() if p.provider == row.provider and base_name(p.model) == name]
    valid = [p for p in family if _in_force(p.model, as_of)]
    plain = [p for p in valid if not _LONG.search(p.model) and not _PEAK.search(p.model)]
    base = row if row in plain else next(iter(plain), row)
    if base.input_usd_per_mtok is None or base.output_usd_per_mtok is None:
        return None
    return ApiOffer(
        base=base,
        name=name,
        long=_long_tier(base, valid),
        peak=_peak_tier(base, valid),
        deprecated=bool(_GONE.search(base.model)),
    )


@cache
def _in_force(model: str, as_of: date) -> bool:
    start, end = _FROM.search(model), _UNTIL.search(model)
    first = dated(start.group(1)) if start else None
    last = dated(end.group(1)) if end else None
    return (first is None or as_of >= first) and (last is None or as_of <= last)


def _long_tier(base: ApiPrice, rows: Iterable[ApiPrice]) -> LongTier | None:
    for row in rows:
        found = _LONG.search(row.model)
        if found and row.input_usd_per_mtok and row.output_usd_per_mtok:
            tokens = float(found.group(1)) * (KILO if found.group(2) == "K" else MEGA)
            assert base.input_usd_per_mtok
            assert base.output_usd_per_mtok
            entering = row.input_usd_per_mtok / base.input_usd_per_mtok
            cached = (
                row.cached_input_usd_per_mtok / base.cached_input_usd_per_mtok
                if row.cached_input_usd_per_mtok and base.cached_input_usd_per_mtok
                else entering
            )
            return LongTier(tokens, entering, cached, row.output_usd_per_mtok / base.output_usd_per_mtok)
    return None


def _peak_tier(base: ApiPrice, rows: Iterable[ApiPrice]) -> PeakTier | None:
    for row in rows:
        found = _PEAK.search(row.model)
        if found and row.output_usd_per_mtok and base.output_usd_per_mtok:
            first, last = _DAYS.index(found.group(1)), _DAYS.index(found.group(2))
            hours: set[int] = set()
            for start, end in re.findall(r"(\d+)-(\d+)", found.group(3)):
                hours.update(range(int(start), int(end)))
            return PeakTier(row.output_usd_per_mtok / base.output_usd_per_mtok, frozenset(hours), last - first + 1)
    return None


def peak_share(tier: PeakTier, profile: FloatArray, utc_offset_hours: int, days_per_month: float) -> float:
    """Share of the requests that fall into the tier's hours, for a load of that hourly profile (24 local hours).

    Few days of use a month are working days; a load of every day meets the tier on its days of the week only.
    """
    local = np.array([(h - utc_offset_hours) % 24 in tier.utc_hours for h in range(24)])
    of_day = float(profile[local].sum() / profile.sum())
    working = 365 / 12 * tier.days / 7
    return of_day * min(1.0, working / days_per_month)


@frozen
class ApiOption:
    """Pays by the token: nothing up front, nothing when idle."""

    offer: ApiOffer
    batch: bool
    peak_factor: float
    """Mean price over the base because of peak hours."""
    prompt_sigma: float
    label: Message
    kind: CostKind = field(default=CostKind.API, init=False)

    def served(self, point: Point) -> float:
        return 1.0

    def lines(self, point: Point) -> tuple[Line, ...]:
        load, tier = point.load, self.offer.long
        entering = cached = leaving = np.asarray(self.peak_factor)
        if tier is not None:
            requests, tokens = lengths.share_beyond(
                point["demand.prompt_tokens"], self.prompt_sigma, tier.beyond_tokens
            )
            entering = entering * (1 + tokens * (tier.input_factor - 1))
            cached = cached * (1 + tokens * (tier.cached_factor - 1))
            leaving = leaving * (1 + requests * (tier.output_factor - 1))
        share, tokens_in = point["demand.cached_prefix_share"], load.input_tokens_per_month / TOKENS_PER_MTOK
        fresh = tokens_in * (1 - share) * point[INPUT] * entering
        again = tokens_in * share * point[CACHED] * cached
        answers = load.output_tokens_per_month / TOKENS_PER_MTOK * point[OUTPUT] * leaving
        tiered = " * tier" if tier is not None or self.peak_factor != 1 else ""
        prompt, answer, reuse = "demand.prompt_tokens", "demand.output_tokens", "demand.cached_prefix_share"
        lines = [
            Line(
                _API_INPUT_LINE,
                fresh,
                f"requests * prompt_tokens / 1e6 * (1 - cached_prefix_share) * api_input_usd_per_mtok{tiered}",
                (prompt, reuse, INPUT),
            ),
            Line(
                _API_CACHED_LINE,
                again,
                f"requests * prompt_tokens / 1e6 * cached_prefix_share * api_cached_usd_per_mtok{tiered}",
                (prompt, reuse, CACHED),
            ),
            Line(
                _API_OUTPUT_LINE,
                answers,
                f"requests * output_tokens / 1e6 * api_output_usd_per_mtok{tiered}",
                (answer, OUTPUT),
            ),
        ]
        whole = fresh + again + answers
        retries = whole * point[RETRIES]
        lines.append(Line(_API_RETRIES_LINE, retries, "tokens paid * api_retry_share", (RETRIES,)))
        if self.batch:
            off = -(whole + retries) * point[DISCOUNT]
            lines.append(Line(_API_BATCH_LINE, off, "tokens paid * api_batch_discount", (DISCOUNT,)))
        return tuple(lines)


_CLASS_QUANTILE: Final = {Intelligence.NARROW: 0.2, Intelligence.MEDIUM: 0.55, Intelligence.FRONTIER: 0.9}
"""Where in the price list of today's chat models the class needed stands; the price stands in for ability."""


_FOR_COMPANIES: Final = frozenset(
    {"OpenAI", "Anthropic", "Google", "Azure OpenAI", "Amazon Bedrock", "Upstage", "Mistral"}
)
"""Providers that sign contracts with companies in most countries: only theirs stand in for a class of model."""


def build(case: Case, model_id: str | None) -> Offer:
    """The API the customer named, else one with the deployment's own model (`model_id`), else one of the class needed."""
    label = msg("cost.option.api")
    chosen, warnings = _chosen(case, model_id)
    offer = offer_of(case.catalogue, chosen, case.as_of) if chosen else None
    if offer is None:
        return Offer(CostKind.API, label, None, missing=(msg("cost.missing.api_price"),))
    base, source = offer.base, offer.base.source
    assert base.input_usd_per_mtok is not None
    assert base.output_usd_per_mtok is not None
    shown = msg("cost.what.api", model=offer.name, provider=base.provider)
    entering = checked_per_mtok(base.input_usd_per_mtok, base.model)
    leaving = checked_per_mtok(base.output_usd_per_mtok, base.model)
    cached = base.cached_input_usd_per_mtok
    basis = Basis.DATASHEET if source.verified else Basis.ASSUMED

    def price(path: str, name: Message, usd: float) -> Known:
        return Known(path, name, exact(usd, USD_PER_MTOK, basis), source)

    known = [
        price(INPUT, msg("cost.input.api_input"), entering),
        price(CACHED, msg("cost.input.api_cached"), entering if cached is None else cached),
        price(OUTPUT, msg("cost.input.api_output"), leaving),
        case.assumed(RETRIES, Estimate(0.02, 0.0, 0.05, RATIO, Basis.ASSUMED), msg("cost.input.api_retries")),
    ]
    batch = case.workload.profile.waiting is Waiting.BATCH
    if batch:
        known.append(
            case.said(
                DISCOUNT,
                Estimate(0.0, 0.0, 0.5, RATIO, Basis.ASSUMED),
                question(DISCOUNT).short,
                why=msg("cost.why.batch_discount"),
            )
        )
    warnings += warnings_of(shown, source, "api", case.as_of)
    warnings += _tier_warnings(offer, cached)
    option = ApiOption(offer, batch, _peak_factor(case, offer), case.demand.prompt_sigma, label)
    return Offer(CostKind.API, msg("cost.option.api_named", what=shown), option, tuple(known), (), tuple(warnings))


def _tier_warnings(offer: ApiOffer, cached: float | None) -> list[Message]:
    out = []
    if cached is None:
        out.append(msg("cost.warning.no_cached_price"))
    if offer.long is not None:
        out.append(msg("cost.warning.long_prompts", tokens=offer.long.beyond_tokens))
    if offer.peak is not None:
        out.append(msg("cost.warning.peak_hours"))
    if offer.deprecated:
        out.append(msg("cost.warning.deprecated", model=offer.name))
    return out


_UTC_OFFSET: Final = {"KR": 9, "JP": 9, "US": -6, "EU": 1, "DE": 1, "FR": 1, "GB": 0}
"""Local time of a country, hours ahead of UTC, for prices that depend on the hour."""


def _peak_factor(case: Case, offer: ApiOffer) -> float:
    if offer.peak is None:
        return 1.0
    values = case.demand.inputs.centre()
    days = float(values.get("demand.active_days_per_month", np.float64(365 / 12)))
    share = peak_share(offer.peak, case.demand.profile(values), _UTC_OFFSET.get(case.country, 9), days)
    return 1 + share * (offer.peak.factor - 1)


def _chosen(case: Case, model_id: str | None) -> tuple[str | None, list[Message]]:
    """The id of the price used, and what to say about the choice."""
    said = case.workload.budget.api_model
    if said is not None:
        return said, []
    same = [] if model_id is None else hosted(case.catalogue, model_id)
    if same:
        return _listed(case, _middle(case, same, 0.5), "cost.why.api_same_model")
    needed = case.workload.intelligence.hardness or Intelligence.MEDIUM
    prices = [p for p in case.catalogue.api_prices.values() if _is_chat(p) and _in_force(p.model, case.as_of)]
    everyone = [p for p in prices if p.provider in _FOR_COMPANIES] or prices
    if not everyone:
        return None, []
    return _listed(case, _middle(case, everyone, _CLASS_QUANTILE[needed]), "cost.why.api_class")


def _listed(case: Case, row: ApiPrice, why: str) -> tuple[str, list[Message]]:
    case.ledger.note("budget.api_model", row.id, question("budget.api_model").short, row.source, Message(why))
    return row.id, [msg("cost.warning.api_chosen", model=Name("api_model", row.id))]


def _is_chat(price: ApiPrice) -> bool:
    return _plain(price.model) and price.input_usd_per_mtok is not None and price.output_usd_per_mtok is not None


@cache
def _plain(model: str) -> bool:
    return not (_LONG.search(model) or _PEAK.search(model) or _GONE.search(model))


def hosted(catalogue: Catalogue, model_id: str) -> list[ApiPrice]:
    """Offers of the same open model: their name holds the model's id, spelling aside."""
    wanted = _spelling(model_id)
    return [p for p in catalogue.api_prices.values() if _is_chat(p) and _same(_spelling(base_name(p.model)), wanted)]


def _same(name: str, wanted: str) -> bool:
    at = name.find(wanted)
    return at >= 0 and not name[at + len(wanted) :][:1].isdigit()


@cache
def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _middle(case: Case, prices: list[ApiPrice], share: float) -> ApiPrice:
    """The offer at that share of the list sorted by what this workload's mix of tokens costs there."""
    values = case.demand.inputs.centre()
    prompt, answer = float(values["demand.prompt_tokens"]), float(values["demand.output_tokens"])
    ordered = sorted(
        prices,
        key=lambda p: ((p.input_usd_per_mtok or 0) * prompt + (p.output_usd_per_mtok or 0) * answer, p.id),
    )
    return ordered[round((len(ordered) - 1) * share)]

"""Real decisions judged: one row of a case file becomes answers, and the same placement code speaks.

The columns are those of the case file. `chosen` is never read. Cells named in `inferred_fields` were filled in afterwards: they count
as guesses, which weigh but never rule out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.advice.answers import Answers
from engine.advice.results import Placement
from engine.consultation import (
    Boundary,
    Circumstances,
    DataBoundary,
    DeviceClass,
    Immediacy,
    Intelligence,
    NeededIntelligence,
    NetworkTrust,
    OfflineNeed,
    OfflineUse,
    Profile,
    Sensitivity,
    UpdateFrequency,
    UserScale,
    Waiting,
)
from engine.units import MILLI

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "online_or_batch": ("profile.waiting",),
    "device_class": ("profile.device_class",),
    "latency_need_ms": ("immediacy.latency_budget_s",),
    "network_trust": ("immediacy.network_trust",),
    "data_sensitivity": ("data.sensitivity",),
    "data_boundary": ("data.boundary",),
    "intelligence": ("intelligence.hardness",),
    "hard_share_pct": ("intelligence.hard_share",),
    "users": ("scale.users",),
    "requests_per_user_day": ("scale.requests_per_user_day",),
    "update_cadence_days": ("updates.update_interval_days",),
    "offline": ("offline.need",),
}
NETWORK: Final = {"yes": NetworkTrust.RELIABLE, "weak": NetworkTrust.PATCHY, "none": NetworkTrust.NONE}
DEVICES: Final = {
    "tablet": DeviceClass.PHONE,
    "laptop": DeviceClass.PC,
    "desktop": DeviceClass.PC,
    "glasses": DeviceClass.WEARABLE,
    "hearing-aid": DeviceClass.WEARABLE,
    "watch": DeviceClass.WEARABLE,
    "headset": DeviceClass.WEARABLE,
    "drone": DeviceClass.ROBOT,
    "truck": DeviceClass.CAR,
    "ship": DeviceClass.VESSEL,
    "aircraft": DeviceClass.VESSEL,
    "satellite": DeviceClass.VESSEL,
    "tv": DeviceClass.SPEAKER,
    "doorbell": DeviceClass.CAMERA,
}
"""Words of a case file for devices the questionnaire knows by another name; any other thing is a machine."""
VERDICTS: Final[Mapping[Placement, str]] = {
    Placement.CLOUD_API: "cloud-api",
    Placement.CLOUD_GPU: "cloud-gpu",
    Placement.SEALED_CLOUD: "cloud-sealed",
    Placement.ON_DEVICE: "on-device",
    Placement.ON_PREMISE: "on-premise",
    Placement.DEVICE_CLOUD: "hybrid-device-cloud",
    Placement.ON_PREMISE_CLOUD: "hybrid-onprem-cloud",
    Placement.DEVICE_ON_PREMISE: "hybrid-device-onprem",
}
FAMILY = {}

def verdict_word(p,batch):
    if p is None: return 'open'
    if batch and p in (Placement.CLOUD_API, Placement.CLOUD_GPU): return 'cloud-batch'
    if batch and p is Placement.ON_PREMISE: return 'onprem-batch'
    return VERDICTS[p]

def device(word: str) -> DeviceClass | None:
    if not word: return None
    try: return DeviceClass(word)
    except ValueError: return DEVICES.get(word, DeviceClass.MACHINE)
def num(t, f=1.0): 
    return float(t)*f if t.strip() else None
def en(E,t): return E(t) if t in set(map(str,E)) else None
def read_case(r):
    inf=set(x.strip() for x in r['inferred_fields'].split(';'))
    g=frozenset(p for c,ps in COLUMNS.items() if c in inf for p in ps)
    return Answers(
      profile=Profile(waiting=Waiting(r['online_or_batch']), device_class=device(r['device_class'])),
      immediacy=Immediacy(latency_budget_s=num(r['latency_need_ms'],MILLI), network_trust=NETWORK.get(r['network_trust'])),
      data=DataBoundary(boundary=en(Boundary,r['data_boundary']), sensitivity=en(Sensitivity,r['data_sensitivity'])),
      intelligence=NeededIntelligence(hardness=en(Intelligence,r['intelligence']), hard_share=num(r['hard_share_pct'],.01)),
      scale=UserScale(users=num(r['users']), requests_per_user_day=num(r['requests_per_user_day'])),
      updates=UpdateFrequency(update_interval_days=num(r['update_cadence_days'])),
      offline=OfflineUse(need=en(OfflineNeed,r['offline'])),
      guessed=g)

"""Realistic workloads with the verdict a competent adviser would give, and why. Written before the code was asked.

Each case: name, answers (short names of `describe`), the placements one would accept (the first is the expectation), the reason.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    name: str
    said: dict[str, Any]
    expected: tuple[str, ...]
    reason: str


CLOUD = ("cloud_api", "cloud_gpu", "sealed_cloud")

CASES = (
    Case(
        "bank loan files, separated network",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 2.0, "boundary": "organisation",
         "sensitivity": "regulated", "hardness": "medium", "users": 800, "requests": 15, "offline": "no", "closed": True},
        ("on_premise",),
        "credit data behind a separated network; a mid-size open model runs on one server",
    ),
    Case(
        "bank staff assistant, frontier model, enterprise contract",
        {"class": "server", "actor": "person", "trust": "reliable", "budget": 3.0, "boundary": "organisation",
         "sensitivity": "regulated", "hardness": "frontier", "sealed": True, "offline": "no"},
        ("sealed_cloud",),
        "the strongest models are not sold for the own building; a contract with audit was accepted",
    ),
    Case(
        "hospital reads scans at night, steady volume, own GPUs",
        {"class": "server", "waiting": "batch", "boundary": "country", "sensitivity": "regulated", "hardness": "narrow",
         "owned": True, "load": "steady"},
        ("on_premise",),
        "the images and the machines are already there and the load never stops",
    ),
    Case(
        "hospital ambient notes, doctors on phones",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 60.0, "boundary": "organisation",
         "sensitivity": "regulated", "hardness": "frontier", "sealed": True, "offline": "no"},
        ("sealed_cloud",),
        "hard language work for thousands of doctors on the move, under a processing agreement",
    ),
    Case(
        "wake word on a phone",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 0.3, "sensitivity": "personal",
         "hardness": "narrow", "hard": 0.0},
        ("on_device",),
        "listens all day: a tiny model, and nothing may stream out",
    ),
    Case(
        "keyboard suggestions",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 0.05, "boundary": "device",
         "sensitivity": "personal", "hardness": "narrow", "hard": 0.0, "users": 1e8, "offline": "full"},
        ("on_device",),
        "everything typed passes through it and it must keep up with the fingers",
    ),
    Case(
        "noise cancelling in a call",
        {"class": "phone", "actor": "machine", "trust": "patchy", "budget": 0.02, "hardness": "narrow", "hard": 0.0,
         "offline": "full"},
        ("on_device",),
        "twenty milliseconds an audio frame: no network makes that",
    ),
    Case(
        "face unlock",
        {"class": "phone", "actor": "machine", "trust": "none", "budget": 0.3, "boundary": "device",
         "sensitivity": "personal", "hardness": "narrow", "offline": "full"},
        ("on_device",),
        "must open the phone in a tunnel, and the face stays in the phone",
    ),
    Case(
        "live camera effect",
        {"class": "phone", "actor": "machine", "trust": "patchy", "budget": 0.033, "boundary": "none",
         "sensitivity": "personal", "hardness": "narrow", "hard": 0.0},
        ("on_device",),
        "thirty frames a second follow the face",
    ),
    Case(
        "car sees a child on the road",
        {"class": "car", "actor": "machine", "trust": "patchy", "budget": 0.1, "speed": 27.8, "outage": 2.0,
         "hardness": "narrow", "offline": "full"},
        ("on_device",),
        "at 100 km/h a round trip of 200 ms is 5.6 m driven blind, an outage of 2 s is 55 m",
    ),
    Case(
        "sprayer tells weed from crop",
        {"class": "machine", "actor": "machine", "trust": "none", "budget": 0.05, "hardness": "narrow", "offline": "full"},
        ("on_device",),
        "no signal in the field and nozzles that fire within 50 ms",
    ),
    Case(
        "weld inspection in a plant",
        {"class": "server", "actor": "machine", "trust": "reliable", "budget": 0.1, "boundary": "organisation",
         "sensitivity": "internal", "hardness": "narrow", "offline": "basics"},
        ("on_premise",),
        "the robot waits 100 ms; the plant's own server is a millisecond away",
    ),
    Case(
        "defect check on office PCs",
        {"class": "pc", "actor": "person", "trust": "reliable", "boundary": "organisation", "sensitivity": "internal",
         "hardness": "narrow", "hard": 0.0, "owned": False},
        ("on_device",),
        "PCs are there and the model is small: no server to buy",
    ),
    Case(
        "traveller translates signs without a SIM",
        {"class": "phone", "actor": "person", "trust": "none", "budget": 1.0, "boundary": "none", "hardness": "narrow",
         "offline": "full"},
        ("on_device",),
        "the feature is worth something exactly where there is no network",
    ),
    Case(
        "voice assistant: timers at once, poems when asked",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 1.0, "boundary": "none",
         "sensitivity": "personal", "hardness": "medium", "hard": 0.2, "offline": "basics"},
        ("device_cloud",),
        "most commands are easy and must work in the cellar, a few need a large model",
    ),
    Case(
        "subway: the feature must go on without a signal, hard questions may wait",
        {"class": "phone", "actor": "person", "trust": "patchy", "hardness": "medium", "hard": 0.15, "offline": "basics"},
        ("device_cloud",),
        "basics on the device, hard requests when the signal is back",
    ),
    Case(
        "photo object removal on laptops",
        {"class": "pc", "actor": "person", "trust": "patchy", "boundary": "none", "sensitivity": "internal",
         "hardness": "narrow", "eligible": 0.6, "offline": "basics"},
        ("device_cloud",),
        "strong PCs do it locally, the others and the heavy pictures go to the cloud",
    ),
    Case(
        "writing help on phones, unknown offline need",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 3.0, "boundary": "none",
         "sensitivity": "personal", "hardness": "medium"},
        ("device_cloud",),
        "neither place wins clearly: the safe default is both",
    ),
    Case(
        "public chat assistant for everyone",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 3.0, "boundary": "none",
         "sensitivity": "personal", "hardness": "frontier", "users": 7e8, "offline": "no"},
        CLOUD[:2],
        "broadest ability needs the largest model",
    ),
    Case(
        "start-up adds a chat to its web shop",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 2.0, "boundary": "none", "sensitivity": "public",
         "hardness": "medium", "users": 500, "skills": "none", "load": "rare", "offline": "no"},
        ("cloud_api",),
        "few users, nobody to run anything: pay for what is used",
    ),
    Case(
        "search engine with its own models, a team and a steady load",
        {"class": "server", "actor": "person", "trust": "reliable", "budget": 1.0, "boundary": "none",
         "sensitivity": "public", "hardness": "medium", "skills": "team", "load": "steady", "offline": "no"},
        ("cloud_gpu",),
        "a team that keeps rented accelerators busy saves the API's margin, and nothing has to be bought",
    ),
    Case(
        "code completion at work",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 0.3, "boundary": "none", "sensitivity": "internal",
         "hardness": "medium", "offline": "no"},
        CLOUD[:2],
        "people wait 300 ms without noticing and a larger model completes better",
    ),
    Case(
        "single-line completion, code may not leave the PC",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 0.15, "boundary": "device",
         "sensitivity": "internal", "hardness": "narrow", "hard": 0.0, "offline": "no"},
        ("on_device",),
        "a 100-million-parameter model in the editor, and nothing leaves",
    ),
    Case(
        "code assistant in a defence enclave",
        {"class": "server", "actor": "person", "trust": "none", "budget": 0.3, "boundary": "organisation",
         "sensitivity": "secret", "hardness": "medium", "offline": "full", "closed": True},
        ("on_premise",),
        "no outbound call of any kind",
    ),
    Case(
        "card fraud scoring in a millisecond",
        {"class": "server", "actor": "machine", "trust": "reliable", "budget": 0.001, "boundary": "organisation",
         "sensitivity": "regulated", "hardness": "narrow", "shared": True, "load": "steady", "offline": "no"},
        ("on_premise",),
        "a millisecond, always up, and it must know what all other cards did",
    ),
    Case(
        "abuse filter of a chat service",
        {"class": "phone", "actor": "machine", "trust": "patchy", "budget": 1.0, "boundary": "none",
         "sensitivity": "personal", "hardness": "narrow", "shared": True, "offline": "no", "every": 7},
        CLOUD[:2],
        "it has to see what others send and changes every week",
    ),
    Case(
        "shop computes recommendations for ten million customers at night",
        {"class": "server", "waiting": "batch", "boundary": "none", "sensitivity": "personal", "hardness": "narrow"},
        CLOUD[:2],
        "nobody waits: one large run on rented machines, stored for the morning",
    ),
    Case(
        "library cleans twenty petabytes",
        {"class": "server", "waiting": "batch", "boundary": "country", "sensitivity": "regulated", "hardness": "narrow",
         "gravity": 2e16, "owned": True},
        ("on_premise",),
        "the archive cannot be moved",
    ),
    Case(
        "oil rig drilling analytics over satellite",
        {"class": "server", "actor": "person", "trust": "patchy", "sensitivity": "internal", "hardness": "narrow",
         "offline": "basics"},
        ("on_premise", "on_premise_cloud"),
        "minutes of delay and drop-outs: the box stands on the rig",
    ),
    Case(
        "two GPUs of one's own idle at 15 %, then swamped, one engineer",
        {"class": "server", "actor": "person", "trust": "reliable", "budget": 3.0, "boundary": "none",
         "sensitivity": "internal", "hardness": "medium", "load": "spiky", "skills": "none", "owned": True, "offline": "no"},
        ("cloud_api",),
        "the machines are there, but nobody to run them and a load that does not fit them",
    ),
    Case(
        "factory group keeps secrets in, buys the frontier model for the rest",
        {"class": "server", "actor": "person", "trust": "reliable", "budget": 3.0, "boundary": "organisation",
         "sensitivity": "secret", "hardness": "frontier", "skills": "team", "offline": "no"},
        ("on_premise_cloud",),
        "secrets pull in, the needed strength pulls out: both, through one gateway",
    ),
    Case(
        "ministry, closed network, plain data",
        {"class": "server", "actor": "person", "trust": "none", "budget": 3.0, "boundary": "organisation",
         "sensitivity": "internal", "hardness": "medium", "offline": "full", "closed": True},
        ("on_premise",),
        "the network has no way out whatever the data",
    ),
    Case(
        "hearing aid separates speech from noise",
        {"class": "wearable", "actor": "machine", "trust": "none", "budget": 0.01, "boundary": "device",
         "sensitivity": "personal", "hardness": "narrow", "hard": 0.0, "offline": "full"},
        ("on_device",),
        "ten milliseconds, a battery, an ear",
    ),
    Case(
        "glasses answer questions about what the wearer sees",
        {"class": "wearable", "actor": "person", "trust": "patchy", "budget": 3.0, "boundary": "none",
         "sensitivity": "personal", "hardness": "frontier", "offline": "no"},
        CLOUD[:2],
        "a few hundred megabytes of memory against the hardest work",
    ),
    Case(
        "messages summarised, end-to-end encrypted, sealed cloud accepted",
        {"class": "phone", "actor": "person", "trust": "patchy", "budget": 3.0, "boundary": "device",
         "sensitivity": "personal", "hardness": "medium", "hard": 1.0, "sealed": True, "offline": "no"},
        ("sealed_cloud",),
        "phones cannot do it well; an attested enclave that keeps nothing stands in for the phone",
    ),
    Case(
        "Korean public agency, open-grade data, in-country certified cloud",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 3.0, "boundary": "country",
         "sensitivity": "internal", "hardness": "medium", "sealed": True, "skills": "none", "buying": 10, "offline": "no"},
        ("sealed_cloud",),
        "certified region in the country, nobody to run servers, buying takes a year",
    ),
    Case(
        "patients' records, phone app, everything inside the hospital",
        {"class": "pc", "actor": "person", "trust": "reliable", "budget": 3.0, "boundary": "organisation",
         "sensitivity": "regulated", "hardness": "medium", "sealed": False, "skills": "team", "offline": "no"},
        ("on_premise",),
        "law keeps the records in, a mid-size model is enough, a team runs it",
    ),
    Case(
        "driver safety camera, uplink costs money",
        {"class": "camera", "actor": "machine", "trust": "patchy", "budget": 0.5, "boundary": "none",
         "sensitivity": "personal", "hardness": "narrow", "hard": 0.1, "offline": "basics"},
        ("device_cloud",),
        "the alert is made in the cab, selected clips are checked again in the cloud",
    ),
)  # fmt: skip
"""Also tested: the whole table has more than thirty cases and covers every placement but one nobody would plan for."""

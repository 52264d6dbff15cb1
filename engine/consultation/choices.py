"""What may be chosen as an answer. The words are stored: a member may be added, never renamed."""

from __future__ import annotations

import enum


class Waiting(enum.StrEnum):
    ONLINE = "online"
    BATCH = "batch"


class Actor(enum.StrEnum):
    """Who acts on the answer: rule 1 is about machines that act, not about people who read."""

    PERSON = "person"
    MACHINE = "machine"


class NetworkTrust(enum.StrEnum):
    RELIABLE = "reliable"
    PATCHY = "patchy"
    NONE = "none"


class Boundary(enum.StrEnum):
    """The farthest place the data may go."""

    DEVICE = "device"
    ORGANISATION = "organisation"
    COUNTRY = "country"
    NONE = "none"


class Sensitivity(enum.StrEnum):
    PUBLIC = "public"
    INTERNAL = "internal"
    PERSONAL = "personal"
    REGULATED = "regulated"
    SECRET = "secret"


class Intelligence(enum.StrEnum):
    NARROW = "narrow"
    MEDIUM = "medium"
    FRONTIER = "frontier"


class OfflineNeed(enum.StrEnum):
    NO = "no"
    BASICS = "basics"
    FULL = "full"


class DeviceClass(enum.StrEnum):
    """What the user holds or sits at; ids of assets/catalogue/device_classes.csv refine it."""

    PHONE = "phone"
    PC = "pc"
    CAR = "car"
    CAMERA = "camera"
    ROBOT = "robot"
    MACHINE = "machine"
    WEARABLE = "wearable"
    SPEAKER = "speaker"
    KIOSK = "kiosk"
    VESSEL = "vessel"
    SERVER = "server"


class DownloadCarrier(enum.StrEnum):
    """Who carries the model to the device."""

    APP = "app"
    OPT_IN = "opt_in"
    SYSTEM = "system"
    MANAGED = "managed"


class LoadShape(enum.StrEnum):
    STEADY = "steady"
    OFFICE_HOURS = "office_hours"
    SPIKY = "spiky"
    RARE = "rare"


class Skills(enum.StrEnum):
    NONE = "none"
    SOME = "some"
    TEAM = "team"


class Framework(enum.StrEnum):
    PYTORCH = "pytorch"
    JAX = "jax"
    TENSORFLOW = "tensorflow"
    LLAMA_CPP = "llama_cpp"
    OTHER = "other"


class Purpose(enum.StrEnum):
    INFERENCE = "inference"
    TRAINING = "training"
    BOTH = "both"


class Link(enum.StrEnum):
    """How machines already owned are joined."""

    NVLINK = "nvlink"
    PCIE = "pcie"
    ETHERNET = "ethernet"
    NONE = "none"


class TaskKind(enum.StrEnum):
    CHAT = "chat"
    DOCUMENTS = "documents"
    TRANSLATION = "translation"
    SPEECH = "speech"
    VISION = "vision"
    LABELLING = "labelling"
    CODE = "code"
    AGENT = "agent"
    SCORING = "scoring"
    CONTROL = "control"
    OTHER = "other"


class Audience(enum.StrEnum):
    PRIVATE = "private"
    CUSTOMER = "customer"


class Origin(enum.StrEnum):
    """Where an answer came from. SAID is the default and is not stored."""

    SAID = "said"
    MEASURED = "measured"
    PRESET = "preset"
    IMPORTED = "imported"
    GUESSED = "guessed"

"""What a child says, one JSON object a line. The parent reads typed events; a line it does not know is ignored.

Events: hello, surroundings, host, facts, version, start, progress, result, skipped, unsupported, failed, series, note, refused,
done. `refused` is the driver's "no"; `failed` with `fatal` means that the context is lost and the child goes down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs
import cattrs
from attrs import frozen

from engine.documents import converter as document_converter
from engine.messages import Message, Quantity, msg
from engine.probe.results import DeviceFacts, DriverAnswer, HostFacts, Reading, Series, Status, Surroundings

PROTOCOL_VERSION: Final = 1
MAX_LINE_BYTES: Final = 1 << 20


@frozen
class Hello:
    child: str
    protocol: int
    pid: int


@frozen
class SurroundingsFound:
    surroundings: Surroundings


@frozen
class HostFound:
    host: HostFacts


@frozen
class DeviceFound:
    device: DeviceFacts
    chosen: bool


@frozen
class VersionFound:
    name: str
    version: str


@frozen
class Started:
    """An item begins; `silence_s` is how long nothing may be heard from here on."""

    item: str
    silence_s: float


@frozen
class Progress:
    """A sign of life inside an item, with the value so far where there is one."""

    item: str
    done: float
    value: float | None = None


@frozen
class Measured:
    reading: Reading
    fatal: bool = False


@frozen
class SeriesFound:
    lesson: str
    series: Series


@frozen
class Noted:
    message: Message


@frozen
class Refused:
    answer: DriverAnswer


@frozen
class Done:
    seconds: float


Event = (
    Hello
    | SurroundingsFound
    | HostFound
    | DeviceFound
    | VersionFound
    | Started
    | Progress
    | Measured
    | SeriesFound
    | Noted
    | Refused
    | Done
)


def plain_message(message: Message) -> dict[str, Any]:
    """A message as JSON values."""
    return {"key": message.key, "params": {k: _plain_param(v) for k, v in message.params.items()}}


def _plain_param(value: Any) -> Any:
    if isinstance(value, Message):
        return {"message": plain_message(value)}
    if isinstance(value, Quantity):
        return {"quantity": [value.value, value.unit]}
    if isinstance(value, tuple | list):
        return [_plain_param(v) for v in value]
    return value


def read_message(data: Any) -> Message:
    """The reverse of plain_message. Raises KeyError, TypeError or ValueError for anything else."""
    return msg(str(data["key"]), **{str(k): _read_param(v) for k, v in dict(data.get("params", {})).items()})


def _read_param(value: Any) -> Any:
    if isinstance(value, dict):
        if "message" in value:
            return read_message(value["message"])
        number, unit = value["quantity"]
        return Quantity(float(number), str(unit))
    if isinstance(value, list):
        return tuple(_read_param(v) for v in value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"no message field: {value!r}")


def make_converter(forbid_extra_keys: bool) -> cattrs.Converter:
    """cattrs for the probe's values: messages as key and params, fields nobody set left out."""
    made = document_converter().copy(forbid_extra_keys=forbid_extra_keys, omit_if_default=True)
    made.register_unstructure_hook(Message, plain_message)
    made.register_structure_hook(Message, lambda v, _: read_message(v))
    made.register_structure_hook_func(
        lambda t: t == Mapping[str, str], lambda v, _: {str(k): str(x) for k, x in v.items()}
    )
    return made


_LENIENT: Final = make_converter(forbid_extra_keys=False)
"""A newer child may say more than this parent knows."""

_READING_EVENTS: Final = {
    "result": Status.OK,
    "skipped": Status.SKIPPED,
    "unsupported": Status.UNSUPPORTED,
    "failed": Status.FAILED,
}


def parse_line(line: str | bytes) -> Event | None:
    """The event of one line; None for an unknown or damaged one (a library's own print, a newer child's event)."""
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        data = json.loads(line)
        name = data["event"]
        if name in _READING_EVENTS:
            reading = _LENIENT.structure({"status": _READING_EVENTS[name].value, **data["reading"]}, Reading)
            return Measured(reading, bool(data.get("fatal", False)))
        maker = _READERS.get(name)
        return None if maker is None else maker(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, cattrs.BaseValidationError):
        return None


def _plain_reader(kind: type[Any]) -> Callable[[Mapping[str, Any]], Event]:
    names = {a.name for a in attrs.fields(kind)}

    def read(data: Mapping[str, Any]) -> Event:
        event: Event = _LENIENT.structure({k: v for k, v in data.items() if k in names}, kind)
        return event

    return read


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Event]]] = {
    "hello": _plain_reader(Hello),
    "surroundings": _plain_reader(SurroundingsFound),
    "host": _plain_reader(HostFound),
    "facts": _plain_reader(DeviceFound),
    "version": _plain_reader(VersionFound),
    "start": _plain_reader(Started),
    "progress": _plain_reader(Progress),
    "series": _plain_reader(SeriesFound),
    "note": _plain_reader(Noted),
    "refused": _plain_reader(Refused),
    "done": _plain_reader(Done),
}


def write_line(event: Event) -> str:
    """One line for the parent, ended by a newline."""
    body: dict[str, Any] = _LENIENT.unstructure(event)
    if isinstance(event, Measured):
        status = event.reading.status
        name = "result" if status in (Status.OK, Status.ESTIMATED) else status.value
        out = {"event": name, "reading": body["reading"], "fatal": event.fatal}
    else:
        out = {"event": _NAMES[type(event)], **body}
    return json.dumps(out, ensure_ascii=True, separators=(",", ":"), default=dict, allow_nan=False) + "\n"


_NAMES: Final[Mapping[type[Any], str]] = {
    Hello: "hello",
    SurroundingsFound: "surroundings",
    HostFound: "host",
    DeviceFound: "facts",
    VersionFound: "version",
    Started: "start",
    Progress: "progress",
    SeriesFound: "series",
    Noted: "note",
    Refused: "refused",
    Done: "done",
}

"""Which image of a kernel runs here: the pack's own for this device, else one compiled now, else the pack's PTX."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from kernels import nvrtc, sources
from kernels.device.driver import DriverError, Session
from kernels.pack import Damaged, Image, Pack

REFUSED = frozenset({200, 209, 218, 221, 222, 300, 301})
"""Invalid image, no binary for this device, invalid PTX, no translator, PTX too new, ...: the next image may do."""


class Missing(Exception):
    """No image of this source runs here; `last` is the driver's last refusal."""

    def __init__(self, source: str, last: DriverError | None) -> None:
        super().__init__(source)
        self.source, self.last = source, last


@frozen
class Loaded:
    image: str
    """"sm_90a", "compute_75", or "compiled sm_90"."""
    module: Any
    kernels: frozenset[str]


class Kernels:
    """Modules of one session, loaded when first asked for."""

    def __init__(self, session: Session, pack: Pack | None, capability: tuple[int, int], cuda: tuple[int, int]) -> None:
        self._session, self._pack, self._capability, self._cuda = session, pack, capability, cuda
        self._loaded: dict[str, Loaded] = {}
        self._functions: dict[str, Any] = {}

    def load(self, source: str) -> Loaded:
        """Load the best image of a source. Raises Missing, or DriverError for anything but a refused image."""
        if source not in self._loaded:
            self._loaded[source] = self._first_accepted(source)
        return self._loaded[source]

    def function(self, source: str, name: str) -> Any:
        """A kernel. Raises Missing where no image of the source holds it."""
        if name not in self._functions:
            loaded = self.load(source)
            if name not in loaded.kernels:
                raise Missing(source, None)
            self._functions[name] = self._session.function(loaded.module, name)
        return self._functions[name]

    def has(self, source: str, name: str) -> bool:
        """Whether the pack holds this kernel for this device, without loading it."""
        try:
            return name in self.load(source).kernels
        except Missing:
            return False

    def _first_accepted(self, source: str) -> Loaded:
        last: DriverError | None = None
        candidates = self._fitting(source)
        for image in [i for i in candidates if not i.is_ptx]:
            try:
                return self._take(image)
            except DriverError as error:
                if error.code not in REFUSED:
                    raise
                last = error
        try:
            return self._compile(source)
        except (nvrtc.NotInstalled, nvrtc.CompileError):
            pass
        except DriverError as error:
            if error.code not in REFUSED:
                raise
            last = error
        for image in [i for i in candidates if i.is_ptx]:
            try:
                return self._take(image)
            except DriverError as error:
                if error.code not in REFUSED:
                    raise
                last = error
        raise Missing(source, last)

    def _fitting(self, source: str) -> list[Image]:
        """The pack's images that were made from the source as it stands."""
        if self._pack is None:
            return []
        digest = sources.digest(sources.text(source))
        return [i for i in self._pack.choose(source, self._capability, self._cuda) if i.digest == digest]

    def _take(self, image: Image) -> Loaded:
        assert self._pack is not None
        try:
            data = self._pack.read(image)
        except Damaged as error:
            raise DriverError(200, "damaged image", str(error)) from error
        return Loaded(image.target, self._session.module(data), frozenset(image.kernels))

    def _compile(self, source: str) -> Loaded:
        """With the run-time compiler, where it is installed and knows the device. Matrix kernels never: no gate read them."""
        if source in sources.NATIVE:
            raise nvrtc.NotInstalled(source)
        from kernels.pack import kernel_names  # noqa: PLC0415

        number = self._capability[0] * 10 + self._capability[1]
        for library in nvrtc.libraries():
            compiler = nvrtc.Compiler(library)
            if number in compiler.architectures():
                image = compiler.compile(sources.text(source), f"{source}.cu", f"sm_{number}", sources.OPTIONS).image
                return Loaded(
                    f"compiled sm_{number}", self._session.module(image), frozenset(kernel_names(image, False))
                )
        raise nvrtc.NotInstalled(source)

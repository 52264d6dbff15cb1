"""The machine around the device: processor, memory, system, power source. No names, no serial numbers."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import psutil

from engine.probe.power import on_battery
from engine.probe.results import HostFacts


def host_facts() -> HostFacts:
    """Everything the standard library and psutil say without privileges."""
    memory = psutil.virtual_memory()
    return HostFacts(
        processor=processor_name(),
        cores=psutil.cpu_count(logical=False),
        threads=usable_threads(),
        memory_bytes=float(memory.total),
        memory_available_bytes=float(memory.available),
        system=f"{platform.system()} {platform.release().split('-')[0]}".strip(),
        architecture=platform.machine(),
        on_battery=on_battery(),
        wsl=is_wsl(),
        container=is_container(),
    )


def usable_threads() -> int:
    """Hardware threads this process may use (a container or an affinity mask may allow fewer than there are)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor_name() -> str:
    """The marketing name of the processor, or its architecture."""
    if sys.platform.startswith("linux"):
        text = _read("/proc/cpuinfo")
        found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", text, re.MULTILINE)
        if found:
            return found.group(1).strip()
        return _read("/proc/device-tree/model").strip("\0\n ") or platform.machine()
    if sys.platform == "darwin":
        return _ask("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    return platform.processor() or platform.machine()


def cache_bytes() -> float:
    """The last-level cache one processor sees, where the system states it; else a guess on the large side (64 MiB)."""
    sizes = [_size(_read(str(file))) for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return float(max(sizes, default=64 * 2**20))


def is_wsl() -> bool:
    return "microsoft" in _read("/proc/sys/kernel/osrelease").lower()


def is_container() -> bool:
    """Docker, Podman or Kubernetes, by the marks they leave."""
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists() or "KUBERNETES_SERVICE_HOST" in os.environ:
        return True
    return bool(re.search(r"docker|containerd|kubepods|lxc|libpod", _read("/proc/1/cgroup")))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+)([KM]?)", text.strip())
    return int(found.group(1)) * {"": 1, "K": 1024, "M": 2**20}[found.group(2)] if found else 0


def _ask(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=1, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""

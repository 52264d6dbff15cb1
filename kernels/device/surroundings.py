"""What can be known of a GPU without loading its driver: device nodes, bus, kernel module, container, environment."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from pathlib import Path

from engine.probe.results import Surroundings
from kernels.host_facts import is_container, is_wsl


def look_around() -> Surroundings:
    """Reads files and the environment only; wakes nothing."""
    return Surroundings(
        device_nodes=len(list(Path("/dev").glob("nvidia[0-9]*"))) if sys.platform != "win32" else 0,
        pci_devices=_pci_devices(),
        kernel_driver=_kernel_driver(),
        wsl=is_wsl(),
        wsl_device=Path("/dev/dxg").exists(),
        container=is_container(),
        jetson=Path("/etc/nv_tegra_release").exists() or "tegra" in _first_line("/proc/device-tree/compatible"),
        visible_devices=_visible_devices(),
        bindings=importlib.util.find_spec("cuda") is not None,
    )


def _visible_devices() -> str | None:
    """CUDA_VISIBLE_DEVICES as set; unique ids in it are hashed."""
    found = os.environ.get("CUDA_VISIBLE_DEVICES")
    if found is None:
        return None
    return re.sub(r"(?:GPU|MIG)-[0-9a-fA-F/-]+", lambda m: device_id(m.group(0)), found) or '""'


def device_id(uuid: str) -> str:
    """Twelve characters that stand for a device and lead back to nothing."""
    return hashlib.sha256(f"waypost:{uuid}".encode()).hexdigest()[:12]


def _pci_devices() -> int:
    """NVIDIA display or 3D controllers on the bus (Linux)."""
    count = 0
    for device in Path("/sys/bus/pci/devices").glob("*"):
        if _first_line(device / "vendor") == "0x10de" and _first_line(device / "class").startswith(
            ("0x0300", "0x0302")
        ):
            count += 1
    return count


def _kernel_driver() -> str:
    found = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", _first_line("/proc/driver/nvidia/version"))
    return found.group(1) if found else ""


def _first_line(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").split("\n")[0].strip("\0 ")
    except OSError:
        return ""

"""The kinds of bill an option can be."""

from __future__ import annotations

import enum


class CostKind(enum.StrEnum):
    """How a workload is paid for."""

    API = "api"
    RENTED_GPU = "rented_gpu"
    ON_PREMISE = "on_premise"
    ON_DEVICE = "on_device"
    HYBRID = "hybrid"

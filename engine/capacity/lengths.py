"""Lengths of prompts and answers as lognormal distributions: a mean and a 95th percentile fix one.

Request lengths of language-model services are right-skewed; the lognormal is the usual two-parameter fit and is what the
percentile questions of this tool need (share of prompts beyond a price threshold, the length of the slowest 5 %).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

Z95: Final = 1.6448536269514722
STEEPEST_P95: Final = math.exp(Z95**2 / 2)
"""3.87: the largest 95th percentile over mean a lognormal can have."""


def sigma_of(p95_over_mean: FloatArray | float) -> FloatArray:
    """Shape of the lognormal whose 95th percentile is that multiple of its mean.

    q/m = exp(z sigma - sigma^2/2), solved for the smaller sigma. A ratio at or below 1 gives 0 (all lengths equal); one
    beyond 3.87, which no lognormal has, gives the widest, sigma = z.
    """
    ratio = np.clip(np.asarray(p95_over_mean, dtype=np.float64), 1.0, STEEPEST_P95)
    sigma: FloatArray = Z95 - np.sqrt(np.maximum(Z95**2 - 2 * np.log(ratio), 0.0))
    return sigma


def quantile_over_mean(sigma: FloatArray | float, share: float) -> FloatArray:
    """The length that `share` of the requests stay within, over the mean."""
    s = np.asarray(sigma, dtype=np.float64)
    out: FloatArray = np.exp(normal_quantile(share) * s - s**2 / 2)
    return out


def variation_squared(sigma: FloatArray | float) -> FloatArray:
    """Squared coefficient of variation: exp(sigma^2) - 1."""
    out: FloatArray = np.expm1(np.asarray(sigma, dtype=np.float64) ** 2)
    return out


def share_beyond(
    mean: FloatArray | float, sigma: FloatArray | float, threshold: float
) -> tuple[FloatArray, FloatArray]:
    """(share of the requests longer than `threshold`, share of all tokens that are in them)."""
    mean = np.asarray(mean, dtype=np.float64)
    s = np.maximum(np.asarray(sigma, dtype=np.float64), 1e-9)
    d = (np.log(np.maximum(mean, 1e-300) / threshold) - s**2 / 2) / s
    return normal_cdf(d), normal_cdf(d + s)


def normal_cdf(x: FloatArray) -> FloatArray:
    """Standard normal distribution function, absolute error below 7.5e-8 (Abramowitz and Stegun 26.2.17)."""
    x = np.asarray(x, dtype=np.float64)
    t = 1 / (1 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    upper = np.exp(-np.minimum(x**2, 1400) / 2) / math.sqrt(2 * math.pi) * poly
    out: FloatArray = np.where(x >= 0, 1 - upper, upper)
    return out


def normal_quantile(share: float) -> float:
    """Standard normal quantile. 0 < share < 1, otherwise StatisticsError."""
    return NormalDist().inv_cdf(share)

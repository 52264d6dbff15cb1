"""Units. Inside the engine everything is SI: bytes, bytes/s, FLOP/s, seconds, USD, watts, joules.

A name ends in its unit (`weights_bytes`, `bandwidth_bytes_per_s`, `round_trip_s`). GB is 10^9 bytes, GiB is 2^30 bytes;
the two are never mixed and never both called "GB". Display units are chosen in `app.present` only.
"""

from __future__ import annotations

from typing import Final

KILO: Final = 1e3
MEGA: Final = 1e6
GIGA: Final = 1e9
TERA: Final = 1e12

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3

MILLI: Final = 1e-3
MICRO: Final = 1e-6

SECONDS_PER_HOUR: Final = 3600.0
SECONDS_PER_DAY: Final = 86_400.0
HOURS_PER_MONTH: Final = 730.0
"""The convention of every cloud price list: 8,760 hours a year over 12 months."""
DAYS_PER_MONTH: Final = 365.0 / 12.0
MONTHS_PER_YEAR: Final = 12

TOKENS_PER_MTOK: Final = 1_000_000

# Unit words an Estimate may carry. The presentation layer knows how to print each of them.
BYTES: Final = "B"
BYTES_PER_S: Final = "B/s"
BYTES_PER_TOKEN: Final = "B/token"
FLOP_PER_S: Final = "FLOP/s"
SECONDS: Final = "s"
TOKENS: Final = "token"
TOKENS_PER_S: Final = "token/s"
REQUESTS_PER_S: Final = "request/s"
COUNT: Final = "1"
RATIO: Final = "ratio"
USD: Final = "USD"
USD_PER_MONTH: Final = "USD/month"
USD_PER_REQUEST: Final = "USD/request"
USD_PER_MTOK: Final = "USD/Mtoken"
USD_PER_HOUR: Final = "USD/h"
WATTS: Final = "W"
JOULES: Final = "J"
METRES: Final = "m"
METRES_PER_S: Final = "m/s"
MONTHS: Final = "month"
DAYS: Final = "day"
USERS: Final = "user"

UNITS: Final = frozenset(
    {
        BYTES, BYTES_PER_S, BYTES_PER_TOKEN, FLOP_PER_S, SECONDS, TOKENS, TOKENS_PER_S, REQUESTS_PER_S, COUNT, RATIO,
        USD, USD_PER_MONTH, USD_PER_REQUEST, USD_PER_MTOK, USD_PER_HOUR, WATTS, JOULES, METRES, METRES_PER_S, MONTHS,
        DAYS, USERS,
    }
)  # fmt: skip

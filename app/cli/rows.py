"""CSV files of the user's in and out, with sentences for what is wrong with them."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.cli.context import STDIN
from app.host import atomic
from app.store.files import read_limited, writing
from engine.errors import InvalidInput
from engine.messages import msg

MAX_CSV_BYTES: Final = 256 * 1024 * 1024


def read_csv(name: str, required: Sequence[str]) -> list[dict[str, str]]:
    """Rows of a CSV file ("-": stdin), missing cells "". Raises FileError, InvalidInput for a missing column or a bad row."""
    data = sys.stdin.buffer.read(MAX_CSV_BYTES) if name == STDIN else read_limited(Path(name), MAX_CSV_BYTES)
    try:
        text = data.decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
        columns = reader.fieldnames or ()
        lacking = [c for c in required if c not in columns]
        if lacking:
            raise InvalidInput(msg("error.csv_columns", path=name, columns=", ".join(lacking)))
        rows = []
        for row in reader:
            if None in row:
                raise InvalidInput(msg("error.csv_cells", path=name, line=reader.line_num))
            rows.append(row)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(msg("error.not_csv", path=name, why=str(error))) from error
    return rows


def write_csv(name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows whole or not at all ("-": stdout). Raises FileError."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if name == STDIN:
        sys.stdout.write(out.getvalue())
        return
    path = Path(name)
    with writing(path):
        atomic.write_text(path, out.getvalue())

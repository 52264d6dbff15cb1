"""A longer ladder of migrations than the product has: what a later release would bring."""

from __future__ import annotations

import shutil
from pathlib import Path

from app.store.models import HEAD
from app.store.upgrade import MIGRATIONS, Schema

NEXT = "9001"
STEP = '''
"""A step of a later release."""
import pathlib, time
import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{head}"
branch_labels = depends_on = None


def upgrade():
    op.add_column("consultations", sa.Column("colour", sa.Text))
    op.execute("UPDATE consultations SET colour = 'blue'")
    {then}
    op.add_column("drafts", sa.Column("colour", sa.Text))
'''


def longer(folder: Path, then: str = "pass") -> Schema:
    """The product's ladder with one more step; `then` is a statement run in the middle of it."""
    copy = folder / "migrations"
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(MIGRATIONS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "versions" / "v9001_later.py").write_text(STEP.format(next=NEXT, head=HEAD, then=then), encoding="utf-8")
    return Schema(copy, NEXT)

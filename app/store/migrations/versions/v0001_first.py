"""The first schema: consultations with drafts and versions, probe runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "consultations",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("customer", sa.Text, nullable=False),
        sa.Column("workloads", sa.Text, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.Column("deleted_at", _TIME),
    )
    op.create_index("ix_consultations_listed", "consultations", ["deleted_at", "changed_at"])
    op.create_table(
        "drafts",
        sa.Column(
            "consultation_id", sa.String(80), sa.ForeignKey("consultations.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("writer", sa.String(32), nullable=False),
        sa.Column("saved_at", _TIME, nullable=False),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "consultation_id", sa.String(80), sa.ForeignKey("consultations.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("language", sa.String(16), nullable=False),
        sa.Column("catalogue_version", sa.String(80), nullable=False),
        sa.Column("probe", sa.Text),
        sa.Column("assessment", sa.Text),
        sa.Column("created_at", _TIME, nullable=False),
        sa.UniqueConstraint("consultation_id", "number", name="uq_versions_number"),
    )
    op.create_index("ix_versions_consultation_id", "versions", ["consultation_id"])
    op.create_table(
        "probe_runs",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
    )
    op.create_index("ix_probe_runs_at", "probe_runs", ["at"])
    _forbid_changes_of_versions()


def _forbid_changes_of_versions() -> None:
    dialect = op.get_bind().dialect.name
    if dialect == "sqlite":
        op.execute(
            "CREATE TRIGGER versions_never_change BEFORE UPDATE ON versions "
            "BEGIN SELECT RAISE(ABORT, 'a version never changes'); END"
        )
    elif dialect == "postgresql":
        op.execute(
            "CREATE FUNCTION versions_never_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'a version never changes'; END $$"
        )
        op.execute(
            "CREATE TRIGGER versions_never_change BEFORE UPDATE ON versions "
            "FOR EACH ROW EXECUTE FUNCTION versions_never_change()"
        )

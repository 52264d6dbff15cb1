"""What Alembic runs: the connection is handed over, the whole upgrade is one transaction."""

from __future__ import annotations

from alembic import context

from app.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()

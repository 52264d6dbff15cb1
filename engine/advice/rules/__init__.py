"""The six rules and what people weigh besides them: one module a rule, each a function of its answers."""

from typing import Final

from engine.advice.rules import circumstances, data, immediacy, intelligence, offline, scale, updates
from engine.advice.rules.base import Context, RuleOf

RULES: Final[tuple[RuleOf, ...]] = (
    immediacy.RULE,
    data.RULE,
    intelligence.RULE,
    scale.RULE,
    updates.RULE,
    offline.RULE,
    circumstances.RULE,
)
"""In the order they are asked."""

__all__ = ["RULES", "Context", "RuleOf"]

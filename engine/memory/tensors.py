"""What tensors a model is made of: how many of which shape, which of them a token reads, which a step reads whatever its batch.

Shapes of the usual decoder follow from the catalogue's columns (embedding, grouped attention, gated MLP or experts, norms). Models
that differ carry their tensors themselves (`Model.tensor_groups`, from model_tensors.csv or from an imported file). What neither
explains is one group of kind "other", so that the elements always add up to `params_total`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Final

from attrs import define, field

from engine.catalogue.rows import Model, TensorGroup
from engine.errors import Refused
from engine.messages import Name, msg

EMBEDDINGS: Final = frozenset({"token_embedding", "position_embedding", "per_layer_embedding"})
"""Tables of which a token reads a row."""
ROUTED: Final = frozenset({"expert_gate", "expert_up", "expert_down"})
ATTENTION: Final = frozenset(
    {
        "attention_q", "attention_k", "attention_v", "attention_qkv", "attention_output", "mla_q_a", "mla_q_b", "mla_kv_a",
        "mla_k_b", "mla_v_b", "indexer", "compressor",
    }
)  # fmt: skip
LINEAR: Final = frozenset(
    {"linear_qkv", "linear_gate", "linear_small", "linear_output", "ssm_in", "ssm_out", "ssm_small"}
)
"""Projections of linear-attention and state-space layers; "small" ones (decay, step size, state inputs) stay unquantised."""
MLP: Final = frozenset({"mlp_gate", "mlp_up", "mlp_down", "shared_gate", "shared_up", "shared_down"})
BESIDE: Final = frozenset({"vision", "audio"})
"""Read when an image or a sound comes in, not while text is generated."""
KINDS: Final = (
    EMBEDDINGS
    | ROUTED
    | ATTENTION
    | LINEAR
    | MLP
    | BESIDE
    | frozenset({"lm_head", "router", "conv", "vector", "mixer", "other"})
)
"""`vector`: norms, biases and other one-dimensional tensors; `mixer`: small matrices between layers; `other`: unexplained."""


@define(frozen=True, slots=False)
class TensorInventory:
    """A model's tensors. Counts are elements (weights), not bytes: see engine.memory.weights for those."""

    model_id: str
    groups: tuple[TensorGroup, ...]
    tied: bool = field(default=False)
    """The head is the token embedding: one table, read row by row going in and whole coming out."""
    n_experts: int = 0
    experts_per_token: int = 0

    def elements(self, kinds: Iterable[str]) -> float:
        """Elements of those kinds, all layers together."""
        wanted = frozenset(kinds)
        return float(sum(g.elements for g in self.groups if g.kind in wanted))

    @cached_property
    def total(self) -> float:
        return float(sum(g.elements for g in self.groups))

    @cached_property
    def embedding(self) -> float:
        """Embedding tables, of which a token reads one row each (a tied head counts in `always` too)."""
        return self.elements(EMBEDDINGS)

    @cached_property
    def routed(self) -> float:
        """Routed experts of all layers."""
        return self.elements(ROUTED)

    @cached_property
    def beside(self) -> float:
        """Vision and audio towers: not read while text is generated."""
        return self.elements(BESIDE)

    @cached_property
    def head(self) -> float:
        """What the output projection reads: the head, or the tied embedding."""
        return self.elements({"token_embedding"} if self.tied else {"lm_head"})

    @cached_property
    def always(self) -> float:
        """Read by every decode step whatever its batch: all but routed experts, embedding tables and towers; with the head."""
        outside = self.embedding + self.routed + self.beside
        return self.total - outside + (self.head if self.tied else 0.0)

    @cached_property
    def routed_layers(self) -> int:
        """Layers with routed experts."""
        return max((g.layers for g in self.groups if g.kind in ROUTED), default=0)

    @cached_property
    def routed_per_layer(self) -> float:
        """Elements of all routed experts of one layer."""
        return self.routed / self.routed_layers if self.routed_layers else 0.0

    @cached_property
    def one_expert(self) -> float:
        """Elements of one routed expert of one layer."""
        return self.routed_per_layer / self.n_experts if self.n_experts else 0.0

    @cached_property
    def active(self) -> float:
        """Elements one token multiplies with while text is generated: `always` plus its own experts."""
        chosen = self.experts_per_token / self.n_experts if self.n_experts else 0.0
        return self.always + self.routed * chosen

    @cached_property
    def unexplained_share(self) -> float:
        """Share of all elements whose shape is not known."""
        return self.elements({"other"}) / self.total


@lru_cache(maxsize=4096)
def inventory(model: Model) -> TensorInventory:
    """The tensors of a model; they add up to `params_total` (a shape that counts more than the total is scaled to it).

    Raises Refused for a model whose shape is unpublished.
    """
    groups = model.tensor_groups or derived_groups(model)
    counted = sum(g.elements for g in groups)
    missing = round(model.params_total) - counted
    if missing > 0:
        groups = (*groups, TensorGroup("other", 1, missing, 1))
    return TensorInventory(
        model.id, groups, bool(model.tie_embeddings), model.n_experts or 0, model.experts_per_token or 0
    )


def derived_groups(model: Model) -> tuple[TensorGroup, ...]:
    """Tensors of the usual decoder from the catalogue's columns: grouped attention, gated MLP or experts, two norms a layer."""
    if not (model.n_layers and model.hidden and model.vocab and model.n_heads and model.head_dim):
        raise Refused(msg("memory.refused.shape_unpublished", model=Name("model", model.id)))
    layers, hidden = model.n_layers, model.hidden
    groups = [TensorGroup("token_embedding", 1, model.vocab, hidden)]
    if not model.tie_embeddings:
        groups.append(TensorGroup("lm_head", 1, model.vocab, hidden))
    queries, keys = model.n_heads * model.head_dim, (model.n_kv_heads or model.n_heads) * model.head_dim
    groups += [
        TensorGroup("attention_q", layers, queries, hidden, layers),
        TensorGroup("attention_k", layers, keys, hidden, layers),
        TensorGroup("attention_v", layers, keys, hidden, layers),
        TensorGroup("attention_output", layers, hidden, queries, layers),
        TensorGroup("vector", 2 * layers + 1, hidden, 1, layers),
    ]
    dense = (model.dense_layers or 0) if model.is_moe else layers
    groups += _gated("mlp", dense, 1, model.intermediate or 0, hidden)
    if model.n_experts:
        width, sparse = model.moe_intermediate or 0, layers - dense
        groups.append(TensorGroup("router", sparse, model.n_experts, hidden, sparse))
        groups += _gated("expert", sparse, model.n_experts, width, hidden)
        groups += _gated("shared", sparse, 1, width * (model.n_shared_experts or 0), hidden)
    return tuple(groups)


def _gated(prefix: str, layers: int, experts: int, width: int, hidden: int) -> list[TensorGroup]:
    """Gate, up and down of a gated MLP; nothing where there is none."""
    if not layers or not width:
        return []
    count = layers * experts
    return [
        TensorGroup(f"{prefix}_gate", count, width, hidden, layers),
        TensorGroup(f"{prefix}_up", count, width, hidden, layers),
        TensorGroup(f"{prefix}_down", count, hidden, width, layers),
    ]

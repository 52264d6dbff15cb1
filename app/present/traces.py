"""A derivation in words: the trace of a figure as a tree, names and numbers in the reader's language."""

from __future__ import annotations

import re
from typing import Final

from app.present import dates
from app.present.translator import Translator
from app.present.views import FigureView, TraceNode
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.messages import Name, Quantity

DEPTH: Final = 8
"""A derivation deeper than this has gone in a circle."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTIONS: Final = frozenset({"ceil", "floor", "max", "min", "sum", "sqrt", "median", "over"})
_ROW_KINDS: Final = ("gpu_instance", "api_model", "device", "model")
_PHRASES: Final = {
    "sum over tensors": "formula.sum_over_tensors",
    "sum over layers": "formula.sum_over_layers",
    "share of installs on the new version": "formula.share_of_installs",
    "median of the on-demand offers for one device": "formula.median_of_offers",
    "weights left in host memory": "formula.weights_left_in_host_memory",
}
"""Parts of formulas that are words rather than mathematics."""


def input_name(name: str, t: Translator) -> str:
    """The word for an input of a formula; one nobody named reads as its identifier with spaces."""
    for key in (name, f"trace.{name}", f"question.{name}.short"):
        if t.has(key):
            return t.text(key)
    for kind in _ROW_KINDS:
        row = t.value(Name(kind, name))
        if row != name:
            return row
    return name.rsplit(".", 1)[-1].replace("_", " ")


def source_line(source: Source | None, t: Translator) -> str:
    """ "docs.vllm.ai, 2026-10", with a warning word when it could not be verified."""
    if source is None:
        return ""
    parts = [source.where] if source.where else []
    if source.as_of:
        parts.append(dates.as_of(source.as_of, t.language))
    if not source.verified:
        parts.append(t.text("present.unverified"))
    return ", ".join(parts)


def tree(label: str, estimate: Estimate, t: Translator) -> TraceNode:
    """The whole derivation of a figure."""
    band = t.band(estimate)
    value = f"{t.figure(estimate)} ({band})" if band else t.figure(estimate)
    return _node(label, value, estimate.basis, None, estimate.trace, t, DEPTH)


def of_figure(view: FigureView, t: Translator) -> TraceNode:
    """The derivation of a figure already in words; its own row stays out where it says no more than the view does."""
    if view.trace is None:
        return TraceNode(view.label, view.value, basis=view.basis)
    children = tuple(_of_input(i, t, DEPTH - 1) for i in view.trace.inputs)
    return TraceNode(view.label, view.value, _readable(view.trace, t), view.trace.reference, view.basis, children)


def _node(
    label: str, value: str, basis: Basis, source: Source | None, trace: Trace | None, t: Translator, depth: int
) -> TraceNode:
    children = tuple(_of_input(i, t, depth - 1) for i in trace.inputs) if trace and depth else ()
    reference = trace.reference if trace else ""
    return TraceNode(
        label=label,
        value=value,
        formula=_readable(trace, t) if trace else "",
        source=source_line(source, t) or reference,
        basis=t.text(f"basis.{basis.value}"),
        children=children,
    )


def _of_input(given: Input, t: Translator, depth: int) -> TraceNode:
    value = given.value if isinstance(given.value, str) else t.figure(Quantity(given.value, given.unit))
    source, trace = given.source, given.trace
    if trace is not None and _only_renames(trace, given):
        source, trace = trace.inputs[0].source or source, trace.inputs[0].trace
    return _node(input_name(given.name, t), value, given.basis, source, trace, t, depth)


def _only_renames(trace: Trace, given: Input) -> bool:
    """True for a derivation that hands one value on under another name: a level nobody wants to open."""
    return len(trace.inputs) == 1 and trace.inputs[0].value == given.value and trace.formula.isidentifier()


def _readable(trace: Trace, t: Translator) -> str:
    """The formula with typographic signs, its identifiers and phrases in words."""
    text = trace.formula
    for phrase, key in _PHRASES.items():
        text = text.replace(phrase, t.text(key))
    text = _IDENTIFIER.sub(lambda found: _word(found.group(0), t), text)
    for sign, shown in (("*", "×"), ("x", "×"), ("/", "÷"), ("-", "−")):
        text = text.replace(f" {sign} ", f" {shown} ")
    return text


def _word(identifier: str, t: Translator) -> str:
    """The word of an identifier; function names and short symbols stay as they are."""
    if len(identifier) < 2 or identifier in _FUNCTIONS:
        return identifier
    return input_name(identifier, t) if "_" in identifier or t.has(f"trace.{identifier}") else identifier


def as_lines(node: TraceNode, indent: int = 0) -> list[str]:
    """The tree as text, for the clipboard and the report's method section."""
    own = f"{'  ' * indent}{node.label}: {node.value}"
    if node.formula:
        own += f" = {node.formula}"
    tail = " · ".join(p for p in (node.basis, node.source) if p)
    lines = [f"{own} [{tail}]" if tail else own]
    for child in node.children:
        lines += as_lines(child, indent + 1)
    return lines

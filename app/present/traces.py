"""A derivation in words: the trace of a figure as a tree, names and numbers in the reader's language."""

from __future__ import annotations

from app.present import dates
from app.present.translator import Translator
from app.present.views import FigureView, TraceNode
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.messages import Quantity

DEPTH = 8
"""A derivation deeper than this has gone in a circle."""


def input_name(name: str, t: Translator) -> str:
    """The word for an input of a formula; one nobody named reads as its identifier with spaces."""
    for key in (name, f"trace.{name}", f"question.{name}.short"):
        if t.has(key):
            return t.text(key)
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
    return _node(input_name(given.name, t), value, given.basis, given.source, given.trace, t, depth)


def _readable(trace: Trace, t: Translator) -> str:
    """The formula with typographic signs; input identifiers become their words."""
    text = trace.formula
    for given in sorted(trace.inputs, key=lambda i: -len(i.name)):
        word = input_name(given.name, t)
        if word != given.name:
            text = text.replace(given.name, word)
    for sign, shown in (("*", "×"), ("/", "÷")):
        text = text.replace(f" {sign} ", f" {shown} ")
    return text


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

"""Method and how to check it: what each number rests on, a worked example, and the commands that give the same numbers."""

from __future__ import annotations

import shlex

from app.present.pages.customer import workload_name
from app.present.scene import Scene
from app.present.traces import tree
from app.present.views import Block, Bullet, Bullets, Cell, Page, Table, Tone, TraceNode
from app.report.text import shortened
from engine.deployment import Deployment

TOPICS = ("memory", "ceiling", "expected", "capacity", "cost", "advice", "unknown")
ROWS = 24
"""Rows of one worked example; a longer derivation is read in Waypost."""
SOURCE = 90
"""Characters of a source in a worked example; all of it stands in Waypost."""


def method(scenes: tuple[Scene, ...]) -> Page:
    t = scenes[0].t
    topics = tuple(Bullet(t.text(f"report.method.{topic}.title"), t.text(f"report.method.{topic}")) for topic in TOPICS)
    blocks: list[Block] = [Bullets("", topics)]
    commands = tuple(item for scene in scenes for item in _commands(scene))
    if commands:
        blocks.append(Bullets(t.text("report.method.commands"), commands))
    blocks += next(filter(None, map(_worked, scenes)), [])
    return Page(
        "method", t.text("report.method"), t.text("report.method.title"), t.text("report.method.lead"), tuple(blocks)
    )


def _worked(scene: Scene) -> list[Block]:
    """The ceiling and the memory of this workload down to their inputs, with sources and dates."""
    t, found = scene.t, []
    if scene.assessed.speed is not None:
        found.append((t.text("present.figure.ceiling"), scene.assessed.speed.ceiling_tokens_per_s))
    if scene.assessed.fit is not None:
        found.append((t.text("present.figure.memory"), scene.assessed.fit.total_bytes))
        found.append((t.text("report.method.room"), scene.assessed.fit.device_memory_bytes))
    rows = [row for label, estimate in found if estimate.trace for row in _rows(tree(label, estimate, t), 0)]
    if not rows:
        return []
    headers = tuple(t.text(f"present.column.{n}") for n in ("step", "value", "formula", "source"))
    title = t.text("report.method.worked", name=workload_name(scene))
    return [Table(headers, tuple(rows[:ROWS]), title, frozenset({1}))]


def _rows(node: TraceNode, depth: int) -> list[tuple[Cell, ...]]:
    """A derivation as table rows, each level a little further in."""
    source = " · ".join(p for p in (node.basis, shortened(node.source, SOURCE)) if p)
    own = (
        Cell(node.label, strong=depth == 0, indent=depth),
        Cell(node.value, strong=depth == 0),
        Cell(node.formula or "–", Tone.MUTED),
        Cell(source, Tone.MUTED),
    )
    return [own, *(row for child in node.children for row in _rows(child, depth + 1))]


def _commands(scene: Scene) -> list[Bullet]:
    """`waypost fit` and `waypost speed` with the very words that give this proposal's numbers."""
    deployment = scene.assessed.deployment
    if deployment is None:
        return []
    name = workload_name(scene)
    found = []
    if scene.assessed.fit is not None:
        found.append(Bullet(command("fit", deployment), name))
    if scene.assessed.speed is not None:
        found.append(Bullet(command("speed", deployment), name))
    return found


def command(verb: str, d: Deployment) -> str:
    """The command line that asks the same question. `verb`: fit or speed."""
    device = d.device.id if d.device_count == 1 else f"{d.device.id}:{d.device_count}"
    words = [
        "waypost", verb,
        "--model", d.model.id,
        "--format", d.weight_format.id,
        "--device", device,
        "--context", str(d.context_tokens),
        "--concurrency", str(d.concurrency),
        "--kv-format", d.kv_format,
        "--tp", str(d.tensor_parallel),
        "--engine", d.engine.id,
    ]  # fmt: skip
    told: list[tuple[str, float | str, float | str]] = [
        ("--pp", d.pipeline_parallel, 1),
        ("--dp", d.data_parallel, 1),
        ("--ep", d.expert_parallel, 1),
        ("--offload", d.offloaded_layer_share, 0.0),
        ("--engine-version", d.engine_version, ""),
    ]
    if verb == "speed":
        words += ["--prompt", f"{d.prompt_tokens:g}", "--output", f"{d.output_tokens:g}"]
        told += [
            ("--cached-prefix", d.cached_prefix_share, 0.0),
            ("--speculative", d.speculative_acceptance, 1.0),
        ]
    for flag, value, usual in told:
        if value != usual:
            words += [flag, f"{value:g}" if isinstance(value, int | float) else value]
    return shlex.join([*words, "--json"])

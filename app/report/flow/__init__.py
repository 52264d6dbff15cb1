"""Blocks of `app.present.views` as flowables: vector drawing on the page, the same words and tones as the window."""

from app.report.flow.blocks import flow, flow_all

__all__ = ["flow", "flow_all"]

"""The one short style sheet, made from the tokens. Widgets say what they are by properties ("surface", "ink", "kind")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from app.present import design
from app.present.design import Palette

INKS: Final = ("ink1", "ink2", "ink3", "accent", "good", "warn", "bad", "on_accent")


def style_sheet(p: Palette, px: Callable[[float], int]) -> str:
    """QSS for a palette; `px` turns design units into pixels."""
    field_radius, card_radius, small = px(design.RADIUS_FIELD), px(design.RADIUS_CARD), px(design.RADIUS_SMALL)
    inks = "\n".join(f'QLabel[ink="{ink}"] {{ color: {getattr(p, ink)}; background: transparent; }}' for ink in INKS)
    return f"""
{inks}
QWidget#shell, QWidget[surface="ground"] {{ background: {p.ground}; }}
QWidget[surface="bar"] {{ background: {p.surface}; border: 0; }}
QFrame[surface="topbar"] {{ background: {p.surface}; border: 0; border-bottom: 1px solid {p.line}; }}
QFrame[surface="status"] {{ background: {p.surface}; border: 0; border-top: 1px solid {p.line}; }}
QFrame[surface="rail"] {{ background: {p.surface}; border: 0; border-right: 1px solid {p.line}; }}
QFrame[surface="panel"] {{ background: {p.surface}; border: 0; border-left: 1px solid {p.line}; }}
QFrame[surface="card"] {{ background: {p.surface}; border: 1px solid {p.line}; border-radius: {card_radius}px; }}
QFrame[surface="overlay"] {{ background: {p.surface}; border: 1px solid {p.line_strong}; border-radius: {card_radius}px; }}
QFrame[surface="sunken"] {{ background: {p.sunken}; border: 0; border-radius: {card_radius}px; }}
QFrame[surface="accent"] {{ background: {p.surface}; border: 1px solid {p.accent}; border-radius: {card_radius}px; }}
QFrame[surface="toast"] {{ background: {p.ink1}; border: 0; border-radius: {card_radius}px; }}
QFrame[surface="toast"] QLabel {{ color: {p.surface}; }}
QFrame[surface="line"] {{ background: {p.line}; border: 0; max-height: 1px; min-height: 1px; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: 0; }}

QLineEdit, QPlainTextEdit, QComboBox {{
  background: {p.ground}; color: {p.ink1}; border: 1px solid {p.line}; border-radius: {field_radius}px;
  padding: {px(7)}px {px(10)}px; selection-background-color: {p.accent}; selection-color: {p.on_accent};
}}
QLineEdit:hover, QPlainTextEdit:hover {{ border-color: {p.line_strong}; }}
QLineEdit:focus, QPlainTextEdit:focus {{ border: 2px solid {p.accent}; padding: {px(7) - 1}px {px(10) - 1}px; }}
QLineEdit[wrong="true"] {{ border: 1px solid {p.bad}; background: {p.bad_soft}; }}
QLineEdit[search="true"] {{ background: {p.surface}; border-radius: {field_radius}px; }}
QLineEdit[bare="true"] {{ border: 0; background: transparent; padding: {px(4)}px; }}

QToolTip {{ background: {p.surface}; color: {p.ink1}; border: 1px solid {p.line_strong}; padding: {px(6)}px {px(8)}px; }}
QMenu {{
  background: {p.surface}; color: {p.ink1}; border: 1px solid {p.line_strong}; padding: {px(4)}px;
  border-radius: {field_radius}px;
}}
QMenu::item {{ padding: {px(6)}px {px(18)}px {px(6)}px {px(10)}px; border-radius: {small}px; }}
QMenu::item:selected {{ background: {p.accent_soft}; color: {p.ink1}; }}
QMenu::item:disabled {{ color: {p.ink3}; }}

QScrollBar:vertical {{ background: transparent; width: {px(10)}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {px(10)}px; margin: 0; }}
QScrollBar::handle {{
  background: {p.line}; border-radius: {px(3)}px; min-height: {px(28)}px; min-width: {px(28)}px; margin: {px(2)}px;
}}
QScrollBar::handle:hover {{ background: {p.line_strong}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QTableView, QListView, QTreeView {{
  background: {p.surface}; alternate-background-color: {p.surface}; color: {p.ink1}; border: 0; outline: 0;
  gridline-color: {p.line}; selection-background-color: {p.accent_soft}; selection-color: {p.ink1};
}}
QTableView::item {{ padding: {px(4)}px {px(8)}px; border-bottom: 1px solid {p.line}; }}
QListView::item {{ padding: {px(7)}px {px(10)}px; border-radius: {field_radius}px; }}
QListView::item:selected, QTableView::item:selected, QTreeView::item:selected {{ background: {p.accent_soft}; color: {p.ink1}; }}
QHeaderView {{ background: {p.surface}; border: 0; }}
QHeaderView::section {{
  background: {p.surface}; color: {p.ink3}; border: 0; border-bottom: 1px solid {p.line}; padding: {px(6)}px {px(8)}px;
}}
QProgressBar {{ background: {p.sunken}; border: 0; border-radius: {px(3)}px; max-height: {px(6)}px; min-height: {px(6)}px; }}
QProgressBar::chunk {{ background: {p.accent}; border-radius: {px(3)}px; }}
QCheckBox {{ color: {p.ink1}; spacing: {px(8)}px; }}
"""

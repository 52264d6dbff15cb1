"""The open consultation: its state, its undo, its signals, and the work done off the window's thread."""

from app.session.session import Changed, SaveState, Session, value_of

__all__ = ["Changed", "SaveState", "Session", "value_of"]

"""The open consultation: state, undo, signals."""

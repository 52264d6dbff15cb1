"""How fast? The ceiling (physics) and the expected value (calibrated), never mixed."""

"""Programs that fit the constants of assets/calibration from a CSV of measured rows, and say how far they are off."""

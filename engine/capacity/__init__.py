"""How many machines, for how many people, at what promise."""

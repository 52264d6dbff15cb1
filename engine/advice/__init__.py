"""Where it should run and on what: six rules, placements, chips, what would change the answer, what to ask next."""

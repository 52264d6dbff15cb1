"""What it costs: API, rented GPUs, own machines, the users' devices, and the mixes; where the lines cross."""

"""The device side of the probe: NVIDIA's driver and management library, inside a child process only."""

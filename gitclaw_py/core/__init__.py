"""The decisions, as values: no input or output, no clock, no randomness, no environment."""

"""The ports made real, one module per way of doing it."""

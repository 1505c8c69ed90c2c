"""A proposal as review comments that a person takes with a button, and as plain numbers where that cannot be exact."""

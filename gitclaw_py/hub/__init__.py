"""A small GitHub for this machine: the demonstration and the tests talk to it as they would to the real one."""

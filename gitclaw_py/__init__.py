"""gitclaw: an agent's changes as numbered suggestions that people apply one by one."""

__version__ = "0.1.0"

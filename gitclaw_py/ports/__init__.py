"""What the handlers need from the world, one protocol each; adapters make them real."""

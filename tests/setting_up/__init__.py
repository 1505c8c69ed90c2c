"""Setting the bot up: init, doctor and config, and the way of someone new from nothing to the first suggestion."""

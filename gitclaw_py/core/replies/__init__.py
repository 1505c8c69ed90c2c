"""Everything the bot says in a thread, as functions from values to Markdown."""

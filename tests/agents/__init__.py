"""The known agents, for real, against a model that follows a script."""

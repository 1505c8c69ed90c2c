"""What is let through and what is shown: paths, secrets, hidden text, by the rows of the threat table."""

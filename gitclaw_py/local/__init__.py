"""What needs no forge: the demonstration and the sample agent."""

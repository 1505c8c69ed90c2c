"""What each verb does, one short module per group of verbs: guard, gather, decide, write, say."""

"""Keeping an agent's process apart from everything that has power.

``box`` starts it from outside, by one of the ``recipes``. The other modules work on the inside, in a process of
their own that becomes the agent or watches over it; they import nothing but the standard library and each other.
"""

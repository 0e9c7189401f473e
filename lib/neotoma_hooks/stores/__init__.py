"""The memories that a turn can be written to."""

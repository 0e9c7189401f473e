"""What must hold when processes are killed, and when many of them run at once."""

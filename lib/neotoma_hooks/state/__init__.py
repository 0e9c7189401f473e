"""What must outlive a hook's process: pending turns, unconfirmed writes, events that were set aside."""

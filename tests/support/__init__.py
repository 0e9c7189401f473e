"""What tests of several rooms share: firing hooks as an agent does, and reading the memory as a user does."""

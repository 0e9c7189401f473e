"""Real coding agents, installed by npm, against a fake model, in a network of their own where only loopback is up."""

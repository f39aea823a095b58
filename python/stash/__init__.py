"""Stash: what every kind of stall costs in a training step."""

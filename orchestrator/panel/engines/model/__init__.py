"""Asking a model and checking its replies, independent of the provider: wires know that."""

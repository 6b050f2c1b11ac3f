"""Asking a model and checking its replies, independent of the provider, which only the wires know."""

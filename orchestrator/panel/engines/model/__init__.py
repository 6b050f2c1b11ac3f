"""What a model is asked and what its replies are worth; which provider answers is the wires' affair."""

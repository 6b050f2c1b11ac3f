"""The demonstration: two rehearsals of one presenter, with recorded speech, answers and replies."""

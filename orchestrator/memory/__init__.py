"""Memory: what agents keep between rehearsals, and what the presenter may read, edit and refuse.

All of it is optional to the panel. Long-term memory is one SQLite database in the home (`database`),
and every row of it says whose it is: an agent's, about one presenter. No query crosses presenters.
"""

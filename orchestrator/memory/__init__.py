"""Memory: what agents keep between rehearsals, and what the presenter may read, edit and refuse.

All of it is optional to the panel. Long-term memory is one SQLite database in the home (`database`), and
every row of it names the agent that it belongs to and the presenter that it is about. No query reads the rows
of more than one presenter.
"""

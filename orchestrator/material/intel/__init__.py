"""Intel that the user brings in from outside: news, reports and facts that bear on the deck."""

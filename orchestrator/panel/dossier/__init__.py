"""The board dossier: what of a deck is likely to be attacked, by whom, and how to prepare."""

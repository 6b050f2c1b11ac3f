"""The board dossier: what the board is likely to attack in a deck, who will do so, and how to prepare."""

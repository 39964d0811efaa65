"""How numbers, lists, guarantees and evaluations are put into words, shared by all questions."""

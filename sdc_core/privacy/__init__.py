"""Privacy guarantees: what is promised, what is true, and how the two are computed."""

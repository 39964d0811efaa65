"""Pure functions from truth and release (or from exact moments) to one number or one table."""

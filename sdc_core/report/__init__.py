"""Answers as things to take away."""

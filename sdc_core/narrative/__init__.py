"""Numbers in words: sentences that a policy reader follows, computed from results, never fixed.

Everything here is plain text without markup, so pages, reports and the command line can share it.
"""

"""The commands: parse, session, one call, exit code. ``jobs/`` and the console script ``simhash-dedup`` start them."""

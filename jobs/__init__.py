"""Entry points for spark-submit: parse, session, one call, exit code."""

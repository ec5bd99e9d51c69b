"""Near-duplicate text at data-lake scale: SimHash on Apache Spark."""

"""Plain values and arrays: no Spark, no settings files, no input or output."""

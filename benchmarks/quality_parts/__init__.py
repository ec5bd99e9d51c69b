"""What `benchmarks/quality.py` measures: corpora, this project's settings, the MinHash peers, and sets made to mislead.

Every figure is a line of a file of results, so that a run that was stopped goes on where it was.
"""

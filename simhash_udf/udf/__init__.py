"""The kernel as Spark functions: the one place where arrays meet DataFrames.

Column functions, and functions for ``DataFrame.mapInArrow`` that a ``…_batches`` factory makes. A factory returns a
closure over plain values, so whatever a worker needs (dictionaries, the plan) travels with the task. A worker loads
only the module of its task: the join does not load a segmenter.
"""

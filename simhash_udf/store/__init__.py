"""The store: fingerprints and groups of every past run, so that a batch is matched against all that came before it.

`layout` says where things lie, `manifest` and `publishing` how a version comes to be, `claim` who may write,
`specification` which runs fit. `run` adds a batch; the modules beside it are its steps. `upkeep` and its neighbours are
what ``jobs/store.py`` does. The modules named in the first sentence know nothing of Spark.
"""

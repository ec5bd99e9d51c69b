"""Other near-duplicate finders behind one command line; see ``benchmarks/peers.py``.

`catalogue`, `environments` and `measure` belong to the script. Every other module runs as a process in the environment
of its peer, with nothing of this project but `frame`:

    python -m benchmarks.peer_adapters.rensa_lsh --input IN.parquet --output OUT.parquet --work DIR --setting '{…}'
"""

"""``simhash-dedup COMMAND``: the jobs by their names, here or on the cluster that Spark is configured for."""

from __future__ import annotations

import sys
from importlib import import_module

from simhash_udf.version import __version__

COMMANDS = {
    "dedup": "find near-duplicate documents and write groups of them; the command that is meant without a name",
    "fingerprint": "write fingerprints alone",
    "fit-idf": "fit inverse document frequencies on a corpus",
    "store": "list, verify, compact, rebuild, export or query a store, or forget documents",
    "evaluate": "judge settings on labelled or edited documents",
    "report": "make the page of a run again, or explain one document",
}


def main() -> int:
    """Start the command that the first argument names and return its exit code."""
    name, *others = sys.argv[1:] or ["--help"]
    if name in {"-h", "--help"}:
        print(usage())
        return 0
    if name == "--version":
        print(__version__)
        return 0
    if name.startswith("-"):  # options alone
        name, others = "dedup", sys.argv[1:]
    if name not in COMMANDS:
        print(f"there is no command {name!r}; it is one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    sys.argv = [f"simhash-dedup {name}", *others]  # what usage and errors call the command
    return int(import_module(f"simhash_udf.commands.{name.replace('-', '_')}").main(others))


def usage() -> str:
    """Return what the program says of itself."""
    width = max(map(len, COMMANDS))
    listed = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(["usage: simhash-dedup COMMAND [options]", "", *listed, "", "COMMAND --help lists its options."])

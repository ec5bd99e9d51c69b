"""Look after a store: list it, verify it, compact it, forget documents, make its groups anew, export them, ask it.

Run it as ``spark-submit jobs/store.py COMMAND --store DIR``; ``ls``, ``verify`` and ``query`` need no Spark, so
``python jobs/store.py`` does for them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from simhash_udf.runtime.entry import run_plainly, run_with_session
from simhash_udf.store.asking import answer, open_index, read_texts
from simhash_udf.store.checking import verify_store
from simhash_udf.store.compacting import compact_store
from simhash_udf.store.exporting import export_groups
from simhash_udf.store.forgetting import forget_documents
from simhash_udf.store.listing import describe_store
from simhash_udf.store.rebuilding import rebuild_store

DESCRIPTION = (__doc__ or "").splitlines()[0]


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for and return the exit code."""
    given = build_parser().parse_args(arguments)
    return int(given.work(given))


def build_parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=DESCRIPTION, allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _command(commands, "ls", _ls, "Runs, documents and groups.")
    _command(commands, "verify", _verify, "Compare every file with what its manifest says of it.")
    compact = _command(commands, "compact", _compact, "Make few files of many.")
    forget = _command(commands, "forget", _forget, "Take documents out.")
    forget.add_argument("--ids", metavar="FILE", required=True, help="Parquet, ORC, JSON, CSV, or text: an id a line.")
    rebuild = _command(commands, "rebuild", _rebuild, "Make the groups anew from the fingerprints.")
    rebuild.add_argument("--max-distance", metavar="K", type=int, required=True, help="Hamming distance k, 0 to 8.")
    rebuild.add_argument("--max-total-distance", metavar="K", type=int, help="Over all views; 8 for each unless given.")
    for command in (compact, forget, rebuild):
        command.add_argument(
            "--claim-wait", metavar="SECONDS", type=int, default=300, help="For another run that is at work. [300]"
        )
    export = _command(commands, "export", _export, "Write the current groups as a plain table.")
    export.add_argument("what", choices=["groups"], help="What to write.")
    export.add_argument("--output", metavar="DIR", required=True, help="Directory of the result.")
    export.add_argument("--overwrite", action="store_true", help="Replace results that are there.")
    query = _command(commands, "query", _query, "Print the stored documents that are near to a text.")
    texts = query.add_mutually_exclusive_group(required=True)
    texts.add_argument("--text", metavar="TEXT", help="One text.")
    texts.add_argument("--input", metavar="FILE", help="UTF-8 text, one text a line.")
    query.add_argument("--max-distance", metavar="K", type=int, default=3, help="Hamming distance k, 0 to 8. [3]")
    query.add_argument("--index", metavar="DIR", help="Where the index is kept between questions; unset: in memory.")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    work: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    command.add_argument("--store", metavar="DIR", required=True, help="Directory of the store.")
    command.set_defaults(work=work)
    return command


def _ls(given: argparse.Namespace) -> int:
    return run_plainly(lambda: print(describe_store(given.store)))


def _verify(given: argparse.Namespace) -> int:
    return run_plainly(lambda: print(verify_store(given.store)))


def _compact(given: argparse.Namespace) -> int:
    return run_with_session(
        lambda spark: print(compact_store(spark, given.store, wait_s=given.claim_wait)), DESCRIPTION
    )


def _forget(given: argparse.Namespace) -> int:
    return run_with_session(
        lambda spark: print(forget_documents(spark, given.store, given.ids, wait_s=given.claim_wait)), DESCRIPTION
    )


def _rebuild(given: argparse.Namespace) -> int:
    limits = {"max_distance": given.max_distance, "max_total_distance": given.max_total_distance}
    return run_with_session(
        lambda spark: print(rebuild_store(spark, given.store, wait_s=given.claim_wait, **limits)), DESCRIPTION
    )


def _export(given: argparse.Namespace) -> int:
    return run_with_session(
        lambda spark: print(export_groups(spark, given.store, given.output, overwrite=given.overwrite)), DESCRIPTION
    )


def _query(given: argparse.Namespace) -> int:
    def ask() -> None:
        names, texts = (["text"], [given.text]) if given.text is not None else read_texts(given.input)
        index = open_index(given.store, max_distance=given.max_distance, place=given.index)
        for line in answer(index, names, texts, given.max_distance):
            print(line)

    return run_plainly(ask)

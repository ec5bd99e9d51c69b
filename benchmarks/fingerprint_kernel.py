"""CPU seconds of the fingerprint kernel beside the tutorial recipe and beside bare segmentation, in one process.

    python -m benchmarks.fingerprint_kernel [--input FILE.parquet] [--documents 1000] [--rounds 7]

`kernel` is all of it: normalise, tokenise, weigh, hash, digest. `tutorial` is ``Simhash(jieba.lcut(text)).value`` on
the same raw texts (every tenth one, as it is slow). `bare cut` calls ``rjieba.cut`` on the normalised texts and does
nothing with the result; `kept` keeps the lists of words, as anybody who goes on to use them would. Rounds take turns,
so that a busy machine slows all of them alike; the median of the rounds' ratios is printed. Without `--input` the
texts are the made-up articles of `simhash_udf.sample`, which anyone can write.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import jieba
import pyarrow as pa
import pyarrow.parquet as pq
import rjieba
from simhash import Simhash

from simhash_udf.kernel.fingerprint import Fingerprinter
from simhash_udf.kernel.normalize import normalize
from simhash_udf.kernel.recipe import Normalization, Recipe, View
from simhash_udf.sample.corpus import generate_documents

RECIPES = {
    "kernel": Recipe(),
    "kernel calibrated": Recipe(thresholds=((0.0,) * 64,)),  # the same work whatever the numbers
    "kernel 2 jieba + 2 char views": Recipe(views=(View(), View(bits=1), View("char"), View("char", 1))),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--text-column", default="text")
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    texts = read_texts(arguments.input, arguments.text_column, arguments.documents)
    megabytes = texts.nbytes / 1e6
    print(f"{len(texts)} texts, {megabytes:.1f} MB, {arguments.rounds} rounds, seconds of one core")
    show(measure(contenders(texts), arguments.rounds), megabytes)


def read_texts(path: Path | None, column: str, count: int) -> pa.Array:
    """Texts of the file, or made-up ones, without nulls, as one Arrow array."""
    if path is None:
        texts = pa.array([document.text for document in generate_documents(count)], pa.string())
    else:
        texts = pq.read_table(path, columns=[column])[column].slice(0, count).combine_chunks()
    return pa.array(texts.drop_null().to_pylist(), pa.string())


def contenders(texts: pa.Array) -> dict[str, tuple[float, Callable[[], object]]]:
    """Name -> (share of the texts it works on, what to time), warmed up."""
    jieba.setLogLevel(logging.ERROR)
    tenth = texts.to_pylist()[::10]
    share = sum(len(text.encode()) for text in tenth) / texts.nbytes
    normal = normalize(texts, Normalization()).to_pylist()
    made: dict[str, tuple[float, Callable[[], object]]] = {
        "tutorial": (share, lambda: [Simhash(jieba.lcut(text)).value for text in tenth]),
        "bare cut": (1.0, lambda: [len(rjieba.cut(text)) for text in normal]),
        "bare cut, kept": (1.0, lambda: [rjieba.cut(text) for text in normal]),
    }
    for name, recipe in RECIPES.items():
        made[name] = (1.0, _on_all(Fingerprinter(recipe), texts))
    for _, run in made.values():
        run()
    return made


def _on_all(make: Fingerprinter, texts: pa.Array) -> Callable[[], object]:
    return lambda: make(texts)


def measure(contenders: dict[str, tuple[float, Callable[[], object]]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds that each would need for all texts, in every round."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (share, run) in contenders.items():
            start = time.process_time()
            run()
            seconds[name].append((time.process_time() - start) / share)
    return seconds


def show(seconds: dict[str, list[float]], megabytes: float) -> None:
    """Print rates, and how many times as fast each kernel is as the three others."""
    others = [name for name in seconds if not name.startswith("kernel")]
    print(f"{'':30} {'seconds':>8} {'MB/s':>7}" + "".join(f"  x {name}" for name in others))
    for name, times in seconds.items():
        middle = statistics.median(times)
        print(f"{name:30} {middle:8.3f} {megabytes / middle:7.2f}", end="")
        for other in others if name.startswith("kernel") else ():
            ratio = statistics.median(b / a for a, b in zip(times, seconds[other], strict=True))
            print(f"{ratio:{len(other) + 4}.2f}", end="")
        print()


if __name__ == "__main__":
    main()

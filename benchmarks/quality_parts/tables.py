"""The Markdown page of all figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from benchmarks.quality_parts.corpora import CORPORA
from benchmarks.quality_parts.hard_negatives import Misled
from benchmarks.quality_parts.job_runs import RUNS
from benchmarks.quality_parts.kernel_runs import DISTANCES, PRESETS, settings
from benchmarks.quality_parts.peer_runs import MINHASH
from benchmarks.quality_parts.plans import SIZES, Planned
from benchmarks.quality_parts.results import Figures, Results

_RAISED = dict(enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹"))
COMMAND = "python -m benchmarks.quality --data DIR --work DIR --output docs/quality-tables.md"


def document(results: Results, misled: Sequence[Misled], planned: Sequence[Planned], day: str) -> str:
    """Return the page."""
    lines = [
        "# Quality tables",
        "",
        f"Made on {day} by `{COMMAND}`; what they say is in",
        "[quality.md](quality.md). Figures are F1 (precision/recall) of pairs in one group. A dash: not measured, or",
        "too many pairs within k to be compared. *With grey*: heavily edited versions count as duplicates.",
        "",
        "## Presets and MinHash",
        "",
        *_presets(results),
        "",
        "MinHash at the threshold with the highest F1:",
        "",
        *_peers(results),
        "",
        "## The job gives what the kernel gives",
        "",
        "The job calibrates on a sample of 2,000 documents, the kernel on all, so the last digit may differ.",
        "",
        *_job(results),
        "",
        "## Texts made to mislead",
        "",
        *_misled(misled),
        "",
        "## What the presets cost at scale",
        "",
        "Bands, comparisons and seconds of the join on two cores, as the planner expects; the job refuses a plan of",
        "more than 10¹³ comparisons unless told otherwise.",
        "",
        *_planned(planned),
        "",
        "## All settings",
    ]
    for name in CORPORA:
        lines += ["", f"### {name}", "", *_grid(results, name)]
    return "\n".join(lines) + "\n"


def _presets(results: Results) -> Iterator[str]:
    yield "| corpus | " + " | ".join(PRESETS) + " | datasketch | text-dedup |"
    yield "|---" * (len(PRESETS) + 3) + "|"
    for name in CORPORA:
        ours = [results.get(name, "kernel", setting.name(k)) for setting, k in PRESETS.values()]
        yield _row(name, [*ours, *(_best(results, name, peer) for peer in MINHASH)])


def _peers(results: Results) -> Iterator[str]:
    yield "| corpus | package | setting | F1 | all thresholds |"
    yield "|---|---|---|---|---|"
    for name in CORPORA:
        for peer in MINHASH:
            best = _best(results, name, peer)
            if best is not None:
                tried = sorted((_threshold(each), f"{each.f1:.3f}") for each in _ran(results, name, peer))
                shown = ", ".join(f"{threshold}: {f1}" for threshold, f1 in tried)
                yield f"| {name} | {best.note.split(',')[0]} | {best.name} | {best.cell()} | {shown} |"


def _job(results: Results) -> Iterator[str]:
    yield "| corpus | preset | kernel | job | time of the job, two cores |"
    yield "|---|---|---|---|---|"
    for name, presets in RUNS.items():
        for preset in presets:
            setting, k = PRESETS[preset]
            kernel, job = results.get(name, "kernel", setting.name(k)), results.get(name, "job", preset)
            if kernel and job:
                yield f"| {name} | {preset} | {_exact(kernel)} | {_exact(job)} | {job.note} |"


def _misled(misled: Sequence[Misled]) -> Iterator[str]:
    yield (
        "| corpus | texts | setting | pairs to keep apart | of them joined | groups | false groups "
        "| pairs of one meaning joined |"
    )
    yield "|---" * 8 + "|"
    for row in misled:
        same = f"{row.same_joined:,} of {row.same:,}" if row.same else "–"
        false = "–" if row.same else f"{row.false_groups:,}"
        about = f"| {row.corpus} | {row.kind} | {row.setting} | {row.pairs:,} | {row.joined:,} "
        yield about + f"| {row.groups:,} | {false} | {same} |"
    yield ""
    yield "Some of the pairs that were joined, by id:"
    yield ""
    for _, rows in groupby(misled, key=lambda row: row.corpus):
        yield from (f"- {row.corpus}, {row.setting}: {'; '.join(row.examples)}" for row in rows if row.examples)


def _planned(planned: Sequence[Planned]) -> Iterator[str]:
    yield "| preset | fingerprints | " + " | ".join(f"10{_RAISED[len(str(size)) - 1]}" for size in SIZES) + " |"
    yield "|---" * (len(SIZES) + 2) + "|"
    for (preset, name), rows in groupby(planned, key=lambda row: (row.preset, row.fingerprints)):
        cells = (f"{row.bands} bands, {row.comparisons:.1e}, {row.seconds:,.0f} s" for row in rows)
        yield f"| {preset} | {name} | {' | '.join(cells)} |"


def _grid(results: Results, corpus: str) -> Iterator[str]:
    yield "| views | weight | calibration | check | " + " | ".join(f"k = {k}" for k in DISTANCES) + " |"
    yield "|---" * (len(DISTANCES) + 4) + "|"
    for setting in settings():
        about = f"{setting.views} | {setting.weight} | {setting.calibration} | {setting.check}"
        yield _row(about, [results.get(corpus, "kernel", setting.name(k)) for k in DISTANCES])


def _ran(results: Results, corpus: str, peer: str) -> list[Figures]:
    return [each for each in results.of(corpus, peer) if each.f1 >= 0]


def _best(results: Results, corpus: str, peer: str) -> Figures | None:
    return max(_ran(results, corpus, peer), key=lambda each: each.f1, default=None)


def _threshold(figures: Figures) -> str:
    return figures.name.removesuffix(", checked").rsplit(", ", 1)[1]


def _exact(figures: Figures) -> str:
    if figures.precision is None or figures.recall is None:
        return "–"
    return f"{figures.f1:.3f} ({figures.precision:.3f}/{figures.recall:.3f})"


def _row(name: str, cells: Sequence[Figures | None]) -> str:
    return f"| {name} | " + " | ".join(cell.cell() if cell else "–" for cell in cells) + " |"

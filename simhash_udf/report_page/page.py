"""``report.html`` made of a report and the groups of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simhash_udf.kernel.recipe import Normalization
from simhash_udf.pages.rendering import render_page
from simhash_udf.report_page.charts import short_count
from simhash_udf.report_page.samples import Group
from simhash_udf.report_page.view import (
    charts_of,
    compare_members,
    language_of,
    parts_of,
    settings_of,
    stages_of,
    warnings_of,
)

NO_TEXT_ASKED = "The texts are left out, as this page was made with --report-no-text."
NO_SAMPLES_ASKED = "No texts are shown, as this page was made with --report-samples 0."
NOT_READ = "The texts are left out: the input could not be read any more when this page was made."


def render_report(
    report: Mapping[str, Any], groups: Sequence[Group], options: Normalization, *, why_no_texts: str = ""
) -> str:
    """Return the page of a run.

    Parameters
    ----------
    report
        Content of ``report.json``.
    groups
        As `samples.read_groups` gives them, with texts or without.
    options
        How the run normalised texts.
    why_no_texts
        What the page says in their place.

    Returns
    -------
    str
        HTML of bounded size: about 100 kB, and 15 kB for each sampled group at most.
    """
    shown = [compare_members(group, options) for group in groups]
    return render_page(
        "report.html",
        report=report,
        parts=parts_of(report),
        charts=charts_of(report),
        warnings=warnings_of(report),
        settings=settings_of(report),
        stages=stages_of(report),
        groups=shown,
        is_verified=any(group.least_similarity is not None for group in groups),
        why_no_texts=why_no_texts,
        language_of=language_of,
        short_count=short_count,
    )

"""A report and groups as a run gives them, without the run."""

from __future__ import annotations

from typing import Any

from simhash_udf.config import Settings
from simhash_udf.kernel.recipe import Normalization
from simhash_udf.report_page.page import render_report
from simhash_udf.report_page.samples import Group, Member

HOSTILE = "</p><script>document.title = 'taken'</script><img src=x onerror=alert(1)> \"quoted\" & 'more' --> ]]>"
KEPT = "今天下午，市图书馆的新馆正式开放，第一天就来了三千多名读者。馆长说，新馆的阅览座位比旧馆多了一倍。"
OTHER = "今天下午,市图书馆的新馆正式开放,第一天就来了五千多名读者!馆长说,新馆的阅览座位比旧馆多了两倍。"


def report(**changes: Any) -> dict[str, Any]:
    settings = Settings(input=("lake/pages",), output="out", source_column="site", max_group_size=50)
    found: dict[str, Any] = {
        "version": "0.1.0",
        "finished": "2026-11-30T10:20:30+00:00",
        "settings": settings.model_dump(mode="json"),
        "seconds": 83.4,
        "counts": {
            "documents": 1_000,
            "null_ids": 0,
            "repeated_ids": 4,
            "null_texts": 6,
            "fingerprinted": 990,
            "without_fingerprint": 2,
            "cut": 0,
            "edges": 150,
            "groups": 90,
            "members": 300,
            "removed": 210,
            "kept": 780,
        },
        "matches": {"near": 120, "same_fingerprint": 10, "same_text": 80},
        "group_sizes": {"2": 60, "4": 25, "16": 4, "64": 1},
        "distances": {"edges": {"1": 30, "2": 50, "3": 70}, "to_representative": {"0": 90, "2": 60, "3": 40, "9": 20}},
        "similarities": {"edges": {}, "to_representative": {}},
        "chains": {"beyond": 6, "groups": 3, "largest": []},
        "large_groups": [{"group_id": 1, "group_size": 64, "representative_id": "1"}],
        "removed_by_source": [
            {"source": "mirror.example", "documents": 100, "removed": 99, "share": 0.99},
            {"source": HOSTILE, "documents": 400, "removed": 80, "share": 0.2},
            {"source": None, "documents": 490, "removed": 31, "share": 31 / 490},
        ],
        "sources_over_limit": [],
        "plan": {
            "num_records_in": 900,
            "num_blocks": 6,
            "num_bands": 20,
            "num_views": 1,
            "key_bits": [30, 32, 33],
            "bands_per_wave": [20],
        },
        "join": {
            "planned": {"records": 18_000, "shuffle_bytes": 144_000, "comparisons": 4_000, "seconds": 2.0},
            "measured": {"records": 18_000, "shuffle_bytes": 144_000, "comparisons": 4_100, "seconds": None},
        },
        "steps": {"results": 3.2, "counts": 1.0},
        "stages": [
            {"stage": "fingerprints", "digest": "0", "rows": 990, "seconds": 61.2, "is_reused": False},
            {"stage": "edges", "digest": "1", "rows": 150, "seconds": 0.0, "is_reused": True},
        ],
    }
    return found | changes


def group(number: int, *members: Member, size: int = 3, distance: int = 2, near: int = 2) -> Group:
    matches = {"near": near, "same_fingerprint": 0, "same_text": size - 1 - near}
    return Group(number, size, f"doc-{number}", distance, None, matches, members)


def groups() -> list[Group]:
    chinese = group(1, Member("doc-1", "same_text", 0, None, 1, KEPT, len(KEPT), "mirror.example"), size=64, distance=9)
    other = Member("doc-1b", "near", 9, 0.81, 3, OTHER, len(OTHER), "blog.example")
    hostile = Member("doc-2", "same_text", 0, None, 1, HOSTILE, len(HOSTILE))
    worse = Member("doc-2b", "near", 2, None, 1, HOSTILE.replace("taken", "gone"), len(HOSTILE))
    plain = [group(number, size=2, distance=1 + number % 3, near=1) for number in range(3, 40)]
    return [
        Group(1, 64, "doc-1", 9, 0.81, chinese.matches, (*chinese.members, other)),
        group(2, hostile, worse, size=5),
        *plain,
    ]


def page(**changes: Any) -> str:
    return render_report(report(**changes), groups(), Normalization())

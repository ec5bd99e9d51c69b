"""The look at the built site finds what a page would load from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.check_site import loads_of_page, loads_of_site


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://a.example/b.js"></script>',
        '<link rel="stylesheet" href="//a.example/b.css">',
        '<link rel="preconnect" href="https://fonts.example" crossorigin>',
        '<img alt="" src="http://a.example/b.png">',
        '<img alt="" srcset="b.png 1x, https://a.example/b.png 2x">',
        "<style>@import 'https://a.example/b.css';</style>",
        '<p style="background: url(https://a.example/b.png)">',
        '<pre class="mermaid"><code>graph TD</code></pre>',
        '<a href="https://a.example" data-md-component="source">code</a>',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(html: str) -> None:
    assert len(loads_of_page(html)) == 1


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://a.example">a</a>',
        '<link rel="canonical" href="https://a.example/b.html">',
        '<script src="assets/b.js"></script><link rel="stylesheet" href="assets/b.css">',
        "<style>p{background:url(data:image/png;base64,AA==)}</style>",
        "<p>@import 'https://a.example/b.css'</p>",
    ],
)
def test_links_for_readers_and_files_of_the_site_are_not(html: str) -> None:
    assert loads_of_page(html) == []


def test_a_site_is_read_with_its_style_sheets(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("p{background:url('https://a.example/b.png')}", encoding="utf-8")
    (tmp_path / "index.html").write_text('<img alt="" src="https://a.example/b.png">', encoding="utf-8")
    assert [found.partition(":")[0] for found in loads_of_site(tmp_path)] == ["a.css", "index.html"]

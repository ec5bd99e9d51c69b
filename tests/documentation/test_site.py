"""The site of the documentation, as `make docs` builds it: without a warning, and without a request to anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.check_site import loads_of_site
from tests.documentation.snippets import ROOT


@pytest.mark.processes
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    output = built.stdout + built.stderr
    assert built.returncode == 0, output
    assert "WARNING" not in output
    assert (tmp_path / "index.html").exists()
    assert (tmp_path / "project" / "README.zh-CN.html").exists()
    assert list(loads_of_site(tmp_path)) == []

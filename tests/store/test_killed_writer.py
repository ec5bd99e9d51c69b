"""SIGKILL to a process that publishes versions as fast as it can: what is there is whole, and the next one goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

from simhash_udf.store.claim import acquire
from simhash_udf.store.files import check_files
from simhash_udf.store.manifest import read_newest
from simhash_udf.store.publishing import enter

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20

WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from simhash_udf.store.claim import acquire
from simhash_udf.store.layout import data_directory
from simhash_udf.store.manifest import DataFile
from simhash_udf.store.publishing import enter, publish

store = sys.argv[1]
claim = acquire(store, "writer", wait_s=0)
manifest = enter(store, claim)
print("ready", flush=True)
while True:
    version = manifest.version + 1
    path = f"{data_directory(version, claim.token)}/fingerprints/part-{version}.parquet"
    Path(store, path).parent.mkdir(parents=True)
    Path(store, path).write_bytes(bytes(version % 7 + 1))
    files = (*manifest.tables.get("fingerprints", ())[-20:], DataFile(path, 1, version % 7 + 1, ""))
    manifest = replace(manifest, version=version, specification={"a": 1}, tables={"fingerprints": files})
    publish(store, manifest, claim)
    claim.beat()
"""


def test_twenty_killed_writers_leave_whole_versions(tmp_path: Path) -> None:
    store, draw, last = str(tmp_path / "store"), random.Random(1), 0
    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, store], stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        try:
            writer.wait(draw.random() / 20)
        except subprocess.TimeoutExpired:
            writer.send_signal(signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL
        writer.stdout.close()
        manifest = read_newest(store)  # whole, or this raises
        check_files(store, manifest)
        assert manifest.version >= last
        last = manifest.version
        claim = acquire(store, "next", wait_s=0)  # the dead one's claim does not have to be waited for
        assert claim.was_taken_over
        entered = enter(store, claim)
        assert entered.tables == manifest.tables
        named = {path.name for path in (tmp_path / "store" / "data").iterdir()}
        assert named == entered.directories
        claim.release()
    assert last > KILLS

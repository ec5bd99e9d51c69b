"""Digests of plain values and of files."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from simhash_udf.runtime.storage import filesystem

CHUNK = 1 << 22


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a plain value in canonical JSON, as 64 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def digest_of_file(path: str) -> str:
    """Return the SHA-256 of a file, as 64 hex digits; some megabytes are in memory at a time."""
    files, place = filesystem(path)
    digest = hashlib.sha256()
    with files.open_input_stream(place) as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()

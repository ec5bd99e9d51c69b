"""Where things lie in a store.

```
STORE/manifests/00000012.json                     one for each version, never changed
STORE/data/00000012-<token>/<table>/part-*.parquet   what that version added
STORE/recipes/<digest>.json                       how texts are read: settings, dictionaries, thresholds
STORE/claims/00000031.json                        who may write
STORE/work/                                       stage tables of the run that is at work
```

Nothing is ever renamed: a version is there once its manifest is.
"""

from __future__ import annotations

import re

FINGERPRINTS = "fingerprints"
MEMBERSHIPS = "memberships"
GROUPS = "groups"
ANSWERS = "answers"
CHANGES = "changes"
TABLES = (FINGERPRINTS, MEMBERSHIPS, GROUPS, ANSWERS, CHANGES)
"""The tables of a store; ``docs/store.md`` has their columns."""

MANIFESTS, DATA, RECIPES, CLAIMS, WORK = "manifests", "data", "recipes", "claims", "work"
PLACES = (MANIFESTS, DATA, RECIPES, CLAIMS, WORK)

_NUMBERED = re.compile(r"([0-9]{8})\.json")


def numbered(number: int) -> str:
    """Return the name of a manifest or claim of that number."""
    return f"{number:08d}.json"


def number_of(name: str) -> int | None:
    """Return the number in the name of a manifest or claim, None for another file."""
    match = _NUMBERED.fullmatch(name)
    return int(match[1]) if match else None


def manifest_place(store: str, version: int) -> str:
    """Return the path of a version's manifest."""
    return f"{store}/{MANIFESTS}/{numbered(version)}"


def data_directory(version: int, token: str) -> str:
    """Return the directory, relative to the store, of what a version adds."""
    return f"{DATA}/{version:08d}-{token[:12]}"


def recipe_place(store: str, digest: str) -> str:
    """Return the path of the recipe of that digest."""
    return f"{store}/{RECIPES}/{digest}.json"

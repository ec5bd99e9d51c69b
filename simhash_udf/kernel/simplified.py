"""Traditional Chinese characters to simplified ones, through the optional package OpenCC."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from simhash_udf.errors import SettingError

# OpenCC's time grows faster than a run of Han characters, so a run is converted in pieces of at most 1,000; its longest
# phrase has 10 characters, so fewer than one phrase in a hundred thousand characters can be cut in two.
_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]{1,1000}")
_MEMO_RUNS = 1 << 16  # distinct runs remembered in a process; about 10 MB


@lru_cache(maxsize=1)
def simplifier() -> Callable[[str], str]:
    """Return the function that writes a text in simplified characters; words of several characters go first.

    Raises
    ------
    SettingError
        If the package is not installed.
    """
    try:
        from opencc import OpenCC  # noqa: PLC0415 (an optional package, wanted only here)
    except ImportError as error:
        raise SettingError(
            "to_simplified needs the package OpenCC, which is not installed; run `pip install simhash-dedup[t2s]` "
            "on the driver and the workers, or leave the option out"
        ) from error
    convert_run = lru_cache(maxsize=_MEMO_RUNS)(OpenCC("t2s").convert)

    def simplify(text: str) -> str:
        return _HAN_RUN.sub(lambda run: convert_run(run.group()), text)

    return simplify

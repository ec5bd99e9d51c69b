"""One SimHash value at a time, equal to that of the PyPI package ``simhash``; and the Hamming distance of two."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from simhash_udf.errors import SettingError

Weighted = Mapping[str, float] | Iterable[str] | Iterable[tuple[str, float]]
HashFunction = Callable[[bytes], bytes | int]

MAX_BITS = 256
HASHES = ("md5", "sha1", "blake2b", "xxh64")
_TEXT_PATTERN = re.compile(r"[\w\u4e00-\u9fcc]+")
_WINDOW = 4


def simhash_value(features_or_text: str | Weighted, f: int = 64, hash: str | HashFunction = "md5") -> int:
    """SimHash of features, or of a text by its runs of 4 characters.

    Parameters
    ----------
    features_or_text
        Tokens (weight 1 each, a repeated token counts again), pairs of token and weight, a mapping from token to
        weight, or a text: that is lower-cased, stripped of all that is no letter, digit or underscore, and cut into
        every run of 4 characters (a shorter text is one run).
    f
        Bits of the value: a multiple of 8, up to 256, and no more than the hash has.
    hash
        ``md5`` (128 bits), ``sha1`` (160), ``blake2b`` (512), ``xxh64`` (64, needs the package ``xxhash``), or a
        function from bytes to a digest or to an unsigned integer. The last `f` bits count.

    Returns
    -------
    int
        Unsigned. Bit = 1 if more than half of the weight has it; no feature at all gives 0. Always the classic value:
        thresholds belong to a corpus.

    Raises
    ------
    SettingError
        If a weight is negative or not finite, if weighted and plain tokens are mixed, if `f` does not fit the hash.

    Notes
    -----
    Equal to ``Simhash(features_or_text, f, hashfunc=...).value`` of version 2.1.2, and defined where that one fails: a
    weight of 256 or more (an error there with NumPy 2), and decimal weights, which are added exactly (0.1 + 0.2 is a
    tie with 0.3, in any order).

    Examples
    --------
    >>> simhash_value("我 很 想要 打游戏 游戏 但是 女朋友 朋友 会生 生气".split())
    1459185014329402212
    >>> f"{simhash_value({'数据': 300, '去重': 1, '文本': 2}):016x}"
    '2941c9b55ec82bf3'
    """
    if f % 8 or not 0 < f <= MAX_BITS:
        raise SettingError(f"f={f} must be a multiple of 8 from 8 to {MAX_BITS}")
    digest = _digest_function(hash, f // 8)
    weights = _weights(_runs(features_or_text) if isinstance(features_or_text, str) else features_or_text)
    octets = b"".join([digest(feature.encode("utf-8", "surrogatepass")) for feature in weights])
    has_bit = np.unpackbits(np.frombuffer(octets, dtype=np.uint8).reshape(-1, f // 8), axis=1)
    is_set = _majority(has_bit, list(weights.values()))
    return int.from_bytes(np.packbits(is_set).tobytes(), "big")


def distance(a: int, b: int, f: int = 64) -> int:
    """Hamming distance of two values of `f` bits, each unsigned or as the signed integer a BIGINT column holds.

    Raises
    ------
    SettingError
        If a value does not fit in `f` bits.

    Examples
    --------
    >>> distance(-1, 0), distance(-(2**63), 2**63), distance(5, -6)
    (64, 0, 64)
    """
    for value in (a, b):
        if not -(1 << (f - 1)) <= value < 1 << f:
            raise SettingError(f"{value} does not fit in f={f} bits; give the f that the values were made with")
    return ((a ^ b) & ((1 << f) - 1)).bit_count()


def _runs(text: str) -> list[str]:
    """Every run of 4 characters of the letters of a text, as the PyPI package forms them."""
    letters = "".join(_TEXT_PATTERN.findall(text.lower()))
    return [letters[start : start + _WINDOW] for start in range(max(len(letters) - _WINDOW + 1, 1))]


def _weights(features: Weighted) -> dict[str, Fraction | int]:
    """Total weight of each distinct feature, exactly."""
    items = list(features.items() if isinstance(features, Mapping) else features)
    if len({isinstance(item, str) for item in items}) > 1:
        raise SettingError("plain and weighted tokens are mixed; give every token a weight, or none")
    weights: dict[str, Fraction | int] = {}
    for item in items:
        feature, weight = (item, 1) if isinstance(item, str) else (item[0], _exact(*item))
        weights[feature] = weights.get(feature, 0) + weight
    return weights


def _exact(feature: str, weight: float) -> Fraction | int:
    """Weight as written in decimal: 0.1 is one tenth, not the nearest binary fraction."""
    try:
        exact = weight if isinstance(weight, int) else Fraction(str(weight))
    except ValueError:
        raise SettingError(f"weight {weight!r} of {feature!r} is not a finite number") from None
    if exact < 0:
        raise SettingError(
            f"weight {weight!r} of {feature!r} is negative and would vote for the opposite bits; use 0 or more"
        )
    return exact


def _majority(has_bit: NDArray[np.uint8], weights: list[Fraction | int]) -> NDArray[np.bool_]:
    """For each column, whether more than half of the weight is on rows that have the bit."""
    scale = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * scale) for weight in weights]
    total = sum(whole)
    fits = 2 * total < 1 << 63
    sums = np.array(whole, dtype=np.int64 if fits else object) @ has_bit.astype(np.int64 if fits else object)
    is_set: NDArray[np.bool_] = np.asarray(2 * sums > total, dtype=np.bool_)
    return is_set


def _digest_function(hash: str | HashFunction, size: int) -> Callable[[bytes], bytes]:
    """Return the last `size` bytes of a hash, after checking that it has as many."""
    function = _named_hash(hash) if isinstance(hash, str) else hash

    def digest(feature: bytes) -> bytes:
        value = function(feature)
        if isinstance(value, int):
            return (value & ((1 << 8 * size) - 1)).to_bytes(size, "big")
        if len(value) < size:
            raise SettingError(
                f"f={8 * size} needs a hash of as many bits, this one has {8 * len(value)}; lower f or use blake2b"
            )
        return value[-size:]

    digest(b"")  # refuse before any work
    return digest


def _named_hash(name: str) -> HashFunction:
    if name == "xxh64":
        try:
            from xxhash import xxh64_digest  # noqa: PLC0415  (an optional package)
        except ImportError:
            raise SettingError("hash='xxh64' needs the package xxhash: pip install xxhash, or use md5") from None
        digest: HashFunction = xxh64_digest
        return digest
    if name not in HASHES:
        raise SettingError(f"hash={name!r} is unknown; use one of {', '.join(HASHES)}, or a function of bytes")
    return lambda feature: hashlib.new(name, feature, usedforsecurity=False).digest()

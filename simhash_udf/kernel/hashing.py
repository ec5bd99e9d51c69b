"""Features to 64-bit hashes and signs, and texts to 64-bit digests.

The hash of a feature is the last 8 bytes of the MD5 of its UTF-8, big-endian, so that classic fingerprints equal those
of the PyPI package ``simhash``. Hashing and unpacking are paid once a distinct feature, not once a token: `Vocabulary`
remembers what it has seen from batch to batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b, md5

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simhash_udf.errors import SettingError

BITS = 64
HASH_SLICES = 4
SECOND_DIGEST_PREFIX = b"simhash-udf/2:"
"""Put before a feature for slices 2 and 3, which come from a second MD5."""

MAX_VOCABULARY = 1 << 18
"""Features remembered by a process: jieba's dictionary has 350,000 words, a corpus of 100 MB uses about 100,000.

At about 230 bytes each (string, dictionary entry, number, 8 to 32 bytes of hash) the limit is 60 MB.
"""


def feature_hashes(features: Sequence[str], bits: int = 0) -> NDArray[np.uint64]:
    """Hash each feature to 64 bits.

    Parameters
    ----------
    features
        Tokens or n-grams.
    bits
        Which 64 bits: 0 the last and 1 the first 8 bytes of MD5(feature); 2 and 3 the last and first 8 bytes of a
        second MD5, of the feature behind a fixed prefix. The four are independent of one another.

    Returns
    -------
    numpy.ndarray
        ``uint64``, ``(n,)``, read big-endian.

    Raises
    ------
    SettingError
        If `bits` is not 0 to 3.

    Examples
    --------
    >>> [f"{value:016x}" for value in feature_hashes(["数据", "去重"]).tolist()]
    ['2941c9b55ec82bf3', '4e561925d354326f']
    """
    if not 0 <= bits < HASH_SLICES:
        raise SettingError(f"bits={bits} must be 0 to {HASH_SLICES - 1}: which 64 bits of the feature hash to use")
    prefix = SECOND_DIGEST_PREFIX if bits >= 2 else b""
    digests = b"".join(
        [md5(prefix + feature.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest() for feature in features]
    )
    halves = np.frombuffer(digests, dtype=">u8").reshape(-1, 2)
    return halves[:, 1 - bits % 2].astype(np.uint64)


def bit_signs(hashes: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Unpack hashes ``(n,)`` to ``(n, 64)`` of +1 and -1, the most significant bit first."""
    octets = np.ascontiguousarray(hashes, dtype=">u8").view(np.uint8).reshape(-1, 8)
    signs: NDArray[np.int8] = np.unpackbits(octets, axis=1).view(np.int8) * np.int8(2) - np.int8(1)
    return signs


def pack_bits(is_set: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack ``(n, 64)`` of bits, the most significant first, to ``uint64`` ``(n,)``: the inverse of `bit_signs`."""
    return np.packbits(is_set, axis=1).view(">u8").reshape(-1).astype(np.uint64)


class Vocabulary:
    """The features a process has met, numbered from 0, with their hashes.

    Numbers depend on what was seen before; results must not, so a number is only ever used to reach the feature.

    Parameters
    ----------
    limit
        Past this many features `trim` forgets all of them. One batch may go over it by its own distinct features.
    """

    def __init__(self, limit: int = MAX_VOCABULARY) -> None:
        self._limit = limit
        self._clear()

    def _clear(self) -> None:
        self._numbers = _Numbers()
        self._hashes = {bits: np.zeros(0, dtype=np.uint64) for bits in range(HASH_SLICES)}

    def __len__(self) -> int:
        return len(self._numbers)

    def trim(self) -> bool:
        """Forget everything if the limit is passed (True); call it only between batches, as all numbers change."""
        is_over = len(self) > self._limit
        if is_over:
            self._clear()
        return is_over

    def numbers(self, features: Iterable[str]) -> Iterator[int]:
        """Give the number of each feature; unknown ones get the next free number. Runs in C but for those."""
        return map(self._numbers.__getitem__, features)

    def features(self, numbers: NDArray[np.int32]) -> list[str]:
        """Give back the features with these numbers."""
        return [self._numbers.features[number] for number in numbers.tolist()]

    def signs(self, numbers: NDArray[np.int32], bits: int) -> NDArray[np.int8]:
        """Signs of these features, ``(n, 64)`` of +1 and -1, in the given slice of the hash."""
        hashes = self._hashes[bits]
        if len(hashes) < len(self):
            new = feature_hashes(self._numbers.features[len(hashes) :], bits)
            hashes = self._hashes[bits] = np.concatenate([hashes, new])
        return bit_signs(hashes[numbers])


class _Numbers(dict[str, int]):
    """A dictionary that numbers what it does not know, so that the lookup of known features stays in C."""

    def __init__(self) -> None:
        super().__init__()
        self.features: list[str] = []

    def __missing__(self, feature: str) -> int:
        number = self[feature] = len(self.features)
        self.features.append(feature)
        return number


def text_digests(texts: pa.Array) -> NDArray[np.int64]:
    """Digest each text to 64 bits (BLAKE2b of its UTF-8), ``int64`` ``(n,)``; 0 for null.

    Examples
    --------
    >>> a, b, none = text_digests(pa.array(["一", "二", None])).tolist()
    >>> a != b, none
    (True, 0)
    """
    utf8 = texts.cast(pa.binary() if texts.type == pa.string() else pa.large_binary()).to_pylist()
    digests = [bytes(8) if text is None else blake2b(text, digest_size=8).digest() for text in utf8]
    return np.frombuffer(b"".join(digests), dtype=">i8").astype(np.int64)

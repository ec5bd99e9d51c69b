"""Words with their parts of speech, for weights that depend on them."""

from __future__ import annotations

from collections.abc import Callable

from simhash_udf.kernel.jieba_dictionary import load_dictionary
from simhash_udf.kernel.long_runs import in_pieces
from simhash_udf.kernel.normalize import normalize_words
from simhash_udf.kernel.recipe import DictEntry, Recipe
from simhash_udf.kernel.tokenize import load_segmenter

Tagger = Callable[[str], list[tuple[str, str]]]

_UNKNOWN = "x"


def build_tagger(recipe: Recipe) -> Tagger:
    """Return the function from a text to its words, in order, each with its part of speech.

    Parameters
    ----------
    recipe
        Its engine and user dictionary. With ``jieba`` words and tags are those of ``jieba.posseg``, 0.2 MB/s. With
        ``rjieba`` the words are those of the tokenizer and their tags those of jieba's dictionary, 20 times as fast;
        a word that is in no dictionary has the tag ``x``, where ``jieba.posseg`` guesses one.
    """
    from jieba.posseg import POSTokenizer  # noqa: PLC0415  (a second, only for this weight)

    words = normalize_words([entry.word for entry in recipe.user_dict], recipe.normalization)
    user = zip(words, recipe.user_dict, strict=True)
    entries = [DictEntry(word, entry.frequency, entry.tag) for word, entry in user]
    reference = POSTokenizer(load_dictionary(entries))
    tags: dict[str, str] = reference.word_tag_tab
    tags.update({entry.word: entry.tag for entry in entries if entry.tag})
    if recipe.engine == "jieba":
        return in_pieces(lambda text: [(pair.word, pair.flag) for pair in reference.cut(text)])
    cut = in_pieces(load_segmenter(recipe).precise)
    return lambda text: [(word, tags.get(word, _UNKNOWN)) for word in cut(text)]

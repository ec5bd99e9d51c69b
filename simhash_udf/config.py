"""Every option of the jobs, once: it feeds the command line, the TOML file, the environment and the reference page."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from simhash_udf.config_alarms import AlarmSettings
from simhash_udf.config_presets import PRESET_KEYS, PRESETS, PresetSettings, total_of
from simhash_udf.config_report import ProgressSettings, ReportSettings
from simhash_udf.config_store import StoreSettings
from simhash_udf.errors import SettingError

ENV_PREFIX = "SIMHASH_"
TOKENIZERS = ("jieba", "jieba_full", "jieba_search", "word", "char", "pypi")
KEEP_PATTERN = re.compile(r"first|last|longest|shortest|(min|max):.+|priority:[^=]+=.+")
DEFAULT_SIMILARITY = {"cosine": 0.9, "jaccard": 0.5}
"""Limit of each measure where none is given: the best on labelled revisions of Chinese pages."""
NO_CHECK = "none"

Weight = Literal["tf", "log_tf", "binary", "tf_idf", "textrank"]
Names = Annotated[tuple[str, ...], Field(json_schema_extra={"list": "comma"})]
Sizes = Annotated[tuple[int, ...], Field(json_schema_extra={"list": "comma"})]
Repeated = Annotated[tuple[str, ...], Field(json_schema_extra={"list": "repeat"})]


class Section(BaseModel):
    """A part of the settings; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class InputSettings(Section):
    """Where the documents are and which columns hold them."""

    input: Repeated = Field((), description="Path, glob or table of documents; give it again for more.")
    input_format: str = Field(
        "parquet", description="parquet, json, csv, orc, text, table, or any Spark source on the class path."
    )
    input_option: Repeated = Field((), description="Reader option as KEY=VALUE (for csv: header=true); repeatable.")
    id_column: str = Field("id", description="Column of document ids, of any type that can be compared.")
    text_column: str = Field("text", description="Column of text.")
    on_bad_rows: Literal["fail", "set_aside"] | None = Field(
        None,
        description="Null ids, repeated ids and null texts: fail, or set_aside to rejected/. "
        "Unset: ids fail, null texts are set aside.",
    )


class TextSettings(Section):
    """How a text becomes a fingerprint; every one of these changes fingerprints."""

    tokenizer: str = Field(
        "jieba",
        description="jieba, jieba_full, jieba_search, word, char, pypi, or a mixture such as jieba+char; in all views.",
    )
    engine: Literal["rjieba", "jieba"] = Field("rjieba", description="Segmenter: rjieba (Rust) or jieba (Python).")
    ngram: Sizes = Field((1,), description="Token n-gram sizes, as 2 or 1,2.")
    weight: Weight = Field("tf", description="Weight of a feature: tf, log_tf, binary, tf_idf or textrank.")
    idf: str | None = Field(None, description="File of jobs/fit_idf.py for weight tf_idf; unset: jieba's table.")
    top_k: int | None = Field(None, ge=1, description="Keep only the heaviest features of a document.")
    stop_words: str | None = Field(None, description="File of stop words, or builtin for the list of this package.")
    min_token_length: int = Field(1, ge=1, le=16, description="Drop tokens with fewer characters.")
    user_dict: str | None = Field(None, description="User dictionary in jieba's format.")
    synonyms: str | None = Field(None, description="Synonym file: one line for words that count as its first.")
    keep_punctuation: bool = Field(False, description="Punctuation stays in the text.")
    strip_html: bool = Field(False, description="Take HTML tags, scripts and entities out first.")
    strip_urls: bool = Field(False, description="Take URLs out first.")
    digits: Literal["keep", "fold"] = Field("keep", description="fold makes every digit a 0.")
    t2s: bool = Field(False, description="Traditional to simplified Chinese (extra t2s).")
    max_chars: int | None = Field(None, ge=1, description="Cut longer texts here, counted.")
    min_features: int = Field(
        1, ge=1, description="Documents with fewer features are grouped by equal text only, counted."
    )
    calibration: str = Field("sample", description="none, sample, or a file of thresholds (thresholds.json).")
    views: Names = Field((), description="1 to 4 tokenizers, as jieba,jieba,char,char; unset: of the tokenizer.")

    @field_validator("tokenizer")
    @classmethod
    def _known_tokenizer(cls, value: str) -> str:
        return _check_tokenizer(value)

    @field_validator("views")
    @classmethod
    def _known_views(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) > 4:
            raise ValueError(f"takes 1 to 4 tokenizers, got {len(value)}")
        return tuple(_check_tokenizer(view) for view in value)

    @field_validator("ngram")
    @classmethod
    def _positive_sizes(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value or min(value) < 1 or max(value) > 32 or len(set(value)) != len(value):
            raise ValueError(f"takes different sizes from 1 to 32, as 2 or 1,2, got {','.join(map(str, value))}")
        return value

    @model_validator(mode="after")
    def _idf_has_a_use(self) -> TextSettings:
        if self.idf is not None and self.weight != "tf_idf":
            raise ValueError(f"idf={self.idf} needs weight=tf_idf, got weight={self.weight}")
        return self

    @property
    def view_tokenizers(self) -> tuple[str, ...]:
        """Tokenizers of the views, the plain tokenizer if no views are asked for."""
        return self.views or (self.tokenizer,)


class SearchSettings(Section):
    """How near two fingerprints must be, and how much work may go into finding such pairs."""

    max_distance: int = Field(3, ge=0, le=8, description="Hamming distance k up to which fingerprints are an edge.")
    max_total_distance: int | None = Field(
        None,
        ge=0,
        le=256,
        description="Largest sum of distances over all views; unset: 8 for each view, 10 where texts are compared.",
    )
    max_comparisons: float = Field(1e13, gt=0, description="Refuse a plan that expects more comparisons.")
    max_shuffle_bytes: float = Field(
        2e10, gt=0, description="Shuffle on disk at one time: bands run in waves that stay below it."
    )


class JoinSettings(SearchSettings):
    """How near two fingerprints must be, how such pairs are found, and how much work may go into it."""

    num_blocks: Annotated[int, Field(ge=1, le=64)] | Literal["auto"] = Field(
        "auto", description="Blocks b of the 64 bits; auto takes the cheapest."
    )
    band_join: Literal["packed", "sql"] = Field(
        "packed", description="packed blocks, or the plain Spark SQL self-join (slow, easy to read)."
    )
    write_pairs: bool = Field(False, description="edges/ holds every pair within k, not the minimum spanning forest.")

    @model_validator(mode="after")
    def _blocks_suffice(self) -> JoinSettings:
        if self.num_blocks != "auto" and self.num_blocks <= self.max_distance:
            raise ValueError(
                f"max_distance={self.max_distance} needs num_blocks >= {self.max_distance + 1}, got {self.num_blocks}; "
                f"set num_blocks to {self.max_distance + 1} or more, or to auto"
            )
        return self


class PlaceSettings(Section):
    """Where results and stage tables go."""

    output: str = Field("", description="Directory of the results; refused if it is, holds or lies in an input.")
    overwrite: bool = Field(False, description="Replace results that are there, once the new ones are ready.")
    work_dir: str | None = Field(None, description="Directory of stage tables, kept; unset: OUTPUT/_work, removed.")
    resume: bool = Field(True, description="Re-use stage tables of an earlier run of the same input and settings.")


class GroupSettings(Section):
    """Which documents are kept, and what is written about the rest."""

    mode: Literal["groups", "annotate", "filter"] = Field(
        "groups", description="groups; annotate adds columns to every row; filter writes the rows to keep."
    )
    keep: Repeated = Field(
        ("first",),
        description="Which member is kept: first, last, longest, shortest, min:COLUMN, max:COLUMN, "
        "priority:COLUMN=a,b,c; give it again for a tie-break; the last tie-break is the smallest id.",
    )
    plan: bool = Field(False, description="Stop after the plan of the band join; nothing is written to the output.")

    @field_validator("keep")
    @classmethod
    def _known_policy(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for policy in value:
            if not KEEP_PATTERN.fullmatch(policy):
                raise ValueError(
                    f"takes first, last, longest, shortest, min:COLUMN, max:COLUMN or priority:COLUMN=a,b, got {policy}"
                )
        if not value:
            raise ValueError("takes at least one policy, such as first")
        return value


class CheckSettings(Section):
    """The second look: which texts are compared, and how alike they must be to stay together."""

    verify: str | None = Field(
        None,
        description="Compare the texts of every edge: cosine:0.9 of their weighted features, or jaccard:0.5 of their "
        "token n-grams; edges below the limit are dropped. none: fingerprints decide.",
    )
    verify_ngram: int = Field(3, ge=1, le=32, description="Tokens in an n-gram of the Jaccard check.")
    verify_weight: Weight | None = Field(
        None, description="Weight of the features that the cosine check compares; unset: that of the fingerprint."
    )

    @field_validator("verify")
    @classmethod
    def _known_measure(cls, value: str | None) -> str | None:
        if value is None or value == NO_CHECK:
            return None
        measure, _, limit = value.partition(":")
        if measure not in DEFAULT_SIMILARITY:
            raise ValueError(f"takes none, cosine:LIMIT or jaccard:LIMIT, got {value!r}")
        try:
            number = float(limit or DEFAULT_SIMILARITY[measure])
        except ValueError:
            number = 0.0
        if not 0 < number <= 1:
            raise ValueError(f"takes a limit above 0 and up to 1, as {measure}:0.8, got {value!r}")
        return f"{measure}:{number}"


class VerifySettings(CheckSettings):
    """The second look, and whether a member must be near the document that is kept."""

    grouping: Literal["component", "representative"] = Field(
        "component",
        description="component: a member is near some member. representative: each member is near the one that is "
        "kept, the others are grouped again.",
    )


class FingerprintSettings(PresetSettings, InputSettings, TextSettings, PlaceSettings, ProgressSettings):
    """All settings of the job that writes fingerprints."""


class IdfSettings(InputSettings, TextSettings, ProgressSettings):
    """All settings of the job that fits inverse document frequencies."""

    output: str = Field("", description="Parquet file of the table.")
    overwrite: bool = Field(False, description="Replace the file if it is there.")
    min_df: int = Field(2, ge=1, description="Leave out features that fewer documents have.")
    max_df: float = Field(
        1.0, gt=0, description="Features that more documents have count nothing: a share up to 1.0, or a count above."
    )
    max_features: int = Field(1_000_000, ge=1, le=10_000_000, description="Keep so many, those most documents have.")


class Settings(
    FingerprintSettings, JoinSettings, VerifySettings, GroupSettings, AlarmSettings, ReportSettings, StoreSettings
):
    """All settings of the main job."""

    @property
    def total_distance(self) -> int:
        """Largest allowed sum of distances over the views."""
        if self.max_total_distance is not None:
            return self.max_total_distance
        return total_of(self.view_tokenizers, is_checked=self.verify is not None)

    @property
    def effective(self) -> dict[str, Any]:
        """What presets decide as it came out, and if one was given, which of that is not the preset's."""
        made = {"views": self.view_tokenizers, "max_total_distance": self.total_distance}
        values = {name: made.get(name, getattr(self, name)) for name in PRESET_KEYS}
        chosen = PRESETS[self.preset] if self.preset else None
        other = [name for name, value in values.items() if chosen and value != getattr(chosen, name)]
        return {"preset": self.preset, **values, "other_than_preset": other}

    @property
    def similarity_check(self) -> tuple[str, float] | None:
        """Measure and limit of the second look, None without one."""
        measure, _, limit = (self.verify or "").partition(":")
        return (measure, float(limit)) if measure else None

    @property
    def blocks(self) -> int | None:
        """Number of blocks, None for the planner's choice."""
        return None if self.num_blocks == "auto" else self.num_blocks


def validated(model: type[BaseModel], values: dict[str, Any]) -> Any:
    """Return the model made of the values; a value that does not fit is a SettingError of one sentence."""
    try:
        return model(**values)
    except ValidationError as error:
        raise SettingError(_one_sentence(error)) from None


def _check_tokenizer(value: str) -> str:
    parts = value.split("+")
    if not set(parts) <= set(TOKENIZERS) or len(set(parts)) != len(parts):
        raise ValueError(f"takes {', '.join(TOKENIZERS)} or a mixture such as jieba+char, got {value!r}")
    if "pypi" in parts and len(parts) > 1:
        raise ValueError(f"pypi reads the raw text and does not mix, got {value!r}")
    return value


def _one_sentence(error: ValidationError) -> str:
    """First fault of a validation error, with the option's name and the given value."""
    fault = error.errors()[0]
    name = ".".join(str(part) for part in fault["loc"][:1])
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        return f"there is no setting {name!r}; see conf/dedup.toml for all of them"
    if not name:
        return message
    given = "" if "got " in message else f", got {fault['input']!r}"
    return f"{name}: {message}{given}"

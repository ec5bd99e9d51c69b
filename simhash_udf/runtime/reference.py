"""The reference of all options, made from the typed definition: ``conf/dedup.toml`` and ``docs/options.md``.

Run ``python -m simhash_udf.runtime.reference`` in a checkout to write both again; a test holds them equal to the code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from simhash_udf.config import (
    GroupSettings,
    InputSettings,
    JoinSettings,
    PlaceSettings,
    TextSettings,
    VerifySettings,
)
from simhash_udf.config_alarms import AlarmSettings
from simhash_udf.config_evaluation import EvaluateSettings, LabelSettings, SweepSettings
from simhash_udf.config_presets import PRESET_KEYS, PRESETS, PresetSettings
from simhash_udf.config_report import ProgressSettings, ReportSettings
from simhash_udf.config_store import StoreSettings

SECTIONS: tuple[type[BaseModel], ...] = (
    InputSettings,
    PlaceSettings,
    PresetSettings,
    TextSettings,
    JoinSettings,
    VerifySettings,
    GroupSettings,
    AlarmSettings,
    ReportSettings,
    StoreSettings,
    ProgressSettings,
)

EVALUATE_SECTIONS: tuple[type[BaseModel], ...] = (LabelSettings, SweepSettings)


def options_toml() -> str:
    """Return a settings file with every key and its default; keys without a default are comments."""
    lines = ["# Every setting of jobs/dedup.py with its default. Give a copy of this file with --config FILE.", ""]
    for section in SECTIONS:
        lines += [f"# {_first_line(section)}", ""]
        for name, field in section.model_fields.items():
            lines += [f"# {field.description}", _toml_line(name, field.default), ""]
    return "\n".join(lines).rstrip() + "\n"


def options_markdown() -> str:
    """Return the reference page: one table a section, an option a row."""
    lines = [
        "# Options of `jobs/dedup.py`",
        "",
        "Each option is also a key of the TOML file given with `--config` (with underscores) and an environment",
        "variable (`SIMHASH_MAX_DISTANCE=4`). The command line wins over the environment, which wins over the file.",
        "`conf/dedup.toml` has every key with its default. A preset sets what the table says; any option given beside",
        "it wins, from wherever it comes. A tokenizer that is given takes the place of the preset's in all its views.",
        "",
        *_preset_table(),
    ]
    for section in SECTIONS:
        lines += _markdown_table(section, "##")
    largest = EvaluateSettings.model_fields["max_distance"].default
    lines += [
        "## Options of `jobs/evaluate.py`",
        "",
        "Those above of the documents, the places, the text, the second look and progress; `--max-distance`, which is",
        f"the largest k here ({largest}); `--max-total-distance`, `--max-comparisons` and",
        "`--max-shuffle-bytes`; and these.",
        "",
    ]
    for section in EVALUATE_SECTIONS:
        lines += _markdown_table(section, "###")
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(section: type[BaseModel], level: str) -> list[str]:
    head = [f"{level} {_first_line(section).rstrip('.')}", "", "| option | default | |", "|---|---|---|"]
    return [*head, *(_markdown_row(name, field) for name, field in section.model_fields.items()), ""]


def _preset_table() -> list[str]:
    """What each preset sets, as Markdown."""
    names = [f"`--{name.replace('_', '-')}`" for name in PRESET_KEYS]
    lines = ["| preset | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for preset, chosen in PRESETS.items():
        values = [getattr(chosen, name) for name in PRESET_KEYS]
        cells = [f"`{','.join(value) if isinstance(value, tuple) else value or 'none'}`" for value in values]
        lines.append(f"| `{preset}` | {' | '.join(cells)} |")
    return [*lines, ""]


def _first_line(section: type[BaseModel]) -> str:
    return (section.__doc__ or "").splitlines()[0]


def _toml_line(name: str, default: Any) -> str:
    if name in (*PRESET_KEYS, "tokenizer") and default:  # a key that is given would win over a preset
        return f"# {name} = {json.dumps(default)}"
    if default is None or default in ("", ()):
        return f"# {name} ="
    if isinstance(default, float):
        return f"{name} = {default:g}".replace("e+", "e")
    return f"{name} = {json.dumps(default)}"


def _markdown_row(name: str, field: FieldInfo) -> str:
    default = _toml_line(name, field.default).partition("= ")[2]
    text = (field.description or "").replace("|", "\\|")
    return f"| `--{name.replace('_', '-')}` | {f'`{default}`' if default else 'unset'} | {text} |"


if __name__ == "__main__":
    Path("conf/dedup.toml").write_text(options_toml(), encoding="utf-8")
    Path("docs/options.md").write_text(options_markdown(), encoding="utf-8")

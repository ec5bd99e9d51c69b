"""Settings from the command line, the environment and a TOML file, all made from the one typed definition."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from simhash_udf.config import ENV_PREFIX, validated
from simhash_udf.errors import SettingError
from simhash_udf.runtime.storage import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing its usage over several lines."""

    def error(self, message: str) -> NoReturn:
        raise SettingError(f"{message}; --help lists the options")


def build_parser(model: type[BaseModel], description: str) -> argparse.ArgumentParser:
    """Return the command line of a settings model: a kebab-case option for each field, and ``--config``."""
    parser = _Parser(description=description, argument_default=argparse.SUPPRESS, allow_abbrev=False)
    parser.add_argument("--config", metavar="FILE", help="TOML file with any of these options as keys.")
    for name, field in model.model_fields.items():
        flag = "--" + name.replace("_", "-")
        text = f"{field.description} [{_shown(field.default)}]".replace("%", "%%")
        if field.annotation is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        elif _list_kind(field) == "repeat":
            parser.add_argument(flag, action="append", metavar="VALUE", help=text)
        else:
            parser.add_argument(flag, metavar="VALUE", help=text)
    return parser


def load_settings(
    model: type[BaseModel], description: str, arguments: Sequence[str], environment: Mapping[str, str]
) -> Any:
    """Return settings from the command line, then the environment, then the TOML file, then the defaults.

    Raises
    ------
    SettingError
        An option, variable or key is unknown, or a value does not fit; one sentence.
    """
    given = vars(build_parser(model, description).parse_args(list(arguments)))
    config = given.pop("config", None) or environment.get(ENV_PREFIX + "CONFIG")
    values = _from_toml(model, config) if config else {}
    values |= _from_environment(model, environment)
    values |= {name: _parsed(model.model_fields[name], value) for name, value in given.items()}
    return validated(model, values)


def as_arguments(settings: BaseModel, names: Sequence[str], *, always: Sequence[str] = ()) -> list[str]:
    """Return the command line that gives these settings: options that are not at their defaults, quoted for a shell.

    What a preset decides counts as a default of the settings without any option.

    Parameters
    ----------
    settings
        Any settings model.
    names
        Which of its fields.
    always
        Those of them that are named in any case.
    """
    arguments = []
    usual = type(settings)()
    for name in names:
        field, value = type(settings).model_fields[name], getattr(settings, name)
        if value is None or (value == getattr(usual, name) and name not in always):
            continue
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            arguments.append(flag if value else flag.replace("--", "--no-", 1))
        elif _list_kind(field) == "repeat":
            arguments += [part for item in value for part in (flag, shlex.quote(str(item)))]
        else:
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            arguments += [flag, shlex.quote(shown)]
    return arguments


def _from_toml(model: type[BaseModel], path: str) -> dict[str, Any]:
    try:
        values = tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingError(f"config {path} cannot be read: {error}") from None
    known = {name: model.model_fields[name] for name in values if name in model.model_fields}
    return {name: _parsed(known[name], value) if name in known else value for name, value in values.items()}


def _from_environment(model: type[BaseModel], environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for variable, value in environment.items():
        name = variable.removeprefix(ENV_PREFIX).lower()
        if not variable.startswith(ENV_PREFIX) or name == "config":
            continue
        if name not in model.model_fields:
            raise SettingError(f"environment variable {variable} names no setting; unset it or correct its name")
        values[name] = _parsed(model.model_fields[name], value)
    return values


def _parsed(field: FieldInfo, value: Any) -> Any:
    """Split text for list fields: commas for names and numbers, a JSON list of texts or one value for the rest."""
    kind = _list_kind(field)
    if kind is None or not isinstance(value, str | int):
        return value
    if kind == "comma":
        return tuple(part.strip() for part in str(value).split(","))
    return _as_list(str(value))


def _as_list(text: str) -> tuple[str, ...]:
    """The texts of a JSON list; anything else is one text, as a path may begin with a bracket."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return tuple(values) if is_list else (text,)


def _list_kind(field: FieldInfo) -> str | None:
    extra = field.json_schema_extra
    kind = extra.get("list") if isinstance(extra, dict) else None
    return str(kind) if kind else None


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "unset"
    if isinstance(default, bool):
        return str(default).lower()
    return "unset" if default in {None, ""} else str(default)

"""The examples in the docstrings."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import simhash_udf

MODULES = sorted(module.name for module in pkgutil.walk_packages(simhash_udf.__path__, "simhash_udf."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0

"""The examples in the kit's docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sternhalma_bot

MODULES = [
    module.name
    for module in pkgutil.walk_packages(sternhalma_bot.__path__, "sternhalma_bot.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0

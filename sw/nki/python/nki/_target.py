# SPDX-License-Identifier: Apache-2.0
"""The chip that kernels are built for."""
import os
import re

from . import _core
from ._errors import NkiValidationError

_GENERATIONS = {"trn1": (2, "trn1"), "inf2": (2, "trn1"), "gen2": (2, "trn1"), "trn2": (3, "trn2"), "gen3": (3, "trn2"),
                "trn3": (4, "trn3"), "gen4": (4, "trn3")}
VARIABLE = "NEURON_PLATFORM_TARGET_OVERRIDE"


SETTINGS = "TERN_NKI_SET"  # key=value,key=value
_OUTER_COMMA = re.compile(r",(?![^\[]*\])")  # not one of a list


def settings():
    """Single keys of the chip, as pairs."""
    items = _OUTER_COMMA.split(os.environ.get(SETTINGS, ""))
    pairs = [item.partition("=") for item in items if item]
    for key, separator, _ in pairs:
        if not separator:
            raise NkiValidationError(f"{SETTINGS}: expected KEY=VALUE, got '{key}'")
    return [(key, value) for key, _, value in pairs]


class Target:
    """A name of the interface, its generation (2, 3, 4), and the preset of the simulated chip."""

    def __init__(self, name):
        if name not in _GENERATIONS:
            raise NkiValidationError(f"target '{name}': expected {', '.join(_GENERATIONS)}")
        self.name = name
        self.generation, preset = _GENERATIONS[name]
        # A chip of one's own, with the capabilities of its file.
        self.preset = os.environ.get("TERN_NKI_CHIP", preset)
        self.settings = settings()
        if self.preset == preset and preset not in _core.presets():
            raise NkiValidationError(f"target '{name}': this build has no chip preset '{preset}'")


def chosen(name=None):
    return Target(name or os.environ.get(VARIABLE) or "trn3")

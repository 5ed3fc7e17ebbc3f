# SPDX-License-Identifier: Apache-2.0
"""nki.compiler: the part that kernels import."""
from . import _core
from .language import no_reorder  # noqa: F401


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)

    def call(*_, **__):
        raise _core.not_supported(f"nki.compiler.{name}")
    call.__name__ = name
    return call

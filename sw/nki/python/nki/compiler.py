# SPDX-License-Identifier: Apache-2.0
"""nki.compiler: the part that kernels import."""
import contextlib

from . import _core, _trace


@contextlib.contextmanager
def no_reorder():
    """Instructions stay in program order."""
    with _trace.current("no_reorder").ordered():
        yield


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)

    def call(*_, **__):
        raise _core.not_supported(f"nki.compiler.{name}")
    call.__name__ = name
    return call

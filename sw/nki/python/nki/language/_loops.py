# SPDX-License-Identifier: Apache-2.0
"""Loops and the launch grid: loops unroll while the kernel is built."""
import contextlib

from .. import _core, _trace


def affine_range(start, stop=None, step=1):
    return range(start) if stop is None else range(start, stop, step)


sequential_range = static_range = affine_range


def program_id(axis=0):
    return 0


def num_programs(axes=0):
    return 1


def program_ndim():
    return 0 if _trace.current().grid in (None, 1) else 1


@contextlib.contextmanager
def no_reorder():
    """Instructions stay in program order."""
    with _trace.current("no_reorder").ordered():
        yield


def _missing(name):
    def call(*_, **__):
        raise _core.not_supported(f"nki.language.{name}")
    call.__name__ = name
    return call


dynamic_range, fori_loop, while_loop = _missing("dynamic_range"), _missing("fori_loop"), _missing("while_loop")

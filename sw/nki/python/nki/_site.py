# SPDX-License-Identifier: Apache-2.0
"""Places in kernels: the frames of the author's code between a call of the interface and the kernel's start."""
import contextlib
import itertools
import os
import sys
import threading

_HERE = os.path.dirname(os.path.abspath(__file__))
# This package, and that of NKI 0.1 beside it.
_PACKAGES = (_HERE + os.sep, os.path.join(os.path.dirname(_HERE), "neuronxcc") + os.sep)
_MAX_FRAMES = 20
_positions = {}
_local = threading.local()
_entries = set()  # code objects that call kernels: frames outside them are the caller's


def entry(function):
    """Marks a function that calls the author's kernel."""
    _entries.add(function.__code__)
    return function


def _position(code, instruction):
    found = _positions.get((code, instruction))
    if found is None:
        line, end_line, column, end_column = next(itertools.islice(code.co_positions(), instruction // 2, None))
        line = line or code.co_firstlineno
        known = column is not None and end_column is not None
        found = (code.co_filename, code.co_name, line, end_line or line, column if known else -1,
                 end_column if known else -1)
        _positions[code, instruction] = found
    return found


def key():
    """What identifies the place: code and position of each frame, the innermost first."""
    place = getattr(_local, "pinned", None)
    if place is not None:
        return place
    result = []
    frame = sys._getframe(1)
    while frame is not None and len(result) < _MAX_FRAMES:
        code = frame.f_code
        if code in _entries:
            return tuple(result)
        if not code.co_filename.startswith(_PACKAGES):
            result.append((code, frame.f_lasti))
        frame = frame.f_back
    return tuple(result[:1])


@contextlib.contextmanager
def pinned(place):
    """What is recorded now belongs to an earlier place."""
    outer, _local.pinned = getattr(_local, "pinned", None), place
    try:
        yield
    finally:
        _local.pinned = outer


def frames_of(place):
    return [_position(code, instruction) for code, instruction in place]


def frames():
    return frames_of(key())


def describe():
    """The innermost place as "file:line", for messages made in Python."""
    found = frames()
    return f"{found[0][0]}:{found[0][2]}" if found else "?"

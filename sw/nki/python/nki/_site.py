# SPDX-License-Identifier: Apache-2.0
"""Places in kernels: the frames of the author's code between a call of the interface and the kernel's start."""
import contextlib
import sys
import threading

from ._messages import PACKAGES, position

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
        found = _positions[code, instruction] = position(code, instruction)
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
        if not code.co_filename.startswith(PACKAGES):
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

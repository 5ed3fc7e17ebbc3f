# SPDX-License-Identifier: Apache-2.0
"""Which packages nki and neuronxcc Python finds: Tern's, or others of these names, such as those of a Neuron SDK.

Others are not hidden without a word. It imports nothing of the package, which may not be the one that is found.
"""
import importlib.machinery
import os
import sys
import warnings

NAMES = ("nki", "neuronxcc")
FORCE = "TERN_NKI_FORCE"
_told = []


def is_forced():
    return os.environ.get(FORCE, "") not in ("", "0")


def _found(name):
    """What Python finds without the finder that pip has installed (tern_nki_import)."""
    for finder in sys.meta_path:
        if getattr(finder, "__name__", "") == "TernFinder" or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, None)
        if spec is not None:
            return spec
    return None


def _is_of_script(folder):
    """A folder without __init__.py next to the script: Python, too, prefers packages elsewhere."""
    return bool(sys.path) and os.path.dirname(folder) == os.path.realpath(sys.path[0] or os.curdir)


def _place_of_other(found):
    """Where a package is that is not Tern's, or None."""
    if found is None:
        return None
    places = list(found.submodule_search_locations or [])
    folder = os.path.realpath(places[0] if places else found.origin or "")
    if found.origin is None and _is_of_script(folder):
        return None
    # That of any Tern has these files, neuronxcc next to nki.
    is_tern = places and os.path.exists(os.path.join(os.path.dirname(folder), "nki", "_launch.py"))
    return None if is_tern else folder


def other_package(name):
    """Where Python finds a package of this name that is not Tern's, or None."""
    return _place_of_other(_found(name))


def _tell_once(message, level):
    if not _told:
        _told.append(message)
        warnings.warn(message, RuntimeWarning, stacklevel=level + 1)


def find(name, folder):
    """For tern_nki_import: Tern's package in this folder, unless there is another."""
    path = importlib.machinery.PathFinder
    if name not in NAMES:  # the core; one that is on Python's path belongs to the package there
        return path.find_spec(name) or path.find_spec(name, [folder])
    others = {other: other_package(other) for other in NAMES}
    others = {other: place for other, place in others.items() if place is not None}
    if others and not is_forced():
        other, place = next(iter(others.items()))
        _tell_once(f"package {other} is that in {place}, not Tern's: {FORCE}=1 takes Tern's in its place", 3)
        return None
    found = _found(name)
    if not others and found is not None and found.origin is not None:
        return None  # a Tern on Python's path
    return path.find_spec(name, [folder])


def tell_of_hidden(folder):
    """For the package itself in this folder, when Python's path has another one later."""
    if is_forced():
        return
    later = [place for place in sys.path if os.path.realpath(place or os.curdir) != os.path.realpath(folder)]
    for name in NAMES:
        other = _place_of_other(importlib.machinery.PathFinder.find_spec(name, later))
        if other is not None:
            _tell_once(f"Tern's package {name} hides that in {other}: {FORCE}=1 is without this warning", 3)

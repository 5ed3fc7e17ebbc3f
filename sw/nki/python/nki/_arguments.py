# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call: arrays become slots, which a trace fills with its tensors; the rest are constants."""
import copy
import dataclasses

import numpy as np

from . import _arrays, _core, _errors

_MOST_NAME = 200  # characters


class Array:
    """An array among the arguments."""

    def __init__(self, name, parameter, value):
        self.name = "".join(c if c.isprintable() else "_" for c in name.replace(".must_alias_input", ""))[:_MOST_NAME]
        self.parameter, self.value = parameter, value

    def kind(self):
        if isinstance(self.value, np.ma.MaskedArray):
            raise _core.validation_error(f"argument `{self.name}`: a masked array, whose mask a kernel does not have: use "
                                         f"{self.parameter}.data or {self.parameter}.filled()")
        try:
            return tuple(self.value.shape), str(_arrays.dtype_of_array(self.value))
        except _errors.NkiValidationError as error:
            raise _core.validation_error(f"argument `{self.name}`: {str(error).splitlines()[0]}") from None


class _Slot:
    """Where an array was, by number."""

    def __init__(self, number):
        self.number = number

    def cache_key(self):
        return self.number


class _Record:
    """An object with arrays among its attributes."""

    def __init__(self, original, values):
        self.original, self.values = original, values

    def cache_key(self):
        return type(self.original), self.values

    def with_tensors(self, made):
        result = copy.copy(self.original)
        for name, value in self.values.items():
            object.__setattr__(result, name, with_tensors(value, made))
        return result


def plain(bound):
    """Arguments by parameter with slots in place of their arrays; these arrays."""
    arrays = []
    return {name: _plain(value, name, name, arrays, set()) for name, value in bound.items()}, arrays


def _attributes(value):
    """Those of a dataclass or NKIObject."""
    if isinstance(value, type) or not (dataclasses.is_dataclass(value) or any(
            c.__name__ == "NKIObject" for c in type(value).__mro__)):
        return None
    fields = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    return {name: getattr(value, name) for name in [*fields, *getattr(value, "__dict__", {})] if hasattr(value, name)}


def _plain(value, name, parameter, arrays, seen):
    def inner(item, part):
        return _plain(item, f"{name}_{part}", parameter, arrays, seen)

    if _arrays.is_array(value):
        arrays.append(Array(name, parameter, value))
        return _Slot(len(arrays) - 1)
    if type(value) in (list, tuple):
        return tuple(inner(item, i) for i, item in enumerate(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)._make(inner(item, part) for part, item in zip(value._fields, value))
    if isinstance(value, dict):
        return {k: inner(item, k) for k, item in value.items()}
    attributes = _attributes(value)
    if attributes is None or id(value) in seen:
        return value
    seen.add(id(value))
    before = len(arrays)
    values = {part: inner(item, part) for part, item in attributes.items()}
    return _Record(value, values) if len(arrays) > before else value


def with_tensors(value, made):
    """The tensors that were made for the arrays, in their slots."""
    if isinstance(value, _Slot):
        return made[value.number]
    if isinstance(value, _Record):
        return value.with_tensors(made)
    if isinstance(value, tuple) and (type(value) is tuple or hasattr(value, "_fields")):
        items = [with_tensors(item, made) for item in value]
        return tuple(items) if type(value) is tuple else type(value)._make(items)
    return {k: with_tensors(item, made) for k, item in value.items()} if type(value) is dict else value

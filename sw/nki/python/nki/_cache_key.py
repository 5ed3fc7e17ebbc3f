# SPDX-License-Identifier: Apache-2.0
"""What a compiled kernel depends on, besides the shapes of its arrays: constants among the arguments, and the globals and
variables of outer functions that it names. What cannot be told apart by its value is never found again.
"""
import dataclasses
import enum
import hashlib
import sys
import types

import numpy as np

_PLAIN = (type(None), bool, int, complex, str, bytes, type(Ellipsis), range)
# Their modules do not change, nor do their functions.
_FIXED = frozenset(sys.stdlib_module_names) | {"nki", "neuronxcc", "numpy", "torch", "jax", "ml_dtypes", "_tern_nki"}
_MOST_OBJECTS = 10_000
# Of a class: what says nothing that its other attributes do not, and what has its code.
_ABOUT_CLASS = ("__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__", "_abc_impl", "__annotations__",
                "__dataclass_fields__", "__dataclass_params__", "__match_args__")
_MEMBERS = (staticmethod, classmethod, property)


class Unknown(Exception):
    """A value of which nobody can say whether it has changed."""


class _Reader:
    """Makes a key of values; an object that comes again is named by its number."""

    def __init__(self):
        self._seen = {}
        self._kept = []  # alive, so that no other object gets its address

    def key(self, value):
        kind = type(value)
        if kind in _PLAIN:
            return kind.__name__, value
        if kind is float:
            return "float", value.hex()
        if isinstance(value, np.generic):
            return "generic", value.dtype.str, value.tobytes()
        if id(value) in self._seen:
            return "seen", self._seen[id(value)]
        if len(self._seen) > _MOST_OBJECTS:
            raise Unknown(value)
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        return self._of_object(value, kind)

    def _of_object(self, value, kind):
        if isinstance(value, enum.Enum):
            return "enum", kind, value.name
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, types.MethodType):
            return "method", self.key(value.__func__), self.key(value.__self__)
        if isinstance(value, (types.BuiltinFunctionType, np.ufunc, np.dtype, types.ModuleType)):
            return kind.__name__, value  # modules: by what is named of them
        if isinstance(value, property):
            return "property", self.key(value.fget)
        if hasattr(kind, "cache_key"):
            return kind.__name__, self.key(value.cache_key())
        if isinstance(value, (staticmethod, classmethod)):
            return kind.__name__, self.key(value.__func__)
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise Unknown(value)
            bits = hashlib.blake2b(np.ascontiguousarray(value).view(np.ndarray).tobytes()).digest()
            return "array", value.shape, value.dtype.str, str(getattr(value, "nki_dtype", "")), bits
        if _root(kind.__module__) in _FIXED and kind.__module__ != "builtins" and kind.__name__ != "SimpleNamespace":
            return self._of_fixed(value, kind)
        return (kind.__module__, kind.__qualname__, self._contents(value)) + self._attributes(value, kind)

    def _of_fixed(self, value, kind):
        """Instances of the interface and of Python's library."""
        root = _root(kind.__module__)
        if root in ("nki", "neuronxcc"):
            if kind.__name__ in ("NkiTensor", "Tile", "Blocks"):
                raise Unknown(value)
            if hasattr(value, "func"):  # a kernel
                return "kernel", self.key(value.func), self.key(value.options)
            if isinstance(value, str):
                return kind.__name__, str(value)
            return (kind.__name__, self._contents(value)) + self._attributes(value, kind)
        if kind.__name__ == "partial":
            return "partial", self.key(value.func), self.key(value.args), self.key(value.keywords)
        if kind.__name__ == "dtype" or root in ("logging", "typing", "types"):
            return kind.__qualname__, repr(value)
        if hasattr(value, "__wrapped__"):  # of functools
            return kind.__qualname__, self.key(value.__wrapped__)
        raise Unknown(value)

    def _contents(self, value):
        if isinstance(value, (list, tuple)):
            return tuple(self.key(item) for item in value)
        if isinstance(value, dict):
            return tuple((self.key(k), self.key(item)) for k, item in value.items())
        if isinstance(value, (set, frozenset)):
            return frozenset(self.key(item) for item in value)
        if isinstance(value, (int, float, str, bytes)):  # of a class of its own
            return repr(value)
        return ()

    def _attributes(self, value, kind):
        if kind in (list, tuple, dict, set, frozenset):
            return ()
        found = dict(getattr(value, "__dict__", {}))
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    found[name] = getattr(value, name)
        is_bare = not found and not self._contents(value)
        if is_bare and kind.__module__ == "builtins":
            raise Unknown(value)  # an iterator, a file, ..
        return self.key(kind), tuple((name, self.key(item)) for name, item in sorted(found.items()))

    def _of_class(self, value):
        """A class of the author with its attributes."""
        if _root(value.__module__) in _FIXED:
            return "class", value
        items = [(name, item) for name, item in vars(value).items() if name not in _ABOUT_CLASS and _is_of_author(item)]
        made = [f.default_factory for f in vars(value).get("__dataclass_fields__", {}).values()]
        return ("class", value, tuple((name, self.key(item)) for name, item in items),
                tuple(self.key(make) for make in made if make is not dataclasses.MISSING),
                tuple(self.key(base) for base in value.__bases__))

    def function(self, function):
        if _root(function.__module__ or "") in _FIXED:
            return "function", function
        names, attributes = set(), set()
        _names_of(function.__code__, names, attributes)
        used = [(name, function.__globals__[name]) for name in sorted(names) if name in function.__globals__]
        key = ["function", function.__code__, self.key(function.__defaults__), self.key(function.__kwdefaults__)]
        key += [(name, self.key(value), self._named_of_module(value, attributes)) for name, value in used]
        for cell in function.__closure__ or ():
            try:
                key.append((self.key(cell.cell_contents), self._named_of_module(cell.cell_contents, attributes)))
            except ValueError:
                key.append("empty")
        return tuple(key)

    def _named_of_module(self, module, names):
        """What a function may take from a module of the author."""
        if not isinstance(module, types.ModuleType) or _root(module.__name__) in _FIXED:
            return ()
        members = vars(module)
        return tuple((name, self.key(members[name]), self._named_of_module(members[name], names - {name}))
                     for name in sorted(names) if name in members)


def _is_of_author(member):
    """Of a class: no descriptor of Python's, no function that dataclass or namedtuple has made."""
    if isinstance(member, types.FunctionType):
        return not (member.__code__.co_filename.startswith("<") and member.__name__.startswith("__"))
    return isinstance(member, _MEMBERS) or hasattr(member, "func") or not hasattr(member, "__get__")


def _root(module):
    return (module or "").split(".")[0]


def _names_of(code, names, attributes):
    """Names of globals and attributes in the code and the functions in it."""
    names.update(code.co_names)
    attributes.update(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _names_of(constant, names, attributes)


def key_of(function, constants):
    """A key for a call; None if calls cannot be told apart."""
    reader = _Reader()
    try:
        return reader.key(constants), reader.key(function)
    except (Unknown, RecursionError):
        return None

# SPDX-License-Identifier: Apache-2.0
"""What the cases of scripts/nki-public share: their list, files of checkouts, arguments, tolerances."""
import ast
import importlib
import importlib.util
import os
import sys
import textwrap
import types

import numpy as np

import nki
import nki.language as nl

CASES = []


class Skipped(Exception):
    """A case that does not run here; says why."""


def target():
    return os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE", "trn3")


def case(name, repository, is_large=False, **published):
    """published: times in us on real chips, by target (docs/nki.md); a large case runs on these alone."""
    def enter(function):
        def run(root):
            if is_large and target() not in published:
                raise Skipped(f"takes minutes, runs on {' and '.join(published)}")
            return function(root)
        CASES.append((name, repository, published, run))
        return function
    return enter


class Standin(types.ModuleType):
    """A module that files import beside their kernel and that is not installed."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Standin(f"{self.__name__}.{name}")

    def __call__(self, *_, **__):
        return self


def allow_missing(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            parts = name.split(".")
            for i in range(len(parts)):
                sys.modules.setdefault(".".join(parts[:i + 1]), Standin(".".join(parts[:i + 1])))


def load(path):
    """The module of a file outside any package."""
    allow_missing("torch", "torch.nn", "torch.nn.functional", "torch_xla", "torch_xla.core", "torch_xla.core.xla_model")
    spec = importlib.util.spec_from_file_location("public_" + os.path.basename(path).replace(".", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code_of_page(path):
    """The Python code of a page in reStructuredText, block by block: (line before it, text)."""
    with open(path, encoding="utf-8") as page:
        lines = page.read().splitlines()
    blocks = []
    for begin, line in enumerate(lines, 1):
        if line.strip() != ".. code-block:: python":
            continue
        indent = len(line) - len(line.lstrip())
        end = begin
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
            end += 1
        blocks.append((begin, textwrap.dedent("\n".join(lines[begin:end]))))
    return blocks


def kernel_of_page(path, number):
    """The kernel in code block `number` (from 0) of those of a page that hold one. Its lines are the page's in messages."""
    with_kernel = [block for block in code_of_page(path) if "@nki.jit" in block[1]]
    if number >= len(with_kernel):
        raise AssertionError(f"{path}: {len(with_kernel)} kernels, expected {number + 1} at least")
    before, text = with_kernel[number]
    tree = ast.increment_lineno(ast.parse(text, path), before)
    kernels = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    names, chosen = {"__name__": "page"}, dict(os.environ)
    exec(compile(tree, path, "exec"), names)  # noqa: S102: the page's code is what is to be run
    os.environ.clear()
    os.environ.update(chosen)  # the page names a chip
    return names[kernels[-1]]


def package(folder, name):
    if folder not in sys.path:
        sys.path.insert(0, folder)
    allow_missing("torch")
    return importlib.import_module(name)


def bf16(values):
    return nki.array(values, nl.bfloat16)


def close(result, expected, rtol, atol):
    """Largest error over the tolerance; above 1 it fails."""
    result, expected = nki.as_float(result).astype(np.float64), np.asarray(expected, dtype=np.float64)
    if result.shape != expected.shape:
        raise AssertionError(f"shape {result.shape}, expected {expected.shape}")
    if not np.isfinite(result).all():
        raise AssertionError("results are not finite")
    return float((np.abs(result - expected) / (atol + rtol * np.abs(expected))).max())


def exact(result, expected):
    return 0.0 if np.array_equal(np.asarray(result), expected) else float("inf")


RANDOM = np.random.default_rng(42)


def uniform(*shape):
    return RANDOM.random(shape, dtype=np.float32)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def of_max(result, expected, share):
    """Error of the whole tensor against a share of its largest value."""
    difference = np.abs(nki.as_float(result).astype(np.float64) - expected).max()
    return float(difference / (share * np.abs(expected).max()))


def typed(bits, dtype):
    array = bits.view(nki.TypedArray)
    array.nki_dtype = dtype
    return array

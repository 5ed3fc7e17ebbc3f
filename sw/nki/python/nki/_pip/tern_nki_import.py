# SPDX-License-Identifier: Apache-2.0
"""What pip installs: Python looks for nki and neuronxcc in the installed Tern (docs/nki.md)."""
import importlib.machinery
import importlib.util
import os
import sys

FOLDER = ""
NAMES = ("nki", "neuronxcc", "_tern_nki")


class TernFinder:
    """Tern's packages, unless other packages of these names are installed, such as those of a Neuron SDK."""

    _packages = None  # module nki._packages

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in NAMES:
            return None
        if cls._packages is None:
            file = os.path.join(FOLDER, "nki", "_packages.py")
            if not os.path.exists(file):
                if importlib.machinery.PathFinder.find_spec(name) is not None:
                    return None
                raise ModuleNotFoundError(f"Tern's package was in {FOLDER}, which has it no more: pip uninstall tern-nki, "
                                          "and pip install it from where it is now", name=name)
            spec = importlib.util.spec_from_file_location("_tern_packages", file)
            cls._packages = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(cls._packages)
        return cls._packages.find(name, FOLDER)


def install():
    """Before Python's own finders: it says so when these names are others' here."""
    if TernFinder not in sys.meta_path:
        sys.meta_path.insert(0, TernFinder)

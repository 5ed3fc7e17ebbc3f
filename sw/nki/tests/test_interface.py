# SPDX-License-Identifier: Apache-2.0
"""Every name of the public interface is there with its parameters, or refused by name with the kernel's line."""
import importlib
import inspect
import os
import re
import unittest

import numpy as np

import nki
import nki.language as nl

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interface.txt")
_LINE = re.compile(r"(?P<module>nki(?:\.\w+)*)\.(?P<name>\w+)(?:\((?P<parameters>.*)\)| has (?P<members>.*))?")
# Of NKI 0.2 and before, which the new interface has no more.
GONE = ("nki.language.arange", "nki.language.mgrid", "nki.language.par_dim", "nki.language.loop_reduce",
        "nki.language.all_reduce", "nki.isa.tensor_copy_dynamic_src", "nki.isa.tensor_copy_dynamic_dst")


def interface():
    with open(NAMES, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                yield _LINE.fullmatch(line.rstrip("\n"))


REFUSED = ("all_gather_v", "all_to_all_v")


def refused(item):
    return item["module"] == "nki.collectives" and item["name"] in REFUSED


class Interface(unittest.TestCase):
    def test_names_and_members(self):
        count = 0
        for item in interface():
            with self.subTest(item[0]):
                count += 1
                found = getattr(importlib.import_module(item["module"]), item["name"])
                for member in (item["members"] or "").split():
                    self.assertTrue(hasattr(found, member), member)
        self.assertGreater(count, 200)

    def test_parameters(self):
        for item in interface():
            if item["parameters"] is None or refused(item):
                continue
            with self.subTest(item[0]):
                signature = inspect.signature(getattr(importlib.import_module(item["module"]), item["name"]))
                have = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
                want = item["parameters"].split()
                self.assertEqual([p.name for p in have[:len(want)]], [name.rstrip("=") for name in want])
                for parameter, name in zip(have, want):
                    self.assertTrue(parameter.default is not parameter.empty or not name.endswith("="), name)
                self.assertTrue(all(p.default is not p.empty for p in have[len(want):]), signature)

    def refuses(self, full_name):
        module, _, name = full_name.rpartition(".")

        @nki.jit
        def kernel(x):
            getattr(importlib.import_module(module), name)(x, 1)
        with self.assertRaises(nki.NkiNotSupportedError) as caught:
            kernel(np.ones((4, 4), np.float32))
        line = kernel.func.__code__.co_firstlineno + 2
        self.assertTrue(str(caught.exception).startswith(f"{full_name} is not supported by Tern\n  at {__file__}:{line}, in "
                                                         "kernel\n"), str(caught.exception))

    def test_refusals(self):
        for item in interface():
            if item["parameters"] is not None and refused(item):
                with self.subTest(item[0]):
                    self.refuses(f"{item['module']}.{item['name']}")
        for name in GONE:
            with self.subTest(name):
                self.refuses(name)

    def test_other_names_are_no_part_of_it(self):
        for module in (nki, nki.isa, nl, nki.collectives):
            with self.assertRaisesRegex(AttributeError, "nosuch"):
                module.nosuch  # noqa: B018

    def test_members_of_memory(self):
        self.assertIs(nl.MemoryRegion.sbuf, nl.sbuf)
        self.assertEqual((nl.sbuf.value, nl.MemoryRegion.shared_hbm.name), ("sbuf", "shared_hbm"))
        self.assertTrue(nl.is_sbuf(buffer=nl.sbuf))


if __name__ == "__main__":
    unittest.main()

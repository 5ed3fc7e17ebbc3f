# SPDX-License-Identifier: Apache-2.0
"""One command `tern nki`, its files in a folder of their own, what it says and how it ends."""
import os
import subprocess
import tempfile
import unittest

TERN = os.environ["TERN_PROGRAM"]
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels_basic.py")


def tern(*arguments, **more):
    more.setdefault("env", {k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([TERN, "nki", *arguments], stderr=subprocess.PIPE, text=True, errors="surrogateescape",
                          timeout=120, check=False, **more)


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def refused(self, message, *arguments, code=2, **more):
        result = tern(*arguments, **more)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertTrue(result.stderr.startswith("tern: "), result.stderr)
        self.assertFalse(result.stderr.endswith("\n\n"), result.stderr)
        for letter in result.stderr:
            self.assertTrue(letter == "\n" or letter.isprintable(), repr(result.stderr))
        return result

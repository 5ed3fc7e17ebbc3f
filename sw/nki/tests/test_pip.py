# SPDX-License-Identifier: Apache-2.0
"""pip install of the package, without network, and what happens next to a Neuron SDK."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import nki

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(nki.__file__)))
OURS = ("PYTHONPATH", "TERN_PROGRAM", "TERN_NKI_FORCE")
KERNEL = """
    import numpy as np, nki, nki.isa as nisa, nki.language as nl
    @nki.jit
    def double(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        t = nl.load(x)
        nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
        nl.store(out, t)
        return out
    print(double(np.ones((4, 4), np.float32))[3])
    from neuronxcc import nki as old
    import neuronxcc.nki.language as nlo
    @old.jit
    def triple(x):
        out = nlo.ndarray(x.shape, dtype=x.dtype, buffer=nlo.shared_hbm)
        nlo.store(out, nlo.load(x) * 3.0)
        return out
    print(triple(np.ones((4, 4), np.float32))[3])
"""
RESULTS = "[2. 2. 2. 2.]\n[3. 3. 3. 3.]\n"


def run(*command, **more):
    env = {name: value for name, value in os.environ.items() if name not in OURS and not name.startswith("PIP_")}
    env.update({"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more.pop("env", {})})
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False, **more)


class Pip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.venv = os.path.join(cls.folder.name, "environment")
        # numpy is the system's: there may be no network.
        made = run(sys.executable, "-m", "venv", "--system-site-packages", cls.venv)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        cls.site = run(os.path.join(cls.venv, "bin/python"), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").stdout.strip()

    def setUp(self):
        self.before = self.files()

    def tearDown(self):
        self.pip("uninstall", "-y", "tern-nki")
        self.assertEqual(self.files(), self.before)  # nothing is left

    def files(self):
        return {os.path.join(path, name) for path, folders, names in os.walk(self.venv) for name in names + folders
                if "__pycache__" not in os.path.join(path, name) or "tern" in name}

    def pip(self, *arguments):
        result = run(os.path.join(self.venv, "bin/python"), "-m", "pip", *arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def python(self, text, **env):
        return run(os.path.join(self.venv, "bin/python"), "-c", textwrap.dedent(text), cwd=self.folder.name, env=env)

    def runs(self, text, output, **env):
        result = self.python(text, **env)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, output, ""))

    @contextlib.contextmanager
    def distribution(self, name):
        """Another package of this name in the environment."""
        folder = os.path.join(self.site, name)
        os.mkdir(folder)
        try:
            with open(os.path.join(folder, "__init__.py"), "w", encoding="ascii") as file:
                file.write("jit = 'of the SDK'\n")
            yield os.path.realpath(folder)
        finally:
            shutil.rmtree(folder)

    def test_folder(self):
        self.assertNotEqual(self.python("import nki").returncode, 0)
        self.pip("install", PACKAGE)
        self.runs(KERNEL, RESULTS)
        self.assertIn("tern-nki", self.pip("list"))
        self.runs("import importlib.metadata as m; print(m.requires('tern-nki'))", "['numpy']\n")

    def test_wheel(self):
        self.pip("wheel", "--no-deps", "-w", self.folder.name, PACKAGE)
        wheels = [name for name in os.listdir(self.folder.name) if name.endswith(".whl")]
        self.assertEqual(len(wheels), 1)
        self.pip("install", os.path.join(self.folder.name, wheels[0]))
        self.runs(KERNEL, RESULTS)

    def test_a_neuron_sdk_is_not_hidden(self):
        self.pip("install", PACKAGE)
        for name, other in (("nki", "neuronxcc"), ("neuronxcc", "nki")):
            with self.subTest(name), self.distribution(name) as sdk:
                result = self.python(f"import {name}\nprint({name}.jit)")
                self.assertEqual((result.returncode, result.stdout), (0, "of the SDK\n"))
                self.assertIn(f"RuntimeWarning: package {name} is that in {sdk}, not Tern's: TERN_NKI_FORCE=1 takes Tern's in "
                              "its place\n", result.stderr)
                self.runs(KERNEL, RESULTS, TERN_NKI_FORCE="1")
                result = self.python(f"import {other}")  # no mixture of both
                self.assertIn(f"No module named '{other}'", result.stderr)
                self.assertIn(f"package {name} is that in {sdk}", result.stderr)
                result = self.python(KERNEL, PYTHONPATH=PACKAGE)
                self.assertEqual((result.returncode, result.stdout), (0, RESULTS))
                self.assertIn(f"RuntimeWarning: Tern's package {name} hides that in {sdk}", result.stderr)

    def test_a_folder_of_the_script(self):
        self.pip("install", PACKAGE)
        os.mkdir(os.path.join(self.folder.name, "nki"))  # the author's, no package
        self.addCleanup(os.rmdir, os.path.join(self.folder.name, "nki"))
        self.runs(KERNEL, RESULTS)

    def test_the_package_is_gone(self):
        self.pip("install", PACKAGE)
        finder = os.path.join(self.site, "tern_nki_import.py")
        with open(finder, encoding="utf-8") as file:
            text = file.read()
        with open(finder, "w", encoding="utf-8") as file:
            file.write(text.replace(PACKAGE, "/nosuch/python"))
        self.assertIn("ModuleNotFoundError: Tern's package was in /nosuch/python", self.python("import nki").stderr)
        self.runs("import json; print(1)", "1\n")

    def test_an_incomplete_folder(self):
        copy = os.path.join(self.folder.name, "copy")
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("_tern_nki*"))
        self.addCleanup(shutil.rmtree, copy)
        result = run(os.path.join(self.venv, "bin/python"), "-m", "pip", "install", copy)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"tern-nki: {copy} has no _tern_nki.", result.stdout + result.stderr)
        self.assertNotIn("Traceback", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""tern nki run and tern nki python: results, files, messages, exit codes."""
import json
import os
import signal
import subprocess
import time
import unittest

import numpy as np

from one_command import KERNELS, TERN, CommandCase, tern


class Command(CommandCase):
    def test_run(self):
        a = np.arange(128 * 16, dtype=np.float32).reshape(128, 16)
        np.save(self.path("a.npy"), a)
        result = tern("run", f"{KERNELS}::add", "--arg", f"a={self.path('a.npy')}", "--arg", "b=128x16:float32:ones",
                      "--output", self.path("out.npy"), "--trace", self.path("r/t.json"), "--report", self.path("r"), "--wave", self.path("r/w.fst"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"nki: add on trn3: \d+\.\d{3} us, \d+ instructions\n"
                                        r"  result 0: \[128, 16\] float32\n")
        np.testing.assert_array_equal(np.load(self.path("out.npy")), a + 1)
        with open(self.path("r/t.json"), encoding="utf-8") as file:
            names = {event["name"] for event in json.load(file)["traceEvents"] if event.get("ph") == "X"}
        self.assertIn("kernels_basic.py:16: nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)", names)
        with open(self.path("r/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertGreater(report["start_us"], 10)
        self.assertGreater(report["latency_us"], report["start_us"] + report["end_us"])
        self.assertLessEqual({"start of the kernel", "end of the kernel"}, names)
        vector = [e for e in report["engines"] if e["engine"] == "vector"][0]
        self.assertEqual(vector["instructions"], 1)
        self.assertIn("nisa.tensor_tensor", [e for e in report["lines"] if e["line"] == 16][0]["source"])
        self.assertEqual(report["kind"], "nki")
        own = sum(phase["us"] for phase in report["phases"])
        self.assertAlmostEqual(report["start_us"] + own + report["end_us"], report["latency_us"], places=3)
        with open(self.path("r/report.html"), encoding="utf-8") as file:
            self.assertIn("tensor_tensor", file.read())
        with open(self.path("r/instructions.csv"), encoding="utf-8") as file:
            self.assertIn("kernels_basic.py:16", file.read())
        for name in ("report.md", "timeline.svg", "lines.csv", "engines.csv", "w.fst"):
            self.assertGreater(os.path.getsize(self.path(f"r/{name}")), 0, name)

    def test_two_cores(self):
        kernels = os.path.join(os.path.dirname(KERNELS), "test_cores.py")
        arguments = ("run", f"{kernels}::halves", "--cores", "2", "--arg", "x=64x32:float32:ones")
        result = tern(*arguments, "--report", self.path("r"), "--trace", self.path("r/t.json"), "--output",
                      self.path("out.npy"))
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path("out.npy")), np.ones((64, 32), np.float32))
        with open(self.path("r/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        lines = [e["engine"] for e in report["lines"] if "nisa.activation" in e["source"]]
        self.assertEqual(sorted(lines), ["scalar", "scalar of core 1"])
        with open(self.path("r/timeline-core1.svg"), encoding="utf-8") as file:
            self.assertIn("core 1", file.read())
        with open(self.path("r/t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        shown = {processes[e["pid"]] for e in events if "nisa.activation" in e["name"]}
        self.assertEqual(shown, {"kernel", "kernel on core 1"})
        self.refused("trn1", *arguments, "--target", "trn1")

    def test_same_seed_same_result(self):
        outputs = []
        for seed in ("1", "1", "2"):
            self.assertEqual(tern("run", f"{KERNELS}::softmax", "--arg", "x=8x32:bfloat16:random", "--seed", seed,
                                  "--output", self.path("o.npy"), "--target", "trn2").returncode, 0)
            outputs.append(np.load(self.path("o.npy")))
        np.testing.assert_array_equal(outputs[0], outputs[1])
        self.assertFalse(np.array_equal(outputs[0], outputs[2]))

    def test_settings_of_the_chip(self):
        def latency(*more):
            result = tern("run", f"{KERNELS}::add", "--arg", "a=128x512:float32:ones", "--arg", "b=128x512:float32:ones",
                          *more)
            self.assertEqual(result.returncode, 0, result.stderr)
            return float(result.stdout.split(" us")[0].split()[-1])
        self.assertGreater(latency("--set", "core.vector.clock_ghz=0.1"), latency() + 1)
        self.refused("unknown key", "run", f"{KERNELS}::add", "--arg", "a=8x8:float32:ones", "--arg", "b=8x8:float32:ones",
                     "--set", "core.nosuch=1")

    def test_passes_are_printed(self):
        result = tern("run", f"{KERNELS}::add", "--arg", "a=8x8:float32:ones", "--arg", "b=8x8:float32:ones",
                      "--dump-after", "allocate")
        self.assertRegex(result.stdout, r"tensor y\[8, 8\] float32 sbuf at 0:\d+\n")
        self.assertRegex(result.stdout, r"2 tensor_tensor \(vector\) dst=x\[8, 8\] .*kernels_basic.py:16\n")

    def test_wrong_arguments(self):
        self.refused("nosuch.py: no such file", "run", "nosuch.py::f")
        self.refused("expected FILE.py::FUNCTION", "run", KERNELS)
        self.refused("no function 'nosuch', there are add,", "run", f"{KERNELS}::nosuch")
        self.refused("kernel 'add' needs --arg b=", "run", f"{KERNELS}::add", "--arg", "a=8x8:float32:ones")
        self.refused("unknown dtype", "run", f"{KERNELS}::add", "--arg", "a=8x8:float99:ones")
        self.refused("--arg c: kernel 'add' has a, b", "run", f"{KERNELS}::add", "--arg", "c=1")
        self.refused("target 'trn9': expected trn1", "run", f"{KERNELS}::add", "--target", "trn9", "--arg",
                     "a=8x8:float32:ones", "--arg", "b=8x8:float32:ones")
        self.refused("nki: expected run or python, got 'walk'", "walk")
        self.refused("nosuch.py: no such file", "python", "nosuch.py")

    def test_wrong_kernel(self):
        result = self.refused("exceed architecture limitation of 128.", "run", f"{KERNELS}::add", "--arg",
                              "a=200x8:float32:ones", "--arg", "b=200x8:float32:ones")
        self.assertIn("kernels_basic.py:12, in add\n", result.stderr)
        self.assertIn("\n    x = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)\n        ^^^^", result.stderr)

    def test_another_package_is_not_hidden(self):
        os.mkdir(self.path("sdk"))
        os.mkdir(self.path("sdk/nki"))
        self.write("sdk/nki/__init__.py", "")
        script = self.write("s.py", "import nki; print(nki.__tern__)")
        env = dict(os.environ, PYTHONPATH=self.path("sdk"))
        result = tern("python", script, env=env)
        self.assertEqual(result.returncode, 2)
        self.assertIn("another package nki is installed in", result.stderr)
        self.assertEqual(tern("python", "--force", script, env=env).stdout, "True\n")

    def test_script(self):
        script = self.write("s.py", "import sys, nki\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
        result = tern("python", script, "a", "-b")
        self.assertEqual((result.returncode, result.stdout), (7, "['a', '-b'] __main__\n"))
        self.assertEqual(tern("python", "-c", "import nki; print(nki.__tern__)").stdout, "True\n")
        with open(script, encoding="ascii") as file:  # from standard input
            result = tern("python", "-", "a", stdin=file)
        self.assertEqual((result.returncode, result.stdout), (7, "['a'] __main__\n"))

    def test_interrupt_leaves_nothing(self):
        script = self.write("s.py", "import nki, nki.language as nl, numpy as np\n"
                            "@nki.jit\n"
                            "def endless(x):\n"
                            "    while True:\n"
                            "        nl.load(x)\n"
                            "print('go', flush=True)\n"
                            "endless(np.ones((8, 8), np.float32))\n")
        process = subprocess.Popen([TERN, "nki", "python", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True)
        self.assertEqual(process.stdout.readline(), "go\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(timeout=20), 0)
        process.stdout.close()

    def test_interrupt_ends_the_simulation(self):
        script = self.write("s.py", f"import sys; sys.path.insert(0, {os.path.dirname(KERNELS)!r})\n"
                            "import numpy as np, kernels_basic\n"
                            "a = np.ones((1024, 1024), np.float32)\n"
                            "executable, arrays = kernels_basic.matmul_tiled.build(a, a)\n"
                            "while True:\n"
                            "    executable.run(arrays)\n")
        process = subprocess.Popen([TERN, "nki", "python", script], stderr=subprocess.PIPE, text=True)
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        worker = ""
        while not worker:
            time.sleep(0.05)
            with open(children, encoding="ascii") as file:
                worker = file.read().strip()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertFalse(os.path.exists(f"/proc/{worker}"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""For the self tests: a small tree under git with these scripts in it, whose stages are shell commands."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COPIED = ("run-ctest", "bench-table", "json_file.py")  # of scripts, which modules here load


class SampleTree:
    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "tree"
        shutil.copytree(HERE, self.root / "scripts/regression", ignore=shutil.ignore_patterns("__pycache__", "check_*"))
        for name in COPIED:
            shutil.copy(HERE.parent / name, self.root / "scripts" / name)
        self.results = pathlib.Path(folder) / "results"
        self.extra = pathlib.Path(folder) / "stages.toml"
        self.git("init", "-q", "-b", "main")
        self.commit("first")

    def git(self, *words):
        # Nothing of the person's own settings.
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        for role in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@example.org"}
        return subprocess.run(["git", "-C", str(self.root), *words], check=True, capture_output=True, text=True, env=environment).stdout

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def stages(self, **commands):
        """Stages by name, each a line for sh."""
        self.extra.write_text("".join(f'[[stage]]\nname = "{name}"\ncommand = ["sh", "-c", {json.dumps(line)}]\n'
                                      for name, line in commands.items()))

    def command(self, *words):
        return [sys.executable, str(self.root / "scripts/regression/run"), "--extra", str(self.extra), "--results", str(self.results),
                *words]

    def run(self, *words, **environment):
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment})

    def found(self):
        """Results in the order of their dates."""
        return [json.loads(path.read_text()) for path in sorted(self.results.glob("*.json"))]

# SPDX-License-Identifier: Apache-2.0
"""A case: files in a folder, a command there, and what the documentation promises about its end."""
import dataclasses
import pathlib
import shlex


@dataclasses.dataclass
class Case:
    name: str  # what is odd about it
    arguments: list  # of tern
    files: dict = dataclasses.field(default_factory=dict)  # name: bytes or text
    prepare: tuple = ()  # shell commands in the folder first: pipes, links, sparse files
    redirect: str = ""  # of the shell: "2>&-"
    wrap: str = "exec {}"  # shell text around the command, as for a full disk
    codes: tuple = (0, 1, 2)  # exit codes that are right
    seconds: float = 10  # then it is interrupted, and must end by that
    bounded: bool = False  # small input: it has to end on its own, in little memory
    places: tuple = ()  # further texts that locate a refusal (judge.py)
    address_gb: int = 16  # address space; cores need much of it and use little

    def write(self, folder):
        folder.mkdir(parents=True)
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)

    def command(self, tern):
        # An argument cannot hold a NUL byte.
        words = [str(word).replace("\0", "\\0") for word in (tern, *self.arguments)]
        return shlex.join(words) + (" " + self.redirect if self.redirect else "")

    def script(self, tern):
        return "\n".join([*self.prepare, f"ulimit -c 0; ulimit -v {self.address_gb << 20}", self.wrap.format(self.command(tern))])

    def located(self):
        """Texts of which a refusal must have one."""
        names = [pathlib.PurePath(name).name for name in self.files]
        return [*names, *self.places]


@dataclasses.dataclass
class Result:
    """How the command ended."""
    code: int  # negative: killed by this signal
    out: bytes
    err: bytes
    cpu_seconds: float = 0
    memory: int = 0  # bytes, the largest at any moment
    stopped: str = ""  # "time" or "memory": interrupted by this campaign
    hung: bool = False  # did not even end when it was interrupted
    new: tuple = ()  # names in the folder that were not there
    changed: tuple = ()  # files of the case that are no longer the same

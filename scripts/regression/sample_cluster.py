# SPDX-License-Identifier: Apache-2.0
"""For the self tests: a cluster of Slurm with one node, this machine, on the loopback interface and in a temporary folder."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "squeue", "sinfo", "scancel", "scontrol")
GUARD_SECONDS = 300
# Daemons are in folders of the system administrator.
PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


def missing():
    """Why there can be no cluster here; empty: there can."""
    absent = [name for name in DAEMONS + COMMANDS if not shutil.which(name, path=PATH)]
    if absent:
        return f"no {absent[0]} here (Debian packages slurm-wlm and munge)"
    return "" if os.geteuid() == 0 else "no root rights, which slurmd needs"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, problem=lambda: ""):
    end = time.monotonic() + GUARD_SECONDS
    while not condition():
        if problem() or time.monotonic() > end:
            raise RuntimeError(f"{what}: {problem() or 'nothing happens'}")
        time.sleep(0.1)


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def write_configuration(self):
        name = socket.gethostname().split(".")[0]
        at = self.folder
        settings = {
            "ClusterName": "tern", "SlurmctldHost": f"{name}(127.0.0.1)", "SlurmUser": "root", "SlurmctldPort": free_port(),
            "SlurmdPort": free_port(), "AuthType": "auth/munge", "CredType": "cred/munge", "AuthInfo": f"socket={at}/munge.socket",
            "CommunicationParameters": "NoInAddrAny",  # nothing from outside of this machine
            "StateSaveLocation": at / "state", "SlurmdSpoolDir": at / "spool", "SlurmctldPidFile": at / "slurmctld.pid",
            "SlurmdPidFile": at / "slurmd.pid", "SlurmctldLogFile": at / "slurmctld.log", "SlurmdLogFile": at / "slurmd.log",
            # Nothing that needs control groups, which a container may lack.
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none", "MpiDefault": "none",
            "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core", "ReturnToService": 2, "KillWait": 30,
            # Jobs that wait for others start when these end, not at the next look a minute later.
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,bf_interval=1"}
        lines = [f"{key}={value}" for key, value in settings.items()]
        lines += [f"NodeName={name} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN",
                  "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        (at / "slurm.conf").write_text("\n".join(lines) + "\n")

    def start(self, *command):
        with open(self.folder / f"{command[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                                 env=self.environment, cwd=self.folder))

    def dead(self):
        return next((f"{daemon.args[0]} ended: {(self.folder / (daemon.args[0] + '.out')).read_text()[-500:]}"
                     for daemon in self.daemons if daemon.poll() is not None), "")

    def __enter__(self):
        at = self.folder
        os.chmod(at, 0o755)
        for name in ("state", "spool"):
            (at / name).mkdir()
        (at / "munge.key").write_bytes(os.urandom(1024))
        os.chmod(at / "munge.key", 0o600)
        self.write_configuration()
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.socket",
                       f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munge.seed")
            wait_for("munged", (at / "munge.socket").exists, self.dead)
            self.start("slurmctld", "-D", "-i")
            self.start("slurmd", "-D")
            wait_for("the node", lambda: "idle" in self.command("sinfo", "-h", "-o", "%T"), self.dead)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.command("scancel", "--user=root")
        self.command("scontrol", "shutdown")
        # munged last: the others authenticate their farewells with it.
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def command(self, *words):
        """What a command of Slurm prints; empty if it fails."""
        run = subprocess.run(words, capture_output=True, text=True, check=False, env=self.environment)
        return run.stdout if run.returncode == 0 else ""

    def wait_for_jobs(self):
        """Until no job is waiting or runs."""
        def ended():
            run = subprocess.run(["squeue", "-h"], capture_output=True, text=True, check=False, env=self.environment)
            return run.returncode == 0 and not run.stdout.strip()
        wait_for("the jobs", ended, self.dead)

# SPDX-License-Identifier: Apache-2.0
"""Random GpSimd programs: no workload can hold one, so a test program makes and runs them, a seed for each case."""
import execute
import judge
from campaign import Campaign, Skip
from case import Case

PROGRAM = "tb/gpsimd/test_gpsimd_random"


class Gpsimd(Campaign):
    name = "gpsimd"
    meaning = "random GpSimd programs (tb/gpsimd/test_random_programs.cpp), each in a process of its own"
    cases = 12

    def prepare(self, context):
        if not (context.build / PROGRAM).is_file():
            raise Skip(f"{context.build / PROGRAM} is missing: scripts/build release test_gpsimd_random")

    def perform(self, context, rng, number, folder):
        seed = context.seed * 1000 + number
        case = Case(f"TERN_SEED={seed} {PROGRAM}", [], wrap=f"TERN_SEED={seed} exec {{}}", codes=(0,), seconds=300, bounded=True, address_gb=64)
        case.write(folder)
        result = execute.run_in(folder, case, context.build / PROGRAM)
        found = judge.violations(case, result)
        # A failed check is exit code 1 up to 255.
        return case, result, found

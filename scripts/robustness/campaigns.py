# SPDX-License-Identifier: Apache-2.0
"""All campaigns, in the order of a run."""
import boot
import chips
import command_line
import data
import disks
import faults
import gpsimd
import kills
import shapes
import workloads

CAMPAIGNS = (workloads.Workloads(), data.Data(), chips.Chips(), shapes.Shapes(), gpsimd.Gpsimd(), kills.Kills(), disks.Disks(), command_line.CommandLine(),
             boot.Boot(), faults.Faults())

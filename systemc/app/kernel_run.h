// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/kernels/catalogue/kernel.h"
#include "systemc/app/job.h"
#include "systemc/app/run_record.h"
#include "systemc/app/workload.h"

namespace tern::app {

// The kernel of a workload for a chip, with random operands. UserErrors name the workload's file.
kernels::KernelCase make_case(const Workload& workload, const ChipConfig& chip, std::uint64_t seed);

Job kernel_job(const kernels::KernelCase& kernel);

// Errors of the first execution's outputs against FP64, and the cost model.
void judge_kernel(const kernels::KernelCase& kernel, RunRecord* record);

// Where a word of the result belongs: "out[3, 7]".
std::string output_place(const kernels::KernelCase& kernel, std::size_t word);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/measure/hbm/hbm_replay.h"
#include "sw/app/report/report.h"

namespace tern::app {

// channels: a row per pseudo-channel, too.
Report report_of(const HbmReplay& replay, bool channels);

}  // namespace tern::app

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include "nrt/nrt.h"

/* What only a simulated chip has. */

#ifdef __cplusplus
extern "C" {
#endif

/* The last error of this thread: what the status code does not say, a line or more. Valid until the
 * thread's next call; never null. */
const char* tern_last_error(void);

/* Simulated time since the start of the chips; it passes only while requests are under way. */
uint64_t tern_time_ns(void);

/* From the start of the program's last queue to its interrupt, of the newest execution of a model:
 * nanoseconds of simulated time, without the host's work. 0: it has not been executed. */
uint64_t tern_model_time_ns(const nrt_model_t* model);

#ifdef __cplusplus
}
#endif

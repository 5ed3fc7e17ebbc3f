// SPDX-License-Identifier: Apache-2.0
// Lines on the serial port, each with the time since reset.
#pragma once

// "[  0.012345] text" and an end of line; at most 120 characters of text.
__attribute__((format(printf, 1, 2))) void log_line(const char* format, ...);

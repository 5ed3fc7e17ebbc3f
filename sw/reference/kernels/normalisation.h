// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/reference/kernels/shapes.h"

namespace tern::reference {

// x [rows, columns] of values; exp(x) over the sum of its row.
Values softmax(const Inputs& x, std::size_t columns);

// Of rows: (x - mean) / sqrt(variance + epsilon) * gamma + beta, with the variance over `columns`
// elements.
Values layer_norm(const Values& x, const Inputs& gamma, const Inputs& beta, double epsilon);
// Of rows: x / sqrt(mean of squares + epsilon) * gamma.
Values rms_norm(const Values& x, const Inputs& gamma, double epsilon);

struct BatchNorm {
  Values out;             // as x
  Values mean, variance;  // [channels], the variance over all elements of the channel
};
// x [images, channels, pixels]; statistics of each channel over images and pixels.
BatchNorm batch_norm(const Inputs& x, std::size_t images, std::size_t pixels, const Inputs& gamma,
                     const Inputs& beta, double epsilon);

}  // namespace tern::reference

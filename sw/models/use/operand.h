// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sw/layers/layers.h"
#include "sw/models/use/encoder.h"

namespace tern::use {

// A matrix as an operand of a product: in BF16 or FP32, or quantised.
struct Operand {
  std::optional<layers::Matrix> plain;
  std::optional<layers::MxMatrix> mx;

  Operand columns(std::uint32_t first, std::uint32_t count) const;
};

// Weights and activations in the format of a program.
class Operands {
 public:
  Operands(layers::Layers& layers, Format format) : l_(layers), format_(format) {}

  // Weights [rows, columns] from HBM; `exact`: in FP32 whatever the format.
  Operand weight(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                 bool exact = false);
  // Of a matrix in BF16; in FP32 it is taken as it is.
  Operand activations(const layers::Matrix& matrix);
  void product(const layers::Matrix& dst, const Operand& a, const Operand& b,
               const layers::Epilogue& epilogue = {});

 private:
  layers::Layers& l_;
  const Format format_;
};

}  // namespace tern::use

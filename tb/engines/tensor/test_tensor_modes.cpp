// SPDX-License-Identifier: Apache-2.0
// The tensor model's bits in all modes and formats: random programs against the reference.
#include <catch2/catch.hpp>
#include <string>

#include "systemc/engines/tensor/tensor_kernel.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor/random_tensor.h"
#include "tb/engines/tensor/tensor_reference.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

TensorShape middle_shape() {
  TensorShape shape;
  shape.rows = 96 + 32;
  shape.cols = 32;
  shape.bank_columns = 128;
  shape.min_interval = 16;
  shape.max_moving = 1024;
  shape.sbuf_bytes = 32768;
  return shape;
}

// Words of PSUM and of the generators that differ.
std::size_t differences(TensorModel& model, TensorReference& reference) {
  const TensorShape& shape = model.shape();
  const unsigned words = shape.psum_banks * shape.bank_columns;
  const std::vector<std::uint32_t> psum = read_psum(model);
  std::size_t wrong = 0;
  for (unsigned p = 0; p < shape.cols; ++p) {
    for (unsigned w = 0; w < words; ++w) {
      wrong += psum[std::size_t{p} * words + w] != reference.psum(p, w);
    }
    std::array<std::uint32_t, 6> state;
    PsumTransfer transfer;
    transfer.partition = p;
    transfer.partitions = 1;
    transfer.column = words;
    transfer.columns = 6;
    transfer.data = reinterpret_cast<float*>(state.data());
    model.psum_debug(transfer);
    wrong += state != reference.generator(p);
  }
  return wrong;
}

void compare(const TensorShape& shape, const TensorKernels& kernels, unsigned rounds,
             unsigned commands, unsigned wild) {
  CAPTURE(std::string(kernels.name), wild);
  RandomTensor random(shape, test_seed() + wild);
  for (unsigned round = 0; round < rounds; ++round) {
    FakeSbuf sbuf(shape);
    random.fill(&sbuf, wild, round % 2 == 0 ? 0 : 20);
    TensorModel model(shape, sbuf.view(), &kernels);
    TensorReference reference(shape, sbuf.view());
    for (unsigned i = 0; i < commands; ++i) {
      const TensorCommand command = random.next();
      const std::vector<TensorStatus> statuses = run(model, {command});
      // What the last round had loaded is unknown to this one's engine.
      if (statuses[0].code == TensorStatusCode::kNoStationary) continue;
      const bool legal = reference.apply(command);
      CAPTURE(static_cast<int>(command.op), static_cast<int>(command.mode),
              static_cast<int>(command.type), i);
      REQUIRE(statuses[0].code == (legal ? TensorStatusCode::kOk : TensorStatusCode::kBadTag));
      if (i % 8 == 7) REQUIRE(differences(model, reference) == 0);
    }
    REQUIRE(differences(model, reference) == 0);
  }
}

}  // namespace

TEST_CASE("tensor modes: random programs on the 32x16 array, every kernel") {
  for (const TensorKernels& kernels : tensor_kernels()) {
    for (unsigned wild : {0u, 2u, 30u, 400u}) compare(tiny_shape(), kernels, 8, 60, wild);
  }
}

TEST_CASE("tensor modes: random programs on a 128x32 array") {
  for (unsigned wild : {0u, 1u}) {
    compare(middle_shape(), tensor_kernels().front(), 3, 40, wild);
  }
}

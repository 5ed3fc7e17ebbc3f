// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/random_program.h"

#include <algorithm>

namespace tern::tb {

namespace {

constexpr unsigned kRegion = 8192;  // bytes of a partition in use

TensorType random_type(Random& random) {
  return below(random, 2) != 0 ? TensorType::kBf16 : TensorType::kFp16;
}

void fill(TensorBench& bench, Random& random) {
  const auto spread = static_cast<Spread>(std::min(below(random, 5), 2u));
  const TensorType type = random_type(random);
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 256; ++i) {
      bench.sbuf().set(r, 2 * below(random, kRegion / 2), random_element(random, type, spread));
    }
  }
}

// A pattern of at most `most` columns inside the region.
void random_pattern(Random& random, unsigned most, TensorCommand* c) {
  c->num0 = between(random, 1, below(random, 4) == 0 ? most : std::min(most, 24u));
  c->num1 = between(random, 1, most / c->num0);
  c->step0 = below(random, 2) != 0 ? 1 : static_cast<int>(below(random, 11)) - 5;
  c->step1 =
      below(random, 2) != 0 ? static_cast<int>(c->num0) : static_cast<int>(below(random, 41)) - 20;
  const int span0 = (static_cast<int>(c->num0) - 1) * c->step0,
            span1 = (static_cast<int>(c->num1) - 1) * c->step1;
  const int low = std::min({0, span0, span1, span0 + span1}),
            high = std::max({0, span0, span1, span0 + span1});
  const int room = static_cast<int>(kRegion / 2) - 1 - (high - low);
  if (room < 0) {
    c->num1 = 1;
    c->step0 = 0;
    c->sbuf_address = 0;
    return;
  }
  c->sbuf_address =
      2 * (static_cast<unsigned>(-low) + below(random, static_cast<unsigned>(room) + 1));
}

void spoil(Random& random, TensorCommand* c) {
  switch (below(random, 7)) {
    case 0:
      c->op = static_cast<TensorOp>(between(random, 2, 9));
      break;
    case 1:
      c->rows += 100 * between(random, 1, 2);
      break;
    case 2:
      c->row_start += 1;
      break;
    case 3:
      c->num1 = 0;
      break;
    case 4:
      c->psum_column += 500;
      break;
    case 5:
      c->sbuf_address += 1;
      break;
    default:
      c->sbuf_address += 0x100000;
      break;
  }
}

}  // namespace

void run_random_program(TensorBench& bench, Random& random, unsigned length) {
  fill(bench, random);
  const TensorShape& shape = bench.shape();
  const unsigned quarter = std::max(shape.rows / 4, 1u);
  std::vector<TensorCommand> program;
  TensorCommand load;
  for (unsigned i = 0; i < length; ++i) {
    if (i == 0 || below(random, 3) == 0) {
      const bool whole = below(random, 2) != 0;
      const unsigned start = whole ? 0 : quarter * below(random, shape.rows / quarter);
      load = bench.load(start, whole ? shape.rows : between(random, 1, shape.rows - start),
                        whole ? shape.cols : between(random, 1, shape.cols),
                        8 * below(random, (kRegion - 2 * shape.cols) / 8), random_type(random));
      program.push_back(load);
    } else {
      TensorCommand move = bench.move(load, 1, 0, below(random, shape.psum_banks), 0,
                                      below(random, 2) != 0, random_type(random));
      random_pattern(random, shape.max_moving, &move);
      move.psum_column = below(random, shape.bank_columns - move.num0 * move.num1 + 1);
      program.push_back(move);
    }
    if (below(random, 12) == 0) {
      TensorCommand bad = program.back();
      spoil(random, &bad);
      program.push_back(bad);
    }
  }
  const unsigned pace = below(random, 3);
  bench.run(program, [&random, pace](std::size_t) {
    return pace == 0 || below(random, 4) != 0 ? 0 : below(random, pace == 1 ? 6 : 60);
  });
}

}  // namespace tern::tb

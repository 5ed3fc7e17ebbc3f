// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/random_program.h"

#include <algorithm>

#include "tb/tensor/top/oracle/reference_check.h"

namespace tern::tb {

namespace {

// Parts of a partition.
constexpr unsigned kElements = 8192, kChunk = 256;
constexpr unsigned kScalesAt = kElements, kScales = 4608;
constexpr unsigned kTagsAt = kScalesAt + kScales, kTags = 64;  // of each pattern

const std::vector<TensorType>& types_of(TensorMode mode) {
  using Type = TensorType;
  static const std::vector<Type> types[] = {{Type::kBf16, Type::kFp16, Type::kTf32, Type::kFp32},
                                            {Type::kBf16, Type::kFp16},
                                            {Type::kE4m3fn, Type::kE5m2, Type::kE4m3},
                                            {Type::kE4m3fnX4, Type::kE5m2X4, Type::kE2m1X4},
                                            {Type::kE4m3fnX4, Type::kE5m2X4, Type::kE2m1X4}};
  return types[static_cast<unsigned>(mode)];
}

void fill_partition(TestSbuf& sbuf, unsigned p, Random& random) {
  for (unsigned chunk = 0; chunk < kElements; chunk += kChunk) {
    if (below(random, 3) != 0) continue;
    const TensorType type = pick(random, all_types());
    const auto spread = static_cast<Spread>(std::min(below(random, 6), 2u));
    const Spread used =
        spread == Spread::kSpecials && below(random, 3) != 0 ? Spread::kNearOne : spread;
    const unsigned bytes = bytes_of(type);
    for (unsigned i = 0; i < kChunk; i += bytes)
      sbuf.write(p, chunk + i, bytes, random_element(random, type, used));
  }
  for (unsigned i = 0; i < kScales; ++i) {
    const unsigned kind = below(random, 400);
    sbuf.write(p, kScalesAt + i, 1,
               kind == 0   ? 255
               : kind < 20 ? below(random, 255)
                           : between(random, 121, 133));
  }
  for (unsigned s = 0; s < 7; ++s) {
    const unsigned of = pattern_of(static_cast<TensorSparsity>(s)).of;
    for (unsigned i = 0; i < 2 * kTags; ++i) {
      const unsigned at = kTagsAt + s * kTags + i / 2;
      const unsigned tag = below(random, 2000) == 0 ? below(random, 16) : below(random, of);
      const unsigned old = i % 2 != 0 ? sbuf.read(p, at, 1) & 15 : 0;
      sbuf.write(p, at, 1, old | tag << (i % 2 * 4));
    }
  }
}

// Smallest and largest value of i0 * step0 + i1 * step1 + plane * planes.
std::pair<std::int64_t, std::int64_t> span(const TensorCommand& c, std::int64_t size,
                                           std::int64_t planes) {
  const std::int64_t a = size * (std::int64_t{c.num0} - 1) * c.step0,
                     b = size * (std::int64_t{c.num1} - 1) * c.step1, d = planes * c.plane;
  const auto low = [](std::int64_t x) { return std::min<std::int64_t>(x, 0); };
  const auto high = [](std::int64_t x) { return std::max<std::int64_t>(x, 0); };
  return {low(a) + low(b) + low(d), high(a) + high(b) + high(d)};
}

}  // namespace

void fill_operands(TestSbuf& sbuf, unsigned partitions, Random& random) {
  for (unsigned p = 0; p < partitions; ++p) fill_partition(sbuf, p, random);
}

// Mostly a half or a quarter of array X, where that is a multiple of the grain.
bool RandomCommands::row_tile(TensorCommand* c, unsigned grain) {
  const unsigned size = below(random_, 4), part = shape_.rows >> size;
  if (size == 0 || size == 3 || part < grain) return false;
  c->tile_rows = static_cast<TensorTileSize>(size);
  c->row_start = part * below(random_, shape_.rows / part);
  c->rows = grain * (one_in(2) ? part / grain : between(random_, 1, part / grain));
  return true;
}

void RandomCommands::tile(TensorCommand* c) {
  const unsigned quarter = shape_.rows / 4;
  switch (c->mode) {
    case TensorMode::kMx:
      if (row_tile(c, 32)) break;
      [[fallthrough]];
    case TensorMode::kQuad:
      c->row_start = 32 * below(random_, shape_.rows / 32);
      c->rows = 32 * between(random_, 1, (shape_.rows - c->row_start) / 32);
      break;
    case TensorMode::kDoubleRow:
      if (row_tile(c, 8)) break;
      c->row_start = quarter * below(random_, 4);
      c->rows = 8 * between(random_, 1, (shape_.rows - c->row_start) / 8);
      break;
    case TensorMode::kSparse: {
      const unsigned grain = pattern_of(c->sparsity).kept;
      c->row_start = one_in(2) ? 0 : quarter * below(random_, 4);
      c->rows = grain * between(random_, 1, (shape_.rows - c->row_start) / grain);
      break;
    }
    default: {
      const bool tiled = c->op != TensorOp::kTranspose;
      c->tile_rows = static_cast<TensorTileSize>(tiled ? below(random_, 3) : 0);
      c->tile_cols = static_cast<TensorTileSize>(tiled && one_in(2) ? below(random_, 3) : 0);
      const unsigned part = shape_.rows >> static_cast<unsigned>(c->tile_rows);
      const unsigned wide = shape_.cols >> static_cast<unsigned>(c->tile_cols);
      c->row_start = part * below(random_, shape_.rows / part);
      if (part == shape_.rows && one_in(3)) c->row_start = quarter * below(random_, 4);
      c->rows = std::min(part, shape_.rows - c->row_start);
      c->col_start = wide * below(random_, shape_.cols / wide);
      c->cols = wide;
    }
  }
  if (c->mode != TensorMode::kDense) c->cols = shape_.cols;
  if (one_in(3)) c->cols = between(random_, 1, c->cols);
  if (c->mode == TensorMode::kDense && one_in(3)) c->rows = between(random_, 1, c->rows);
}

TensorCommand RandomCommands::load() {
  TensorCommand c;
  c.mode = static_cast<TensorMode>(one_in(3) ? 0 : below(random_, 5));
  c.sparsity = static_cast<TensorSparsity>(below(random_, 7));
  c.type = pick(random_, types_of(c.mode));
  c.high_half = one_in(2);
  tile(&c);
  const unsigned bytes = bytes_of(c.type) * c.cols;
  stationary(&c);
  if (c.mode == TensorMode::kDoubleRow)
    c.plane = 4 * static_cast<int>(below(random_, (kElements - bytes) / 4 + 1)) -
              static_cast<int>(c.sbuf_address);
  if (c.mode == TensorMode::kSparse) {
    c.aux_address = kTagsAt + kTags * static_cast<unsigned>(c.sparsity);
    c.aux_address += 2 * below(random_, (kTags - 2 * ((c.cols + 3) / 4)) / 2 + 1);
  } else {
    c.aux_address = kScalesAt + 4 * below(random_, (kScales - shape_.cols) / 4);
  }
  c.scale_offset = 4 * below(random_, 4);
  if (one_in(4)) loads_.clear();  // mostly the newest fits
  loads_.push_back(c);
  return c;
}

// The M elements of a load or transpose inside the part of the elements: a run from a multiple of
// eight bytes on or, if dense, any pattern.
void RandomCommands::stationary(TensorCommand* c) {
  const unsigned bytes = bytes_of(c->type);
  c->num0 = c->cols;
  c->sbuf_address = 8 * below(random_, (kElements - bytes * c->cols) / 8 + 1);
  do {
    if (one_in(3)) c->num0 = between(random_, 1, c->cols);
  } while (c->cols % c->num0 != 0);
  c->num1 = c->cols / c->num0;
  c->step0 = 1;
  c->step1 = static_cast<int>(c->num0);
  if (c->mode != TensorMode::kDense || one_in(2)) return;
  c->plane = 0;
  if (one_in(2)) c->step0 = static_cast<int>(below(random_, 11)) - 5;
  if (one_in(2)) c->step1 = static_cast<int>(below(random_, 41)) - 20;
  const auto [low, high] = span(*c, bytes, 0);
  const auto room = static_cast<unsigned>(kElements - bytes - (high - low)) / bytes;
  c->sbuf_address = static_cast<unsigned>(-low) + bytes * below(random_, room + 1);
}

// A pattern of at most `most` columns inside the part of the elements.
void RandomCommands::pattern(unsigned most, TensorCommand* c) {
  const unsigned bytes = bytes_of(c->type);
  const unsigned planes = c->mode == TensorMode::kDoubleRow ? 1
                          : c->mode == TensorMode::kSparse  ? pattern_of(c->sparsity).planes() - 1
                                                            : 0;
  c->plane = 0;
  std::int64_t room = -1;
  for (int attempt = 0; room < 0; ++attempt) {
    c->num0 = attempt > 8 ? 1 : between(random_, 1, one_in(6) ? most : std::min(most, 24u));
    c->num1 = attempt > 8 ? 1 : between(random_, 1, most / c->num0);
    if (c->num0 * c->num1 > 64 && !one_in(4)) c->num1 = 1;
    c->step0 = one_in(2) ? 1 : static_cast<int>(below(random_, 11)) - 5;
    c->step1 = one_in(2) ? static_cast<int>(c->num0) : static_cast<int>(below(random_, 41)) - 20;
    if (planes != 0) c->plane = 2 * (static_cast<int>(below(random_, 1600)) - 600);
    const auto [low, high] = span(*c, bytes, planes);
    room = std::int64_t{kElements} - bytes - (high - low);
    if (room < 0) continue;
    const auto slack = static_cast<unsigned>(room) / bytes + 1;
    c->sbuf_address = static_cast<unsigned>((-low + bytes - 1) / bytes * bytes) +
                      bytes * below(random_, std::max(slack, 2u) - 1);
    const auto [first, last] = span(*c, 1, 0);
    c->aux_address = kScalesAt + static_cast<unsigned>(-first) +
                     below(random_, kScales - static_cast<unsigned>(last - first));
  }
}

void RandomCommands::destination(TensorCommand* c) {
  const unsigned bank = bank_elements(shape_, *c);
  const bool quad = c->mode == TensorMode::kQuad;
  const unsigned all = (quad ? shape_.psum_banks / 4 : shape_.psum_banks) * bank;
  const unsigned first = below(random_, all - static_cast<unsigned>(columns_of(*c)) + 1);
  c->psum_bank = first / bank;
  c->psum_column = first % bank;
}

TensorCommand RandomCommands::multiply() {
  TensorCommand c = one_in(3) ? pick(random_, loads_) : loads_.back();
  c.op = TensorOp::kMultiplyMoving;
  const unsigned class_bytes = bytes_of(c.type);
  const TensorType weights = c.type;
  do {
    c.type = pick(random_, types_of(c.mode));
  } while (!one_in(20) && ((c.mode == TensorMode::kDense && bytes_of(c.type) != class_bytes) ||
                           (c.type == TensorType::kE4m3 && weights == TensorType::kE4m3fn) ||
                           (c.type == TensorType::kE4m3fn && weights == TensorType::kE4m3)));
  c.high_half = one_in(2);
  c.scale_offset = 4 * below(random_, 4);
  c.accumulate = one_in(2);
  c.bf16_result = one_in(3);
  c.stochastic = c.bf16_result && one_in(2);
  const bool quad = c.mode == TensorMode::kQuad;
  const unsigned space = (quad ? shape_.psum_banks / 4 : shape_.psum_banks) * shape_.bank_columns;
  pattern(std::min({shape_.max_moving, space, 600u}) * (c.bf16_result ? 2 : 1), &c);
  destination(&c);
  return c;
}

TensorCommand RandomCommands::transpose() {
  static const std::vector<TensorType> types = {
      TensorType::kBf16, TensorType::kFp16, TensorType::kFp32,  TensorType::kTf32,
      TensorType::kE4m3, TensorType::kE5m2, TensorType::kE4m3fn};
  TensorCommand c;
  c.op = TensorOp::kTranspose;
  c.type = pick(random_, types);
  tile(&c);
  stationary(&c);
  destination(&c);
  return c;
}

void RandomCommands::spoil(TensorCommand* c) {
  switch (below(random_, 18)) {
    case 0:
      c->op = static_cast<TensorOp>(below(random_, 10));
      break;
    case 1:
      c->type =
          one_in(2) ? pick(random_, all_types()) : static_cast<TensorType>(below(random_, 32));
      break;
    case 2:
      c->mode = static_cast<TensorMode>(below(random_, 8));
      break;
    case 3:
      c->tile_rows = static_cast<TensorTileSize>(below(random_, 4));
      break;
    case 4:
      c->tile_cols = static_cast<TensorTileSize>(below(random_, 4));
      break;
    case 5:
      c->rows = one_in(2) ? c->rows + 100 * between(random_, 1, 2) : below(random_, 33);
      break;
    case 6:
      c->cols = one_in(2) ? c->cols + 100 : below(random_, 17);
      if (one_in(2)) c->num0 = c->cols, c->num1 = 1;
      break;
    case 7:
      c->row_start += one_in(2) ? 1 : shape_.rows / 4;
      break;
    case 8:
      c->col_start += one_in(2) ? 1 : shape_.cols / 4;
      break;
    case 9:
      c->num1 = one_in(2) ? 0 : 200;
      break;
    case 10:
      c->psum_column += one_in(2) ? 500 : 7;
      break;
    case 11:
      c->psum_bank += between(random_, 1, 7);
      break;
    case 12:
      c->sbuf_address += one_in(2) ? between(random_, 1, 7) : 0x3E000 + 4 * below(random_, 4096);
      break;
    case 13:
      c->aux_address += one_in(2) ? between(random_, 1, 3) : 0x3C000 + below(random_, 0x4000);
      break;
    case 14:
      c->scale_offset = below(random_, 16);
      break;
    case 15:
      c->plane += one_in(2) ? static_cast<int>(between(random_, 1, 3)) : 1 << 19;
      break;
    case 16:
      c->sparsity = static_cast<TensorSparsity>(below(random_, 8));
      break;
    default:
      c->stochastic = !c->stochastic;
      c->accumulate = one_in(2);
  }
}

std::vector<TensorCommand> RandomCommands::program(unsigned length) {
  std::vector<TensorCommand> commands;
  while (commands.size() < length) {
    if (loads_.empty() || one_in(3)) {
      commands.push_back(load());
    } else {
      commands.push_back(one_in(8) ? transpose() : multiply());
    }
    if (one_in(10)) {
      commands.push_back(commands.back());
      spoil(&commands.back());
    }
  }
  return commands;
}

namespace {

// The longest run of columns, of at most 40, from a random one on that no command writes.
std::pair<unsigned, unsigned> free_columns(const TensorShape& shape,
                                           const std::vector<TensorCommand>& program,
                                           Random& random) {
  const unsigned columns = shape.psum_banks * shape.bank_columns;
  std::vector<bool> used(columns);
  for (const TensorCommand& c : program) {
    if (c.op == TensorOp::kLoadStationary || check_fields(shape, c) != TensorStatusCode::kOk)
      continue;
    const unsigned per_word = half_elements(c) ? 2 : 1;
    const unsigned bank = bank_elements(shape, c);
    for (unsigned slot = 0; slot < (c.mode == TensorMode::kQuad ? 4 : 1); ++slot) {
      for (unsigned n = 0; n < columns_of(c); ++n) {
        const unsigned first = (c.psum_bank + slot * (shape.psum_banks / 4)) * bank;
        used[(first + c.psum_column + n) / per_word] = true;
      }
    }
  }
  unsigned first = below(random, columns);
  while (first < columns && used[first]) ++first;
  unsigned count = 0;
  while (first + count < columns && count < 40 && !used[first + count]) ++count;
  return {first, count};
}

}  // namespace

void run_random_program(TensorBench& bench, Random& random, unsigned length) {
  fill_operands(bench.sbuf(), bench.shape().rows, random);
  const std::vector<TensorCommand> program = RandomCommands(bench.shape(), random).program(length);
  const auto [first, count] = free_columns(bench.shape(), program, random);
  if (count != 0 && below(random, 3) == 0) {
    const TensorBench::Access access = {0, bench.shape().cols, first, count, below(random, 2) != 0};
    bench.run_with_access(program, below(random, 40), access,
                          [&](unsigned, unsigned) { return random_binary32(random); });
    return;
  }
  const unsigned pace = below(random, 3);
  bench.run(program, [&random, pace](std::size_t) {
    return pace == 0 || below(random, 4) != 0 ? 0 : below(random, pace == 1 ? 6 : 60);
  });
}

}  // namespace tern::tb

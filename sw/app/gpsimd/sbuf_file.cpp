// SPDX-License-Identifier: Apache-2.0
#include "sw/app/gpsimd/sbuf_file.h"

#include <fmt/format.h>

#include <charconv>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::app {

namespace {

constexpr std::size_t kPartitions = TERN_CORE_SBUF_COUNT;
constexpr data::DType kFormats[] = {data::DType::kF32, data::DType::kI32, data::DType::kU32,
                                    data::DType::kF16, data::DType::kU16, data::DType::kBf16,
                                    data::DType::kU8};

// None: it is not a number, or too large for any partition.
std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || text.empty()) return std::nullopt;
  return value;
}

void check_fits(const std::string& option, const std::string& text, std::uint64_t byte,
                std::uint64_t bytes, const ChipConfig& chip) {
  const std::uint64_t most = chip.core.sbuf_partition_bytes;
  if (bytes == 0) throw UserError(fmt::format("{} {}: a row has no bytes", option, text));
  if (byte > most || bytes > most - byte) {
    throw UserError(fmt::format("{} {}: ends at byte {} of partitions of {} bytes on {}", option,
                                text, byte + bytes, most, chip.name));
  }
}

}  // namespace

SbufInput read_sbuf_input(const std::string& text, const ChipConfig& chip) {
  const std::size_t at = text.rfind('@');
  const auto byte = at == std::string::npos ? std::nullopt : number_of(text.substr(at + 1));
  if (!byte || at == 0) throw UserError(fmt::format("--input {}: expected FILE.npy@BYTE", text));
  SbufInput input;
  input.file = text.substr(0, at);
  input.byte = *byte;
  input.array = data::read_npy(input.file);
  if (input.array.shape.empty() || input.array.shape[0] == 0 ||
      input.array.shape[0] > kPartitions) {
    throw UserError(fmt::format("{}: expected from 1 to {} rows, one for a partition, got {}",
                                input.file, kPartitions, data::to_string(input.array.shape)));
  }
  check_fits("--input", text, input.byte, input.row_bytes(), chip);
  return input;
}

SbufOutput parse_sbuf_output(const std::string& text, const ChipConfig& chip) {
  const auto refuse = [&](const std::string& what) {
    return UserError(fmt::format("--output {}: expected {}", text, what));
  };
  constexpr const char* kForm = "FILE.npy@BYTE:COLUMNSxFORMAT, as out.npy@1024:8xfloat32";
  const std::size_t at = text.rfind('@'), colon = text.find(':', at == std::string::npos ? 0 : at);
  if (at == std::string::npos || at == 0 || colon == std::string::npos) throw refuse(kForm);
  const std::size_t x = text.find('x', colon);
  if (x == std::string::npos) throw refuse(kForm);
  const auto byte = number_of(text.substr(at + 1, colon - at - 1));
  const auto columns = number_of(text.substr(colon + 1, x - colon - 1));
  if (!byte || !columns) throw refuse(kForm);
  SbufOutput output;
  output.file = text.substr(0, at);
  output.byte = *byte;
  output.columns = *columns;
  const std::string format = text.substr(x + 1);
  std::string known;
  bool found = false;
  for (const data::DType dtype : kFormats) {
    known += (known.empty() ? "" : ", ") + std::string(data::name_of(dtype));
    if (format != data::name_of(dtype)) continue;
    output.dtype = dtype;
    found = true;
  }
  if (!found) throw refuse("one of the formats " + known);
  check_fits("--output", text, output.byte, output.row_bytes(), chip);
  return output;
}

}  // namespace tern::app

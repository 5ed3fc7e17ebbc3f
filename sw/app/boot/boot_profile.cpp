// SPDX-License-Identifier: Apache-2.0
#include "sw/app/boot/boot_profile.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "sw/app/boot/boot_values.h"
#include "sw/app/report/text.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/board/elf_image.h"
#include "systemc/mgmt/profile/flame_graph.h"

namespace tern::app {

namespace {

constexpr std::uintmax_t kMostSymbols = std::uintmax_t{256} << 20;  // bytes of a file

// FILE or FILE@SHIFT, a hexadecimal number.
struct SymbolFile {
  std::string path;
  std::uint64_t shift = 0;
};

SymbolFile symbol_file(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || std::filesystem::exists(text)) return {text, 0};
  std::string_view digits = std::string_view(text).substr(at + 1);
  if (digits.substr(0, 2) == "0x") digits.remove_prefix(2);
  std::uint64_t shift = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, shift, 16);
  if (error != std::errc() || stop != end)
    throw UserError(fmt::format("--symbols {}: expected FILE or FILE@SHIFT, a hexadecimal number",
                                printable(text)));
  return {text.substr(0, at), shift};
}

}  // namespace

std::string symbols_path(const std::string& text) {
  return symbol_file(text).path;
}

BootProfile::BootProfile(const BootOptions& options, const mgmt::BoardImages& images)
    : options_(options) {
  if (!active()) {
    if (!options.symbols.empty()) throw UserError("--symbols: only with --trace or --profile");
    return;
  }
  for (const mgmt::Image& image : images.images) {
    if (mgmt::is_elf(image.file)) symbols_.add(image.name, image.file, image.shift);
    title_ +=
        (title_.empty() ? "" : " and ") + std::filesystem::path(image.name).filename().string();
  }
  if (title_.empty()) title_ = "tern firmware";
  for (const std::string& text : options.symbols) {
    const SymbolFile file = symbol_file(text);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file.path, ignored) &&
        std::filesystem::file_size(file.path, ignored) > kMostSymbols)
      throw UserError(fmt::format("{}: more than {} MiB", file.path, kMostSymbols >> 20));
    symbols_.add(file.path, base::read_input(file.path), file.shift);
  }
}

void BootProfile::attach(mgmt::Board& board) {
  if (!active()) return;
  mgmt::Profiler::Options how;
  if (!options_.trace.empty()) {
    trace_file_.emplace(options_.trace);
    trace_.emplace(trace_file_->stream(), symbols_, board.config().hart());
    how.trace = &*trace_;
  }
  if (!options_.trace_from.empty())
    how.from = sc_core::sc_time::from_value(parse_time_fs("--trace-from", options_.trace_from));
  if (!options_.trace_to.empty())
    how.to = sc_core::sc_time::from_value(parse_time_fs("--trace-to", options_.trace_to));
  if (!options_.profile.empty()) {
    profile_file_.emplace(options_.profile);
    how.profile = true;
  }
  profiler_.emplace(board, symbols_, how);
  board.set_observer(&*profiler_);
}

void BootProfile::finish() {
  if (trace_file_) trace_file_->commit();
  if (!profile_file_) return;
  const bool picture = std::filesystem::path(options_.profile).extension() == ".svg";
  profile_file_->stream() << (picture ? mgmt::flame_graph(profiler_->tree(),
                                                          printable(title_) + ": instructions")
                                      : profiler_->tree().folded());
  profile_file_->commit();
}

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#include "tb/loaders/loaders.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/registry.h"
#include "sw/app/measure/hbm/hbm_trace.h"
#include "sw/base/checksum.h"
#include "sw/base/crc32c.h"
#include "sw/base/input_file.h"
#include "sw/base/sha256.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/data/idx.h"
#include "sw/data/npy.h"
#include "sw/image/firmware_image.h"
#include "sw/models/use/model.h"
#include "sw/models/use/tokenizer.h"
#include "sw/runtime/control_paths.h"
#include "sw/runtime/program_file.h"
#include "sw/runtime/program_image.h"
#include "sw/train/checkpoint.h"
#include "systemc/mgmt/board/image.h"
#include "systemc/mgmt/profile/elf_symbols.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

namespace fs = std::filesystem;

void read_workload(const std::string& path) {
  app::RunOptions options;
  options.workload = path;
  (void)app::load_workload(options);
}

void read_hbm_trace(const std::string& path) {
  const auto source = app::open_hbm_trace(path);
  while (source->next()) {
  }
}

void read_checkpoint(const std::string& path) {
  if (!train::is_checkpoint(path)) throw UserError("no checkpoint");
  (void)train::read_checkpoint(path, {{"network", "2-2"}, {"seed", "0"}}, {16, 16, 8});
}

// A checksum behind everything would refuse every mutation.
void mend_checkpoint(std::string* bytes) {
  if (bytes->size() < 4) return;
  const std::uint32_t sum =
      base::crc32_of(std::string_view(*bytes).substr(0, bytes->size() - sizeof(std::uint32_t)));
  std::memcpy(&(*bytes)[bytes->size() - sizeof sum], &sum, sizeof sum);
}

void read_elf(const std::string& path) {
  static const mgmt::BoardConfig board = mgmt::load_board_config("mgmt");
  const mgmt::Image image = mgmt::read_image(path, board, mgmt::kMemoryBase);
  for (const auto& segment : image.segments) {
    const bool inside = segment.address >= mgmt::kMemoryBase && segment.end() <= board.ram_end();
    if (!inside || image.contents(segment).size() != segment.contents)
      throw std::logic_error("a segment outside of memory or file");
  }
}

void read_firmware(const std::string& path) {
  const std::string bytes = read_bytes(path);
  const image::Inspection found = image::inspect(bytes);
  if (!found.good()) throw UserError("damaged");
  if (found.manifest.length > bytes.size() - sizeof found.manifest)
    throw std::logic_error("a payload longer than its file");
}

// As far as a host works with it before the chip does.
void read_program(const std::string& path) {
  const runtime::ProgramFile file = runtime::load_program(read_bytes(path));
  for (const Executable& part : file.parts) {
    for (const auto& queue : part.queues) (void)runtime::branch_into_loop(queue);
    const runtime::ProgramLayout layout(part);
    std::vector<std::uint64_t> tensors(part.tensors.size());
    for (const TensorInfo& tensor : part.tensors) {
      if (tensor.bytes() > std::uint64_t{1} << 42) throw std::logic_error("a tensor without limit");
    }
    const runtime::CorePlace core{};
    (void)runtime::ProgramImage(part, layout, 0, core, tensors).all();
  }
}

// Length and checksum of what follows the header.
void mend_program(std::string* bytes) {
  constexpr std::size_t kHeader = 24, kCrc = 12, kLength = 16;
  if (bytes->size() < kHeader) return;
  const std::uint64_t length = bytes->size() - kHeader;
  const std::uint32_t crc =
      base::crc32c(0, reinterpret_cast<const std::uint8_t*>(bytes->data()) + kHeader, length);
  std::memcpy(bytes->data() + kCrc, &crc, sizeof crc);
  std::memcpy(bytes->data() + kLength, &length, sizeof length);
}

void read_symbols(const std::string& path) {
  mgmt::Symbols symbols;
  const std::string file = base::read_input(path);
  symbols.add(path, file);
  const mgmt::Symbol* found = symbols.find(0x80000008);
  if (found != nullptr && (found->begin > 0x80000008 || found->end <= 0x80000008))
    throw std::logic_error("a function that does not contain the address");
}

// model.json, in a folder that has nothing else.
void read_model(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  fs::rename(path, folder / "model.json");
  (void)use::load_model(folder);
}

}  // namespace

const std::vector<Loader>& loaders() {
  static const std::vector<Loader> all = {
      {"chip", ".yaml", [](const std::string& path) { (void)load_chip_config(path); }, {}},
      {"workload", ".yaml", read_workload, {}},
      {"npy", ".npy", [](const std::string& path) { (void)data::read_npy(path); }, {}},
      {"idx", ".gz", [](const std::string& path) { (void)data::read_idx(path); }, {}},
      {"checkpoint", ".checkpoint", read_checkpoint, mend_checkpoint},
      {"hbm_trace", ".txt", read_hbm_trace, {}},
      {"vocabulary",
       ".json",
       [](const std::string& path) {
         (void)use::Tokenizer(path).encode("a text, \xc3\xa4 and \xff");
       },
       {}},
      {"model", ".json", read_model, {}},
      {"checksums",
       ".txt",
       [](const std::string& path) {
         base::check_sha256(fs::path(path).parent_path(), path, "; get it again");
       },
       {}},
      {"elf", ".elf", read_elf, {}},
      {"firmware", ".img", read_firmware, {}},
      {"key", ".pem", [](const std::string& path) { (void)crypto::KeyPair::from_file(path); }, {}},
      {"symbols", ".elf", read_symbols, {}},
      {"program", ".tern", read_program, mend_program},
      {"board", ".yaml", [](const std::string& path) { (void)mgmt::load_board_config(path); }, {}},
  };
  return all;
}

const Loader& loader(const std::string& name) {
  for (const Loader& one : loaders()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no loader " + name);
}

std::string offer(const Loader& loader, std::string bytes) {
  if (loader.mend) loader.mend(&bytes);
  const TempFolder folder;
  const fs::path path = folder.put("input" + loader.ending, bytes);
  try {
    loader.read(path.string());
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

void mutate(std::string* bytes, std::uint64_t seed) {
  static const char* const kWords[] = {
      "-1", "0",  "1e999", "nan", "99999999999999999999", "\n",   "\r\n", "\t", ": ", "[", "]", "{",
      "}",  "\"", "..",    "/",   "\xff\xff\xff\xff",     "\x1b["};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t changes = 1 + below(4); changes-- > 0;) {
    if (bytes->empty()) bytes->push_back('\n');
    const std::size_t at = below(bytes->size());
    const std::size_t length = std::min<std::size_t>(1 + below(16), bytes->size() - at);
    switch (below(6)) {
      case 0:
        (*bytes)[at] = static_cast<char>((*bytes)[at] ^ 1 << below(8));
        break;
      case 1:
        (*bytes)[at] = static_cast<char>(random());
        break;
      case 2:
        bytes->erase(at, length);
        break;
      case 3:
        bytes->insert(below(bytes->size()), bytes->substr(at, length));
        break;
      case 4:
        bytes->insert(at, kWords[below(std::size(kWords))]);
        break;
      default:
        if (below(8) == 0) {
          bytes->resize(at);
        } else {
          bytes->replace(at, length, kWords[below(std::size(kWords))]);
        }
    }
  }
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include "sw/base/crc32c.h"
#include "sw/base/state_bytes.h"
#include "sw/base/user_error.h"
#include "sw/runtime/pair_archive.h"
#include "sw/spec/generated/qos.h"

namespace tern::runtime {

namespace {

using base::StateArchive;

constexpr char kMagic[8] = {'T', 'E', 'R', 'N', 'P', 'R', 'O', 'G'};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t crc;  // CRC-32C of what follows the header
  std::uint64_t bytes;
};
static_assert(sizeof(Header) == 24 && std::is_trivially_copyable_v<Header>);

constexpr std::size_t kMostName = 255, kMostText = 1024, kMostDimensions = 8;
constexpr std::size_t kMostTensors = 1 << 16, kMostBlobs = 256, kMostTexts = 1 << 20;
constexpr std::uint64_t kMostTensorBytes = std::uint64_t{1} << 42;

// Elements of a file take at least a byte each: no count asks for more memory than the file's size
// allows, a small factor apart.
class Limits {
 public:
  explicit Limits(std::size_t bytes) : bytes_(bytes) {}
  std::size_t most(std::size_t element_bytes) const { return bytes_ / element_bytes; }

 private:
  std::size_t bytes_;
};

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
}

void name(StateArchive& a, std::string& value) {
  a.text(value, kMostName);
  if (value.empty() || !printable(value)) a.damaged();
}

void text(StateArchive& a, std::string& value) {
  a.text(value, kMostText);
  if (!printable(value)) a.damaged();
}

void dtype(StateArchive& a, numerics::DType& value) {
  a.number(value);
  if (std::find(std::begin(numerics::kAllDTypes), std::end(numerics::kAllDTypes), value) ==
      std::end(numerics::kAllDTypes))
    a.damaged();
}

void tensor(StateArchive& a, TensorInfo& t) {
  name(a, t.name);
  a.number(t.kind, TensorInfo::Kind::kInput, TensorInfo::Kind::kScratch);
  dtype(a, t.dtype);
  t.shape.resize(a.size(t.shape.size(), kMostDimensions));
  std::uint64_t bytes = std::max<std::uint64_t>(numerics::dtype_size(t.dtype), 1);
  for (std::uint64_t& size : t.shape) {
    a.number(size, std::uint64_t{1}, std::uint64_t{UINT32_MAX});
    if (size > kMostTensorBytes / bytes) a.damaged();
    bytes *= size;
  }
}

// A map as its entries, in order.
template <typename Map, typename Visit>
void entries(StateArchive& a, Map& map, unsigned keys, const Visit& visit) {
  std::vector<unsigned> numbers;
  for (const auto& entry : map) numbers.push_back(entry.first);
  numbers.resize(a.size(numbers.size(), keys));
  for (unsigned& number : numbers) {
    a.number(number, keys - 1);
    visit(map[number]);
  }
}

// The author's lines repeat: each text once, then numbers of texts.
class Texts {
 public:
  void collect(const std::string& text) {
    if (numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size())).second)
      texts_.push_back(text);
  }
  void archive(StateArchive& a, const Limits& limits) {
    texts_.resize(a.size(texts_.size(), std::min(kMostTexts, limits.most(8))));
    for (std::string& value : texts_) text(a, value);
  }
  void reference(StateArchive& a, std::string& value) const {
    std::uint32_t number = a.restores() ? 0 : numbers_.at(value);
    a.number(number);
    if (number >= texts_.size()) a.damaged();
    value = texts_[number];
  }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t> numbers_;
};

void queues(StateArchive& a, Executable& e, const Texts& texts, const Limits& limits) {
  a.section("instructions");
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    auto& queue = e.queues[q];
    queue.resize(a.size(queue.size(), limits.most(sizeof(tern_instruction_t))));
    a.bytes(queue.data(), queue.size() * sizeof(tern_instruction_t));
    auto& origins = e.origins[q];
    origins.resize(a.size(origins.size(), queue.size()));
    for (std::string& origin : origins) texts.reference(a, origin);
  }
}

void rings(StateArchive& a, Executable& e, const Texts& texts, const Limits& limits) {
  constexpr unsigned kRings = Executable::kHostRing;
  constexpr std::size_t kLinkBytes = 40;
  a.section("rings");
  PairArchive pairs(a, e, std::min(ProgramFile::kMostPairs, limits.most(1)));
  entries(a, e.rings, kRings, [&](auto& engines) {
    for (auto& list : engines) pairs.list(list);
  });
  entries(a, e.transfers, kRings, [&](auto& origins) {
    origins.resize(a.size(origins.size(), limits.most(sizeof(TransferOrigin::begin))));
    for (TransferOrigin& origin : origins) {
      a.each(origin.begin);
      texts.reference(a, origin.text);
    }
  });
  entries(a, e.generated_rings, kRings, [&](Executable::GeneratedRing& ring) {
    a.number(ring.slots, std::uint32_t{(1u << TERN_REG_DMA_RING_SIZE_BITS) - 1});
    a.number(ring.sbuf_byte, std::uint32_t{TERN_CORE_SBUF_STRIDE - 1});
  });
  entries(a, e.ring_classes, kRings,
          [&](unsigned& ring_class) { a.number(ring_class, unsigned{TERN_QOS_CLASSES - 1}); });
  e.links.resize(a.size(e.links.size(), limits.most(kLinkBytes)));
  for (Executable::Link& link : e.links) {
    a.number(link.queue, unsigned{TERN_QUEUE_COUNT - 1});
    a.number(link.index);
    if (link.index >= e.queues[link.queue].size()) a.damaged();
    archive_address(a, e, link.destination);
    archive_address(a, e, link.source);
  }
}

void executable(StateArchive& a, Executable& e, const Limits& limits) {
  a.section("names");
  name(a, e.name);
  Texts texts;
  if (!a.restores()) {
    for (const auto& origins : e.origins) {
      for (const std::string& origin : origins) texts.collect(origin);
    }
    for (const auto& ring : e.transfers) {
      for (const TransferOrigin& origin : ring.second) texts.collect(origin.text);
    }
  }
  texts.archive(a, limits);
  a.section("tensors");
  e.tensors.resize(a.size(e.tensors.size(), kMostTensors));
  std::set<std::string> names;
  for (TensorInfo& t : e.tensors) {
    tensor(a, t);
    if (!names.insert(t.name).second) a.damaged();
  }
  e.peer_tensors.resize(a.size(e.peer_tensors.size(), limits.most(sizeof(Executable::PeerTensor))));
  for (Executable::PeerTensor& peer : e.peer_tensors) {
    a.number(peer.part, unsigned{ProgramFile::kMostParts - 1});
    a.number(peer.tensor);
    if (peer.tensor >= e.tensors.size()) a.damaged();
  }
  queues(a, e, texts, limits);
  rings(a, e, texts, limits);
  a.section("files");
  e.blobs.resize(a.size(e.blobs.size(), kMostBlobs));
  for (Blob& blob : e.blobs) {
    name(a, blob.name);
    blob.bytes.resize(a.size(blob.bytes.size(), limits.most(1)));
    a.bytes(blob.bytes.data(), blob.bytes.size());
  }
}

void archive(StateArchive& a, ProgramFile& file, const Limits& limits) {
  a.section("program");
  name(a, file.chip);
  file.parts.resize(a.size(file.parts.size(), ProgramFile::kMostParts));
  if (file.parts.empty()) a.damaged();
  auto ranks = static_cast<std::uint8_t>(file.ranks);
  a.number(ranks, std::uint8_t{1});
  file.ranks = ranks != 0;
  for (Executable& part : file.parts) executable(a, part, limits);
}

}  // namespace

std::string save_program(const ProgramFile& program) {
  return save_program(ProgramFile(program));
}

std::string save_program(ProgramFile&& program) {
  std::string bytes(sizeof(Header), '\0');
  try {
    base::append_state(
        &bytes, [&](StateArchive& a) { archive(a, program, Limits(ProgramFile::kMostBytes)); });
    program = {};
  } catch (const UserError& error) {
    throw UserError(fmt::format("this program cannot be saved as a file: {}", error.what()));
  }
  if (bytes.size() > ProgramFile::kMostBytes)
    throw UserError(fmt::format("this program cannot be saved as a file: {} bytes, at most {}",
                                bytes.size(), ProgramFile::kMostBytes));
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = ProgramFile::kVersion;
  header.bytes = bytes.size() - sizeof header;
  header.crc = base::crc32c(0, reinterpret_cast<const std::uint8_t*>(bytes.data()) + sizeof header,
                            header.bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

ProgramFile load_program(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw UserError("not a program file");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != ProgramFile::kVersion)
    throw UserError(fmt::format("a program file of version {}, this Tern reads version {}",
                                header.version, ProgramFile::kVersion));
  bytes.remove_prefix(sizeof header);
  if (header.bytes > bytes.size()) throw UserError("truncated");
  if (header.bytes < bytes.size()) throw UserError("damaged: bytes after its end");
  const auto crc =
      base::crc32c(0, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (crc != header.crc) throw UserError("damaged: checksum");
  const Limits limits(bytes.size());
  ProgramFile file;
  base::take_state(&bytes, [&](StateArchive& a) { archive(a, file, limits); });
  if (!bytes.empty()) throw UserError("damaged: bytes after its end");
  return file;
}

}  // namespace tern::runtime

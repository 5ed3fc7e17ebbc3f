// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/fst_file.h"

#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "sw/base/user_error.h"

namespace tern::wave {

namespace {

constexpr int kPicoseconds = -12;
// Changes are merged in slices of time: so many bytes of the parts' files at once.
constexpr std::uint64_t kSliceBytes = 8 << 20;
constexpr std::uint32_t kNumberBits = 32;

struct CloseReader {
  void operator()(void* reader) const { fstReaderClose(reader); }
};
struct CloseWriter {
  void operator()(void* writer) const { fstWriterClose(writer); }
};
using Reader = std::unique_ptr<void, CloseReader>;

Reader open_reader(const std::string& file) {
  Reader reader(fstReaderOpen(file.c_str()));
  if (!reader) throw RunError(file + ": the recording of a block cannot be read");
  return reader;
}

// "s2" before "s10".
bool by_number(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t end_a = i, end_b = j;
      while (end_a < a.size() && digit(a[end_a])) ++end_a;
      while (end_b < b.size() && digit(b[end_b])) ++end_b;
      if (end_a - i != end_b - j) return end_a - i < end_b - j;
      const int order = a.compare(i, end_a - i, b, j, end_b - j);
      if (order != 0) return order < 0;
      i = end_a;
      j = end_b;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

// A part whose signals have handles in the new file.
struct Part {
  std::vector<Reader> files;
  std::vector<fstHandle> handles;      // by handle of the part's files; 0: not taken over
  std::vector<std::uint32_t> lengths;  // likewise
};

struct Level {
  std::map<std::string, Level, bool (*)(const std::string&, const std::string&)> levels{by_number};
  const RtlPart* part = nullptr;
  std::uint32_t signal = 0;  // of the log
  bool is_signal = false;
};

class Writer {
 public:
  Writer(const std::string& file, const std::vector<RtlPart>& parts, const StateLog& log)
      : log_(log), fst_(fstWriterCreate(file.c_str(), 1)) {
    if (!fst_) throw RunError(file + ": cannot write");
    fstWriterSetPackType(fst_.get(), FST_WR_PT_LZ4);
    fstWriterSetTimescale(fst_.get(), kPicoseconds);
    fstWriterSetVersion(fst_.get(), "Tern");
    declare_all(parts);
    values_.resize(last_handle_ + 1);
    for (const StateLog::Change& change : log_.changes()) order_.push_back(&change);
  }

  // Returns the last time in it.
  std::uint64_t write(std::uint64_t from_ps) {
    std::uint64_t begin = ~std::uint64_t{0}, end = from_ps, bytes = 0;
    for (const Part& part : parts_) {
      for (const Reader& file : part.files) {
        begin = std::min(begin, fstReaderGetStartTime(file.get()));
        end = std::max(end, fstReaderGetEndTime(file.get()));
      }
    }
    for (const std::uint64_t size : sizes_) bytes += size;
    for (const StateLog::Change& change : log_.changes()) {
      begin = std::min(begin, change.ps);
      end = std::max(end, change.ps);
    }
    begin = last_ = std::max(std::min(begin, end), from_ps);
    begin_states(begin);
    const std::uint64_t slices = 1 + bytes / kSliceBytes;
    const std::uint64_t step = 1 + (end - begin) / slices;
    for (std::uint64_t from = begin; from <= end; from += step)
      slice(from == begin ? 0 : from, begin, std::min(end, from + step - 1));
    return last_;
  }

 private:
  struct Event {
    std::uint64_t ps;
    fstHandle handle;
    const StateLog::Change* state;  // null: of a part
    std::size_t at, length;         // of the value in values
  };

  void declare_all(const std::vector<RtlPart>& parts) {
    Level top;
    for (const RtlPart& part : parts) level(&top, part.scope).part = &part;
    for (std::uint32_t i = 0; i < log_.signals().size(); ++i) {
      Level& leaf = level(&top, log_.signals()[i].path);
      leaf.signal = i;
      leaf.is_signal = true;
    }
    state_handles_.resize(log_.signals().size());
    for (const auto& [name, below] : top.levels) declare(name, below);
  }

  static Level& level(Level* top, const std::string& path) {
    std::size_t begin = 0;
    for (;;) {
      const std::size_t dot = path.find('.', begin);
      top = &top->levels[path.substr(begin, dot - begin)];
      if (dot == std::string::npos) return *top;
      begin = dot + 1;
    }
  }

  void declare(const std::string& name, const Level& level) {
    if (level.is_signal) declare_state(name, level.signal);
    if (level.levels.empty() && level.part == nullptr) return;
    fstWriterSetScope(fst_.get(), FST_ST_VCD_MODULE, name.c_str(), nullptr);
    for (const auto& [below, its] : level.levels) declare(below, its);
    if (level.part != nullptr) declare_part(*level.part);
    fstWriterSetUpscope(fst_.get());
  }

  void declare_state(const std::string& name, std::uint32_t signal) {
    fstVarType type = FST_VT_VCD_WIRE;
    std::uint32_t length = kNumberBits;
    std::string shown = name;
    if (log_.signals()[signal].kind == StateLog::Kind::kText) type = FST_VT_GEN_STRING, length = 0;
    if (log_.signals()[signal].kind == StateLog::Kind::kReal) type = FST_VT_VCD_REAL, length = 8;
    if (type == FST_VT_VCD_WIRE) shown += " [" + std::to_string(kNumberBits - 1) + ":0]";
    const fstHandle handle = new_signal(type, FST_VD_IMPLICIT, length, shown.c_str(), 0);
    state_handles_[signal] = handle;
  }

  fstHandle new_signal(fstVarType type, fstVarDir direction, std::uint32_t length, const char* name,
                       fstHandle alias) {
    const fstHandle handle = fstWriterCreateVar(fst_.get(), type, direction, length, name, alias);
    last_handle_ = std::max(last_handle_, handle);
    return handle;
  }

  // What is below the top module, with its scopes, structs and names of values.
  void declare_part(const RtlPart& source) {
    Part& part = parts_.emplace_back();
    for (const std::string& file : source.files) {
      part.files.push_back(open_reader(file));
      std::error_code ignored;
      sizes_.push_back(std::filesystem::file_size(file, ignored));
    }
    if (part.files.empty()) return;
    void* reader = part.files.front().get();
    part.handles.resize(fstReaderGetMaxHandle(reader) + 1);
    part.lengths.resize(part.handles.size());
    unsigned depth = 0;
    std::uint64_t tables = 0;
    constexpr unsigned kBelowTop = 2;
    while (const fstHier* item = fstReaderIterateHier(reader)) {
      switch (item->htyp) {
        case FST_HT_SCOPE:
          if (++depth > kBelowTop)
            fstWriterSetScope(fst_.get(), static_cast<fstScopeType>(item->u.scope.typ),
                              item->u.scope.name, item->u.scope.component);
          break;
        case FST_HT_UPSCOPE:
          if (depth-- > kBelowTop) fstWriterSetUpscope(fst_.get());
          break;
        case FST_HT_VAR:
          if (depth >= kBelowTop) take_over_signal(*item, &part);
          break;
        case FST_HT_ATTRBEGIN:
          take_over_attribute(*item, depth >= kBelowTop, &tables);
          break;
        case FST_HT_ATTREND:
          if (depth >= kBelowTop) fstWriterSetAttrEnd(fst_.get());
          break;
        default:
          break;
      }
    }
    tables_ += tables;
  }

  void take_over_signal(const fstHier& item, Part* part) {
    const auto& var = item.u.var;
    fstHandle& handle = part->handles.at(var.handle);
    const fstHandle own =
        new_signal(static_cast<fstVarType>(var.typ), static_cast<fstVarDir>(var.direction),
                   var.length, var.name, handle);
    if (handle == 0) handle = own;
    part->lengths[var.handle] = var.length;
  }

  // Names of an enum's values have a number in each file.
  void take_over_attribute(const fstHier& item, bool inside, std::uint64_t* tables) {
    const auto& attribute = item.u.attr;
    const bool table = attribute.typ == FST_AT_MISC && attribute.subtype == FST_MT_ENUMTABLE;
    const bool defined = table && attribute.name_length > 0;
    if (!inside && !defined) return;
    if (defined) *tables = std::max(*tables, attribute.arg);
    fstWriterSetAttrBegin(fst_.get(), static_cast<fstAttrType>(attribute.typ), attribute.subtype,
                          attribute.name_length > 0 ? attribute.name : nullptr,
                          attribute.arg + (table ? tables_ : 0));
  }

  void begin_states(std::uint64_t begin) {
    std::stable_sort(order_.begin(), order_.end(),
                     [](const auto* a, const auto* b) { return a->ps < b->ps; });
    fstWriterEmitTimeChange(fst_.get(), begin);
    for (std::uint32_t i = 0; i < log_.signals().size(); ++i)
      emit_state({begin, i, log_.signals()[i].before});
  }

  void emit_state(const StateLog::Change& change) {
    const fstHandle handle = state_handles_[change.signal];
    switch (log_.signals()[change.signal].kind) {
      case StateLog::Kind::kNumber:
        return fstWriterEmitValueChange64(fst_.get(), handle, kNumberBits, change.value);
      case StateLog::Kind::kReal:
        return fstWriterEmitValueChange(fst_.get(), handle, &change.value);
      case StateLog::Kind::kText:
        const std::string& text = log_.text(change.value);
        return fstWriterEmitVariableLengthValueChange(fst_.get(), handle, text.data(),
                                                      static_cast<std::uint32_t>(text.size()));
    }
  }

  // Changes from `from` to `to`; those before `begin` are what is at `begin`.
  void slice(std::uint64_t from, std::uint64_t begin, std::uint64_t to) {
    events_.clear();
    arena_.clear();
    for (const Part& part : parts_) {
      for (const Reader& file : part.files) {
        Collector collector{this, &part, from, to};
        fstReaderSetLimitTimeRange(file.get(), from, to);
        fstReaderSetFacProcessMaskAll(file.get());
        fstReaderIterBlocks(file.get(), collect, &collector, nullptr);
      }
    }
    for (; next_ < order_.size() && order_[next_]->ps <= to; ++next_)
      events_.push_back({order_[next_]->ps, 0, order_[next_], 0, 0});
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.ps < b.ps; });
    std::uint64_t now = begin;
    for (const Event& event : events_) {
      const std::uint64_t ps = std::max(event.ps, begin);
      if (ps > now) fstWriterEmitTimeChange(fst_.get(), ps);
      now = std::max(now, ps);
      last_ = std::max(last_, now);
      if (event.state != nullptr) {
        emit_state(*event.state);
        continue;
      }
      // The reader repeats what a signal was at the begin of a range.
      const std::string_view value(arena_.data() + event.at, event.length);
      if (values_[event.handle] == value) continue;
      values_[event.handle] = value;
      fstWriterEmitValueChange(fst_.get(), event.handle, value.data());
    }
  }

  struct Collector {
    Writer* writer;
    const Part* part;
    std::uint64_t from, to;
  };
  static void collect(void* user, std::uint64_t ps, fstHandle handle, const unsigned char* value) {
    const auto& collector = *static_cast<Collector*>(user);
    const fstHandle own = collector.part->handles[handle];
    if (own == 0 || ps > collector.to) return;
    std::string& arena = collector.writer->arena_;
    const std::size_t at = arena.size(), length = collector.part->lengths[handle];
    arena.append(reinterpret_cast<const char*>(value), length);
    collector.writer->events_.push_back({std::max(ps, collector.from), own, nullptr, at, length});
  }

  const StateLog& log_;
  std::unique_ptr<void, CloseWriter> fst_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> sizes_;      // of the parts' files
  std::uint64_t tables_ = 0;              // names of values so far
  std::vector<fstHandle> state_handles_;  // by signal of the log
  fstHandle last_handle_ = 0;
  std::vector<std::string> values_;  // of the parts' signals, by handle
  std::vector<const StateLog::Change*> order_;
  std::size_t next_ = 0;  // of order_
  std::uint64_t last_ = 0;
  std::vector<Event> events_;
  std::string arena_;  // values of events_
};

}  // namespace

bool write_fst(const std::string& file, const std::vector<RtlPart>& parts, const StateLog& log,
               std::uint64_t from_ps) {
  const std::uint64_t end = Writer(file, parts, log).write(from_ps);
  std::uint64_t first = 0, last = 0;
  return fst_range(file, &first, &last) && last == end;
}

bool fst_range(const std::string& file, std::uint64_t* begin_ps, std::uint64_t* end_ps) {
  const Reader reader(fstReaderOpen(file.c_str()));
  if (!reader) return false;
  *begin_ps = fstReaderGetStartTime(reader.get());
  *end_ps = fstReaderGetEndTime(reader.get());
  return true;
}

}  // namespace tern::wave

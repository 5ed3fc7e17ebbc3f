// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/stuck/stuck_units.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "sw/numerics/dtype.h"
#include "sw/spec/generated/address_map.h"

namespace tern {

namespace {

using Bits = std::vector<StuckBit>;

void force(std::uint8_t* byte, unsigned bit, bool value) {
  const auto mask = static_cast<std::uint8_t>(1u << bit);
  *byte = static_cast<std::uint8_t>(value ? *byte | mask : *byte & ~mask);
}

// In a word of so many bytes; bits beyond it are not there.
void force_word(void* word, std::size_t bytes, const StuckBit& bit) {
  if (bit.bit < bytes * 8)
    force(static_cast<std::uint8_t*>(word) + bit.bit / 8, static_cast<unsigned>(bit.bit % 8),
          bit.value);
}

// What the array writes to PSUM: remembered by column, and forced when it is read. So products that
// PSUM accumulates meet the bit once, at the end.
class StuckDatapath : public TensorDatapath, private PsumObserver {
 public:
  StuckDatapath(std::unique_ptr<TensorDatapath> inner, Bits bits)
      : inner_(std::move(inner)), bits_(std::move(bits)) {
    inner_->set_observer(this);
  }

  const TensorShape& shape() const override { return inner_->shape(); }
  std::uint64_t cycle() const override { return inner_->cycle(); }
  bool ready() const override { return inner_->ready(); }
  void push(const TensorCommand& command) override { inner_->push(command); }
  std::uint64_t next_event() const override { return inner_->next_event(); }
  void advance_to(std::uint64_t cycle) override {
    inner_->advance_to(cycle);
    finish();
  }
  void skip_to(std::uint64_t cycle) override { inner_->skip_to(cycle); }
  bool pop_status(TensorStatus* status) override { return inner_->pop_status(status); }
  void psum_start(const PsumTransfer& transfer) override {
    transfer_ = transfer;
    waits_ = true;
    inner_->psum_start(transfer);
    finish();
  }
  bool psum_busy() const override { return inner_->psum_busy(); }
  bool psum_debug(const PsumTransfer& transfer) override {
    if (!inner_->psum_debug(transfer)) return false;
    apply(transfer);
    return true;
  }
  void set_observer(PsumObserver* observer) override { observer_ = observer; }

 private:
  void psum_written(const PsumWrite& write) override {
    const unsigned word = write.half ? write.column / 2 : write.column;
    for (const StuckBit& bit : bits_) {
      if (bit.lane >= write.partition && bit.lane < write.partition + write.lanes)
        written_.insert({bit.lane, word});
    }
    if (observer_ != nullptr) observer_->psum_written(write);
  }

  void finish() {
    if (!waits_ || inner_->psum_busy()) return;
    waits_ = false;
    apply(transfer_);
  }

  void apply(const PsumTransfer& transfer) {
    for (const StuckBit& bit : bits_) {
      if (bit.lane < transfer.partition || bit.lane >= transfer.partition + transfer.partitions)
        continue;
      float* row = transfer.data + (bit.lane - transfer.partition) * transfer.stride;
      for (unsigned c = 0; c < transfer.columns; ++c) {
        const std::pair<unsigned, unsigned> place(bit.lane, transfer.column + c);
        if (transfer.write) {
          written_.erase(place);
        } else if (written_.count(place) != 0) {
          force_word(row + c, sizeof(float), bit);
        }
      }
    }
  }

  const std::unique_ptr<TensorDatapath> inner_;
  const Bits bits_;
  PsumObserver* observer_ = nullptr;
  PsumTransfer transfer_;
  bool waits_ = false;
  std::set<std::pair<unsigned, unsigned>> written_;  // by the array: lane, column in words
};

class StuckExp : public ExpUnit {
 public:
  StuckExp(std::unique_ptr<ExpUnit> inner, Bits bits)
      : inner_(std::move(inner)), bits_(std::move(bits)) {}

  std::uint64_t run(const ExpRequest& request) override {
    const std::uint64_t cycles = inner_->run(request);
    const std::size_t size = numerics::dtype_size(request.result_type);
    for (const StuckBit& bit : bits_) {
      if (bit.lane >= request.partitions) continue;
      std::uint8_t* row = request.result + bit.lane * request.result_pitch;
      for (std::size_t i = 0; i < request.elements; ++i) force_word(row + i * size, size, bit);
    }
    return cycles;
  }

 private:
  const std::unique_ptr<ExpUnit> inner_;
  const Bits bits_;
};

class StuckMx : public MxUnit {
 public:
  StuckMx(std::unique_ptr<MxUnit> inner, Bits bits)
      : inner_(std::move(inner)), bits_(std::move(bits)) {}

  std::uint64_t quantize(const MxQuantizeRequest& request) override {
    const std::uint64_t cycles = inner_->quantize(request);
    force_rows(request.shape, request.x4, request.shape.columns);
    return cycles;
  }
  std::uint64_t dequantize(const MxDequantizeRequest& request) override {
    const std::uint64_t cycles = inner_->dequantize(request);
    force_rows(request.shape, request.elements,
               request.scales == nullptr ? request.shape.columns : 4 * request.shape.columns);
    return cycles;
  }

 private:
  void force_rows(const MxShape& shape, std::uint32_t* words, std::size_t columns) const {
    for (const StuckBit& bit : bits_) {
      if (bit.lane >= shape.partitions) continue;
      for (std::size_t c = 0; c < columns; ++c)
        force_word(words + bit.lane * columns + c, sizeof *words, bit);
    }
  }

  const std::unique_ptr<MxUnit> inner_;
  const Bits bits_;
};

class StuckAdders : public NearMemory {
 public:
  StuckAdders(std::unique_ptr<NearMemory> inner, Bits bits)
      : inner_(std::move(inner)), bits_(std::move(bits)) {}

  // Lanes count from the first word of an addition.
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override {
    constexpr std::size_t kBeat = 64;
    inner_->add(op, memory, data, bytes);
    for (const StuckBit& bit : bits_) {
      for (std::size_t at = bit.lane * sizeof(float) + bit.bit / 8; at < bytes; at += kBeat)
        force(memory + at, static_cast<unsigned>(bit.bit % 8), bit.value);
    }
  }

 private:
  const std::unique_ptr<NearMemory> inner_;
  const Bits bits_;
};

// A DMA engine whose writes have the bit in every beat; semaphores and notifications, too.
class StuckDma : public dma::Unit, private dma::Environment {
 public:
  StuckDma(const dma::UnitFactory& inner, const dma::UnitConfig& config,
           dma::Environment& environment, Bits bits)
      : environment_(environment), bits_(std::move(bits)), inner_(inner(config, *this)) {}

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override {
    return inner_->write_register(cycle, offset, value);
  }
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override {
    return inner_->read_register(cycle, offset, value);
  }
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override {
    return inner_->push_pair(cycle, ring, pair);
  }
  void answer(std::uint64_t cycle, dma::Port port, unsigned tag, dma::Answer answer,
              const std::uint8_t* data) override {
    inner_->answer(cycle, port, tag, answer, data);
  }
  std::uint64_t next_cycle() const override { return inner_->next_cycle(); }
  void advance(std::uint64_t cycle) override { inner_->advance(cycle); }
  bool at_rest() const override { return inner_->at_rest(); }

 private:
  void request(const dma::Request& request) override {
    if (request.port != dma::Port::kWrite || request.data == nullptr)
      return environment_.request(request);
    data_.assign(request.data, request.data + request.bytes);
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const std::uint64_t byte = (request.address + i) % dma::kBeatBytes;
      for (const StuckBit& bit : bits_) {
        if (bit.bit / 8 == byte) force(&data_[i], static_cast<unsigned>(bit.bit % 8), bit.value);
      }
    }
    dma::Request stuck = request;
    stuck.data = data_.data();
    environment_.request(stuck);
  }
  void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                    std::uint64_t address) override {
    environment_.ring_stopped(cycle, ring, fault, index, address);
  }
  void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring, std::uint32_t bytes,
                   unsigned pairs) override {
    environment_.packet_done(begin, cycle, ring, bytes, pairs);
  }

  dma::Environment& environment_;
  const Bits bits_;
  std::vector<std::uint8_t> data_;
  const std::unique_ptr<dma::Unit> inner_;
};

Bits bits_of(const Bits& bits, StuckBit::Block block, const std::string& core) {
  Bits own;
  for (const StuckBit& bit : bits) {
    if (bit.block == block && fmt::format("core{}", bit.core) == core) own.push_back(bit);
  }
  return own;
}

// A factory whose units of some cores are wrapped.
template <typename Wrapper, typename Unit>
std::function<std::unique_ptr<Unit>(Backend, const std::string&)> wrapped(
    std::function<std::unique_ptr<Unit>(Backend, const std::string&)> make, Bits bits,
    StuckBit::Block block) {
  return [make = std::move(make), bits = std::move(bits), block](
             Backend backend, const std::string& name) -> std::unique_ptr<Unit> {
    auto unit = make(backend, name);
    Bits own = bits_of(bits, block, name);
    if (own.empty()) return unit;
    return std::make_unique<Wrapper>(std::move(unit), std::move(own));
  };
}

}  // namespace

ChipOptions with_stuck_bits(ChipOptions options, const std::vector<StuckBit>& bits) {
  using Block = StuckBit::Block;
  if (bits.empty()) return options;
  CoreOptions& core = options.core;
  core.make_datapath = [make = core.make_datapath,
                        bits](const DatapathRequest& request) -> std::unique_ptr<TensorDatapath> {
    auto datapath = make(request);
    Bits own = bits_of(bits, Block::kTensor, request.core);
    if (own.empty()) return datapath;
    return std::make_unique<StuckDatapath>(std::move(datapath), std::move(own));
  };
  core.make_exp = wrapped<StuckExp, ExpUnit>(core.make_exp, bits, Block::kExp);
  core.make_mx = wrapped<StuckMx, MxUnit>(core.make_mx, bits, Block::kMx);
  core.make_near_memory =
      wrapped<StuckAdders, NearMemory>(core.make_near_memory, bits, Block::kNearMemory);
  core.make_dma = [make = core.make_dma, bits](Backend backend, const std::string& name) {
    dma::UnitFactory factory = make(backend, name);
    Bits own;
    for (const StuckBit& bit : bits) {
      if (bit.block == Block::kDma && fmt::format("core{} dma{}", bit.core, bit.lane) == name)
        own.push_back(bit);
    }
    if (own.empty()) return factory;
    return dma::UnitFactory(
        [factory, own](const dma::UnitConfig& config, dma::Environment& environment) {
          return std::make_unique<StuckDma>(factory, config, environment, own);
        });
  };
  return options;
}

StuckMemory::StuckMemory(sc_core::sc_module_name name, Chip& chip, std::vector<StuckBit> bits)
    : sc_module(name), chip_(chip) {
  for (const StuckBit& bit : bits) {
    if (bit.block == StuckBit::Block::kHbm)
      chip.hbm().stack(bit.core).memory().stick(static_cast<unsigned>(bit.bit), bit.value);
    if (bit.block == StuckBit::Block::kSbuf) cells_.push_back(bit);
  }
  if (cells_.empty()) return;
  SC_THREAD(look);
}

// Over the debug path, which takes no time.
void StuckMemory::look() {
  for (;;) {
    for (const StuckBit& cell : cells_) {
      std::uint8_t byte = 0;
      tlm::tlm_generic_payload payload;
      payload.set_address(TERN_CORE_SBUF_BASE + cell.lane * TERN_CORE_SBUF_STRIDE + cell.bit / 8);
      payload.set_data_ptr(&byte);
      payload.set_data_length(1);
      payload.set_streaming_width(1);
      payload.set_read();
      chip_.core(cell.core).debug(payload);
      const std::uint8_t before = byte;
      force(&byte, static_cast<unsigned>(cell.bit % 8), cell.value);
      if (byte == before) continue;
      payload.set_write();
      chip_.core(cell.core).debug(payload);
    }
    wait(sc_core::sc_time(kLookNs, sc_core::SC_NS));
  }
}

}  // namespace tern

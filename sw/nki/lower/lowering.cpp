// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/lower/lowering.h"

#include <algorithm>
#include <string_view>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

// A message of the builder without the place that it begins with.
std::string without_place(const std::string& message, SourceLine where) {
  const std::string place = where.text() + ": ";
  return message.compare(0, place.size(), place) == 0 ? message.substr(place.size()) : message;
}

}  // namespace

Lowering::Lowering(const Kernel& kernel, const Kernel* other)
    : kernel_(kernel), other_(other), builder_(kernel.name(), kernel.chip()) {
  builder_.check_use(false);  // pass check_use has judged, exactly
}

SourceLine Lowering::line_of(const Site* site) {
  if (site == nullptr || site->frames.empty()) return {"kernel", 0};
  const Site::Frame& frame = site->frames.front();
  // A program names no file with control characters, and none with a longer name.
  constexpr std::size_t kMost = 800;
  std::string file = frame.file;
  if (file.size() > kMost) file.erase(0, file.size() - kMost);
  std::replace_if(
      file.begin(), file.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return {files_.insert(std::move(file)).first->c_str(), frame.line};
}

Lowering::Lower Lowering::function_for(const Instruction& instruction) {
  static const std::map<std::string_view, Lower> kFunctions = {
      {"sendrecv", &Lowering::sendrecv},
      {"core_barrier", &Lowering::core_barrier},
      {"collective", &Lowering::collective},
      {"register_move", &Lowering::register_move},
      {"register_load", &Lowering::register_load},
      {"register_store", &Lowering::register_store},
      {"loop_begin", &Lowering::loop_begin},
      {"loop_end", &Lowering::loop_end},
      {"dma_copy", &Lowering::dma_copy},
      {"tensor_copy", &Lowering::tensor_copy},
      {"memset", &Lowering::memset},
      {"tensor_tensor", &Lowering::tensor_tensor},
      {"tensor_scalar", &Lowering::tensor_scalar},
      {"activation", &Lowering::activation},
      {"reciprocal", &Lowering::reciprocal},
      {"tensor_reduce", &Lowering::tensor_reduce},
      {"nc_matmul", &Lowering::nc_matmul},
      {"nc_transpose", &Lowering::nc_transpose},
      {"dma_compute", &Lowering::dma_compute},
      {"dma_transpose", &Lowering::dma_transpose},
      {"tensor_copy_predicated", &Lowering::tensor_copy_predicated},
      {"scalar_tensor_tensor", &Lowering::scalar_tensor_tensor},
      {"tensor_tensor_scan", &Lowering::tensor_tensor_scan},
      {"tensor_scalar_cumulative", &Lowering::tensor_scalar_cumulative},
      {"exponential", &Lowering::exponential},
      {"activate2", &Lowering::activate2},
      {"select_reduce", &Lowering::select_reduce},
      {"range_select", &Lowering::range_select},
      {"bn_stats", &Lowering::bn_stats},
      {"bn_aggr", &Lowering::bn_aggr},
      {"max8", &Lowering::max8},
      {"nc_find_index8", &Lowering::nc_find_index8},
      {"nc_match_replace8", &Lowering::nc_match_replace8},
      {"nc_stream_shuffle", &Lowering::nc_stream_shuffle},
      {"dropout", &Lowering::dropout},
      {"rng", &Lowering::rng},
      {"rand2", &Lowering::rand2},
      {"set_rng_seed", &Lowering::set_rng_seed},
      {"rand_set_state", &Lowering::rand_set_state},
      {"rand_get_state", &Lowering::rand_get_state},
      {"iota", &Lowering::iota},
      {"affine_select", &Lowering::affine_select},
      {"nc_n_gather", &Lowering::nc_n_gather},
      {"local_gather", &Lowering::local_gather},
      {"nonzero_with_count", &Lowering::nonzero_with_count},
      {"sequence_bounds", &Lowering::sequence_bounds},
      {"topk", &Lowering::topk},
      {"tensor_partition_reduce", &Lowering::tensor_partition_reduce},
      {"quantize_mx", &Lowering::quantize_mx},
      {"nc_matmul_mx", &Lowering::nc_matmul_mx},
  };
  return kFunctions.at(instruction.signature->name);
}

void Lowering::add_tensor(const Storage& storage) {
  std::vector<std::uint64_t> shape(storage.shape.begin(), storage.shape.end());
  const DType dtype = storage.type->dtype;
  switch (storage.role) {
    case Role::kInput:
      tensors_[storage.id] = builder_.input(storage.name, dtype, shape, where_);
      break;
    case Role::kConstant:
      tensors_[storage.id] = builder_.weight(storage.name, dtype, shape, where_);
      break;
    case Role::kOutput:
    case Role::kUpdated:
      tensors_[storage.id] = builder_.output(storage.name, dtype, shape, where_);
      break;
    case Role::kScratch:
      tensors_[storage.id] = builder_.scratch(storage.name, dtype, shape, where_);
      break;
  }
}

const kernels::Tensor* Lowering::tensor_of(const View& view) const {
  return view.storage().on_chip() ? nullptr : &tensors_.at(view.storage().id);
}

kernels::DmaView Lowering::dma_side(const View& view) const {
  return dma_view(view, tensor_of(view));
}

kernels::ScalarOperand Lowering::scalar(const Instruction& instruction, const char* role,
                                        double value) {
  const View* column = instruction.find(role);
  if (column != nullptr) return tile_view(*column);
  return static_cast<float>(value);
}

std::optional<kernels::Reduce> Lowering::reduction(const Instruction& instruction) {
  const Options& options = instruction.options;
  if (options.reduce_op == Alu::kBypass || options.reduce_command == ReduceCommand::kIdle) {
    return std::nullopt;
  }
  kernels::Reduce reduce;
  reduce.op = options.reduce_op;
  reduce.command = options.reduce_command;
  const View* column = instruction.find("reduce_res");
  if (column != nullptr) reduce.column = tile_view(*column);
  reduce.store = column != nullptr;
  return reduce;
}

void Lowering::put_in_order(const Instruction& instruction) {
  std::vector<kernels::Event> after;
  for (const Kernel::Edge& edge : kernel_.edges) {
    if (edge.after != instruction.call) continue;
    const std::vector<kernels::Event>& events = done_[edge.before];
    after.insert(after.end(), events.begin(), events.end());
  }
  const auto found = done_.find(instruction.call);
  builder_.order(std::move(after), found == done_.end() ? nullptr : &found->second);
}

Executable Lowering::run() {
  for (const StoragePtr& storage : kernel_.storages) {
    if (storage->on_chip()) continue;
    where_ = line_of(storage->site);
    try {
      add_tensor(*storage);
    } catch (const UserError& error) {
      throw NkiError(without_place(error.what(), where_), storage->site);
    }
  }
  for (const Kernel::Edge& edge : kernel_.edges) done_[edge.before];
  find_queues();
  join_programs();
  for (const Instruction& instruction : kernel_.instructions) {
    where_ = line_of(instruction.site);
    try {
      if (!kernel_.edges.empty()) put_in_order(instruction);
      const bool moves = instruction.signature->engines != kOnDma && instruction.moves();
      (this->*function_for(instruction))(moves ? with_registers(instruction) : instruction);
    } catch (const NkiError& error) {
      if (error.has_place()) throw;
      throw NkiError(error.what(), instruction.site, error.kind());
    } catch (const UserError& error) {
      throw NkiError(without_place(error.what(), where_), instruction.site);
    }
  }
  builder_.order({}, nullptr);
  return builder_.finish({kernel_.name().c_str(), 0});
}

}  // namespace tern::nki

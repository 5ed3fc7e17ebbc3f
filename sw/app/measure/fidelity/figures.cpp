// SPDX-License-Identifier: Apache-2.0
// Published figures of real chips. Values of pictures were read from their pixels: the timelines of
// the DMA overview to 6 ns, those of the rmsnorm-quant page to 30 ns.
#include "sw/app/measure/fidelity/figures.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "sw/kernels/matmul.h"

namespace tern::app {
namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::KernelBuilder;
using kernels::Tile;
using numerics::DType;

constexpr const char* kOverview = "DMA overview, timelines";
constexpr const char* kChart = "DMA overview, chart of efficiency";
constexpr const char* kRmsnorm = "rmsnorm-quant design page, timelines";
constexpr const char* kGuide = "NKI guides of the architectures";
constexpr const char* kOptimization = "matrix multiplication tutorial, profiles";

DmaQuestion one_engine(TransferPath path) {
  DmaQuestion question;
  question.path = path;
  question.bytes = 4096;
  question.engines = 1;
  return question;
}

DmaQuestion short_rows(TransferPath path = TransferPath::kHbmToSbuf) {
  DmaQuestion question;
  question.path = path;
  question.bytes = 256;
  question.descriptors = DescriptorMaker::kHardware;
  return question;
}

void add_transfers(std::vector<PublishedFigure>* all) {
  using Kind = FigureKind;
  const auto add = [&](const char* id, Kind kind, const char* what, double ns, auto measure) {
    all->push_back({id, kind, "trn2", what, "ns", ns, kOverview, measure});
  };
  add("dma-engine-load", Kind::kInput, "one engine, 32 KiB to SBUF: busy", 1416,
      [](FidelityBench& b) {
        return b.transfer("trn2", one_engine(TransferPath::kHbmToSbuf)).engine_ns;
      });
  add("dma-engine-store", Kind::kInput, "one engine, 32 KiB from SBUF: busy", 1211,
      [](FidelityBench& b) {
        return b.transfer("trn2", one_engine(TransferPath::kSbufToHbm)).engine_ns;
      });
  add("dma-engine-end", Kind::kInput, "the same load: trigger to the instruction that waits", 2739,
      [](FidelityBench& b) {
        return b.transfer("trn2", one_engine(TransferPath::kHbmToSbuf)).end_ns;
      });
  // The generator's order of pairs was looked for because of these.
  add("dma-short-start-load", Kind::kDerived,
      "[128, 256 B] by a generator: trigger to the first packet", 737,
      [](FidelityBench& b) { return b.transfer("trn2", short_rows()).steps.at(1).ns; });
  add("dma-short-start-store", Kind::kDerived, "the same of a store", 615, [](FidelityBench& b) {
    return b.transfer("trn2", short_rows(TransferPath::kSbufToHbm)).steps.at(1).ns;
  });
  add("dma-short-data", Kind::kPredicted, "[128, 256 B] by a generator: trigger to the last data",
      1206, [](FidelityBench& b) { return b.transfer("trn2", short_rows()).steps.at(3).ns; });
  add("dma-short-end", Kind::kInput, "the same: trigger to the instruction that waits", 1500,
      [](FidelityBench& b) { return b.transfer("trn2", short_rows()).end_ns; });
}

void add_rates(std::vector<PublishedFigure>* all) {
  for (const auto& [chip, rate] : {std::pair{"trn1", 272.0}, {"trn2", 368.0}, {"trn3", 528.0}}) {
    all->push_back({fmt::format("dma-rate-{}", chip), FigureKind::kInput, chip,
                    "16 engines, 32 KiB per partition", "GB/s", rate, "DMA bandwidth guide",
                    [chip = std::string(chip)](FidelityBench& b) { return b.rate(chip, 32768); }});
  }
  all->push_back({"dma-rate-host", FigureKind::kInput, "trn2",
                  "rows of 32 KiB on each of 16 engines, descriptors by the host, each", "ns", 1242,
                  kRmsnorm, [](FidelityBench& b) {
                    constexpr std::uint32_t kBytes = 32768;
                    return Executable::kEngines * kBytes / b.rate_by_host("trn2", kBytes);
                  }});
  all->push_back({"dma-profile-4096", FigureKind::kPredicted, "trn2",
                  "a core's profile with descriptors of 4,096 bytes", "GB/s", 354,
                  "NKI guide of the architecture",
                  [](FidelityBench& b) { return b.rate("trn2", 4096); }});
  // Percent of the rate at 32 KiB. Up to 2 KiB the generator is the bound, whose clock was chosen
  // by these points; from 4 KiB on the port is, as at 32 KiB.
  constexpr double kPercent[] = {1.2, 2.6, 5.0, 10.3, 20.6, 42.2, 81.3, 96.6, 98.3, 99.0};
  std::uint32_t bytes = 32;
  for (const double percent : kPercent) {
    all->push_back(
        {fmt::format("dma-chart-{}", bytes),
         bytes <= 2048 ? FigureKind::kInput : FigureKind::kDerived, "trn2",
         fmt::format("[128, {} B], of the rate at 32 KiB", bytes), "%", percent, kChart,
         [bytes](FidelityBench& b) { return 100 * b.rate("trn2", bytes) / b.rate("trn2", 32768); },
         true});
    bytes *= 2;
  }
}

Tile tile(KernelBuilder& kb, const char* name, std::uint32_t free, DType dtype) {
  return kb.sbuf_tile(name, 128, free, dtype);
}

// For latency_ns: the operand depends on GpSimd, which waits for the tables of exp, and GpSimd on
// the result.
template <typename Measured>
void between(KernelBuilder& kb, const Tile& operand, const Tile& result, Measured measured) {
  const Tile one = tile(kb, "one", 1, DType::kFp32);
  const auto column = [](const Tile& of) { return of.view(0, 128, 0, 1); };
  kb.activation(one, Activation::kExp, one);
  kb.tensor_copy(column(operand), one, kernels::Engine::kGpsimd);
  measured();
  kb.tensor_copy(one, column(result), kernels::Engine::kGpsimd);
}

void add_scalar_and_vector(std::vector<PublishedFigure>* all) {
  const auto exp = [](std::uint32_t n, bool sum) {
    return [n, sum](FidelityBench& b) {
      return b.latency_ns("trn2", "scalar", "activation", [&](KernelBuilder& kb) {
        const Tile x = tile(kb, "x", n, DType::kBf16), y = tile(kb, "y", n, DType::kBf16);
        const Tile column = tile(kb, "sum", 1, DType::kFp32);
        between(kb, x, y, [&] {
          if (sum) {
            kb.activation_reduce(y, Activation::kExp, x, Alu::kAdd, column);
          } else {
            kb.activation(y, Activation::kExp, x);
          }
        });
      });
    };
  };
  using Kind = FigureKind;
  const auto add = [&](const char* id, Kind kind, const char* chip, const char* what, double ns,
                       const char* source, auto measure) {
    all->push_back({id, kind, chip, what, "ns", ns, source, measure});
  };
  add("scalar-exp-4096", Kind::kInput, "trn2", "Scalar: exp of 4,096 elements, start to end", 3700,
      "attention page, profile", exp(4096, false));
  add("scalar-exp-128", Kind::kInput, "trn2", "Scalar: exp of 128 elements", 397,
      "attention page, profile", exp(128, false));
  add("scalar-sum-16384", Kind::kInput, "trn2", "Scalar: activation and sum of 16,384", 13930,
      kRmsnorm, exp(16384, true));
  add("scalar-chain", Kind::kInput, "trn1", "Scalar: a chain of one element, each", 189,
      "NKI performance guide, 264 cycles", [](FidelityBench& b) {
        return b.interval_ns("trn1", "scalar", "activation", [](KernelBuilder& kb) {
          const Tile x = tile(kb, "x", 1, DType::kFp32);
          for (unsigned i = 0; i < 16; ++i) kb.activation(x, Activation::kSquare, x);
        });
      });
  add("vector-reduce-16384", Kind::kInput, "trn2", "Vector: tensor_reduce of 16,384", 17150,
      kRmsnorm, [](FidelityBench& b) {
        return b.latency_ns("trn2", "vector", "tensor_reduce", [](KernelBuilder& kb) {
          const Tile x = tile(kb, "x", 16384, DType::kFp32), y = tile(kb, "y", 1, DType::kFp32);
          between(kb, x, y, [&] { kb.tensor_reduce(y, Alu::kMax, x); });
        });
      });
  add("vector-fp8-16384", Kind::kDerived, "trn2", "Vector: tensor_scalar of 16,384 to FP8", 8780,
      kRmsnorm, [](FidelityBench& b) {
        return b.latency_ns("trn2", "vector", "tensor_scalar", [](KernelBuilder& kb) {
          const Tile x = tile(kb, "x", 16384, DType::kBf16);
          const Tile y = tile(kb, "y", 16384, DType::kE4m3);
          between(kb, x, y, [&] { kb.tensor_scalar(y, x, Alu::kMultiply, 2.0f); });
        });
      });
  add("vector-psum-512", Kind::kInput, "trn2",
      "Vector: scalar_tensor_tensor of 512, a tile in PSUM, each", 655, "NKI tutorials, profiles",
      [](FidelityBench& b) {
        return b.interval_ns("trn2", "vector", "scalar_tensor_tensor", [](KernelBuilder& kb) {
          const Tile x = tile(kb, "x", 512, DType::kFp32), y = tile(kb, "y", 512, DType::kFp32);
          const Tile bank = kb.psum_tile("bank", 128, 512);
          for (unsigned i = 0; i < 8; ++i)
            kb.scalar_tensor_tensor(y, x, Alu::kMultiply, 2.0f, Alu::kAdd, bank);
        });
      });
}

// A product 128 x 128 x 512 of tiles in SBUF, of many in a row, after the ramp of the array. FP32
// takes four instructions.
double product_ns(FidelityBench& b, DType dtype) {
  constexpr unsigned kCount = 64, kRamp = 16;
  const auto build = [&](KernelBuilder& kb) {
    const Tile a = tile(kb, "a", 128, dtype), x = tile(kb, "x", 512, dtype);
    const Tile bank = kb.psum_tile("bank", 128, 512);
    for (unsigned i = 0; i < kCount; ++i) kb.nc_matmul(bank, a, x);
  };
  const double ns = b.interval_ns("trn2", "tensor", "multiply_moving", build, kRamp);
  return dtype == DType::kFp32 ? 4 * ns : ns;
}

// Full tiles, and tiles of 32 columns of the stationary, of 64 moving columns and of 32 rows, in
// turns: useful multiplications over those of the array in that time.
double small_tiles_percent(FidelityBench& b) {
  constexpr unsigned kTurns = 64;
  const double clock_ghz = b.chip("trn2").config().core.tensor_clock_ghz;
  const double ns = b.interval_ns("trn2", "tensor", "multiply_moving", [](KernelBuilder& kb) {
    const Tile a = tile(kb, "a", 128, DType::kBf16), x = tile(kb, "x", 512, DType::kBf16);
    const Tile bank = kb.psum_tile("bank", 128, 512);
    for (unsigned i = 0; i < kTurns; ++i) {
      kb.nc_matmul(bank, a, x);
      kb.nc_matmul(bank.view(0, 32, 0, 512), a.view(0, 128, 0, 32), x);
      kb.nc_matmul(bank.view(0, 128, 0, 64), a, x.view(0, 128, 0, 64));
      kb.nc_matmul(bank, a.view(0, 32, 0, 128), x.view(0, 32, 0, 512));
    }
  });
  constexpr double kUseful = (512 + 128 + 64 + 128) / 4.0;  // columns of a full array
  return 100 * kUseful / (ns * clock_ghz);
}

void add_tensor(std::vector<PublishedFigure>* all) {
  using Kind = FigureKind;
  all->push_back({"tensor-bf16", Kind::kDerived, "trn2", "BF16 product 128 x 128 x 512, each", "ns",
                  213, kGuide, [](FidelityBench& b) { return product_ns(b, DType::kBf16); }});
  all->push_back({"tensor-bf16-rate", Kind::kDerived, "trn2", "BF16, a run of full tiles", "TFLOPS",
                  77.2, kOptimization, [](FidelityBench& b) {
                    return 2.0 * 128 * 128 * 512 / product_ns(b, DType::kBf16) * 1e-3;
                  }});
  all->push_back({"tensor-fp32", Kind::kDerived, "trn2", "FP32 product 128 x 128 x 512, each", "ns",
                  859.4, kOptimization,
                  [](FidelityBench& b) { return product_ns(b, DType::kFp32); }});
  all->push_back({"tensor-small", Kind::kDerived, "trn2",
                  "full, 32-column, 64-moving and 32-row tiles in turns: use of the array", "%", 39,
                  "NKI tutorials, profiles", small_tiles_percent});
  const auto product = [](std::uint64_t m, std::uint64_t k, std::uint64_t n, const char* format,
                          DType output) {
    return [=](FidelityBench& b) {
      kernels::MatmulSpec spec;
      spec.m = m;
      spec.k = k;
      spec.n = n;
      spec.format = format;
      spec.output = output;
      return b.program_us("trn2", build_matmul(spec, b.chip("trn2").config()));
    };
  };
  all->push_back({"matmul-4096", Kind::kPredicted, "trn2", "4,096^3 in BF16, HBM to HBM", "us",
                  1801, kOptimization, product(4096, 4096, 4096, "bf16", DType::kBf16)});
  all->push_back({"matmul-2048", Kind::kPredicted, "trn2", "2,048^3 in BF16, HBM to HBM", "us",
                  244.2, "nki-autotune, hand-tuned kernel",
                  product(2048, 2048, 2048, "bf16", DType::kBf16)});
  all->push_back({"matmul-fp32", Kind::kPredicted, "trn2",
                  "4,096 x 8,192 x 8,192 in FP32, HBM to HBM", "us", 28200, kOptimization,
                  product(4096, 8192, 8192, "fp32", DType::kFp32)});
}

}  // namespace

const char* figure_kind_name(FigureKind kind) {
  switch (kind) {
    case FigureKind::kInput:
      return "input";
    case FigureKind::kDerived:
      return "derived";
    default:
      return "predicted";
  }
}

std::vector<PublishedFigure> published_figures() {
  // By the beginning of the name.
  static constexpr std::pair<std::string_view, const char*> kKeys[] = {
      {"dma-rate-trn2", "dma.hwdge_gb_per_s"},
      {"dma-rate-", "noc.core_port_gb_per_s"},
      {"dma-chart-", "dma.hwdge_clock_ghz"},
      {"dma-engine-end", "dma.completion_latency_ns"},
      {"dma-engine-", "dma.efficiency"},
      {"dma-short-end", "dma.completion_latency_ns"},
      {"scalar-", "core.scalar.latency_cycles"},
      {"vector-reduce-", "core.vector.latency_cycles"},
      {"vector-psum-", "the rule for tiles in PSUM"}};
  std::vector<PublishedFigure> all;
  add_rates(&all);
  add_transfers(&all);
  add_scalar_and_vector(&all);
  add_tensor(&all);
  for (PublishedFigure& figure : all) {
    if (figure.kind != FigureKind::kInput) continue;
    for (const auto& [begin, key] : kKeys) {
      if (figure.key.empty() && std::string_view(figure.id).substr(0, begin.size()) == begin)
        figure.key = key;
    }
  }
  return all;
}

}  // namespace tern::app

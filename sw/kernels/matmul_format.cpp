// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_format.h"

namespace tern::kernels {

namespace {

MatmulFormat dense(const char* name, DType dtype, const char* remark) {
  return {name, TensorMode::kDense, dtype, dtype, dtype, Sparsity::k4of16, remark};
}

MatmulFormat fp8(const char* name, DType dtype) {
  return {name, TensorMode::kDoubleRow, dtype, dtype, dtype, Sparsity::k4of16, "double row"};
}

MatmulFormat blocks(const char* name, DType a, DType b, DType stored, const char* remark,
                    numerics::MxRule a_rule = numerics::MxRule::kAws,
                    numerics::MxRule b_rule = numerics::MxRule::kAws) {
  return {name, TensorMode::kMx, a, b, stored, Sparsity::k4of16, remark, a_rule, b_rule};
}

MatmulFormat sparse(const char* name, Sparsity sparsity) {
  const DType bf16 = DType::kBf16;
  return {name, TensorMode::kSparse, bf16, bf16, bf16, sparsity, "sparse weights, bf16"};
}

MatmulFormat quad(const char* name, DType dtype, const char* remark, numerics::MxRule rule) {
  return {name, TensorMode::kQuad, dtype, dtype, dtype, Sparsity::k4of16, remark, rule, rule};
}

std::vector<MatmulFormat> make_formats() {
  const DType e4m3 = DType::kE4m3FnX4, e2m1 = DType::kE2m1X4;
  return {
      dense("bf16", DType::kBf16, "dense"),
      dense("fp16", DType::kFp16, "dense"),
      dense("tf32", DType::kTf32, "dense"),
      dense("fp32", DType::kFp32, "dense, 4 passes"),
      fp8("fp8_e4m3", DType::kE4m3),
      fp8("fp8_e4m3fn", DType::kE4m3Fn),
      fp8("fp8_e5m2", DType::kE5m2),
      blocks("mxfp8_e4m3fn", e4m3, e4m3, e4m3, "MX, scales aws"),
      blocks("mxfp8_e5m2", DType::kE5m2X4, DType::kE5m2X4, DType::kE5m2X4, "MX, scales aws"),
      blocks("mxfp4", e2m1, e2m1, e2m1, "MX, scales ocp", numerics::MxRule::kOcp,
             numerics::MxRule::kOcp),
      blocks("w4a8", e4m3, e4m3, e2m1, "MX, 4-bit weights in HBM, scales ocp",
             numerics::MxRule::kOcp),
      blocks("mxfp8_ocp", e4m3, e4m3, e4m3, "MX, scales ocp", numerics::MxRule::kOcp,
             numerics::MxRule::kOcp),
      blocks("mxfp4_aws", e2m1, e2m1, e2m1, "MX, scales aws"),
      blocks("w4a8_aws", e4m3, e4m3, e2m1, "MX, 4-bit weights in HBM, scales aws"),
      sparse("sparse_4_16", Sparsity::k4of16),
      sparse("sparse_4_12", Sparsity::k4of12),
      sparse("sparse_4_8", Sparsity::k4of8),
      sparse("sparse_2_8", Sparsity::k2of8),
      sparse("sparse_2_4", Sparsity::k2of4),
      sparse("sparse_1_4", Sparsity::k1of4),
      sparse("sparse_1_2", Sparsity::k1of2),
      quad("quad_mxfp8", e4m3, "quad, 4 products, scales aws", numerics::MxRule::kAws),
      quad("quad_mxfp4", e2m1, "quad, 4 products, scales ocp", numerics::MxRule::kOcp),
  };
}

}  // namespace

unsigned MatmulFormat::k_per_partition() const {
  switch (mode) {
    case TensorMode::kDoubleRow:
      return 2;
    case TensorMode::kMx:
      return 4;
    case TensorMode::kSparse:
      return planes(sparsity);
    default:
      return 1;
  }
}

unsigned MatmulFormat::k_grain() const {
  switch (mode) {
    case TensorMode::kDoubleRow:
      return 16;
    case TensorMode::kMx:
      return 128;
    case TensorMode::kQuad:
      return 32;
    case TensorMode::kSparse:
      return group(sparsity);
    default:
      return 1;
  }
}

const std::vector<MatmulFormat>& matmul_formats() {
  static const std::vector<MatmulFormat> kFormats = make_formats();
  return kFormats;
}

const MatmulFormat* find_matmul_format(const std::string& name) {
  for (const MatmulFormat& format : matmul_formats()) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

}  // namespace tern::kernels

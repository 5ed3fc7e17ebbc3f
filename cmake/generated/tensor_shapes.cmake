# SPDX-License-Identifier: Apache-2.0
# Generated from docs/spec/tensor.yaml by tern_spec_gen: do not edit.
# Parameters of rtl/tensor per configuration
set(TERN_TENSOR_TINY_PARAMS Rows=32 Cols=16 PsumBanks=8 BankColumns=16 MinInterval=4 MaxMoving=128 CommandDepth=16 Stages=1)
set(TERN_TENSOR_TINY_STAGES3_PARAMS Rows=32 Cols=16 PsumBanks=8 BankColumns=16 MinInterval=16 MaxMoving=128 CommandDepth=16 Stages=3)
set(TERN_TENSOR_TINY_STAGES5_PARAMS Rows=32 Cols=16 PsumBanks=8 BankColumns=16 MinInterval=16 MaxMoving=128 CommandDepth=16 Stages=5)
set(TERN_TENSOR_MID_PARAMS Rows=64 Cols=32 PsumBanks=8 BankColumns=512 MinInterval=16 MaxMoving=4096 CommandDepth=16 Stages=1)
set(TERN_TENSOR_FULL_PARAMS Rows=128 Cols=128 PsumBanks=8 BankColumns=512 MinInterval=64 MaxMoving=4096 CommandDepth=16 Stages=1)
set(TERN_TENSOR_FULL_STAGES3_PARAMS Rows=128 Cols=128 PsumBanks=8 BankColumns=512 MinInterval=64 MaxMoving=4096 CommandDepth=16 Stages=3)
set(TERN_TENSOR_FULL_STAGES5_PARAMS Rows=128 Cols=128 PsumBanks=8 BankColumns=512 MinInterval=64 MaxMoving=4096 CommandDepth=16 Stages=5)

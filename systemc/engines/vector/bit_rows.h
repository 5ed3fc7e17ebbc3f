// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Operations on the bits of rows of packed elements, `size` bytes each (1, 2 or 4). `out` may be
// one of the operands.
namespace tern {

// A bitwise alu_op.
void bit_rows(unsigned op, std::size_t size, const std::uint8_t* a, const std::uint8_t* b,
              std::uint8_t* out, std::size_t n);
// The lower bytes of `scalar` as one operand; reverse: as the first.
void bit_scalar(unsigned op, std::size_t size, const std::uint8_t* a, std::uint32_t scalar,
                bool reverse, std::uint8_t* out, std::size_t n);
// ((a[0] op a[1]) op a[2]) ... into out; count >= 1.
void bit_chain(unsigned op, std::size_t size, const std::uint8_t* a, std::size_t count,
               std::uint8_t* out);

// add, subtract or multiply modulo 2^32: the same bits for signed and unsigned integers.
void integer_rows(unsigned op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                  std::size_t n);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
// Derives the tables of the activation functions with MPFR and prints docs/spec/activation.yaml.
// Use: gen_activation_table > docs/spec/activation.yaml
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "docs/spec/activation_functions.h"

namespace {

constexpr int kDegree = 5;
constexpr int kMaxLog2Segments = 9;  // of one power of two of inputs
// The largest relative error of a polynomial; of an anchored one (see fit()); below the last bit of
// FP32 the error may be absolute.
const Real kTolerance = Real::power_of_two(-22);
const Real kAnchoredTolerance = Real::power_of_two(-24);
const Real kSmallest = Real::power_of_two(-149);

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

struct Segment {
  float centre = 0;
  float c[kDegree + 1] = {};
};

// Coefficients of the polynomial in r through the points (r[i], y[i]): Newton's divided
// differences, expanded.
std::vector<Real> interpolate(const std::vector<Real>& r, std::vector<Real> y) {
  const std::size_t n = r.size();
  for (std::size_t order = 1; order < n; ++order) {
    for (std::size_t i = n - 1; i >= order; --i) y[i] = (y[i] - y[i - 1]) / (r[i] - r[i - order]);
  }
  std::vector<Real> c(n, Real(0));
  for (std::size_t i = n; i-- > 0;) {  // c = c * (r - r[i]) + y[i]
    for (std::size_t k = n - 1; k > 0; --k) c[k] = c[k - 1] - c[k] * r[i];
    c[0] = y[i] - c[0] * r[i];
  }
  return c;
}

class Table {
 public:
  explicit Table(const FunctionSpec& spec) : spec_(spec) {
    if (!spec.root_between.empty()) find_root();
    highest_ = end(spec.highest_from, spec.highest_to, spec.above, spec.above_is_u);
    lowest_ = end(spec.lowest_to, spec.lowest_from, spec.below, false);
    // The largest power of two below which one segment per sign is enough.
    first_exponent_ = 0;
    if (spec.lowest_from > 0) {
      first_exponent_ = static_cast<int>(std::floor(std::log2(lowest_)));
    } else {
      while (!near_zero(1) || (two_sided() && !near_zero(-1))) --first_exponent_;
    }
    build_side(1);
    positive_ranges_ = static_cast<int>(ranges_.size());
    if (two_sided()) build_side(-1);
  }

  void print() const {
    static const char* const kSymmetry[] = {"none", "odd", "even"};
    std::printf("  - name: %s\n    formula: %s\n    symmetry: %s\n", spec_.name, spec_.formula,
                kSymmetry[static_cast<int>(spec_.symmetry)]);
    std::printf("    lowest: 0x%08X    # %.9g\n    below: 0x%08X\n", bits_of(lowest_), lowest_,
                bits_of(canonical(spec_.below)));
    std::printf("    highest: 0x%08X    # %.9g\n", bits_of(highest_), highest_);
    if (spec_.above_is_u) {
      std::printf("    above: u\n");
    } else {
      std::printf("    above: 0x%08X\n", bits_of(canonical(spec_.above)));
    }
    std::printf("    first_exponent: %d\n    positive_ranges: %d\n    ranges:\n", first_exponent_,
                positive_ranges_);
    for (const Range& range : ranges_) {
      std::printf("      - [%d, %d]    # %s\n", range.first, range.log2_segments,
                  range.comment.c_str());
    }
    std::printf("    segments:\n");
    for (const Segment& s : segments_) {
      std::printf("      - [0x%08X", bits_of(s.centre));
      for (const float c : s.c) std::printf(", 0x%08X", bits_of(c));
      std::printf("]\n");
    }
  }

 private:
  struct Range {
    int first, log2_segments;
    std::string comment;
  };

  static float canonical(float value) { return std::isnan(value) ? std::fabs(value) : value; }
  bool two_sided() const { return spec_.symmetry == Symmetry::kNone && spec_.lowest_from < 0; }

  // The first input, seen from `from`, at which the function is its limit in FP32.
  float end(double from, double to, float limit, bool limit_is_u) const {
    auto near = static_cast<float>(from);
    auto far = static_cast<float>(to);
    if (near == far) return near;
    while (std::nextafter(near, far) != far) {
      const float middle = near + (far - near) / 2;
      const float probe = middle == near || middle == far ? std::nextafter(near, far) : middle;
      const Real value = spec_.value(Real(probe));
      const Real goal = limit_is_u ? Real(probe) : Real(limit);
      const Real bound = limit == 0 && !limit_is_u ? Real::power_of_two(-150)
                                                   : abs(goal) * Real::power_of_two(-25);
      (abs(value - goal) < bound ? far : near) = probe;
    }
    return far;
  }

  void find_root() {
    Real low(spec_.root_between[0]), high(spec_.root_between[1]);
    const bool rising = spec_.value(low) < Real(0);
    for (int i = 0; i < 180; ++i) {
      const Real middle = (low + high) / Real(2);
      ((spec_.value(middle) < Real(0)) == rising ? low : high) = middle;
    }
    root_ = low.to_float();
    has_root_ = true;
  }

  // Fits [from, to] (signed, |from| < |to|) and says whether the polynomial is good enough. With an
  // anchor the polynomial has the function's value at the centre, so that it keeps its relative
  // accuracy there although the function is zero.
  bool fit(const Real& from, const Real& to, float centre, bool anchored, Segment& s) const {
    const int nodes = anchored ? kDegree : kDegree + 1;
    const Real origin(centre);
    const Real c0 = spec_.value(origin);
    std::vector<Real> r, y;
    for (int i = 0; i < nodes; ++i) {
      const Real t = cos(Real::pi() * Real(2 * i + 1) / Real(2 * nodes));  // Chebyshev
      const Real x = (from + to) / Real(2) + (to - from) / Real(2) * t;
      r.push_back(x - origin);
      y.push_back(anchored ? (spec_.value(x) - c0) / r.back() : spec_.value(x));
    }
    std::vector<Real> c = interpolate(r, y);
    if (anchored) c.insert(c.begin(), c0);
    s.centre = centre;
    for (int k = 0; k <= kDegree; ++k) s.c[k] = c[static_cast<std::size_t>(k)].to_float();
    // -0, so that the sign of a zero input survives the last addition.
    if (centre == 0 && spec_.zero_at_zero) s.c[0] = -0.0f;

    constexpr int kChecks = 12;
    const Real& tolerance = anchored ? kAnchoredTolerance : kTolerance;
    for (int i = 0; i <= kChecks; ++i) {
      const Real x = from + (to - from) * Real(i) / Real(kChecks);
      const Real exact = spec_.value(x), d = x - origin;
      Real sum(0);
      for (int k = kDegree; k >= 0; --k) sum = sum * d + Real(s.c[k]);
      if (abs(exact) * tolerance + kSmallest < abs(sum - exact)) return false;
    }
    return true;
  }

  bool near_zero(int sign) const {
    Segment s;
    return fit(Real(0), Real(sign) * Real::power_of_two(first_exponent_), 0, true, s);
  }

  // All segments of one power of two, up to `limit`; false if one is not good enough.
  bool fit_range(int sign, int exponent, int log2_segments, double limit,
                 std::vector<Segment>& out) const {
    out.clear();
    const double width = std::ldexp(1.0, exponent - log2_segments);
    for (int i = 0; i < 1 << log2_segments; ++i) {
      const double from = std::ldexp(1.0, exponent) + i * width;
      if (from > limit) break;
      const double to = std::min(from + width, limit);
      const bool anchored =
          has_root_ && root_ * sign > from - 1.01 * width && root_ * sign < from + 2.01 * width;
      Segment s;
      const float centre = anchored ? root_ : static_cast<float>(sign * (from + width / 2));
      // A segment of one number at the end of the range.
      const double last = to > from ? to : std::nextafter(static_cast<float>(from), 1e30f);
      if (!fit(Real(sign * from), Real(sign * last), centre, anchored, s)) return false;
      out.push_back(s);
    }
    return true;
  }

  void build_side(int sign) {
    const double limit = std::fabs(sign > 0 ? highest_ : lowest_);
    if (spec_.lowest_from <= 0) {
      Segment s;
      fit(Real(0), Real(sign) * Real::power_of_two(first_exponent_), 0, true, s);
      add_range(0, {s}, sign, "below");
    } else {
      add_range(0, {Segment{}}, sign, "below (never)");
    }
    for (int exponent = first_exponent_; std::ldexp(1.0, exponent) <= limit; ++exponent) {
      std::vector<Segment> segments;
      int m = 0;
      while (!fit_range(sign, exponent, m, limit, segments)) {
        if (++m > kMaxLog2Segments) {
          std::fprintf(stderr, "%s: no polynomial at 2^%d\n", spec_.name, exponent);
          std::exit(1);
        }
      }
      add_range(m, segments, sign, "from");
      ranges_.back().comment += " 2^" + std::to_string(exponent);
    }
  }

  void add_range(int log2_segments, const std::vector<Segment>& segments, int sign,
                 const char* what) {
    ranges_.push_back({static_cast<int>(segments_.size()), log2_segments,
                       std::string(sign > 0 ? "positive, " : "negative, ") + what});
    segments_.insert(segments_.end(), segments.begin(), segments.end());
  }

  const FunctionSpec& spec_;
  float root_ = 0;
  bool has_root_ = false;
  float lowest_ = 0, highest_ = 0;
  int first_exponent_ = 0, positive_ranges_ = 0;
  std::vector<Range> ranges_;
  std::vector<Segment> segments_;
};

}  // namespace

int main() {
  std::printf(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# The tables of the activation functions (docs/numerics.md, Activation functions), FP32 "
      "words.\n"
      "# Printed by docs/spec/gen_activation_table.cpp: do not edit.\n"
      "# ranges: [first segment, log2 of the number of segments], one for |u| < 2^first_exponent "
      "and\n"
      "# one for each power of two from there on; positive inputs, then negative ones.\n"
      "# segments: [centre, c0, c1, c2, c3, c4, c5].\n"
      "activation:\n");
  for (const FunctionSpec& spec : function_specs()) Table(spec).print();
  return 0;
}

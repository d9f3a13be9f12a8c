// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/seeded_numbers.h"

namespace lhrs {

// Draws numbers by Zipf's law: number r with probability proportional to 1 / r^skew. It uses rejection-inversion
// (Hoermann, Derflinger: Rejection-inversion to generate variates from monotone discrete distributions, 1996). This is
// exact and needs no table, so the count of numbers may change from one draw to the next.
class ZipfNumbers {
public:
    explicit ZipfNumbers(double skew) : m_skew(skew) { }
    // 1..count; count >= 1.
    std::uint64_t draw(std::uint64_t count, SeededNumbers& numbers) const;

private:
    // Density, its integral from 1, and the inverse of that.
    double h(double x) const;
    double integral(double x) const;
    double inverse(double x) const;

    const double m_skew;
};

} // namespace lhrs

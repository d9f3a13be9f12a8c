// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/requests/zipf.h"

#include <algorithm>
#include <cmath>

namespace lhrs {

namespace {

// log(1 + x) / x and (exp(x) - 1) / x, also accurate near x = 0, so that skew 1 needs no special case.
double logRatio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x * (0.5 - x / 3); }
double expRatio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2 * (1 + x / 3); }

// In [0, 1).
double fraction(SeededNumbers& numbers) { return double(numbers.next() >> 11) / 9007199254740992.0; }

} // namespace

double ZipfNumbers::h(double x) const { return std::exp(-m_skew * std::log(x)); }

double ZipfNumbers::integral(double x) const
{
    const double log = std::log(x);
    return expRatio((1 - m_skew) * log) * log;
}

double ZipfNumbers::inverse(double x) const { return std::exp(logRatio(std::max(-1.0, x * (1 - m_skew))) * x); }

std::uint64_t ZipfNumbers::draw(std::uint64_t count, SeededNumbers& numbers) const
{
    const double low = integral(1.5) - 1, high = integral(double(count) + 0.5);
    const double sure = 2 - inverse(integral(2.5) - h(2)); // this close to its number, a draw is always accepted
    for (;;) {
        const double area = high + fraction(numbers) * (low - high);
        const double x = inverse(area);
        const double number = std::clamp(std::floor(x + 0.5), 1.0, double(count));
        if (number - x <= sure || area >= integral(number + 0.5) - h(number))
            return std::uint64_t(number);
    }
}

} // namespace lhrs

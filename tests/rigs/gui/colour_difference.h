// SPDX-License-Identifier: GPL-3.0-or-later
// How different two colours look: contrast of luminances (WCAG), and CIEDE2000 after a simulated colour deficiency
// (Machado, Oliveira and Fernandes 2009, full severity).
#pragma once

#include <QColor>

#include <array>
#include <cmath>

namespace lhrs::gui {

enum class Eye { Usual, Protan, Deutan, Tritan };

inline double linearOf(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

inline std::array<double, 3> linearRgb(QColor c)
{
    return { linearOf(c.redF()), linearOf(c.greenF()), linearOf(c.blueF()) };
}

inline double luminance(QColor c)
{
    const auto [r, g, b] = linearRgb(c);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// 1 to 21; text needs 4.5, outlines need 3.
inline double contrast(QColor x, QColor y)
{
    const double a = luminance(x), b = luminance(y);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

inline std::array<double, 3> seenBy(Eye eye, std::array<double, 3> rgb)
{
    static constexpr double kProtan[9] { 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
        -0.048116, 1.051998 };
    static constexpr double kDeutan[9] { 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
        0.042940, 0.968881 };
    static constexpr double kTritan[9] { 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
        0.691367, 0.303900 };
    if (eye == Eye::Usual)
        return rgb;
    const double* m = eye == Eye::Protan ? kProtan : eye == Eye::Deutan ? kDeutan : kTritan;
    std::array<double, 3> out {};
    for (std::size_t row = 0; row < 3; ++row)
        out[row] = std::clamp(m[3 * row] * rgb[0] + m[3 * row + 1] * rgb[1] + m[3 * row + 2] * rgb[2], 0.0, 1.0);
    return out;
}

struct Lab {
    double l = 0, a = 0, b = 0;
};

inline Lab labOf(std::array<double, 3> rgb)
{
    const auto [r, g, b] = rgb;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047),
                 y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b),
                 z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return { 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

// Sharma, Wu and Dalal 2005.
inline double ciede2000(Lab x, Lab y)
{
    constexpr double kPi = 3.14159265358979323846, kTurn = 2 * kPi, k25To7 = 6103515625.0;
    const auto power7 = [](double v) { return std::pow(v, 7); };
    const double mean = (std::hypot(x.a, x.b) + std::hypot(y.a, y.b)) / 2;
    const double g = 0.5 * (1 - std::sqrt(power7(mean) / (power7(mean) + k25To7)));
    const double a1 = x.a * (1 + g), a2 = y.a * (1 + g), c1 = std::hypot(a1, x.b), c2 = std::hypot(a2, y.b);
    const auto hue = [&](double a, double b) {
        const double h = a == 0 && b == 0 ? 0 : std::atan2(b, a);
        return h < 0 ? h + kTurn : h;
    };
    const double h1 = hue(a1, x.b), h2 = hue(a2, y.b);
    double dh = c1 * c2 == 0 ? 0 : h2 - h1;
    dh += dh > kPi ? -kTurn : dh < -kPi ? kTurn : 0;
    const double dl = y.l - x.l, dc = c2 - c1, dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2);
    const double l = (x.l + y.l) / 2, c = (c1 + c2) / 2;
    double h = h1 + h2;
    if (c1 * c2 != 0)
        h = std::abs(h1 - h2) <= kPi ? h / 2 : (h < kTurn ? h + kTurn : h - kTurn) / 2;
    const double t = 1 - 0.17 * std::cos(h - kPi / 6) + 0.24 * std::cos(2 * h) + 0.32 * std::cos(3 * h + kPi / 30)
        - 0.20 * std::cos(4 * h - 63 * kPi / 180);
    const double degrees = h * 180 / kPi, turn = 30 * std::exp(-std::pow((degrees - 275) / 25, 2)) * kPi / 180;
    const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50)), sc = 1 + 0.045 * c,
                 sh = 1 + 0.015 * c * t;
    const double rt = -std::sin(2 * turn) * 2 * std::sqrt(power7(c) / (power7(c) + k25To7));
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dH / sh, 2) + rt * (dc / sc) * (dH / sh));
}

inline double difference(QColor x, QColor y, Eye eye)
{
    return ciede2000(labOf(seenBy(eye, linearRgb(x))), labOf(seenBy(eye, linearRgb(y))));
}

} // namespace lhrs::gui

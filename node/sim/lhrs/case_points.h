// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/points.h"
#include "node/sim/engine/random.h"
#include "proto/config.pb.h"

#include <array>
#include <cstdint>

namespace lhrs {

// The injection points of a case: the selected points fire at random until the faults are over.
class CasePoints : public Points {
public:
    explicit CasePoints(const pb::Case& told)
        : m_rate(told.points_rate())
        , m_draw(told.seed(), DrawnFor::Points)
    {
        for (const std::string& name : told.points())
            if (const auto point = pointNamed(name))
                m_isOn[std::size_t(*point)] = true;
    }

    bool fires(Point point) override
    {
        if (!m_isOn[std::size_t(point)] || !m_draw.chance(m_rate))
            return false;
        ++m_fired[std::size_t(point)];
        return true;
    }
    void end() { m_isOn.fill(false); }
    const std::array<std::uint64_t, kPoints>& fired() const { return m_fired; }

private:
    const std::uint32_t m_rate;
    Generator m_draw;
    std::array<bool, kPoints> m_isOn {};
    std::array<std::uint64_t, kPoints> m_fired {};
};

} // namespace lhrs

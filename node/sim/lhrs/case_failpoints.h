// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/failpoint_list.h"
#include "node/sim/engine/random.h"
#include "proto/config.pb.h"

#include <array>
#include <cstdint>

namespace lhrs {

// The failpoints of a case: the selected ones fire at random until the faults are over.
class CaseFailpoints : public Failpoints {
public:
    explicit CaseFailpoints(const pb::Case& told)
        : m_rate(told.failpoints_rate()), m_draw(told.seed(), DrawnFor::Failpoints)
    {
        for (const std::string& name : told.failpoints())
            if (const auto failpoint = failpointNamed(name))
                m_isOn[std::size_t(*failpoint)] = true;
    }

    bool fires(Failpoint failpoint) override
    {
        if (!m_isOn[std::size_t(failpoint)] || !m_draw.chance(m_rate))
            return false;
        ++m_fired[std::size_t(failpoint)];
        return true;
    }
    void end() { m_isOn.fill(false); }
    const std::array<std::uint64_t, kFailpoints>& fired() const { return m_fired; }

private:
    const std::uint32_t m_rate;
    Generator m_draw;
    std::array<bool, kFailpoints> m_isOn {};
    std::array<std::uint64_t, kFailpoints> m_fired {};
};

} // namespace lhrs

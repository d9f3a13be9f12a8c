// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/replay_windows.h"

namespace lhrs {

bool ReplayWindows::accept(NodeId sender, std::uint64_t counter)
{
    const auto [found, isNew] = m_windows.try_emplace(sender.value);
    Window& window = found->second;
    if (isNew) {
        m_bySilence.push_front(sender);
        window.place = m_bySilence.begin();
        window.newest = counter;
        if (m_windows.size() > m_sendersMax) {
            m_windows.erase(m_bySilence.back().value);
            m_bySilence.pop_back();
        }
    } else if (window.place != m_bySilence.begin()) {
        m_bySilence.splice(m_bySilence.begin(), m_bySilence, window.place);
    }
    if (counter > window.newest) {
        if (counter - window.newest >= kWidth)
            window.seen.fill(0);
        else
            for (std::uint64_t passed = window.newest + 1; passed < counter; ++passed)
                window.seen[passed % kWidth / 64] &= ~(std::uint64_t(1) << passed % 64);
        window.newest = counter;
    } else if (window.newest - counter >= kWidth
        || (!isNew && (window.seen[counter % kWidth / 64] >> counter % 64 & 1) != 0)) {
        return false;
    }
    window.seen[counter % kWidth / 64] |= std::uint64_t(1) << counter % 64;
    return true;
}

} // namespace lhrs

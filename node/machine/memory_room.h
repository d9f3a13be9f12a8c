// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace lhrs {

// What the driver has measured of the memory of a process, in bytes.
struct MemoryReading {
    std::uint64_t limit = 0; // the lowest limit that applies; 0: there is none
    std::uint64_t left = 0; // bytes that may still be allocated below the limit
    std::string bound; // name of that limit, for people
};

// How much more memory a server may use. The driver measures from time to time. Between two measurements, the growth of
// what the machine stores is counted, so that a burst of inserts cannot exceed the limit.
class MemoryRoom {
public:
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

    // `stored`: bytes that the machine holds at the time of the measurement; in the other calls, at the time of the
    // call.
    void setReading(const MemoryReading& reading, std::uint64_t stored)
    {
        m_reading = reading;
        m_storedThen = stored;
    }
    bool hasLimit() const { return m_reading.limit != 0; }
    const MemoryReading& reading() const { return m_reading; }
    // Bytes left below the limit.
    std::uint64_t left(std::uint64_t stored) const
    {
        if (!hasLimit())
            return kUnlimited;
        const std::uint64_t given = m_storedThen > stored ? m_storedThen - stored : 0;
        const std::uint64_t taken = stored > m_storedThen ? stored - m_storedThen : 0;
        const std::uint64_t left = m_reading.left + given;
        return std::min(left - std::min(left, taken), m_reading.limit);
    }
    // Memory that clients' changes may not use, because messages in queues and long transfers need it.
    std::uint64_t reserve() const { return std::min(m_reading.limit / 8, kReserveMax); }
    // Whether the reserve stays untouched if this many bytes are added.
    bool fits(std::uint64_t bytes, std::uint64_t stored) const
    {
        return !hasLimit() || left(stored) >= reserve() + bytes;
    }

private:
    static constexpr std::uint64_t kReserveMax = std::uint64_t(128) << 20;
    MemoryReading m_reading;
    std::uint64_t m_storedThen = 0;
};

} // namespace lhrs

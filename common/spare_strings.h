// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// The memory of strings that are not needed any more, for those that come. An arena keeps the numbers of its messages, but the
// bytes of a longer string are taken from the heap and given back for each message; so who knows a message's value lends it memory
// before it is filled in, and takes it back before the arena is reset. Not thread-safe: each thread has its own.
class SpareStrings {
public:
    // `to`, which is empty, gets the memory that came back last, if there is any.
    void lend(std::string& to)
    {
        if (m_spare.empty())
            return;
        to = std::move(m_spare.back());
        m_spare.pop_back();
        m_bytes -= to.capacity();
    }
    // `from` is of no use afterwards.
    void takeBack(std::string& from)
    {
        if (!ownsMemory(from) || m_bytes + from.capacity() > kBytesMax)
            return;
        from.clear();
        m_bytes += from.capacity();
        m_spare.push_back(std::move(from));
    }
    // Short ones lie within the string itself.
    static bool ownsMemory(const std::string& text) { return text.capacity() > kWithin; }
    static bool wantsMemory(std::size_t bytes) { return bytes > kWithin; }
    std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t kBytesMax = std::size_t(256) << 10;
    inline static const std::size_t kWithin = std::string().capacity();

    std::vector<std::string> m_spare;
    std::size_t m_bytes = 0;
};

} // namespace lhrs

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// Reuses the memory of strings that are no longer needed. An arena reuses the memory of its messages, but the bytes of
// a longer string are allocated and freed for each message. So the owner of a message's value lends it memory before it
// is filled in, and takes the memory back before the arena is reset. Not thread-safe: use one pool per thread.
class StringPool {
public:
    // `to` must be empty; it gets the memory that was returned last, if there is any.
    void lend(std::string& to)
    {
        if (m_kept.empty())
            return;
        to = std::move(m_kept.back());
        m_kept.pop_back();
        m_bytes -= to.capacity();
    }
    // `from` must not be used afterwards.
    void takeBack(std::string& from)
    {
        if (!ownsMemory(from) || m_bytes + from.capacity() > kBytesMax)
            return;
        from.clear();
        m_bytes += from.capacity();
        m_kept.push_back(std::move(from));
    }
    // Short strings are stored within the string object itself.
    static bool ownsMemory(const std::string& text) { return text.capacity() > kWithin; }
    static bool wantsMemory(std::size_t bytes) { return bytes > kWithin; }
    std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t kBytesMax = std::size_t(256) << 10;
    inline static const std::size_t kWithin = std::string().capacity();

    std::vector<std::string> m_kept;
    std::size_t m_bytes = 0;
};

} // namespace lhrs

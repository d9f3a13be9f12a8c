// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/key_window.h"

#include "node/door/stored_key.h"

#include <algorithm>

namespace lhrs {

bool KeyWindow::found(Key key, std::string_view value)
{
    const auto name = keyIn(value);
    if (!name)
        return false; // a record that no door has written
    if (!covers(key.value))
        return true;
    m_entries.push_back({ key.value, std::uint32_t(m_bytes.size()), std::uint32_t(name->size()) });
    m_bytes.append(*name);
    if (bytes() > m_bytesMax)
        trim(m_bytesMax / 2);
    return true;
}

void KeyWindow::order()
{
    std::sort(
        m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) { return a.storeKey < b.storeKey; });
    // A record that moved during the scan may have come twice.
    m_entries.erase(std::unique(m_entries.begin(), m_entries.end(),
                        [](const Entry& a, const Entry& b) { return a.storeKey == b.storeKey; }),
        m_entries.end());
}

// Keeps the lowest store keys, as many as fit, but at least one.
void KeyWindow::trim(std::size_t most)
{
    order();
    std::string kept;
    std::size_t count = 0;
    for (; count < m_entries.size(); ++count) {
        Entry& entry = m_entries[count];
        if (count > 0 && kept.size() + entry.length + (count + 1) * sizeof(Entry) > most)
            break;
        const std::uint32_t begin = std::uint32_t(kept.size());
        kept.append(m_bytes, entry.begin, entry.length);
        entry.begin = begin;
    }
    if (count < m_entries.size())
        m_last = m_entries[count].storeKey - 1;
    m_entries.resize(count);
    m_bytes = std::move(kept);
}

void KeyWindow::close() { trim(m_bytesMax / 2); }

KeyWindow::Page KeyWindow::page(std::uint64_t from, std::uint32_t count) const
{
    Page page;
    auto at = std::lower_bound(
        m_entries.begin(), m_entries.end(), from, [](const Entry& e, std::uint64_t key) { return e.storeKey < key; });
    for (; at != m_entries.end() && page.keys.size() < count; ++at)
        page.keys.push_back(std::string_view(m_bytes).substr(at->begin, at->length));
    // Behind its last key the window may still not be at the end of the store; next is 0 only there.
    page.next = at != m_entries.end() ? at->storeKey : m_last + 1;
    return page;
}

} // namespace lhrs

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/walk/ring_ids.h"

#include <algorithm>

namespace lhrs::gui::walk {

RingIds::RingIds(const RingIds& other) : m_ids(other.m_ids), m_isShared(true) { other.m_isShared = true; }

RingIds& RingIds::operator=(const RingIds& other)
{
    m_ids = other.m_ids;
    m_isShared = other.m_isShared = true;
    return *this;
}

const std::vector<std::uint64_t>& RingIds::all() const
{
    static const std::vector<std::uint64_t> kNone;
    return m_ids ? *m_ids : kNone;
}

std::vector<std::uint64_t>& RingIds::forWrite()
{
    if (!m_ids || m_isShared)
        m_ids = std::make_shared<std::vector<std::uint64_t>>(all());
    m_isShared = false;
    return *m_ids;
}

void RingIds::add(std::uint64_t id)
{
    if (all().size() >= kMost)
        return;
    std::vector<std::uint64_t>& ids = forWrite();
    ids.insert(std::upper_bound(ids.begin(), ids.end(), id), id);
}

void RingIds::remove(std::uint64_t id)
{
    if (!std::binary_search(all().begin(), all().end(), id))
        return;
    std::vector<std::uint64_t>& ids = forWrite();
    ids.erase(std::lower_bound(ids.begin(), ids.end(), id));
}

void RingIds::removeRange(std::uint64_t from, std::uint64_t to)
{
    std::erase_if(forWrite(), [&](std::uint64_t id) { return isInRange(id, from, to); });
}

void RingIds::clear()
{
    m_ids.reset();
    m_isShared = false;
}

} // namespace lhrs::gui::walk

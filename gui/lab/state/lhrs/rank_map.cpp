// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/rank_map.h"

namespace lhrs::gui {

RankMap::RankMap(const RankMap& other) : m_pages(other.m_pages), m_count(other.m_count)
{
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        m_pages[i].isShared = true;
        // Written only once, because a map that is itself a copy may be copied in several threads at a time.
        if (!other.m_pages[i].isShared)
            other.m_pages[i].isShared = true;
    }
}

RankMap& RankMap::operator=(const RankMap& other)
{
    if (this != &other)
        *this = RankMap(other);
    return *this;
}

RankMap::Page& RankMap::pageForWrite(std::uint32_t rank)
{
    const std::size_t index = rank / kPage;
    if (index >= m_pages.size())
        m_pages.resize(index + 1);
    Slot& slot = m_pages[index];
    if (!slot.page)
        slot = { std::make_shared<Page>(), false };
    else if (slot.isShared)
        slot = { std::make_shared<Page>(*slot.page), false };
    return *slot.page;
}

void RankMap::set(std::uint32_t rank, std::uint64_t number)
{
    if (rank > kRankMax)
        return; // a limit for external input; no real bucket reaches it
    Page& page = pageForWrite(rank);
    if (!page.used[rank % kPage]) {
        page.used.set(rank % kPage);
        ++m_count;
    }
    page.numbers[rank % kPage] = number;
}

void RankMap::clear(std::uint32_t rank)
{
    if (!has(rank))
        return;
    Page& page = pageForWrite(rank);
    page.used.reset(rank % kPage);
    page.numbers[rank % kPage] = 0;
    --m_count;
}

void RankMap::clearAll()
{
    m_pages.clear();
    m_count = 0;
}

bool RankMap::has(std::uint32_t rank) const
{
    const std::size_t index = rank / kPage;
    return index < m_pages.size() && m_pages[index].page && m_pages[index].page->used[rank % kPage];
}

std::uint64_t RankMap::at(std::uint32_t rank) const
{
    return has(rank) ? m_pages[rank / kPage].page->numbers[rank % kPage] : 0;
}

std::uint32_t RankMap::rankMax() const
{
    for (std::size_t index = m_pages.size(); index-- > 0;) {
        if (!m_pages[index].page || m_pages[index].page->used.none())
            continue;
        for (std::uint32_t offset = kPage; offset-- > 0;)
            if (m_pages[index].page->used[offset])
                return std::uint32_t(index) * kPage + offset;
    }
    return 0;
}

std::vector<std::uint32_t> RankMap::pages() const
{
    std::vector<std::uint32_t> pages;
    for (std::size_t index = 0; index < m_pages.size(); ++index)
        if (m_pages[index].page && m_pages[index].page->used.any())
            pages.push_back(std::uint32_t(index));
    return pages;
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> RankMap::inPage(std::uint32_t page) const
{
    std::vector<std::pair<std::uint32_t, std::uint64_t>> content;
    if (page < m_pages.size() && m_pages[page].page)
        for (std::uint32_t offset = 0; offset < kPage; ++offset)
            if (m_pages[page].page->used[offset])
                content.emplace_back(page * kPage + offset, m_pages[page].page->numbers[offset]);
    return content;
}

bool RankMap::sharesPage(const RankMap& before, std::uint32_t page) const
{
    return page < m_pages.size() && page < before.m_pages.size() && m_pages[page].page
        && m_pages[page].page == before.m_pages[page].page;
}

bool RankMap::operator==(const RankMap& other) const
{
    if (m_count != other.m_count)
        return false;
    // With equal counts it is enough that each rank used here has the same number there.
    for (std::size_t index = 0; index < m_pages.size(); ++index) {
        const Page* page = m_pages[index].page.get();
        if (page == nullptr || page->used.none())
            continue;
        const Page* peer = index < other.m_pages.size() ? other.m_pages[index].page.get() : nullptr;
        if (page == peer)
            continue;
        if (peer == nullptr || page->used != peer->used || page->numbers != peer->numbers)
            return false;
    }
    return true;
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/captured_contents.h"

#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/state/lhrs/place_numbers.h"

#include <algorithm>
#include <map>
#include <set>

namespace lhrs::gui {

std::optional<CapturedPart> partOf(const pb::ContentsPage& page, std::uint32_t rankFrom, std::uint32_t count)
{
    if (!page.has_place() || page.place().role() == pb::NO_ROLE || rankFrom == 0 || count == 0)
        return std::nullopt;
    // A page may end before the requested count: the rest was not read.
    const std::uint32_t ranks = page.next_rank() > rankFrom ? std::min(count, page.next_rank() - rankFrom) : count;
    return CapturedPart { placeNumber(page.place()), rankFrom, ranks, bytesOf(page) };
}

std::optional<pb::ContentsPage> capturedContents(
    const pb::Place& place, std::uint32_t rankFrom, std::uint32_t count, const CapturedParts& parts)
{
    std::optional<pb::ContentsPage> newest;
    std::map<std::uint32_t, pb::ContentsPage::DataRecord> data;
    std::map<std::uint32_t, pb::ContentsPage::ParityRecord> parity;
    std::set<std::uint32_t> known; // ranks already taken from a newer reading
    parts([&](const CapturedPart& part) {
        pb::ContentsPage page;
        if (!parseBody(part.body, page))
            return true;
        const std::uint64_t first = std::max(rankFrom, part.first);
        const std::uint64_t end = std::min(std::uint64_t(rankFrom) + count, std::uint64_t(part.first) + part.count);
        const auto isNew = [&](std::uint32_t rank) { return rank >= first && rank < end && !known.contains(rank); };
        for (const auto& record : page.data()) {
            if (isNew(record.rank()))
                data[record.rank()] = record;
        }
        for (const auto& record : page.parity()) {
            if (isNew(record.rank()))
                parity[record.rank()] = record;
        }
        for (std::uint64_t rank = first; rank < end; ++rank)
            known.insert(std::uint32_t(rank));
        if (!newest) {
            newest = page;
            newest->clear_data();
            newest->clear_parity();
            *newest->mutable_place() = place;
        }
        return known.size() < count;
    });
    for (const auto& [rank, record] : data)
        *newest->add_data() = record;
    for (const auto& [rank, record] : parity)
        *newest->add_parity() = record;
    return newest;
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/file_notes.h"

#include "common/kinds.h"
#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/state/lhrs/file_message.h"
#include "gui/lab/state/lhrs/place_numbers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lhrs::gui {

namespace {

class FileNotes : public SystemNotes {
public:
    void take(const pb::Event& event) override
    {
        if (event.has_file_created())
            m_m = std::max(1u, event.file_created().config().m());
    }
    void take(const pb::Snapshot& snapshot) override
    {
        if (snapshot.has_file() && snapshot.file().config().m() > 0)
            m_m = snapshot.file().config().m();
    }
    std::optional<std::int64_t> groupOf(const pb::Event& event) const override;
    std::optional<std::int64_t> placeOf(const pb::Event& event) const override
    {
        const pb::Place& place = event.place();
        const bool hasPlace = place.role() == pb::DATA || place.role() == pb::PARITY;
        return hasPlace ? std::optional(placeNumber(place)) : std::nullopt;
    }
    void keyframe(const ClusterState& state, const AddPage& add) override;

private:
    std::uint32_t m_m = 4; // of the file
    std::map<std::int64_t, RankMap> m_pages; // of the former keyframe, by place
};

// The group in its body (the coordinator reports failures), else the group of its process.
std::optional<std::int64_t> FileNotes::groupOf(const pb::Event& event) const
{
    if (const google::protobuf::Message* body = bodyOf(event); body != nullptr) {
        const auto* group = body->GetDescriptor()->FindFieldByName("group");
        if (group != nullptr && group->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT32)
            return body->GetReflection()->GetUInt32(*body, group);
    }
    const pb::Place& place = event.place();
    return place.role() == pb::PARITY ? std::optional<std::int64_t>(place.number())
        : place.role() == pb::DATA    ? std::optional<std::int64_t>(place.number() / m_m)
                                      : std::nullopt;
}

void FileNotes::keyframe(const ClusterState& state, const AddPage& add)
{
    if (state.file.config.m() > 0)
        m_m = state.file.config.m();
    std::map<std::int64_t, RankMap> pages;
    const auto keep = [&](std::int64_t place, const RankMap& ranks) {
        const auto before = m_pages.find(place);
        for (const std::uint32_t page : ranks.pages())
            if (before == m_pages.end() || !ranks.sharesPage(before->second, page))
                add(place, page, bytesOf(pageOf(ranks, page)));
        pages.emplace(place, ranks);
    };
    for (const auto& [bucket, data] : state.data)
        keep(dataPlace(bucket), data.ranks);
    for (const auto& [bucket, parity] : state.parity)
        keep(parityPlace(parity.group, parity.column), parity.ranks);
    m_pages = std::move(pages);
}

} // namespace

std::unique_ptr<SystemNotes> fileNotes() { return std::make_unique<FileNotes>(); }

} // namespace lhrs::gui

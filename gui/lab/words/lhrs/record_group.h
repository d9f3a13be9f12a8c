// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"
#include "gui/lab/state/lhrs/file_view.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::gui {

// What a member of a record group holds at the rank: a data record, or a parity record with its key list.
struct MemberRecord {
    struct Listed {
        std::uint32_t position = 0, length = 0;
        std::uint64_t key = 0, version = 0;
        bool operator==(const Listed&) const = default;
    };
    bool isPresent = false; // false: no record at this rank; it counts as zeros
    std::uint64_t key = 0, version = 0;
    std::string bytes;
    std::vector<Listed> members; // of a parity record
    bool operator==(const MemberRecord&) const = default;
};
// The record at `rank`, from a page that was read from that rank on.
MemberRecord recordOf(const pb::ContentsPage& page, std::uint32_t rank);

// Contents that were read earlier, by place and rank. A witness taken by a person or a scenario is pinned and kept;
// otherwise the newest reading is kept. Thread-safe.
class WitnessBook {
public:
    struct Entry {
        MemberRecord record;
        bool isPinned = false;
        std::uint64_t number = 0; // of the reading, in order
    };
    void keep(const pb::Place& place, std::uint32_t rank, MemberRecord record, bool isPinned);
    std::optional<Entry> find(const pb::Place& place, std::uint32_t rank) const;
    void forget(const pb::Place& place, std::uint32_t rank);
    void clear();

    static constexpr std::size_t kEntriesMax = 100'000; // beyond this the oldest entry that is not pinned is dropped

private:
    struct Where {
        int role = 0;
        std::uint32_t number = 0, column = 0, rank = 0;
        auto operator<=>(const Where&) const = default;
    };
    static Where whereOf(const pb::Place& place, std::uint32_t rank)
    {
        return { int(place.role()), place.number(), place.column(), rank };
    }

    mutable std::mutex m_mutex; // guards the members below
    std::map<Where, Entry> m_entries;
    std::map<std::uint64_t, Where> m_order; // of the entries that are not pinned
    std::uint64_t m_number = 0;
};

// A member of a record group as the watcher knows it.
struct GroupMember {
    enum class Standing {
        Here, // a process serves the place
        Dummy, // the bucket does not exist yet: zeros
        Down, // failed, gone, lost or not rebuilt yet
    };
    Participant member;
    pb::Place place;
    Standing standing = Standing::Here;
    std::string words; // state of a member that is down
    ProcessId process = 0;

    bool isRead = false; // `record` is what the live place holds
    MemberRecord record;
    std::string trouble; // why it could not be read; empty: it was read, or is being read
    std::optional<WitnessBook::Entry> witness;
};
// "data 5", "parity 1.0".
std::string nameOf(const pb::Place& place);
// "D1", "P0": data position or parity column.
std::string shortName(Participant member);

// A record group: all members of group g at rank r, data positions first.
struct RecordGroup {
    std::uint32_t group = 0, rank = 0, m = 0, k = 0;
    FieldWidth field = FieldWidth::Gf16;
    std::vector<GroupMember> members; // m data positions, then k parity columns
    // From the last recovery of the group, if its manager reported it.
    std::shared_ptr<const pb::DecoderChosen> decoder;
    bool isBeingRebuilt = false; // now

    GroupMember* find(Participant member);
    const GroupMember* find(Participant member) const;
    // What the parity records list for the member at this position; empty: none is read, or it has no record.
    std::optional<MemberRecord::Listed> listed(std::uint32_t position) const;
    bool hasParityRead() const;
    // Why the members that were read are not in one state, in words; empty if they are. Members may be read before
    // and after a change; they may be combined only if their versions agree.
    std::string differenceOfStates() const;
};

// The members without bytes. Empty: there is no such group.
std::optional<RecordGroup> recordGroupOf(const FileView& state, std::uint32_t group, std::uint32_t rank);

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"

#include <set>
#include <string>
#include <vector>

namespace lhrs {

// Gets servers for new places of one bucket group (lhrs.md 14.1): recruits them, enters them into the group's next
// epoch, confirms them, and starts over with others when one that had offered does not answer.
//
//   recruit -> confirm -> confirmed
//       ^---withdraw--/
class Enlistment {
public:
    struct Place {
        pb::Role role = pb::NO_ROLE;
        std::uint32_t number = 0; // bucket, or group
        std::uint32_t column = 0;
        Level level = 0;
        pb::MemberState state = pb::UP;
        std::uint64_t split = 0;  // that creates it
        bool isHidden = false;    // a spare that is filled first: not in the group's table yet
    };
    struct Member {
        Place place;
        std::uint64_t invitation = 0;
        HolderInfo holder;
    };

    explicit Enlistment(CoordinatorParts& parts) : m_parts(parts), m_recruiter(parts.invitations) {}

    // `purpose` says for whom, in words; `isNewGroup`: the group consists of these places alone.
    void start(GroupNumber g, std::vector<Place> places, bool isNewGroup, std::string purpose, Time now, Effects& out);
    // As if these had been recruited and confirmed just now: they are in the group's table.
    void adopt(GroupNumber g, std::vector<Member> members);
    // True if the offer is one of ours.
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    // True if the message was one of our Confirms.
    bool onAcknowledged(const AckList::Entry& entry);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    Time deadline() const { return m_recruiter.deadline(); }

    bool isConfirmed() const { return m_isEntered && m_waiting.empty(); }
    // Nobody answers the invitation.
    bool isMissing() const { return m_recruiter.isMissing(); }
    std::string missing() const { return m_recruiter.missing(); }
    const std::vector<Member>& members() const { return m_members; }
    bool has(const HolderInfo& holder) const;
    // Takes the members out of the group's table again.
    void takeOut();
    // Ends whatever is under way; members are told that they are no bucket.
    void stop(Time now, Effects& out);

private:
    void recruit(Time now, Effects& out);
    void confirm(Time now, Effects& out);
    void withdraw(Time now, Effects& out);
    void release(Time now, Effects& out);

    CoordinatorParts& m_parts;
    Recruiter m_recruiter;
    GroupNumber m_group;
    std::vector<Place> m_places;
    bool m_isNewGroup = false;
    bool m_isEntered = false;
    std::string m_purpose;
    std::vector<Member> m_members;
    std::set<std::uint64_t> m_waiting; // Confirms by id
};

} // namespace lhrs

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/growth/orders.h"

#include <set>
#include <string>
#include <vector>

namespace lhrs {

// Obtains servers for new places of one bucket group: recruits them, enters them into the group's next epoch, and
// confirms them. If one that had offered itself does not answer, it starts over with others.
//
//   recruit -> confirm -> confirmed
//       ^---withdraw--/
class Enlistment {
public:
    struct Place {
        pb::Role role = pb::NO_ROLE;
        std::uint32_t number = 0; // number of the bucket or the group
        std::uint32_t column = 0;
        Level level = 0;
        pb::MemberState state = pb::UP;
        std::uint64_t split = 0; // the split that creates the bucket
        bool isHidden = false; // a spare that is filled first: not yet in the group's table
    };
    struct Member {
        Place place;
        std::uint64_t invitation = 0;
        HolderInfo holder;
    };

    explicit Enlistment(CoordinatorParts& parts) : m_parts(parts), m_recruiter(parts.invitations) { }

    // `purpose` says in words what the servers are for; `isNewGroup`: the group consists of these places only.
    void start(GroupNumber g, std::vector<Place> places, bool isNewGroup, std::string purpose, Time now, Effects& out);
    // Treats these members, which are in the group's table, as recruited and confirmed.
    void adopt(GroupNumber g, std::vector<Member> members);
    // Returns true if the offer answers this recruiting.
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    // Returns true if the message was one of this object's Confirm messages.
    bool onAcknowledged(const AckList::Entry& entry);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    Time deadline() const { return m_recruiter.deadline(); }

    bool isConfirmed() const { return m_isEntered && m_waiting.empty(); }
    // No server answers the invitation.
    bool isMissing() const { return m_recruiter.isMissing(); }
    std::string missing() const { return m_recruiter.missing(); }
    const std::vector<Member>& members() const { return m_members; }
    bool has(const HolderInfo& holder) const;
    // Tells the other members of the group about these members.
    void tell(Orders& orders, Time now, Effects& out) const;
    // Refuses the command that waits for it; 0: no command waits.
    void refuse(std::uint64_t ticket, Effects& out) const;
    // Removes the members from the group's table.
    void takeOut();
    // Ends whatever is under way and tells the members that they are not buckets.
    void stop(Time now, Effects& out);

private:
    void recruit(Time now, Effects& out);
    Recruiter::HostLoad hostLoad() const;
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
    std::set<std::uint64_t> m_waiting; // ids of the Confirm messages that are not acknowledged
};

} // namespace lhrs

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"

#include <functional>
#include <map>
#include <string>

namespace lhrs {

// The coordinator's messages for which one step of a reconfiguration waits. The step is over when each of them is
// acknowledged, so a lost message delays a step but never skips it.
class Orders {
public:
    explicit Orders(CoordinatorParts& parts) : m_parts(parts) { }

    void send(pb::Message message, const HolderInfo& to, Time now, Effects& out);
    // The same for a member that may have failed: then nothing is sent or waited for.
    void send(pb::Message message, const FileState::MemberInfo* to, Time now, Effects& out);
    // Sends the group's present epoch to all members of its view except those for which `isLeftOut` is true.
    void sendEpoch(GroupNumber g, Time now, Effects& out, const std::function<bool(const HolderInfo&)>& isLeftOut = {});

    // Begins another epoch of the group and tells all its members.
    void changeEpoch(GroupNumber g, const std::string& reason, Time now, Effects& out);

    bool areDone() const { return m_waiting.empty(); }
    bool areWaitingFor(Incarnation holder) const;
    // Returns true if the acknowledged message was one of these.
    bool onAcknowledged(const AckList::Entry& entry) { return m_waiting.erase(entry.message.id()) > 0; }
    // Stops waiting for these messages and stops resending them.
    void forget();
    // The same for messages to processes that have failed and no longer hold a place.
    void forgetFailed();

private:
    CoordinatorParts& m_parts;
    std::map<std::uint64_t, Incarnation> m_waiting; // message id -> receiver
};

} // namespace lhrs

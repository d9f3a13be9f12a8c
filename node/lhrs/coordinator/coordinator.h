// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/directory.h"
#include "node/lhrs/coordinator/failures.h"
#include "node/lhrs/coordinator/file_rebuild.h"
#include "node/lhrs/file/file_state.h"
#include "node/lhrs/growth/growth.h"
#include "node/machine/machine.h"
#include "node/machine/requests/rest_waiters.h"
#include "node/lhrs/coordinator/recovery_policy.h"
#include "node/lhrs/file/recruiting.h"

#include <map>
#include <set>

namespace lhrs {

struct CoordinatorOptions {
    pb::ProcessInfo self; // with its addresses
    pb::FileConfig config; // m and b are at least 1, which the option parser checks
    pb::Timers timers;
    Recruiting recruiting = Recruiting::Auto;
    std::uint64_t seed = 0;
    bool listensFirst = false; // a file may exist already: listen for it before ordering anything
    bool isFileKnown = false; // a file exists: create none unless an operator orders it
};

// The coordinator of one file: it knows (i,n), K and the holder of each place, recruits servers, and orders splits and
// the creation of parity buckets. Key operations do not pass through it.
class Coordinator : public Machine {
public:
    explicit Coordinator(CoordinatorOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_acks.receiverOf(id); }

    const FileState& file() const { return m_file; }
    const Growth& growth() const { return m_growth; }
    std::string underWay() const;
    // Nothing is under way or owed, and no member is missing.
    bool isAtRest() const { return !m_rebuild && m_takeover.areDone() && m_growth.isAtRest() && m_failures.isAtRest(); }
    bool isListening() const { return m_rebuild != nullptr; }
    // A file exists, but none of its buckets is heard: waits for them, or until an operator gives them up.
    bool isFileSilent() const { return m_rebuild && m_rebuild->isFileSilent(); }
    bool isSuperseded() const { return m_isSuperseded; }

private:
    void act(const pb::Message& message, Time now, Effects& out);
    Time forgetAfter() const; // the silence after which a process without a place is forgotten
    void wake(Time now, bool looks, Effects& out);
    void carryOut(const pb::Command& command, Time now, Effects& out);
    // Puts this coordinator's epoch into every outgoing message, so that no process follows it once there is a later
    // one.
    void sign(Effects& out) const;

    // Restart of the coordinator.
    void listen(const pb::Message& message, Time now, Effects& out);
    void askForState(const pb::Message& message, Time now, Effects& out) const;
    // Whether the report answers a question of this listening phase or a later one, and whether the promise of its
    // process was still valid on arrival. A report that was delayed for long describes the file as it was under a
    // former coordinator.
    bool isOfNow(const pb::StateReport& report, Time now) const;
    void hearsServer(Time now);
    std::unique_ptr<FileRebuild> newRebuild() const;
    void listenAnewAfterSleep(Time now, Effects& out);
    void endListening(Time now, Effects& out);
    void takeOver(Time now, Effects& out);
    void onStateReport(const pb::Message& message, Time now, Effects& out);
    // Ends an operation that a data bucket still has under way but that no other process knows.
    void settleForgotten(const pb::StateReport& report, Time now, Effects& out);
    void onSuperseded(const pb::Message& message, Effects& out);

    void onRegister(const pb::Message& message, Time now, Effects& out);
    void onAlive(const pb::Message& message, Time now, Effects& out);
    void fill(pb::Registered& registered, const Directory::Entry& entry, std::uint64_t knowsReplaced) const;
    void tellOfFile(const Directory::Entry& entry, std::uint64_t knowsReplaced, Effects& out);
    void tellAllOfFile(Effects& out);
    void onWhereIs(const pb::Message& message, Effects& out);
    void onOverload(const pb::Message& message, Time now, Effects& out);
    // Load control, an option of the file: whether the file holds too few records for a split.
    bool isLoadLow(const pb::Overload& overload) const;
    void onUnderflow(const pb::Message& message, Time now, Effects& out);
    bool isCopy(const pb::Message& report);
    // Returns whether a file exists; if none does, refuses the command.
    bool isThereAFile(const pb::Command& command, Effects& out) const;
    void onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Message& message, Time now, Effects& out);
    void onContentsDone(const pb::Message& message, Time now, Effects& out);
    void raiseAvailability(const pb::Command& command, Effects& out);
    void recoverGroup(const pb::Command& command, Time now, Effects& out);
    void setTimeScale(const pb::Command& command, Effects& out);
    void describe(pb::FileDescription& out) const;
    void answerWaiters(Time now, Effects& out);

    const pb::ProcessInfo m_self;
    const pb::Timers m_timers; // as given
    AckList m_acks;
    FileState m_file;
    Directory m_directory;
    Invitations m_invitations;
    CoordinatorParts m_parts;
    Growth m_growth;
    Failures m_failures;
    RecoveryPolicy m_policy;
    std::map<NodeId, std::set<std::uint64_t>> m_overloadsSeen; // ids of the latest reports of each sender
    RestWaiters m_waiters;
    std::unique_ptr<FileRebuild> m_rebuild; // exists while the coordinator listens
    Time m_listensSince {}, m_listensUntil = Time::max(), m_listensAtMost {};
    Orders m_takeover; // messages to the members after a restart
    std::set<Incarnation> m_unheard; // members that had not reported when listening ended
    std::set<NodeId> m_foreign; // holders of a former file that was unknown at the start
    const bool m_isFileKnown; // as given by whatever started this process
    bool m_isFileNew = true; // this coordinator has created the file or will create it
    bool m_isFileTold = false; // all processes that were present when it was created have been told
    bool m_isSuperseded = false;
    bool m_isStarted = false;
    Time m_now {};
    Time m_nextLook {}; // next look at the directory
};

} // namespace lhrs

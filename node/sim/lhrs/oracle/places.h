// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/oracle_part.h"
#include "proto/control.pb.h"

namespace lhrs {

class Coordinator;
class DataBucket;
class NodeMachine;
class ParityBucket;

// Which process holds which place, which incarnations have been replaced, and who may answer (I9, I13, I16).
class Places : private OraclePart {
public:
    // The present or last holder of a data bucket.
    struct Holder {
        std::uint32_t process = 0;
        std::uint64_t incarnation = 0;
        Time since {};
    };

    explicit Places(const OraclePart& part) : OraclePart(part) { }

    // Null: the process is no server, has ended, or has no such bucket.
    const NodeMachine* node(std::uint32_t process) const;
    const DataBucket* dataBucketAt(std::uint32_t process) const;
    const ParityBucket* parityBucketAt(std::uint32_t process) const;
    // Null while no coordinator knows the file.
    const Coordinator* coordinator() const;
    bool isPresentCoordinator(const SimProcess& process) const;
    bool isFormerCoordinator(const SimProcess& process) const;

    const std::map<std::uint32_t, Holder>& holders() const { return m_holders; } // by number of the data bucket
    // Null: no process ever held it.
    const Holder* holderOf(std::uint32_t number) const;
    // Null if its holder has ended or has another place.
    const DataBucket* dataBucket(std::uint32_t number) const;
    // The bucket has no live holder that counts.
    bool isGone(std::uint32_t number) const;
    // A bucket that was declared failed may still answer while its lease lasts.
    bool mayAnswer(std::uint32_t number, const DataBucket& bucket) const;
    // Of the last place that the process was given; 0: none.
    std::uint64_t incarnationOf(const SimProcess& process) const;
    // The process has been declared failed in its last place.
    bool isFenced(const SimProcess& process) const { return m_fenced.contains(incarnationOf(process)); }
    // The survivors have agreed on a cut of this data bucket, so it will be replaced, or it has been.
    bool isCut(std::uint64_t incarnation) const { return m_cut.contains(incarnation); }
    bool isCut(const SimProcess& process) const { return isCut(incarnationOf(process)); }
    // The process is to become a data bucket that was lost, and is not enabled yet.
    bool isRecovering(const SimProcess& process) const { return m_recovering.contains(process.index); }

    // True: a new data bucket begins there, in which nothing is stored.
    bool onRecruited(const SimProcess& process, const pb::Event& event);
    // The data bucket that ends with it, if any.
    std::optional<std::uint32_t> onReleased(const SimProcess& process);
    void onKilled(const SimProcess& process) { m_recovering.erase(process.index); }
    // The bucket never came into being, or exists no longer.
    void forget(std::uint32_t number) { m_holders.erase(number); }
    // The incarnation that has been declared failed; 0: the process does not hold this place.
    std::uint64_t onFailed(const pb::BucketFailed& failed);
    // A later coordinator does not take it for failed; true: a former one did.
    bool unfence(std::uint64_t incarnation) { return m_fenced.erase(incarnation) > 0; }
    // A later coordinator takes back a bucket that has been cut.
    void onReadopted(std::uint32_t number, std::uint64_t incarnation, bool isBounded);
    // The survivors agree on what the bucket at this index of the lists holds; true: for the first time since it was
    // lost.
    bool onCut(const SimProcess& manager, const pb::CutAgreed& agreed, int index);
    // The data bucket that the process is from now on; nothing: it has been replaced, but does not know it yet.
    std::optional<std::uint32_t> onEnabled(const SimProcess& process);

    // The data bucket that has changed a record; null if no client will ever be told of this change, or if the process
    // must not change anything.
    const DataBucket* changing(const SimProcess& process, std::uint32_t number) const;
    // I9: a displaced bucket must not answer a request that was sent after the displacement.
    void checkAnswer(const SimProcess& process, const pb::Reply& reply, Time issued) const;
    // I16: every live server is a spare, or holds exactly the place that the coordinator's table gives it.
    void checkRoles(const pb::FileDescription& file) const;

private:
    struct Given {
        std::uint64_t incarnation = 0;
        pb::Place place;
    };

    const SimProcess* coordinatorProcess() const;
    bool hasLease(const Holder& holder, const DataBucket& bucket) const;

    std::map<std::uint32_t, Holder> m_holders;
    std::map<std::uint32_t, Given> m_given; // by process: its last place
    std::map<std::uint32_t, std::uint32_t> m_recovering; // process -> the bucket that it is to become
    std::set<std::uint64_t> m_fenced; // incarnations that have been declared failed
    std::set<std::uint64_t> m_cut; // those of them that are data buckets on whose cut the survivors have agreed
    std::map<std::uint32_t, std::uint64_t> m_cuts; // cuts of lost buckets, until these are replaced
};

} // namespace lhrs

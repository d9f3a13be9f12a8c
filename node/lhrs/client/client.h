// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/linear_hash.h"
#include "node/lhrs/client/bulk_insert.h"
#include "node/machine/machine.h"
#include "node/machine/node_context.h"
#include "node/machine/requests/operation_table.h"
#include "node/lhrs/client/scan.h"
#include "node/machine/requests/workload.h"
#include "node/machine/requests/workload_hold.h"

#include <map>
#include <memory>
#include <set>

namespace lhrs {

struct ClientOptions {
    pb::ProcessInfo self;      // with its addresses
    Address coordinator;
    std::uint64_t seed = 0;
};

// A client of the file: computes addresses with its own image, sends and resends requests, takes image adjustments, and
// asks the coordinator only for what it cannot know itself. Operations on one key are done in turn.
//
//   queued --> asking (where is the bucket?) --> sent --(Reply)--> done
//                   ^------- given up, Displaced ----/  \--(RETRY)--> sleeping --> sent
class Client : public Machine {
public:
    explicit Client(ClientOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;

    bool isRegistered() const { return m_isRegistered; }
    FileImage image() const { return m_image; }
    const Ledger& ledger() const { return m_ledger; }

private:
    enum class Stage { Queued, Asking, Sent, Sleeping };
    // The copies of a request that were refused: all below `below`, and some of the 64 from there on. The network may
    // duplicate a refusal or deliver it when a later copy is under way.
    struct Refusals {
        std::uint32_t below = 0;
        std::uint64_t from = 0; // bit i: copy below + i
        void add(std::uint32_t copy)
        {
            if (copy < below || copy - below >= 64)
                return;
            for (from |= std::uint64_t(1) << (copy - below); (from & 1) != 0; from >>= 1)
                ++below;
        }
    };
    struct Operation {
        pb::RequestId id;
        pb::OperationKind kind = pb::OPERATION_UNKNOWN;
        Key key;
        std::string value;
        bool isGenerated = false;
        std::uint64_t ticket = 0;   // of the command; 0: part of the workload
        std::uint64_t bulkNumber = 0; // the request of a bulk insert that this one checks
        Stage stage = Stage::Queued;
        BucketNumber target;
        bool knowsTruth = false;    // exact image: the coordinator was asked
        bool wasAsked = false;      // a location had to be asked for
        bool alarms = false;        // its bucket is known to be unavailable: ask the coordinator
        bool hasAlarmed = false;    // the coordinator was told that its bucket does not answer
        bool awaitsRecord = false;  // it was told that this is known: until `due` only the record comes
        std::uint32_t forwards = 0; // the most forwards of any copy
        bool isImageAdjusted = false;
        std::uint32_t copies = 0, tries = 0, resends = 0;
        Refusals refusals;
        FullAt full;                // RETRY: the server that was full
        Time started {}, end {}, sent {}, due {};
        Time counted {};            // start of its measured time; a workload with a rate sets due times
        std::uint64_t nextOfKey = 0; // number of the next one waiting for this key; 0: none
        std::uint64_t lastOfKey = 0; // in the first one of a key: number of the last waiting

        // Resets it but keeps the memory of its value.
        void again()
        {
            std::string memory = std::move(value);
            memory.clear();
            *this = {};
            value = std::move(memory);
        }
    };

    void onReply(const pb::Message& message, Time now, Effects& out);
    void onDisplaced(const pb::Message& message, Time now, Effects& out);
    void onLocation(const pb::Message& message, Time now, Effects& out);
    void onScanReply(const pb::Message& message, Time now, Effects& out);
    void onRegistered(const pb::Message& message, Time now, Effects& out);
    void operate(const pb::Command& command, Time now, Effects& out);
    void runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out);
    void runScan(const pb::Command& command, Time now, Effects& out);
    void endScan(Time now, Effects& out);
    void setPatience(const pb::Command& command, Effects& out);
    // The order for requests that read back what this client wrote.
    pb::RunWorkload orderOf(const pb::Verify& verify) const;
    void describe(pb::ClientDescription& out) const;

    // A watcher holds the workload: nothing new begins, operations under way end, single operations and scans wait.
    void holdWorkload(const pb::Command& command, Time now, Effects& out);
    void endHold(const std::string& reason, Time now, Effects& out);
    void waitForHold(const pb::Command& command, Effects& out);
    void reportWorkload(pb::WorkloadResult& out, Time now) const;

    // Schedules a check of what is due, but no earlier than the acknowledgement manager's period allows.
    void lookAt(Time due, Time now);
    Operation& create(pb::OperationKind kind, Key key, Time now);
    void begin(Operation& op, Time now, Effects& out);
    static bool hasDue(const Operation& op);
    // Computes the address and sends, or asks for the location first.
    void address(Operation& op, Time now, Effects& out);
    void send(Operation& op, Time now, Effects& out);
    void ask(Operation& op, Time now, Effects& out);
    void giveUp(Operation& op, Time now, Effects& out);
    // Tells the coordinator that the bucket does not answer, and what was wanted of it.
    void alarm(Operation& op, Time now, Effects& out);
    // leaveForTheRightBucket: the keys belong elsewhere. becomeUnavailable: the coordinator says that the bucket cannot
    // be used now or is lost.
    void leaveForTheRightBucket(BucketNumber a, FileImage truth, Time now, Effects& out);
    void becomeUnavailable(BucketNumber a, bool isLost, FileImage truth, Time retryAfter, Time now, Effects& out);
    // Ends the operation for its key and returns the one that may begin now, if any.
    Operation* leaveKey(const Operation& op);
    // The open operations that ask the coordinator about this bucket.
    std::vector<std::uint64_t> askingFor(BucketNumber a) const;
    void finish(Operation& op, const pb::Reply* reply, pb::ResultCode result, Time now, Effects& out);
    // Takes what a reply tells of the file: a location, and perhaps an image adjustment.
    void learn(const pb::Reply& reply, Effects& out);
    void feedWorkload(Time now, Effects& out);
    void feedBulkInsert(Time now, Effects& out);
    bool sendUnanswered(Time now, Effects& out);
    void endCheck(const Operation& op, const pb::Reply* reply, pb::ResultCode result, Effects& out);
    std::uint64_t doneBelow() const;
    Time resendInterval(const Operation& op) const;
    // How long a request waits for its answer, including resends.
    Time patience() const;

    NodeContext m_context;
    pb::FileConfig m_config;
    bool m_isStarted = false;
    bool m_isRegistered = false;
    bool m_knowsFile = false; // it has been told that there is a file
    std::uint32_t m_ordinal = 0; // in the order of registration
    FileImage m_image;
    pb::ImageMode m_mode = pb::ADJUSTING;
    std::uint64_t m_lastNumber = 0;
    OperationTable<Operation> m_operations;                  // open ones
    KeyTable<std::uint64_t> m_byKey;                         // number of the one under way; others wait for it
    std::map<BucketNumber, Time> m_asked;                    // WhereIs under way, with the next time
    std::set<BucketNumber> m_unavailable;                    // failed, according to the coordinator: alarm at once
    std::set<BucketNumber> m_unanswered;                     // an operation's deadline passed with no answer
    Ledger m_ledger;
    std::uint64_t m_nextKey = 0;
    std::unique_ptr<Workload> m_workload;
    std::unique_ptr<BulkInsert> m_bulk;
    std::unique_ptr<Scan> m_scan;
    std::uint64_t m_done = 0, m_forwards = 0, m_imageAdjustments = 0, m_resends = 0;
    Time m_roundTrip {};
    Time m_patience {}; // as set by a command; 0: as the file's timers say
    Time m_nextTick = Time::max(), m_nextAlive {};
    bool m_isFeeding = false;
    WorkloadHold m_hold;
    Time m_heldBefore {}; // the sum of holds when the workload began
};

} // namespace lhrs

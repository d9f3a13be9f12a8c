// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/linear_hash.h"
#include "node/lhrs/client/bulk_insert.h"
#include "node/lhrs/client/scan.h"
#include "node/machine/requests/client_machine.h"

#include <map>
#include <memory>
#include <set>

namespace lhrs {

struct ClientOptions {
    pb::ProcessInfo self; // with its addresses
    Address coordinator;
    std::uint64_t seed = 0;
};

// An operation of a client of the file.
struct FileOperation : ClientOperation {
    enum class Stage { Queued, Asking, Sent, Sleeping };
    // The copies of a request that were refused: all those below `below`, and some of the 64 from there on. The network
    // may duplicate a refusal, or deliver it when a later copy is under way.
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

    std::uint64_t bulkNumber = 0; // the request of a bulk insert that this one checks
    Stage stage = Stage::Queued;
    BucketNumber target;
    bool knowsTruth = false; // exact image: the coordinator has been asked
    bool wasAsked = false; // the location had to be asked for
    bool alarms = false; // its bucket is known to be unavailable: ask the coordinator
    bool hasAlarmed = false; // the coordinator has been told that its bucket does not answer
    bool awaitsRecord = false; // the coordinator knows this already: until `due`, only the record can arrive
    std::uint32_t forwards = 0; // the most forwards of any of its copies
    bool isImageAdjusted = false;
    std::uint32_t resends = 0;
    Refusals refusals;
    FullAt full; // RETRY: the server that was full

    void again() { renew(*this); }
};

// A client of the file: computes addresses with its own image, sends and resends requests, applies image adjustments,
// and asks the coordinator only for what it cannot find out itself. Operations on the same key are carried out one
// after the other.
//
//   queued --> asking (where is the bucket?) --> sent --(Reply)--> done
//                   ^------- given up, Displaced ----/  \--(RETRY)--> sleeping --> sent
class Client final : public ClientOf<FileOperation> {
public:
    explicit Client(ClientOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void inspect(Time now, pb::NodeSample& out) const override;

    FileImage image() const { return m_image; }

private:
    using Operation = FileOperation;
    using Stage = Operation::Stage;

    void onReply(const pb::Message& message, Time now, Effects& out);
    void onDisplaced(const pb::Message& message, Time now, Effects& out);
    void onLocation(const pb::Message& message, Time now, Effects& out);
    void onScanReply(const pb::Message& message, Time now, Effects& out);
    void onRegistered(const pb::Message& message, Time now, Effects& out);
    void runScan(const pb::Command& command, Time now, Effects& out);
    void endScan(Time now, Effects& out);
    void setPatience(const pb::Command& command, Effects& out);

    // What a client of the file adds to the behaviour of all clients.
    void begin(Operation& op, Time now, Effects& out) override;
    bool isBusy() const override { return m_workload || m_bulk; }
    void feedMore(Time now, Effects& out) override;
    const char* whatIsWrongHere(const pb::RunWorkload& order) const override;
    void start(const pb::RunWorkload& order, std::uint64_t ticket, Time now) override;
    void stop() override;
    void report(pb::WorkloadResult& out, Time now) const override;
    std::set<FullAt> fullNow() const override;
    bool isMeant(const pb::Verify& order, Key key) const override;
    void describe(pb::ClientDescription& out) const override;
    void addTo(pb::Alive& alive) const override { alive.set_knows_file(m_knowsFile); }

    static bool hasDue(const Operation& op);
    // Computes the address and sends the request, or asks for the location first.
    void address(Operation& op, Time now, Effects& out);
    void send(Operation& op, Time now, Effects& out);
    void ask(Operation& op, Time now, Effects& out);
    void giveUp(Operation& op, Time now, Effects& out);
    // Tells the coordinator that the bucket does not answer, and which operation was requested.
    void alarm(Operation& op, Time now, Effects& out);
    // leaveForTheRightBucket: the keys belong elsewhere. becomeUnavailable: the coordinator reports that the bucket is
    // lost or cannot be used now.
    void leaveForTheRightBucket(BucketNumber a, FileImage truth, Time now, Effects& out);
    void becomeUnavailable(BucketNumber a, bool isLost, FileImage truth, Time retryAfter, Time now, Effects& out);
    // The open operations that ask the coordinator about this bucket.
    std::vector<std::uint64_t> askingFor(BucketNumber a) const;
    void finish(Operation& op, const pb::Reply* reply, pb::ResultCode result, Time now, Effects& out);
    // Learns from a reply: a location, and possibly an image adjustment.
    void learn(const pb::Reply& reply, Effects& out);
    bool sendUnanswered(Time now, Effects& out);
    void endCheck(const Operation& op, const pb::Reply* reply, pb::ResultCode result, Effects& out);
    std::uint64_t doneBelow() const;
    Time resendInterval(const Operation& op) const;
    // How long a request waits for its answer, including resends.
    Time patience() const;

    pb::FileConfig m_config;
    bool m_knowsFile = false; // it has been told that the file exists
    FileImage m_image;
    LocationCache m_locations;
    pb::ImageMode m_mode = pb::ADJUSTING;
    std::map<BucketNumber, Time> m_asked; // WhereIs under way, with the time of the next one
    std::set<BucketNumber> m_unavailable; // failed, according to the coordinator: raise an alarm at once
    std::set<BucketNumber> m_unanswered; // an operation's deadline passed without an answer
    std::unique_ptr<BulkInsert> m_bulk;
    std::unique_ptr<Scan> m_scan;
    std::uint64_t m_imageAdjustments = 0;
    Time m_patience {}; // as set by a command; 0: from the file's timers
};

} // namespace lhrs

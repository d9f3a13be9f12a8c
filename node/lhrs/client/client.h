// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/client/bulk_insert.h"
#include "node/lhrs/client/scan.h"
#include "node/machine/requests/record_sink.h"

#include <memory>
#include <set>

namespace lhrs {

struct ClientOptions {
    pb::ProcessInfo self; // with its addresses
    Address coordinator;
    std::uint64_t seed = 0;
    RecordSink* records = nullptr; // what receives the records of some scans; it outlives the client
};

// A client of the file. Its parts keep what it knows of the file and the life of each request; it passes them messages,
// commands and time, and ends the operations. Operations on the same key are carried out one after the other.
class Client final : public ClientOf<FileOperation> {
public:
    explicit Client(ClientOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_context.acks.receiverOf(id); }

    FileImage image() const { return m_file.image(); }

private:
    using Operation = FileOperation;

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
    void addTo(pb::Alive& alive) const override { alive.set_knows_file(m_file.exists()); }

    void finish(Operation& op, const pb::Reply* reply, pb::ResultCode result, Time now, Effects& out);

    KnownFile m_file;
    FileRequests m_requests { m_context, m_times, m_file, m_operations, m_lastNumber };
    std::unique_ptr<BulkInsert> m_bulk;
    std::unique_ptr<Scan> m_scan;
    RecordSink* const m_records;
};

} // namespace lhrs

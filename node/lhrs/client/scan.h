// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/client/known_file.h"
#include "node/machine/requests/record_sink.h"

#include <map>
#include <string>
#include <vector>

namespace lhrs {

// One scan at its client. It asks every bucket of its image, and these forward the scan to others. The levels in the
// answers tell it when all have arrived. It asks again for a missing part, and then alarms the coordinator.
//
//   region open: asking (where is it?) --> sent --(ScanReply)--> answered
//                       ^---- given up ---/  \--(RETRY)--> sleeping --> sent
//
// A region is the set of all keys of a (bucket, level). Regions are disjoint or nested, so answers of different times
// fit together without gaps or duplicates.
class Scan {
public:
    // The image of `file` is corrected if it is ahead of the file. `lastNumber`: the number of the client's last
    // request. `records`: receives the records as they come; null: nothing does.
    Scan(const NodeContext& context, KnownFile& file, std::uint64_t& lastNumber, const pb::RunScan& order,
        std::uint64_t ticket, Time now, RecordSink* records = nullptr);

    void start(Time now, Effects& out);
    void onScanReply(const pb::Message& message, Time now, Effects& out);
    void onDisplaced(const pb::Displaced& displaced, Time now, Effects& out);
    void onLocation(const pb::Location& location, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    bool isOver() const { return m_isOver; }
    std::uint64_t ticket() const { return m_ticket; }
    // Fills in the result and emits the event about it.
    void report(pb::ScanResult& result, Time now, Effects& out);

private:
    struct Region {
        BucketNumber bucket;
        Level level = 0;
        auto operator<=>(const Region&) const = default;
        bool contains(Region other) const;
    };
    enum class Stage { Asking, Sent, Sleeping };
    struct Open {
        Stage stage = Stage::Asking;
        bool alarms = false; // its bucket does not answer: alarm the coordinator
        std::uint32_t tries = 0;
        Time due {};
    };
    struct Answer {
        bool isLost = false;
        std::uint64_t hits = 0, bytes = 0, taken = 0;
        std::vector<std::string> blocks {}; // only if records are to be shown
    };
    struct Coming { // a part of which some blocks have arrived
        Incarnation incarnation;
        Level level = 0;
        Sequence sequence = 0;
        std::vector<std::string> blocks;
    };

    void begin(Region region, Open& open, Time now, Effects& out);
    void send(Region region, Open& open, Time now, Effects& out);
    void ask(Region region, Open& open, Time now, Effects& out);
    void alarm(Region region, Open& open, Time now, Effects& out);
    // From now on asks separately for whatever is still open around this region; the region itself is no longer open.
    void takeOut(Region region, Time now);
    void accept(Region region, Answer answer, Time now);
    void restart(FileImage truth, Time now, Effects& out);
    void endIfComplete();
    Time interval(std::uint32_t tries) const;

    const NodeContext& m_context;
    KnownFile& m_file;
    std::uint64_t& m_lastNumber;
    const pb::RunScan m_order;
    const std::uint64_t m_ticket;
    RecordSink* const m_records;
    const Time m_started, m_end;
    pb::RequestId m_request;
    std::map<Region, Open> m_open;
    std::map<Region, Answer> m_answered;
    std::map<BucketNumber, Coming> m_coming;
    Time m_silentAt = Time::max(); // probabilistic scan: when it ends if nothing more arrives
    bool m_isOver = false;
    std::uint64_t m_messages = 0;
    std::uint32_t m_resends = 0, m_restarts = 0;
};

} // namespace lhrs

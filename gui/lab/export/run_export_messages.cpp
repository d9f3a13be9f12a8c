// SPDX-License-Identifier: GPL-3.0-or-later
// The table of messages: each sending with its arrival, if there was one.
#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/series/message_pairs.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/series/space_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lhrs::gui {

namespace {

// A process with its cluster, because the same seed gives the same process numbers again.
using Member = std::pair<std::uint32_t, ProcessId>;

struct Row {
    std::uint32_t cluster = 1;
    ProcessId from = 0, to = 0, causeProcess = 0;
    std::uint64_t id = 0, causeSequence = 0;
    pb::RequestId operation;
    std::string kind;
    pb::Transport transport = pb::UDP;
    std::uint32_t bytes = 0, tries = 0;
    std::int64_t sentNs = 0, receivedNs = 0;
    bool isSent = false, isReceived = false, isGivenUp = false;
};

const char* transportColumn(pb::Transport transport)
{
    return transport == pb::STREAM ? "tcp" : transport == pb::MULTICAST ? "multicast" : "udp";
}

} // namespace

ExportTable messageTable(Recording& recording)
{
    using E = pb::Event;
    std::vector<Row> heard; // the columns of each report, in the order of the run
    std::map<std::pair<Member, std::uint64_t>, std::pair<std::vector<MessageWord>, std::vector<std::size_t>>> byId;
    const ClusterNumbers clusters(recording.words());
    const auto member = [&](const RunEvent& run, ProcessId process) { return Member(clusters.of(run.index), process); };
    const auto each = [&](const std::vector<int>& kinds, const auto& take) {
        std::uint64_t cursor = 0;
        for (;;) {
            const EventPage page = recording.eventsOf(kinds, cursor, recording.events(), kExportPage);
            for (const RunEvent& run : page.events)
                if (!run.isGap())
                    take(run);
            cursor = page.next;
            if (page.events.size() < kExportPage)
                return;
        }
    };
    const auto keep = [&](const RunEvent& run, MessageWord::What what, Row row) {
        row.cluster = clusters.of(run.index);
        auto& [words, indexes] = byId[{ Member(row.cluster, row.from), row.id }];
        words.push_back({ what, run.index, run.process, run.event->sequence(), run.event->cause_sequence(),
            run.event->cause_process(), run.runNs });
        indexes.push_back(heard.size());
        heard.push_back(std::move(row));
    };
    // An arrival may be reported before its sending.
    each({ E::kMessageSentFieldNumber }, [&](const RunEvent& run) {
        const pb::MessageSent& e = run.event->message_sent();
        Row row;
        row.from = run.process;
        row.to = e.to();
        row.id = e.id();
        row.causeProcess = run.event->cause_process();
        row.causeSequence = run.event->cause_sequence();
        row.operation = run.event->operation();
        row.kind = e.kind();
        row.transport = e.transport();
        row.bytes = e.bytes();
        row.tries = e.tries();
        row.sentNs = run.runNs;
        row.isSent = true;
        keep(run, MessageWord::What::Sent, std::move(row));
    });
    each({ E::kMessageGivenUpFieldNumber }, [&](const RunEvent& run) {
        Row row;
        row.from = run.process;
        row.id = run.event->message_given_up().id();
        keep(run, MessageWord::What::GivenUp, std::move(row));
    });
    each({ E::kMessageReceivedFieldNumber }, [&](const RunEvent& run) {
        const pb::MessageReceived& e = run.event->message_received();
        Row row;
        row.from = e.from();
        row.id = e.id();
        row.kind = e.kind();
        row.transport = e.transport();
        row.bytes = e.bytes();
        row.operation = run.event->operation();
        keep(run, MessageWord::What::Received, std::move(row));
    });
    std::vector<Row> rows;
    for (const auto& [message, told] : byId) {
        for (const MessagePair& pair : pairMessages(told.first, message.second != 0)) {
            const auto of = [&](int word) -> const Row& { return heard[told.second[std::size_t(word)]]; };
            Row row = pair.sent >= 0 ? of(pair.sent) : of(pair.received);
            row.isGivenUp = pair.isGivenUp;
            if (pair.received >= 0) {
                row.to = told.first[std::size_t(pair.received)].process;
                row.receivedNs = told.first[std::size_t(pair.received)].ns;
                row.isReceived = true;
            }
            rows.push_back(std::move(row));
        }
    }
    // A receiver may have heard a message without a row: before its first row, or where rows were lost.
    std::map<Member, std::int64_t> tellsFrom;
    std::set<Member> hasGaps;
    std::map<std::uint32_t, std::int64_t> endNs; // by cluster
    for (std::uint64_t cursor = 0; cursor < recording.events();) {
        const EventPage page = recording.eventsSince(cursor, kExportPage);
        for (const RunEvent& run : page.events) {
            if (run.isGap())
                hasGaps.insert(member(run, run.process));
            else
                tellsFrom.try_emplace(member(run, run.process), run.runNs);
            const auto [end, isNew] = endNs.try_emplace(clusters.of(run.index), run.runNs);
            end->second = std::max(end->second, run.runNs);
        }
        if (page.events.empty())
            break;
        cursor = page.next;
    }
    const auto lostBy = [&](const Row& row) -> QVariant {
        if (row.isReceived)
            return {};
        if (row.isGivenUp)
            return "given up";
        const auto receiver = tellsFrom.find({ row.cluster, row.to });
        const bool isObserved = receiver != tellsFrom.end() && receiver->second <= row.sentNs
            && !hasGaps.contains({ row.cluster, row.to });
        if (!isObserved)
            return "not observed";
        return endNs.at(row.cluster) - row.sentNs < kUnderWayNs ? "under way" : "not received";
    };
    std::map<ProcessId, std::string> names;
    for (const auto& process : recording.rows("process"))
        names[ProcessId(process.at("id").toLongLong())] = process.at("name").toString().toStdString();
    const auto name = [&](ProcessId process) -> QVariant {
        if (process == 0)
            return {};
        const auto known = names.find(process);
        return known != names.end() && !known->second.empty() ? QString::fromStdString(known->second)
                                                              : QString::number(process, 16);
    };
    const auto seconds = [&](bool isKnown, std::int64_t ns) {
        return isKnown ? QVariant(double(ns - recording.beginNs()) / 1e9) : QVariant();
    };
    std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
        return std::tuple(x.cluster, x.isSent ? x.sentNs : x.receivedNs, x.from, x.id, x.tries)
            < std::tuple(y.cluster, y.isSent ? y.sentNs : y.receivedNs, y.from, y.id, y.tries);
    });
    ExportTable table { "messages",
        { "cluster", "id", "client", "op", "cause", "kind", "transport", "from", "to", "size_bytes", "sent_s",
            "received_s", "resend", "lost_by" },
        {} };
    for (const Row& row : rows) {
        const bool isServing = row.operation.client() != 0;
        const QVariant cause = row.causeProcess != 0
            ? QVariant(name(row.causeProcess).toString() + ':' + QString::number(row.causeSequence))
            : QVariant();
        table.rows.push_back({ row.cluster, name(row.from).toString() + ':' + QString::number(row.id, 16),
            name(row.operation.client()), isServing ? QVariant(qulonglong(row.operation.number())) : QVariant(), cause,
            QString::fromStdString(row.kind), transportColumn(row.transport), name(row.from), name(row.to), row.bytes,
            seconds(row.isSent, row.sentNs), seconds(row.isReceived, row.receivedNs), row.tries, lostBy(row) });
    }
    return table;
}

} // namespace lhrs::gui

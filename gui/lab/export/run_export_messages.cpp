// SPDX-License-Identifier: GPL-3.0-or-later
// The table of messages: each sending with its arrival, if there was one.
#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/series/process/message_pairs.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/series/process/space_time.h"

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

// Makes the table from a recording.
class MessageTable {
public:
    explicit MessageTable(Recording& recording) : m_recording(recording), m_clusters(recording.words())
    {
        readReports();
        pair();
        readObservers();
        for (const auto& process : recording.rows("process"))
            m_names[ProcessId(process.at("id").toLongLong())] = process.at("name").toString().toStdString();
    }

    ExportTable table()
    {
        std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& x, const Row& y) {
            return std::tuple(x.cluster, x.isSent ? x.sentNs : x.receivedNs, x.from, x.id, x.tries)
                < std::tuple(y.cluster, y.isSent ? y.sentNs : y.receivedNs, y.from, y.id, y.tries);
        });
        ExportTable table { "messages",
            { "cluster", "id", "client", "op", "cause", "kind", "transport", "from", "to", "size_bytes", "sent_s",
                "received_s", "resend", "lost_by" },
            {} };
        for (const Row& row : m_rows)
            table.rows.push_back(cellsOf(row));
        return table;
    }

private:
    // The reports of one message, with their places in m_reports.
    struct Reports {
        std::vector<MessageWord> words;
        std::vector<std::size_t> places;
    };

    void each(int kind, const auto& take)
    {
        std::uint64_t cursor = 0;
        for (;;) {
            const EventPage page = m_recording.eventsOf({ kind }, cursor, m_recording.events(), kExportPage);
            for (const RunEvent& run : page.events)
                if (!run.isGap())
                    take(run);
            cursor = page.next;
            if (page.events.size() < kExportPage)
                return;
        }
    }

    void keep(const RunEvent& run, MessageWord::What what, Row row)
    {
        row.cluster = m_clusters.of(run.index);
        Reports& reports = m_byId[{ Member(row.cluster, row.from), row.id }];
        reports.words.push_back({ what, run.index, run.process, run.event->sequence(), run.event->cause_sequence(),
            run.event->cause_process(), run.runNs });
        reports.places.push_back(m_reports.size());
        m_reports.push_back(std::move(row));
    }

    // All of them first, because an arrival may be reported before its sending.
    void readReports()
    {
        using E = pb::Event;
        each(E::kMessageSentFieldNumber, [this](const RunEvent& run) {
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
        each(E::kMessageGivenUpFieldNumber, [this](const RunEvent& run) {
            Row row;
            row.from = run.process;
            row.id = run.event->message_given_up().id();
            keep(run, MessageWord::What::GivenUp, std::move(row));
        });
        each(E::kMessageReceivedFieldNumber, [this](const RunEvent& run) {
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
    }

    void pair()
    {
        for (const auto& [message, reports] : m_byId) {
            for (const MessagePair& pair : pairMessages(reports.words, message.second != 0)) {
                Row row = m_reports[reports.places[std::size_t(pair.sent >= 0 ? pair.sent : pair.received)]];
                row.isGivenUp = pair.isGivenUp;
                if (pair.received >= 0) {
                    row.to = reports.words[std::size_t(pair.received)].process;
                    row.receivedNs = reports.words[std::size_t(pair.received)].ns;
                    row.isReceived = true;
                }
                m_rows.push_back(std::move(row));
            }
        }
    }

    // A receiver may have heard a message without a row: before its first row, or where rows were lost.
    void readObservers()
    {
        for (std::uint64_t cursor = 0; cursor < m_recording.events();) {
            const EventPage page = m_recording.eventsSince(cursor, kExportPage);
            for (const RunEvent& run : page.events) {
                const Member member(m_clusters.of(run.index), run.process);
                if (run.isGap())
                    m_hasGaps.insert(member);
                else
                    m_tellsFrom.try_emplace(member, run.runNs);
                const auto [end, isNew] = m_endNs.try_emplace(member.first, run.runNs);
                end->second = std::max(end->second, run.runNs);
            }
            if (page.events.empty())
                break;
            cursor = page.next;
        }
    }

    QVariant lostBy(const Row& row) const
    {
        if (row.isReceived)
            return {};
        if (row.isGivenUp)
            return "given up";
        const auto receiver = m_tellsFrom.find({ row.cluster, row.to });
        const bool isObserved = receiver != m_tellsFrom.end() && receiver->second <= row.sentNs
            && !m_hasGaps.contains({ row.cluster, row.to });
        if (!isObserved)
            return "not observed";
        return m_endNs.at(row.cluster) - row.sentNs < kUnderWayNs ? "under way" : "not received";
    }

    QVariant name(ProcessId process) const
    {
        if (process == 0)
            return {};
        const auto known = m_names.find(process);
        return known != m_names.end() && !known->second.empty() ? QString::fromStdString(known->second)
                                                                : QString::number(process, 16);
    }

    QVariant seconds(bool isKnown, std::int64_t ns) const
    {
        return isKnown ? QVariant(double(ns - m_recording.beginNs()) / 1e9) : QVariant();
    }

    QVariantList cellsOf(const Row& row) const
    {
        const bool isServing = row.operation.client() != 0;
        const QVariant cause = row.causeProcess != 0
            ? QVariant(name(row.causeProcess).toString() + ':' + QString::number(row.causeSequence))
            : QVariant();
        return { row.cluster, name(row.from).toString() + ':' + QString::number(row.id, 16),
            name(row.operation.client()), isServing ? QVariant(qulonglong(row.operation.number())) : QVariant(), cause,
            QString::fromStdString(row.kind), transportColumn(row.transport), name(row.from), name(row.to), row.bytes,
            seconds(row.isSent, row.sentNs), seconds(row.isReceived, row.receivedNs), row.tries, lostBy(row) };
    }

    Recording& m_recording;
    const ClusterNumbers m_clusters;
    std::vector<Row> m_reports; // the columns of each report, in the order of the run
    std::map<std::pair<Member, std::uint64_t>, Reports> m_byId;
    std::vector<Row> m_rows;
    std::map<Member, std::int64_t> m_tellsFrom;
    std::set<Member> m_hasGaps;
    std::map<std::uint32_t, std::int64_t> m_endNs; // by cluster
    std::map<ProcessId, std::string> m_names;
};

} // namespace

ExportTable messageTable(Recording& recording) { return MessageTable(recording).table(); }

} // namespace lhrs::gui

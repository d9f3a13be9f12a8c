// SPDX-License-Identifier: GPL-3.0-or-later
// The table of messages of a recording: each sending with its arrival.
#include "gui/lab/series/process/message_pairs.h"
#include "gui/lab/recording/recording_tables.h"
#include "gui/lab/series/process/space_time.h"

#include "proto/event.pb.h"

#include <QSqlError>

namespace lhrs::gui {

namespace {

constexpr int kCommonColumns = 17; // of message_word

const char* wireWord(pb::Transport transport)
{
    return transport == pb::STREAM ? "tcp" : transport == pb::MULTICAST ? "multicast" : "udp";
}

} // namespace

// Collects the reports about messages in a table that SQLite sorts on disk, because a run may have more of them than
// fit into memory.
bool RecordingTables::keepMessageWords()
{
    if (!m_connection.run("CREATE TEMP TABLE IF NOT EXISTS message_word (cluster, sender, message, what, event, "
                          "process, seq, cause_process, cause_seq, t_ns,"
                          " receiver, kind, transport, size_bytes, client, op, resend)")
        || !m_connection.run("DELETE FROM temp.message_word"))
        return false;
    QSqlQuery rows(m_connection.database()), word(m_connection.database());
    rows.setForwardOnly(true);
    if (!word.prepare("INSERT INTO temp.message_word VALUES (" + QStringList(kCommonColumns, "?").join(',') + ")")
        || !rows.exec(
            QString("SELECT id, process, t_ns, body FROM event NOT INDEXED WHERE kind IN (%1, %2, %3) ORDER BY id")
                .arg(pb::Event::kMessageSentFieldNumber)
                .arg(pb::Event::kMessageReceivedFieldNumber)
                .arg(pb::Event::kMessageGivenUpFieldNumber)))
        return (m_error = m_connection.database().lastError().text(), false);
    pb::Event event;
    while (rows.next()) {
        const QByteArray body = rows.value(3).toByteArray();
        if (!event.ParseFromArray(body.data(), int(body.size())))
            continue;
        const bool isSent = event.has_message_sent(), isGivenUp = event.has_message_given_up();
        const auto process = rows.value(1).toULongLong();
        const pb::MessageSent& sent = event.message_sent();
        const pb::MessageReceived& received = event.message_received();
        const bool hasOperation = event.operation().client() != 0;
        if (!insert(word,
                { clusterOf(rows.value(0).toULongLong()), stored(isSent || isGivenUp ? process : received.from()),
                    stored(isSent       ? sent.id()
                            : isGivenUp ? event.message_given_up().id()
                                        : received.id()),
                    int(isSent          ? MessageWord::What::Sent
                            : isGivenUp ? MessageWord::What::GivenUp
                                        : MessageWord::What::Received),
                    rows.value(0), rows.value(1), stored(event.sequence()), stored(event.cause_process()),
                    stored(event.cause_sequence()), rows.value(2), stored(isSent ? sent.to() : process),
                    QString::fromStdString(isSent ? sent.kind() : received.kind()),
                    wireWord(isSent ? sent.transport() : received.transport()),
                    isSent ? sent.bytes() : received.bytes(),
                    hasOperation ? stored(event.operation().client()) : QVariant(),
                    hasOperation ? stored(event.operation().number()) : QVariant(), isSent ? sent.tries() : 0u }))
            return false;
    }
    return true;
}

bool RecordingTables::messages()
{
    if (!keepMessageWords())
        return false;
    QSqlQuery rows(m_connection.database()), row(m_connection.database());
    rows.setForwardOnly(true);
    if (!row.prepare("INSERT INTO message_row VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        || !rows.exec("SELECT * FROM temp.message_word ORDER BY cluster, sender, message, what, event"))
        return (m_error = m_connection.database().lastError().text(), false);
    enum {
        Cluster,
        Sender,
        Message,
        What,
        Event,
        Process,
        Seq,
        CauseProcess,
        CauseSeq,
        Time,
        Receiver,
        Kind,
        Transport,
        Size,
        Client,
        Op,
        Resend
    };
    std::vector<MessageWord> words; // about one message
    std::vector<QVariantList> cells;
    const auto lostBy = [&](const QVariantList& sent, bool isGivenUp) -> QVariant {
        if (isGivenUp)
            return "given up";
        const auto receiver = sent[Receiver].toULongLong();
        const auto tells = m_tellsFrom.find(receiver);
        // A receiver may have heard a message without a row: before its first row, or where rows were lost.
        const bool isObserved = tells != m_tellsFrom.end() && tells->second <= sent[Time].toLongLong()
            && !m_hasGaps.contains(receiver);
        if (!isObserved)
            return "not observed";
        return m_endNs - sent[Time].toLongLong() < kUnderWayNs ? "under way" : "not received";
    };
    const auto nonZero = [](const QVariant& value) { return value.toULongLong() != 0 ? value : QVariant(); };
    const auto write = [&] {
        for (const MessagePair& pair : pairMessages(words, !words.empty() && cells[0][Message].toULongLong() != 0)) {
            const QVariantList& c = cells[std::size_t(pair.sent >= 0 ? pair.sent : pair.received)];
            const bool isSent = pair.sent >= 0, isReceived = pair.received >= 0;
            if (!insert(row,
                    { c[Cluster], isSent ? c[Event] : QVariant(),
                        isReceived ? cells[std::size_t(pair.received)][Event] : QVariant(), nonZero(c[Sender]),
                        nonZero(isReceived ? cells[std::size_t(pair.received)][Process] : c[Receiver]), c[Message],
                        c[Kind], c[Transport], c[Size], c[Client], c[Op],
                        isSent ? nonZero(c[CauseProcess]) : QVariant(),
                        isSent && nonZero(c[CauseProcess]).isValid() ? c[CauseSeq] : QVariant(), c[Resend],
                        isReceived ? QVariant() : lostBy(c, pair.isGivenUp) }))
                return false;
        }
        words.clear();
        cells.clear();
        return true;
    };
    while (rows.next()) {
        QVariantList now;
        for (int i = 0; i < kCommonColumns; ++i)
            now << rows.value(i);
        if (!cells.empty()
            && (cells[0][Cluster] != now[Cluster] || cells[0][Sender] != now[Sender]
                || cells[0][Message] != now[Message])
            && !write())
            return false;
        words.push_back({ MessageWord::What(now[What].toInt()), now[Event].toULongLong(), now[Process].toULongLong(),
            now[Seq].toULongLong(), now[CauseSeq].toULongLong(), now[CauseProcess].toULongLong(),
            now[Time].toLongLong() });
        cells.push_back(std::move(now));
    }
    const bool isWritten = write();
    rows.finish(); // the table is locked until then
    return isWritten && m_connection.run("DROP TABLE temp.message_word");
}

} // namespace lhrs::gui

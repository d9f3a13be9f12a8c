// SPDX-License-Identifier: GPL-3.0-or-later
// A program of ours as a real process, and the sockets by which a test commands it and hears its events.
#pragma once

#include "common/wire.h"
#include "tests/rigs/lab/signals.h"
#include "tests/rigs/core/station.h"

#include <QProcess>

#include <zmq_addon.hpp>

#include <map>
#include <optional>

namespace lhrs::test {

inline zmq::context_t& context()
{
    static zmq::context_t shared;
    return shared;
}

// A SUB socket for events, as the window has one.
class Watcher {
public:
    explicit Watcher(const std::string& endpoint, const std::string& filter = {})
        : m_socket(context(), zmq::socket_type::sub)
    {
        m_socket.set(zmq::sockopt::linger, 0);
        m_socket.set(zmq::sockopt::rcvhwm, 0);
        m_socket.set(zmq::sockopt::subscribe, filter);
        m_socket.connect(endpoint);
    }
    struct Batch {
        pb::EventHeader header;
        std::vector<pb::Event> events;
    };
    // Empty: no reply came in time.
    std::optional<Batch> next(std::chrono::milliseconds patience = kPatience)
    {
        m_socket.set(zmq::sockopt::rcvtimeo, int(patience.count()));
        std::vector<zmq::message_t> frames;
        if (!zmq::recv_multipart(m_socket, std::back_inserter(frames)) || frames.size() != 2)
            return std::nullopt;
        Batch batch;
        pb::EventBatch body;
        if (!parseEventHeader(frames[0].to_string_view(), batch.header)
            || !parseEvents(frames[1].to_string_view(), body))
            return std::nullopt;
        batch.events.assign(body.events().begin(), body.events().end());
        return batch;
    }
    // Reads events until the wanted one arrives; false: it did not.
    template <class IsWanted> bool hears(IsWanted isWanted)
    {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (std::chrono::steady_clock::now() < end) {
            const auto batch = next();
            if (!batch)
                return false;
            for (const pb::Event& event : batch->events)
                if (isWanted(event))
                    return true;
        }
        return false;
    }

private:
    zmq::socket_t m_socket;
};

// A DEALER socket for commands, as an operator's program has one.
class ControlSocket {
public:
    explicit ControlSocket(const std::string& endpoint, zmq::socket_type type = zmq::socket_type::dealer)
        : m_socket(context(), type)
    {
        m_socket.set(zmq::sockopt::linger, 0);
        m_socket.connect(endpoint);
    }
    void send(const std::vector<std::string>& frames)
    {
        for (std::size_t i = 0; i < frames.size(); ++i)
            m_socket.send(
                zmq::buffer(frames[i]), i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
    void send(const pb::Command& command) { send(std::vector { command.SerializeAsString() }); }
    std::optional<pb::CommandReply> receive(std::chrono::milliseconds patience = kPatience)
    {
        m_socket.set(zmq::sockopt::rcvtimeo, int(patience.count()));
        std::vector<zmq::message_t> frames;
        pb::CommandReply reply;
        if (!zmq::recv_multipart(m_socket, std::back_inserter(frames)) || frames.size() != 1
            || !parseReply(frames[0].to_string_view(), reply))
            return std::nullopt;
        return reply;
    }
    std::optional<pb::CommandReply> call(pb::Command command)
    {
        command.set_ticket(++m_lastTicket);
        send(command);
        auto reply = receive();
        return reply && reply->ticket() == m_lastTicket ? reply : std::nullopt;
    }

private:
    zmq::socket_t m_socket;
    std::uint64_t m_lastTicket = 1'000;
};

inline pb::Command who()
{
    pb::Command command;
    command.mutable_who_are_you();
    return command;
}

inline pb::Command readContents(std::uint32_t rank)
{
    pb::Command command;
    command.mutable_read_contents()->set_rank_from(rank);
    return command;
}

// One of our programs as a real process.
class Program {
public:
    Program(const QString& program, const QStringList& arguments) : Program({}, program, arguments) { }
    // `before`: another program with its arguments, which starts ours.
    Program(QStringList before, const QString& program, const QStringList& arguments)
    {
        before << QString::fromUtf8(LHRS_BIN_DIR) + '/' + program;
        before << arguments;
        const QString first = before.takeFirst();
        m_process.start(first, before);
    }
    ~Program()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    // Reads the line "ready NAME udp=... tcp=... control=... events=...", without the first two for a simulator, and
    // with more words for a client with doors; false: there is none.
    bool isReady()
    {
        while (!m_process.canReadLine())
            if (!m_process.waitForReadyRead(int(std::chrono::milliseconds(kPatience).count())))
                return false;
        const QStringList words = QString::fromUtf8(m_process.readLine()).trimmed().split(' ');
        if (words.size() < 4 || words[0] != QStringLiteral("ready"))
            return false;
        name = words[1];
        for (const QString& word : words.mid(2))
            m_ends[word.section('=', 0, 0).toStdString()] = word.section('=', 1).toStdString();
        return m_ends.size() == std::size_t(words.size() - 2);
    }
    const std::string& at(const std::string& what) { return m_ends[what]; }
    bool waitForEnd() { return m_process.waitForFinished(int(std::chrono::milliseconds(kPatience).count())); }
    int exitCode() const { return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1; }
    QString output() { return QString::fromUtf8(m_process.readAllStandardOutput()); }
    QString errors() { return QString::fromUtf8(m_process.readAllStandardError()); }
    qint64 pid() const { return m_process.processId(); }
    bool signal(int number) { return signalOne(m_process.processId(), number); }

    QString name;

private:
    QProcess m_process;
    std::map<std::string, std::string> m_ends;
};

} // namespace lhrs::test

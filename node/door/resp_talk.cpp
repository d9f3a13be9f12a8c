// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that are answered without the store.
#include "node/door/glob_pattern.h"
#include "node/door/resp_conversation.h"
#include "node/door/resp_reply.h"

#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kNameMax = 256; // bytes of the name that a client gives itself

constexpr std::size_t kWordsMax = 64; // arguments of these commands

// The settings that clients ask for before they begin.
constexpr std::pair<std::string_view, std::string_view> kSettings[] = { { "save", "" }, { "appendonly", "no" },
    { "databases", "1" }, { "maxclients", "256" }, { "timeout", "0" }, { "proto-max-bulk-len", "60000" } };

void addDescription(std::string& out, const CommandRow& row)
{
    resp::addArray(out, 6);
    resp::addBulk(out, row.name);
    resp::addInteger(out, row.arity);
    resp::addArray(out, 1);
    resp::addStatus(out, row.isWrite ? "write" : "readonly");
    resp::addInteger(out, row.firstKey);
    resp::addInteger(out, row.lastKey);
    resp::addInteger(out, row.keyStep);
}

void addDocument(std::string& out, const CommandRow& row)
{
    resp::addBulk(out, row.name);
    resp::addArray(out, 4);
    resp::addBulk(out, "summary");
    resp::addBulk(out, row.summary);
    resp::addBulk(out, "group");
    resp::addBulk(out, row.firstKey > 0 ? "string" : "connection");
}

std::string failure(std::string_view text)
{
    std::string out;
    resp::addError(out, text);
    return out;
}

} // namespace

std::string RespConversation::talk(const CommandRow& row)
{
    std::string out;
    if (m_parser.count() > kWordsMax)
        return failure("ERR too many arguments");
    if (row.verb == Verb::Info) {
        resp::addBulk(out, info());
    } else if (row.verb == Verb::Command) {
        return describeCommands();
    } else if (row.verb == Verb::Client) {
        return client();
    } else if (row.verb == Verb::Config) {
        return config();
    } else if (row.verb == Verb::Hello) {
        return hello();
    } else if (row.verb == Verb::Auth) {
        return failure("ERR AUTH: this door has no passwords; the socket of --resp-socket is for its owner only");
    } else if (row.verb == Verb::Select) {
        if (argument(1) != "0")
            return failure("ERR DB index is out of range: there is one database, 0");
        resp::addStatus(out, "OK");
    } else if (m_parser.count() > 2) {
        return failure("ERR wrong number of arguments for 'ping' command");
    } else if (m_parser.count() == 2) { // PING and ECHO
        resp::addBulk(out, argument(1));
    } else {
        resp::addStatus(out, "PONG");
    }
    return out;
}

std::string RespConversation::info() const
{
    const auto uptime = std::chrono::steady_clock::now() - m_door.start;
    const auto line = [](const char* name, std::uint64_t value) {
        return std::string(name) + ':' + std::to_string(value) + "\r\n";
    };
    // Clients read redis_version to learn which commands they can expect: those of 2.8, the first with SCAN.
    const std::pair<const char*, std::string> sections[] = {
        { "Server",
            "redis_version:2.8.0\r\nredis_mode:standalone\r\nserver_name:lhrs-client\r\nserver_version:"
                + m_door.version + "\r\nprocess_name:" + m_door.name + "\r\n" + line("process_id", m_door.process)
                + line("tcp_port", m_door.port) + "unixsocket:" + m_door.socket + "\r\n"
                + line("uptime_in_seconds",
                    std::uint64_t(std::chrono::duration_cast<std::chrono::seconds>(uptime).count())) },
        { "Clients", line("connected_clients", m_counters.connectedNow) + "maxclients:256\r\n" },
        { "Stats",
            line("total_connections_received", m_counters.connections)
                + line("total_commands_processed", m_counters.commands) + line("total_error_replies", m_counters.errors)
                + line("rejected_connections", m_counters.refusedFull)
                + line("refused_web_pages", m_counters.refusedWeb) + line("protocol_errors", m_counters.protocolErrors)
                + line("stalled_connections", m_counters.stalled) + line("store_operations", m_counters.operations)
                + line("store_scans", m_counters.scans) + line("key_collisions", m_counters.collisions) },
    };
    const std::string_view wanted = m_parser.count() > 1 ? argument(1) : "all";
    const bool isAll = isSameWord(wanted, "all") || isSameWord(wanted, "default") || isSameWord(wanted, "everything");
    std::string text;
    for (const auto& [name, lines] : sections) {
        if (!isAll && !isSameWord(wanted, name))
            continue;
        text.append(text.empty() ? "# " : "\r\n# ").append(name).append("\r\n").append(lines);
    }
    return text;
}

std::string RespConversation::describeCommands() const
{
    const auto rows = respCommands();
    std::string out;
    const std::string_view what = m_parser.count() > 1 ? argument(1) : std::string_view();
    if (isSameWord(what, "count")) {
        resp::addInteger(out, std::int64_t(rows.size()));
    } else if (what.empty() || (isSameWord(what, "info") && m_parser.count() == 2)) {
        resp::addArray(out, rows.size());
        for (const CommandRow& row : rows)
            addDescription(out, row);
    } else if (isSameWord(what, "info")) {
        resp::addArray(out, m_parser.count() - 2);
        for (std::size_t i = 2; i < m_parser.count(); ++i) {
            if (const CommandRow* row = findCommand(argument(i)))
                addDescription(out, *row);
            else
                out.append("*-1\r\n");
        }
    } else if (isSameWord(what, "docs")) {
        std::string documents;
        std::size_t count = 0;
        for (const CommandRow& row : rows) {
            bool isWanted = m_parser.count() == 2;
            for (std::size_t i = 2; i < m_parser.count(); ++i)
                isWanted = isWanted || isSameWord(argument(i), row.name);
            if (!isWanted)
                continue;
            ++count;
            addDocument(documents, row);
        }
        resp::addArray(out, 2 * count);
        out.append(documents);
    } else {
        return failure("ERR COMMAND has COUNT, INFO and DOCS only");
    }
    return out;
}

std::string RespConversation::client()
{
    std::string out;
    const std::string_view what = argument(1);
    const std::size_t count = m_parser.count();
    if (isSameWord(what, "setname") && count == 3) {
        const std::string_view name = argument(2);
        const auto isPlain = [](char c) { return c > ' ' && c <= '~'; };
        if (name.size() > kNameMax || !std::all_of(name.begin(), name.end(), isPlain))
            return failure("ERR Client names cannot contain spaces, newlines or special characters, and have at most "
                           "256 bytes");
        m_name = name;
        resp::addStatus(out, "OK");
    } else if (isSameWord(what, "setinfo") && count == 4) {
        resp::addStatus(out, "OK"); // name and version of the client's library, which are not shown anywhere
    } else if (isSameWord(what, "getname") && count == 2) {
        if (m_name.empty())
            resp::addNil(out);
        else
            resp::addBulk(out, m_name);
    } else if (isSameWord(what, "id") && count == 2) {
        resp::addInteger(out, std::int64_t(m_number));
    } else {
        return failure("ERR CLIENT has SETNAME, GETNAME, SETINFO and ID only");
    }
    return out;
}

std::string RespConversation::config() const
{
    if (!isSameWord(argument(1), "get") || m_parser.count() < 3)
        return failure("ERR CONFIG has GET only; the options of lhrs-client cannot be changed while it runs");
    std::string settings, out;
    std::size_t count = 0;
    for (const auto& [name, value] : kSettings) {
        bool isWanted = false;
        for (std::size_t i = 2; i < m_parser.count(); ++i)
            isWanted = isWanted || matchesGlob(argument(i), name, true);
        if (!isWanted)
            continue;
        ++count;
        resp::addBulk(settings, name);
        resp::addBulk(settings, value);
    }
    resp::addArray(out, 2 * count);
    return out + settings;
}

// Clients that offer version 3 go on with version 2 after these first words, which servers before version 3 answer. Not
// all of them do so after NOPROTO (go-redis gives up).
std::string RespConversation::hello() const
{
    if (m_parser.count() > 2 || (m_parser.count() == 2 && argument(1) != "2"))
        return failure(
            "ERR unknown command 'HELLO' with these arguments: this door speaks version 2 of the protocol only");
    std::string out;
    resp::addArray(out, 8);
    for (const std::string_view word : { "server", "redis", "version", "2.8.0", "proto" })
        resp::addBulk(out, word);
    resp::addInteger(out, 2);
    resp::addBulk(out, "mode");
    resp::addBulk(out, "standalone");
    return out;
}

} // namespace lhrs

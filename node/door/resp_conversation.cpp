// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes to requests, and requests to operations.
#include "node/door/resp_conversation.h"

#include "node/door/glob_pattern.h"
#include "node/door/resp_reply.h"
#include "node/door/stored_key.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kReadAhead = std::size_t(64) << 10; // bytes that may wait while a request cannot begin
constexpr std::size_t kInputKept = std::size_t(256) << 10; // memory that is kept when no bytes wait

constexpr std::size_t kPatternMax = 1'024; // bytes; matching takes as long as pattern times key

template <class Number> bool readWhole(std::string_view text, Number& number)
{
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && code == std::errc() && end == text.data() + text.size();
}

// Arguments for one key.
std::size_t stepOf(Verb verb) { return verb == Verb::Set || verb == Verb::Mset ? 2 : 1; }

} // namespace

// ---- bytes

bool RespConversation::wantsBytes() const
{
    if (m_isClosing || m_isEnded)
        return false;
    const bool isBlocked = m_starting || m_isScanning || m_waitsForTurns || !m_needsMore;
    return !isBlocked || m_in.size() - m_begin < kReadAhead;
}

void RespConversation::onBytes(std::string_view bytes)
{
    if (m_isClosing)
        return;
    if (m_begin > 0 && m_begin >= m_in.size() / 2) {
        m_in.erase(0, m_begin); // arguments are counted from the begin of their request
        m_begin = 0;
    }
    m_in.append(bytes);
    m_needsMore = false; // until they have been looked at, which may have to wait
    advance();
}

void RespConversation::onEnd()
{
    m_isEnded = true;
    advance();
}

void RespConversation::abandon()
{
    m_isClosing = true;
    m_isScanning = m_waitsForTurns = false;
    m_starting.reset();
    m_in = {};
    m_begin = 0;
    m_out = {};
    m_sent = 0;
}

void RespConversation::sent(std::size_t bytes)
{
    m_sent += bytes;
    if (m_sent == m_out.size()) {
        m_sent = 0;
        m_out.clear();
        if (m_out.capacity() > kOutMax)
            m_out.shrink_to_fit();
    } else if (m_sent >= kOutMax) {
        m_out.erase(0, m_sent);
        m_sent = 0;
    }
    advance(); // there may be room again
}

void RespConversation::consume()
{
    m_begin += m_parser.size();
    m_parser.reset();
    trimInput();
}

void RespConversation::trimInput()
{
    if (m_begin < m_in.size())
        return;
    m_begin = 0;
    m_in.clear();
    if (m_in.capacity() > kInputKept)
        m_in.shrink_to_fit();
}

void RespConversation::advance()
{
    while (!m_isClosing && !m_isScanning) {
        if (m_starting) {
            if (!beginMore())
                return;
        } else if (m_waitsForTurns) {
            if (!m_turns.isEmpty())
                return;
            m_waitsForTurns = false;
            beginScan();
        } else if (m_turns.size() >= kTurnsMax || outSize() >= kOutMax || !readRequest()) {
            return;
        }
    }
}

// Reads one request and begins it. False: there is none yet, or no more will be read.
bool RespConversation::readRequest()
{
    const auto outcome = m_parser.read(unread());
    m_needsMore = outcome == RespParser::Outcome::More;
    if (outcome == RespParser::Outcome::More) {
        m_isClosing = m_isEnded;
        return false;
    }
    if (outcome == RespParser::Outcome::Error) {
        ++m_counters.protocolErrors;
        addFailure(m_parser.error());
        close();
        return false;
    }
    if (m_parser.count() == 0) {
        consume();
        return true;
    }
    const std::string_view name = argument(0);
    // A web page can make a browser send a request to a port of this computer, and its text can contain commands.
    if (isSameWord(name, "post") || isSameWord(name, "host:")) {
        ++m_counters.refusedWeb;
        addFailure("ERR this port speaks the Redis protocol, and not to web pages");
        close();
        return false;
    }
    ++m_counters.commands;
    const CommandRow* const row = findCommand(name);
    if (row == nullptr) {
        addFailure(whyNotCommand(name));
        consume();
    } else if (!isArityRight(*row, m_parser.count())) {
        addFailure(std::string("ERR wrong number of arguments for '") + row->name + "' command");
        consume();
    } else {
        obey(*row);
    }
    return true;
}

// ---- commands

void RespConversation::obey(const CommandRow& row)
{
    switch (row.verb) {
    case Verb::Get:
    case Verb::Set:
    case Verb::Del:
    case Verb::Exists:
    case Verb::Mget:
    case Verb::Mset:
    case Verb::Strlen: beginStoreCommand(row); return;
    case Verb::Scan:
        if (std::string wrong = whatIsWrongWithScan(); !wrong.empty()) {
            addFailure(std::move(wrong));
            break;
        }
        m_waitsForTurns = true;
        return;
    case Verb::Dbsize: m_waitsForTurns = true; return;
    case Verb::Quit:
        addReady("+OK\r\n");
        close();
        break;
    case Verb::Ping:
    case Verb::Echo:
    case Verb::Info:
    case Verb::Command:
    case Verb::Client:
    case Verb::Select:
    case Verb::Config:
    case Verb::Hello:
    case Verb::Auth: addReady(talk(row)); break;
    }
    consume();
}

std::string RespConversation::whatIsWrong(const CommandRow& row, std::size_t keys) const
{
    if (row.verb == Verb::Set && m_parser.count() > 3)
        return "ERR SET takes a key and a value only: '" + std::string(argument(3).substr(0, 64))
            + "' would need records that expire, or an operation that both reads and writes";
    if (row.verb == Verb::Mset && m_parser.count() % 2 == 0)
        return "ERR wrong number of arguments for 'mset' command";
    for (std::size_t i = 0; i < keys; ++i) {
        const std::size_t at = 1 + i * stepOf(row.verb);
        if (argument(at).empty() || argument(at).size() > kKeyBytesMax)
            return "ERR a key has 1 to 4,096 bytes";
        if (stepOf(row.verb) == 2 && argument(at + 1).size() > kDoorValueMax)
            return "ERR a value has at most 60,000 bytes";
    }
    return {};
}

// Everything is checked before the first operation begins.
void RespConversation::beginStoreCommand(const CommandRow& row)
{
    const std::size_t keys = row.verb == Verb::Set ? 1 : (m_parser.count() - 1) / stepOf(row.verb);
    if (std::string wrong = whatIsWrong(row, keys); !wrong.empty()) {
        addFailure(std::move(wrong));
        consume();
        return;
    }
    Turn& turn = addTurn(row.verb);
    turn.left = std::uint32_t(keys);
    if (row.verb == Verb::Get || row.verb == Verb::Mget)
        turn.values.resize(keys);
    m_starting = Starting { row.verb, 0, std::uint32_t(keys) };
}

std::string RespConversation::whatIsWrongWithScan() const
{
    std::uint64_t number = 0;
    if (!readWhole(argument(1), number))
        return "ERR invalid cursor";
    for (std::size_t i = 2; i < m_parser.count(); i += 2) {
        const bool hasValue = i + 1 < m_parser.count();
        if (isSameWord(argument(i), "count") && hasValue) {
            if (!readWhole(argument(i + 1), number) || number == 0)
                return "ERR COUNT is a number from 1 on";
        } else if (isSameWord(argument(i), "match") && hasValue) {
            if (argument(i + 1).size() > kPatternMax)
                return "ERR a pattern has at most 1,024 bytes";
        } else {
            return "ERR syntax error: SCAN takes a cursor, MATCH and COUNT; all values are of one type";
        }
    }
    return {};
}

// SCAN or DBSIZE, when everything before it is over.
void RespConversation::beginScan()
{
    const bool isCount = isSameWord(argument(0), "dbsize");
    std::uint64_t cursor = 0, count = 10;
    m_scanPattern.clear();
    if (!isCount)
        (void)readWhole(argument(1), cursor);
    for (std::size_t i = 2; !isCount && i < m_parser.count(); i += 2) {
        if (isSameWord(argument(i), "count"))
            (void)readWhole(argument(i + 1), count);
        else
            m_scanPattern = argument(i + 1);
    }
    consume();
    addTurn(isCount ? Verb::Dbsize : Verb::Scan).left = 1;
    m_isScanning = true;
    if (isCount)
        m_store.countKeys();
    else
        m_store.readPage(cursor, std::uint32_t(std::min<std::uint64_t>(count, kPageMax)));
}

void RespConversation::endScan(std::string reply)
{
    if (!std::exchange(m_isScanning, false))
        return; // the client is gone
    Turn& turn = m_turns.back();
    turn.reply = std::move(reply);
    turn.held = turn.reply.size();
    m_heldBytes += turn.held;
    turn.left = 0;
    turn.isBegun = true;
    endTurns();
    advance();
}

void RespConversation::onPage(const KeyWindow::Page& page)
{
    std::vector<std::string_view> keys;
    for (const std::string_view key : page.keys) {
        if (m_scanPattern.empty() || matchesGlob(m_scanPattern, key))
            keys.push_back(key);
    }
    std::string reply;
    resp::addArray(reply, 2);
    resp::addBulk(reply, std::to_string(page.next));
    resp::addArray(reply, keys.size());
    for (const std::string_view key : keys)
        resp::addBulk(reply, key);
    endScan(std::move(reply));
}

void RespConversation::onCount(std::uint64_t count)
{
    std::string reply;
    resp::addInteger(reply, std::int64_t(count));
    endScan(std::move(reply));
}

void RespConversation::onScanFailed(std::string_view error)
{
    std::string reply;
    resp::addError(reply, error);
    ++m_counters.errors;
    endScan(std::move(reply));
}

// ---- operations begin

// Begins operations of the current request while the window has room. True: all of them have begun.
bool RespConversation::beginMore()
{
    while (m_starting->next < m_starting->count) {
        if (m_open == kWindow || (m_open > 0 && m_openBytes >= kWindowBytes))
            return false;
        beginOperation(m_starting->next++);
    }
    m_turns.back().isBegun = true;
    m_starting.reset();
    consume();
    endTurns();
    return true;
}

void RespConversation::beginOperation(std::uint32_t index)
{
    const std::size_t at = 1 + index * stepOf(m_starting->verb);
    const std::string_view key = argument(at);
    const std::uint32_t number = std::uint32_t(std::countr_one(m_used));
    Operation& op = m_operations[number];
    op.turn = m_firstTurn + m_turns.size() - 1;
    op.index = index;
    op.key = storeKeyOf(key);
    op.attempts = 0;
    op.next.reset();
    if (stepOf(m_starting->verb) == 2) {
        op.step = Step::Update;
        makeRecord(key, argument(at + 1), op.record);
    } else {
        op.step = Step::Search;
        op.record = key;
    }
    bool isFirst = true;
    for (std::uint64_t used = m_used; used != 0; used &= used - 1) {
        const std::uint32_t other = std::uint32_t(std::countr_zero(used));
        if (m_operations[other].key == op.key && m_operations[other].isLast) {
            m_operations[other].isLast = false;
            m_operations[other].next = number;
            isFirst = false;
        }
    }
    op.isLast = true;
    m_used |= std::uint64_t(1) << number;
    ++m_open;
    m_openBytes += op.record.size();
    if (isFirst)
        send(number);
}

} // namespace lhrs

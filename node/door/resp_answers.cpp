// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of the store to replies.
#include "node/door/resp_conversation.h"
#include "node/door/resp_reply.h"
#include "node/door/stored_key.h"

#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kMemoryKept = 4'096; // bytes of a string that are kept for the next operation

pb::OperationKind kindOfStep(bool isUpdate, bool isInsert, bool isDelete)
{
    return isUpdate ? pb::UPDATE : isInsert ? pb::INSERT : isDelete ? pb::DELETE : pb::SEARCH;
}

std::string withText(std::string sentence, const std::string& text)
{
    return text.empty() ? sentence : std::move(sentence) + ": " + text;
}

// Why an operation has no result that a command can have.
std::string errorOf(const StoreAnswer& answer)
{
    if (answer.result == pb::RETRY)
        return withText("TRYAGAIN the store has not carried this out", answer.text);
    if (answer.result == pb::LOST)
        return "ERR the record is lost: more servers have failed than the store survives";
    if (answer.result == pb::UNKNOWN_OUTCOME)
        return withText("ERR no answer came in time, and it is unknown whether this took effect", answer.text);
    return withText("ERR the store refuses this", answer.text);
}

} // namespace

// ---- operations

void RespConversation::send(std::uint32_t number)
{
    Operation& op = m_operations[number];
    const bool isUpdate = op.step == Step::Update, isInsert = op.step == Step::Insert;
    ++m_counters.operations;
    m_store.operate(number, kindOfStep(isUpdate, isInsert, op.step == Step::Delete), op.key,
        isUpdate || isInsert ? std::string_view(op.record) : std::string_view());
}

// The operation is over, and the next one of its key begins.
void RespConversation::leave(std::uint32_t number)
{
    Operation& op = m_operations[number];
    m_used &= ~(std::uint64_t(1) << number);
    --m_open;
    m_openBytes -= op.record.size();
    op.record.clear();
    if (op.record.capacity() > kMemoryKept)
        op.record.shrink_to_fit();
    if (const auto next = std::exchange(op.next, std::nullopt))
        send(*next);
}

void RespConversation::onAnswer(std::uint32_t operation, StoreAnswer answer)
{
    LHRS_CHECK(operation < kWindow && (m_used >> operation & 1) != 0);
    Operation& op = m_operations[operation];
    Turn& turn = turnAt(op.turn);
    if (!settle(op, turn, answer)) {
        send(operation);
        return;
    }
    --turn.left;
    leave(operation);
    endTurns();
    advance();
}

// Takes an answer. False: the operation has a further step.
bool RespConversation::settle(Operation& op, Turn& turn, StoreAnswer& answer)
{
    const bool isOk = answer.result == pb::OK;
    switch (op.step) {
    case Step::Update:
        if (answer.result == pb::NOT_FOUND) {
            op.step = Step::Insert;
            return false;
        }
        break;
    case Step::Insert:
        if (answer.result == pb::EXISTS) { // another client has inserted it meanwhile
            op.step = Step::Update;
            if (++op.attempts < kAttemptsMax)
                return false;
            fail(turn, "TRYAGAIN other clients delete and set this key all the time");
            return true;
        }
        break;
    case Step::Search:
        if (isOk)
            return settleSearch(op, turn, answer);
        if (answer.result == pb::NOT_FOUND)
            return true;
        break;
    case Step::Delete:
        turn.count += isOk ? 1 : 0;
        if (answer.result == pb::NOT_FOUND)
            return true; // another client was faster
        break;
    }
    if (!isOk)
        fail(turn, errorOf(answer));
    return true;
}

// A record was found under the hash of the key. False: it is to be deleted.
bool RespConversation::settleSearch(Operation& op, Turn& turn, StoreAnswer& answer)
{
    const auto value = valueIn(answer.value, op.record);
    if (!value) {
        ++m_counters.collisions;
        return true;
    }
    if (turn.verb == Verb::Del) {
        op.step = Step::Delete;
        return false;
    }
    if (turn.verb == Verb::Exists)
        ++turn.count;
    else if (turn.verb == Verb::Strlen)
        turn.count = std::int64_t(value->size());
    else
        keep(op, turn, std::move(answer.value));
    return true;
}

void RespConversation::keep(const Operation& op, Turn& turn, std::string record)
{
    if (!turn.error.empty())
        return;
    turn.held += record.size();
    m_heldBytes += record.size();
    if (turn.held > kReplyMax) {
        fail(turn, "ERR the values have more than 16 MiB together; ask for fewer keys at a time");
        return;
    }
    const std::uint32_t skipped = std::uint32_t(record.size() - valueIn(record, op.record)->size());
    turn.values[op.index] = { std::move(record), skipped, true };
}

void RespConversation::fail(Turn& turn, std::string error)
{
    if (!turn.error.empty())
        return; // the first one tells why
    turn.error = std::move(error);
    turn.values = {};
    m_heldBytes -= std::exchange(turn.held, 0);
}

// ---- turns

RespConversation::Turn& RespConversation::addTurn(Verb verb)
{
    Turn& turn = m_turns.add();
    turn = {};
    turn.verb = verb;
    return turn;
}

void RespConversation::addReady(std::string reply)
{
    if (!reply.empty() && reply.front() == '-')
        ++m_counters.errors;
    if (m_turns.isEmpty()) {
        m_out.append(reply);
        return;
    }
    Turn& turn = addTurn(Verb::Ping);
    turn.isBegun = true;
    turn.held = reply.size();
    m_heldBytes += turn.held;
    turn.reply = std::move(reply);
}

void RespConversation::addFailure(std::string error)
{
    std::string reply;
    resp::addError(reply, error);
    addReady(std::move(reply));
}

void RespConversation::endTurns()
{
    while (!m_turns.isEmpty() && isDone(m_turns.front())) {
        Turn& turn = m_turns.front();
        write(turn, m_out);
        m_heldBytes -= turn.held;
        turn = {};
        m_turns.removeFront();
        ++m_firstTurn;
    }
}

void RespConversation::write(Turn& turn, std::string& out)
{
    if (!turn.error.empty()) {
        ++m_counters.errors;
        resp::addError(out, turn.error);
        return;
    }
    const Verb verb = turn.verb;
    if (verb == Verb::Get || verb == Verb::Mget) {
        if (verb == Verb::Mget)
            resp::addArray(out, turn.values.size());
        for (const Value& value : turn.values) {
            if (value.isThere)
                resp::addBulk(out, std::string_view(value.record).substr(value.skipped));
            else
                resp::addNil(out);
        }
    } else if (verb == Verb::Set || verb == Verb::Mset) {
        resp::addStatus(out, "OK");
    } else if (verb == Verb::Del || verb == Verb::Exists || verb == Verb::Strlen) {
        resp::addInteger(out, turn.count);
    } else {
        out.append(turn.reply);
    }
}

} // namespace lhrs

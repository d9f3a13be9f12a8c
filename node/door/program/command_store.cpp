// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/program/command_store.h"

#include <utility>

namespace lhrs {

namespace {

constexpr std::uint64_t kScanTicket = kInnerTicket | std::uint64_t(1) << 62;
constexpr unsigned kOperationBits = 8;
constexpr std::uint32_t kScanTimeMs = 60'000;

std::string errorOf(const pb::CommandReply& reply)
{
    if (reply.refusal() != pb::NOT_REFUSED)
        return (reply.refusal() == pb::REFUSED ? "TRYAGAIN " : "ERR ") + reply.text();
    if (reply.scan().result() == pb::OK)
        return {};
    return reply.scan().result() == pb::LOST
        ? "ERR some records are lost: more servers have failed than the store survives"
        : "TRYAGAIN some servers have not answered in time";
}

} // namespace

void CommandStore::operate(
    std::uint32_t asker, std::uint32_t operation, pb::OperationKind kind, Key key, std::string_view value)
{
    if (m_used == m_commands.size())
        m_commands.emplace_back();
    pb::Command& command = m_commands[m_used++];
    command.set_ticket(kInnerTicket | std::uint64_t(asker) << kOperationBits | operation);
    pb::Operate& order = *command.mutable_operate();
    order.set_kind(kind);
    order.set_key(key.value);
    order.mutable_value()->assign(value);
    m_bytes += value.size();
    if (m_used >= kCommandsMax || m_bytes >= kBytesMax)
        flush();
}

void CommandStore::scan(std::unique_ptr<KeyWindow> window)
{
    flush(); // what was asked for before
    m_window = std::move(window);
    pb::Command command;
    command.set_ticket(kScanTicket);
    command.mutable_run_scan()->set_timeout_ms(kScanTimeMs);
    m_give({ &command, 1 });
}

void CommandStore::flush()
{
    if (m_used == 0)
        return;
    m_give(std::span(m_commands).first(std::exchange(m_used, 0)));
    m_bytes = 0;
}

bool CommandStore::wants(std::uint64_t ticket) const { return ticket == kScanTicket; }

void CommandStore::onReplies(std::span<pb::CommandReply* const> replies)
{
    bool wasEmpty = false;
    {
        const std::lock_guard lock(m_mutex);
        wasEmpty = m_answers.empty() && !m_scanEnd.window;
        for (pb::CommandReply* reply : replies) {
            if (reply->ticket() == kScanTicket) {
                m_scanEnd = { std::move(m_window), errorOf(*reply) };
                continue;
            }
            Answer& answer = m_answers.emplace_back();
            answer.asker = std::uint32_t((reply->ticket() & ~kInnerTicket) >> kOperationBits);
            answer.operation = std::uint32_t(reply->ticket() & ((1u << kOperationBits) - 1));
            if (reply->refusal() != pb::NOT_REFUSED) {
                answer.answer.result = reply->refusal() == pb::REFUSED ? pb::RETRY : pb::INVALID;
                answer.answer.text = reply->text();
                continue;
            }
            pb::OperationResult& result = *reply->mutable_operation();
            answer.answer = { result.result(), std::move(*result.mutable_value()), std::move(*result.mutable_text()) };
        }
    }
    if (wasEmpty)
        m_wake();
}

void CommandStore::take(std::vector<Answer>& answers, ScanEnd& scanEnd)
{
    answers.clear();
    const std::lock_guard lock(m_mutex);
    answers.swap(m_answers);
    scanEnd = std::exchange(m_scanEnd, {});
}

} // namespace lhrs

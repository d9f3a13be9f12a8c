// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/answers.h"

#include "node/lhrs/data/data_bucket.h"

#include <optional>
#include <string>

namespace lhrs {

namespace {

check::RequestName nameOf(const pb::RequestId& request) { return { request.client(), request.number() }; }

struct KeyOperation {
    check::RequestKind kind = check::RequestKind::Search;
    const pb::KeyRequest* request = nullptr; // nullptr: not a key operation
};

KeyOperation keyOperationIn(const pb::Message& message)
{
    if (message.has_insert())
        return { check::RequestKind::Insert, &message.insert() };
    if (message.has_update())
        return { check::RequestKind::Update, &message.update() };
    if (message.has_delete_())
        return { check::RequestKind::Delete, &message.delete_() };
    if (message.has_search())
        return { check::RequestKind::Search, &message.search() };
    // A parity bucket may answer the search without a copy to the bucket.
    if (message.has_alarm() && message.alarm().is_search())
        return { check::RequestKind::Search, &message.alarm().request() };
    return {};
}

} // namespace

void Answers::onRequest(const pb::Message& message)
{
    const auto [kind, request] = keyOperationIn(message);
    if (!request)
        return;
    const check::RequestName name = nameOf(request->request());
    const std::int64_t now = m_cluster.now().count();
    report(m_ledger.issued(name, kind, request->key(), request->value(), now));
    m_book.invoked(name, kind, request->key(), request->value(), now);
}

void Answers::onCopied(const pb::Message& message)
{
    if (const KeyOperation operation = keyOperationIn(message); operation.request)
        m_ledger.copied(nameOf(operation.request->request()));
}

// ---- changes

void Answers::onChanged(const pb::Event& event, check::RequestKind kind, std::uint64_t key, std::uint64_t sequence)
{
    report(m_ledger.applied(
        nameOf(event.operation()), kind, key, event.place().number(), sequence, m_cluster.now().count()));
}

void Answers::onKept(const pb::Event& event)
{
    m_kept[nameOf(event.operation())] = { event.place().number(), event.result_kept().sequence() };
}

void Answers::onCut(std::uint32_t number, std::uint64_t cut)
{
    report(m_ledger.withdrawn(number, cut));
    std::erase_if(m_kept, [&](const auto& item) { return item.second.first == number && item.second.second > cut; });
}

void Answers::onBegun(std::uint32_t number)
{
    for (auto& [request, kept] : m_kept)
        if (kept.first == number) // by the former bucket of this number, merged since; its results moved with the keys
            kept = { ~0U, 0 };
    m_ledger.settled(number);
}

// ---- acknowledgements

void Answers::onAcknowledged(const SimProcess& process, const pb::Event& event)
{
    const check::RequestName request = nameOf(event.operation());
    const std::uint64_t key = event.change_acknowledged().key();
    const std::uint64_t sequence = event.change_acknowledged().sequence();
    const check::Version* version = m_ledger.writtenBy(request);
    const std::uint32_t number = event.place().number();
    const DataBucket* bucket = m_places.dataBucketAt(process.index);
    const auto kept = m_kept.find(request);
    m_availability.onAcknowledged(number, sequence);
    // Late messages to a replaced bucket: its parity buckets may have applied changes of a later bucket in its place,
    // after a merge.
    const bool isCut = bucket && m_places.isCut(bucket->incarnation().value);
    const auto judged = [&](std::uint64_t change) {
        return isCut ? check::Violations()
                     : check::checkAckOrder({ request, key, number, change, false, m_availability.columnsOf(*bucket) });
    };
    if (bucket && kept != m_kept.end() && kept->second == Kept(number, sequence))
        return report(judged(sequence));
    // A replaced bucket learns late that its change is at all parity buckets. Its successor has the record, which may
    // have changed since.
    if (isCut && (!version || version->bucket != number))
        return;
    if (!version || !bucket || version->bucket != number)
        return fail(6, "bucket ", number, " acknowledged a change that it did not carry out");
    ++counts().acknowledgements;
    check::Violations found = judged(version->sequence);
    if (found.empty())
        m_ledger.acknowledged(request);
    report(std::move(found));
}

// The answer that a request had no effect may be sent only when all parity buckets know it; otherwise a later copy
// might have an effect.
void Answers::checkKept(const SimProcess& process, const pb::Reply& reply, std::uint64_t key)
{
    const check::RequestName request = nameOf(reply.request());
    const DataBucket* bucket = m_places.dataBucketAt(process.index);
    const auto kept = m_kept.find(request);
    if (kept == m_kept.end())
        return fail(10, process.info.name(), " answers ", pb::ResultCode_Name(reply.result()), " to (client ",
            request.client, ", request ", request.number, ") and no change has kept that");
    const auto [number, sequence] = kept->second;
    if (!bucket || bucket->number().value != number || m_places.isCut(bucket->incarnation().value))
        return;
    // A parity bucket that has just become UP may not count yet; the contents that filled it include the result.
    auto columns = m_availability.columnsOf(*bucket);
    const std::set<std::uint32_t> counted = m_availability.countedColumns(number / m_settings.m);
    std::erase_if(columns, [&counted](const auto& column) { return !counted.contains(column.column); });
    report(check::checkAckOrder({ request, key, number, sequence, false, columns }));
}

// ---- replies and results

void Answers::onReply(const SimProcess& process, const pb::Reply& reply)
{
    const check::RequestName request = nameOf(reply.request());
    const auto issued = m_ledger.issuedAs(request);
    const std::uint64_t key = issued ? issued->key : 0;
    const check::Outcome outcome = outcomeOf(reply.result());
    const bool isSearch = issued && issued->kind == check::RequestKind::Search;
    const std::int64_t now = m_cluster.now().count();
    ++counts().replies;
    m_places.checkAnswer(process, reply, Time(issued ? issued->at : 0));
    if (issued && !isSearch && (outcome == check::Outcome::Exists || outcome == check::Outcome::NotFound))
        checkKept(process, reply, key);
    if (issued && outcome == check::Outcome::Lost && m_losses.groups().contains(reply.bucket() / m_settings.m))
        m_book.toldLost(key, now);
    const std::string value = isSearch ? reply.value() : std::string(); // a repeated change may carry its value
    check::Version* shown = nullptr;
    report(m_ledger.replied(request, outcome, value, now, &shown));
    if (reply.image_adjustment() && reply.forwards() == 0)
        report(check::checkHops({ key, 0, true, 0 }));
    if (!shown || shown->isAcknowledged)
        return;
    const DataBucket* bucket = m_places.dataBucket(shown->bucket);
    if (!bucket)
        return fail(
            6, "a reply rests on a change of bucket ", shown->bucket, ", which was never acknowledged and is gone");
    report(check::checkAckOrder(
        { request, key, shown->bucket, shown->sequence, shown->writer != request, m_availability.columnsOf(*bucket) }));
}

void Answers::onOperationDone(const pb::Event& event)
{
    const auto& done = event.operation_done();
    if (const auto issued = m_ledger.issuedAs(nameOf(event.operation())))
        report(check::checkHops(
            { done.key(), done.forwards(), done.image_adjusted(), m_growth.decidedSince(Time(issued->at)) }));
}

void Answers::finished(const pb::OperationResult& result)
{
    const check::RequestName request = nameOf(result.operation());
    const auto issued = m_ledger.issuedAs(request);
    if (result.result() == pb::RESULT_UNKNOWN)
        fail(17, "an operation on key ", result.key(), " ended without a result");
    if (issued && issued->key != result.key())
        fail(10, "the result of an operation on key ", issued->key, " names key ", result.key());
    const bool isSearch = issued && issued->kind == check::RequestKind::Search;
    const std::string value = isSearch ? result.value() : std::string();
    const check::Outcome outcome = outcomeOf(result.result());
    report(m_ledger.finished(request, outcome, value));
    // A copy made by the network may be carried out after the client has received RETRY.
    const bool isUncertain = outcome == check::Outcome::Retry && !isSearch && m_ledger.isCopied(request);
    m_book.answered(request, isUncertain ? check::Outcome::Unknown : outcome, value, m_cluster.now().count());
}

void Answers::checkHistories()
{
    report(m_book.judge([this](std::uint64_t key) { return m_losses.isInLostGroup(key); }));
}

} // namespace lhrs

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/core/bucket_rigs.h"

namespace lhrs::test {

std::uint32_t bitwiseProduct(std::uint32_t x, std::uint32_t y, bool isGf16)
{
    const std::uint32_t polynomial = isGf16 ? 0x1100b : 0x11d;
    const std::uint32_t top = isGf16 ? 0x10000 : 0x100;
    std::uint32_t product = 0;
    for (; y != 0; y >>= 1) {
        if (y & 1)
            product ^= x;
        x <<= 1;
        if (x & top)
            x ^= polynomial;
    }
    return product;
}

std::uint32_t printedCoefficient(std::uint32_t q, std::uint32_t p, bool isGf16)
{
    constexpr std::uint32_t k16[4][4] = { { 1, 1, 1, 1 }, { 1, 0xeb9b, 0x2284, 0x9e44 }, { 1, 0x2284, 0x9e74, 0xd7f1 },
        { 1, 0x9e44, 0xd7f1, 0x75ee } };
    constexpr std::uint32_t k8[4][3] = { { 1, 1, 1 }, { 1, 0x1a, 0x1c }, { 1, 0x3b, 0x37 }, { 1, 0xff, 0xfd } };
    return isGf16 ? k16[q][p] : k8[q][p];
}

std::string expectedParity(const std::map<std::uint32_t, std::string>& members, std::uint32_t p, bool isGf16)
{
    std::string parity;
    for (auto [q, value] : members) {
        if (isGf16 && value.size() % 2 != 0)
            value.push_back('\0');
        if (parity.size() < value.size())
            parity.resize(value.size());
        const std::size_t width = isGf16 ? 2 : 1;
        for (std::size_t x = 0; x < value.size(); x += width) {
            const auto byte = [&value](std::size_t at) { return std::uint32_t(std::uint8_t(value[at])); };
            const std::uint32_t symbol = isGf16 ? byte(x) | byte(x + 1) << 8 : byte(x);
            const std::uint32_t product = symbol ? bitwiseProduct(symbol, printedCoefficient(q, p, isGf16), isGf16) : 0;
            for (std::size_t at = 0; at < width; ++at)
                parity[x + at] = char(std::uint8_t(parity[x + at]) ^ std::uint8_t(product >> (8 * at)));
        }
    }
    while (!parity.empty() && parity.back() == '\0')
        parity.pop_back();
    return parity;
}

std::string GroupModel::differenceTo(const ParityBucket& bucket, std::uint32_t p, bool isGf16, bool withVersions) const
{
    const ParityStore& store = bucket.store();
    std::map<std::uint32_t, std::map<std::uint32_t, const Record*>> groups;
    for (const auto& [q, records] : positions)
        for (const auto& [rank, record] : records)
            groups[rank][q] = &record;
    if (store.recordGroups() != groups.size())
        return std::to_string(store.recordGroups()) + " parity records, not " + std::to_string(groups.size());
    for (const auto& [rank, members] : groups) {
        const std::string where = "rank " + std::to_string(rank) + ": ";
        if (!store.has(Rank(rank)))
            return where + "no parity record";
        const auto found = store.members(Rank(rank));
        std::map<std::uint32_t, std::string> values;
        for (std::uint32_t q = 0; q < found.size(); ++q) {
            if (found[q].isPresent != members.contains(q))
                return where + "position " + std::to_string(q) + (found[q].isPresent ? " is present" : " is missing");
            if (!found[q].isPresent)
                continue;
            const Record& record = *members.at(q);
            if (found[q].key.value != record.key || found[q].length != record.value.size())
                return where + "key or length of position " + std::to_string(q);
            if (withVersions && found[q].version != record.version)
                return where + "version of position " + std::to_string(q);
            if (store.isIndexed(Position(q)) && store.find(Position(q), Key(record.key)) != Rank(rank))
                return where + "the index does not know key " + std::to_string(record.key);
            values[q] = record.value;
        }
        const ByteSpan parity = store.parity(Rank(rank));
        std::string bytes(reinterpret_cast<const char*>(parity.data()), parity.size());
        while (!bytes.empty() && bytes.back() == '\0')
            bytes.pop_back();
        if (bytes != expectedParity(values, p, isGf16))
            return where + "parity field";
    }
    return {};
}

std::string difference(std::string a, std::string b)
{
    if (a.size() < b.size())
        std::swap(a, b);
    for (std::size_t x = 0; x < b.size(); ++x)
        a[x] = char(a[x] ^ b[x]);
    return a;
}

DataRig::DataRig(Options o) : NodeRig(pb::DATA), options(std::move(o))
{
    pb::Confirm confirm;
    confirm.set_role(pb::DATA);
    confirm.set_number(options.bucket);
    confirm.set_level(options.level);
    confirm.set_incarnation(kIncarnation);
    confirm.set_state(options.state);
    confirm.set_split(options.creation);
    confirm.set_last_split(options.lastSplit);
    *confirm.mutable_config() = options.config;
    *confirm.mutable_timers() = options.timers;
    *confirm.mutable_view() = view(1);
    for (const auto& [bucket, holder] : options.table) {
        pb::Location& row = *confirm.add_table();
        row.set_bucket(bucket);
        row.set_exists(true);
        holder.to(*row.mutable_holder());
    }
    recruit(confirm);
}

DataRig::DataRig() : DataRig(Options {}) { }

pb::View DataRig::view(std::uint64_t epoch) const
{
    pb::View view;
    view.set_group(options.bucket / options.config.m());
    view.set_epoch(epoch);
    *view.add_members() = memberOf(
        pb::DATA, options.bucket % options.config.m(), holderOf(kSelf, kIncarnation), options.state, options.level);
    for (std::uint32_t p = 0; p < options.k; ++p)
        *view.add_members() = memberOf(
            pb::PARITY, p, holderOf(kParity + p, 500 + p), options.init.contains(p) ? pb::INIT : pb::UP);
    return view;
}

pb::Message DataRig::requestOf(Peer& sender, const Ask& ask, std::uint32_t self)
{
    pb::Message message = sender.message();
    pb::KeyRequest& request = ask.kind == pb::INSERT ? *message.mutable_insert()
        : ask.kind == pb::UPDATE                     ? *message.mutable_update()
        : ask.kind == pb::DELETE                     ? *message.mutable_delete_()
                                                     : *message.mutable_search();
    request.mutable_request()->set_client(ask.client);
    request.mutable_request()->set_number(ask.number);
    *message.mutable_operation() = request.request();
    request.set_done_below(ask.doneBelow);
    request.set_key(ask.key);
    request.set_value(ask.value);
    request.set_target(ask.target < 0 ? self : std::uint32_t(ask.target));
    request.set_incarnation(ask.incarnation);
    addressOfProcess(ask.client).to(*request.mutable_client());
    request.set_forwards(ask.forwards);
    request.set_forwarder(ask.forwarder);
    request.set_forwarder_level(ask.forwarderLevel);
    return message;
}

Step DataRig::ask(Ask ask)
{
    if (ask.number == 0)
        ask.number = ++lastNumber;
    return driven.message(requestOf(client, ask, options.bucket));
}

Step DataRig::insert(std::uint64_t key, const std::string& value)
{
    return ask({ .kind = pb::INSERT, .key = key, .value = value });
}

Step DataRig::update(std::uint64_t key, const std::string& value)
{
    return ask({ .kind = pb::UPDATE, .key = key, .value = value });
}

Step DataRig::deltaAck(std::uint32_t p, Sequence applied, std::uint64_t incarnation, std::uint64_t by)
{
    pb::Message message = Peer(kParity + p).message();
    message.set_incarnation(by ? by : 500 + p);
    auto* ack = message.mutable_delta_ack();
    ack->set_group(options.bucket / options.config.m());
    ack->set_position(options.bucket % options.config.m());
    ack->set_column(p);
    ack->set_incarnation(incarnation);
    ack->set_applied(applied);
    return driven.message(message);
}

Step DataRig::allAcked()
{
    Step step;
    for (std::uint32_t p = 0; p < options.k; ++p)
        step = deltaAck(p, data().link().sequence());
    return step;
}

void DataRig::put(std::uint64_t key, const std::string& value)
{
    insert(key, value);
    allAcked();
}

Step DataRig::epoch(const pb::View& newer)
{
    pb::Message message = coordinator.message();
    *message.mutable_epoch()->mutable_view() = newer;
    return driven.message(message);
}

pb::Message DataRig::splitOrder(std::uint64_t split, std::uint32_t target, const HolderInfo& holder)
{
    pb::Message message = coordinator.message();
    auto* order = message.mutable_split();
    order->set_split(split);
    order->set_source(options.bucket);
    order->set_target(target);
    order->set_level(data().level() + 1);
    holder.to(*order->mutable_target_holder());
    return message;
}

pb::Message DataRig::commitOrder(std::uint64_t split)
{
    pb::Message message = coordinator.message();
    message.mutable_commit()->set_split(split);
    message.mutable_commit()->set_bucket(options.bucket);
    return message;
}

pb::Message DataRig::abortOrder(std::uint64_t split)
{
    pb::Message message = coordinator.message();
    message.mutable_abort()->set_split(split);
    message.mutable_abort()->set_bucket(options.bucket);
    return message;
}

pb::Message DataRig::finishOrder(std::uint64_t split)
{
    pb::Message message = coordinator.message();
    message.mutable_finish()->set_split(split);
    return message;
}

pb::Reply replyOf(const Step& step)
{
    const auto replies = step.of(Body::kReply);
    return replies.size() == 1 ? replies.front().message.reply() : pb::Reply();
}

std::vector<BlockEntry> entriesOf(const std::string& block)
{
    std::vector<BlockEntry> entries;
    BlockReader reader(block);
    for (BlockEntry entry; reader.next(entry);)
        entries.push_back(entry);
    return entries;
}

std::string blockOf(const std::vector<BlockEntry>& entries)
{
    std::string block;
    BlockWriter writer(block);
    for (const BlockEntry& entry : entries)
        writer.add(entry);
    return block;
}

ParityRig::ParityRig(Options o) : NodeRig(pb::PARITY), options(std::move(o))
{
    pb::Confirm confirm;
    confirm.set_role(pb::PARITY);
    confirm.set_number(0);
    confirm.set_column(options.column);
    confirm.set_incarnation(kIncarnation);
    confirm.set_state(options.state);
    *confirm.mutable_config() = options.config;
    *confirm.mutable_timers() = options.timers;
    *confirm.mutable_view() = view(1);
    recruit(confirm);
}

ParityRig::ParityRig() : ParityRig(Options {}) { }

pb::View ParityRig::view(std::uint64_t epoch) const
{
    pb::View view;
    view.set_group(0);
    view.set_epoch(epoch);
    for (const std::uint32_t q : options.data)
        *view.add_members() = memberOf(pb::DATA, q, holderOf(nodeOf(q), incarnationOf(q)), pb::UP, 2);
    *view.add_members() = memberOf(pb::PARITY, options.column, holderOf(kSelf, kIncarnation), options.state);
    return view;
}

pb::Message ParityRig::deltaMessage(const Change& change)
{
    pb::Message message = sender(change.q).message();
    auto* delta = message.mutable_delta();
    delta->set_position(change.q);
    delta->set_incarnation(change.incarnation ? change.incarnation : incarnationOf(change.q));
    delta->set_epoch(change.epoch);
    delta->set_sequence(change.sequence);
    delta->set_kind(change.kind);
    delta->set_rank(change.rank);
    delta->set_key(change.key);
    delta->set_length(change.length);
    delta->mutable_request()->set_client(kClient);
    delta->mutable_request()->set_number(change.number ? change.number : change.sequence);
    delta->set_done_below(change.doneBelow);
    delta->set_delta(change.delta);
    return message;
}

ParityRig::Change ParityRig::insert(std::uint32_t q, std::uint32_t rank, std::uint64_t key, const std::string& value)
{
    model.positions[q][rank] = { key, value, ++sequences[q] };
    return { .q = q,
        .sequence = sequences[q],
        .kind = pb::CHANGE_INSERT,
        .rank = rank,
        .key = key,
        .delta = value,
        .length = std::uint32_t(value.size()) };
}

ParityRig::Change ParityRig::update(std::uint32_t q, std::uint32_t rank, const std::string& value)
{
    GroupModel::Record& record = model.positions[q][rank];
    const std::string delta = difference(record.value, value);
    record.value = value;
    record.version = ++sequences[q];
    return { .q = q,
        .sequence = sequences[q],
        .kind = pb::CHANGE_UPDATE,
        .rank = rank,
        .key = record.key,
        .delta = delta,
        .length = std::uint32_t(value.size()) };
}

ParityRig::Change ParityRig::erase(std::uint32_t q, std::uint32_t rank)
{
    const GroupModel::Record record = model.positions[q][rank];
    model.positions[q].erase(rank);
    return { .q = q,
        .sequence = ++sequences[q],
        .kind = pb::CHANGE_DELETE,
        .rank = rank,
        .key = record.key,
        .delta = record.value };
}

Step ParityRig::epoch(const pb::View& newer)
{
    pb::Message message = coordinator.message();
    *message.mutable_epoch()->mutable_view() = newer;
    return driven.message(message);
}

pb::Message ParityRig::batchMessage(const Batch& b)
{
    pb::Message message = sender(b.q).message();
    auto* batch = message.mutable_prepare_batch();
    batch->set_split(b.split);
    batch->set_position(b.q);
    batch->set_incarnation(incarnationOf(b.q));
    batch->set_epoch(b.epoch);
    batch->set_sequence(b.sequence);
    batch->set_level(b.level);
    batch->set_block(b.block);
    batch->set_is_last(b.isLast);
    batch->set_asks_only(b.asksOnly);
    *batch->mutable_changes() = blockOf(b.entries);
    return message;
}

Step ParityRig::commit(std::uint64_t split, std::uint32_t bucket)
{
    pb::Message message = coordinator.message();
    message.mutable_commit()->set_split(split);
    message.mutable_commit()->set_bucket(bucket);
    return driven.message(message);
}

Step ParityRig::abort(std::uint64_t split, std::uint32_t bucket)
{
    pb::Message message = coordinator.message();
    message.mutable_abort()->set_split(split);
    message.mutable_abort()->set_bucket(bucket);
    return driven.message(message);
}

Step ParityRig::addParity()
{
    pb::Message message = coordinator.message();
    message.mutable_add_parity()->set_column(options.column);
    message.mutable_add_parity()->set_epoch(1);
    message.mutable_add_parity()->set_incarnation(kIncarnation);
    return driven.message(message);
}

pb::Message ParityRig::contentsMessage(const Block& b)
{
    pb::Message message = sender(b.q).message();
    auto* contents = message.mutable_contents();
    contents->set_position(b.q);
    contents->set_incarnation(incarnationOf(b.q));
    contents->set_asker(b.asker);
    contents->set_block(b.block);
    contents->set_is_last(b.isLast);
    contents->set_snap(b.snap);
    contents->set_rank_first(b.first);
    contents->set_rank_last(b.last);
    contents->set_level(2);
    *contents->mutable_records() = blockOf(b.entries);
    return message;
}

std::int64_t appliedSaid(const Step& step, std::uint32_t q)
{
    std::int64_t applied = -1;
    for (const Step::Sent& sent : step.of(Body::kDeltaAck)) {
        if (sent.message.delta_ack().position() == q)
            applied = std::int64_t(sent.message.delta_ack().applied());
    }
    return applied;
}

} // namespace lhrs::test

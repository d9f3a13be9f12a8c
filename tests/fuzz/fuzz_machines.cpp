// SPDX-License-Identifier: GPL-3.0-or-later
// Targets that feed the machines of the protocol.
#include "common/kinds.h"
#include "common/wire.h"
#include "tests/rigs/core/bucket_rigs.h"
#include "tests/fuzz/targets.h"
#include "tests/rigs/core/memory_cluster.h"

namespace lhrs::fuzz {

namespace {

using namespace test;

// A file in one of its states, selected by the first byte of an input.
constexpr std::size_t kStates = 5;

std::unique_ptr<FileRig> fileIn(std::size_t state)
{
    FileRig::Options options;
    options.config = fileConfig(2, 1, 6);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(2);
    options.dataSpares = 6;
    options.paritySpares = 4;
    auto rig = std::make_unique<FileRig>(options);
    if (state == 0)
        return rig; // no process knows another one yet
    LHRS_CHECK(rig->waitForFile());
    if (state == 1)
        return rig;
    rig->insertMany(20);
    rig->waitForRest();
    if (state == 3) { // a split is under way
        pb::Command split;
        split.mutable_force_split();
        rig->cluster.command(FileRig::kCoordinator, split);
        rig->cluster.run(300us);
    } else if (state == 4) { // a bucket is being recovered
        rig->kill(rig->holder(pb::DATA, 0, 1));
        rig->cluster.run(700ms);
    }
    return rig;
}

std::uint64_t machineOf(FileRig& rig, std::uint8_t number)
{
    std::vector<std::uint64_t> all { FileRig::kCoordinator, FileRig::kClient };
    all.insert(all.end(), rig.nodes.begin(), rig.nodes.end());
    return all[number % all.size()];
}

// Messages that a client may send. A sender with the cluster's key may end a machine by contradicting it; we promise
// nothing else.
constexpr int kOfClients[] = { pb::Message::kInsert, pb::Message::kUpdate, pb::Message::kDelete, pb::Message::kSearch,
    pb::Message::kWhereIs, pb::Message::kAlarm, pb::Message::kAck, pb::Message::kScan };

// [state][receiver] message
void runMachines(std::string_view input)
{
    pb::Message message;
    if (input.size() < 2 || !parseMessage(input.substr(2), message)
        || std::find(std::begin(kOfClients), std::end(kOfClients), int(message.body_case())) == std::end(kOfClients))
        return;
    const auto rig = fileIn(std::uint8_t(input[0]) % kStates);
    message.set_sender(4'711);
    message.mutable_from()->set_ip(4'711);
    rig->cluster.inject(machineOf(*rig, std::uint8_t(input[1])), message);
    rig->cluster.run(2s);
}

std::vector<std::string> machinesSeeds()
{
    std::vector<std::string> seeds;
    for (std::size_t state = 0; state < kStates; ++state) {
        for (const int kind : kOfClients) {
            pb::Message message;
            const auto* field = pb::Message::descriptor()->FindFieldByNumber(kind);
            auto* body = message.GetReflection()->MutableMessage(&message, field);
            message.set_id(5);
            message.mutable_operation()->set_client(4'711);
            message.mutable_operation()->set_number(1);
            Mutator mutator { state };
            for (int i = 0; i < 8; ++i)
                mutator.message(*body);
            for (char receiver = 0; receiver < 4; ++receiver)
                seeds.push_back(std::string { char(state), receiver } + message.SerializeAsString());
        }
    }
    return seeds;
}

// [state][receiver] command
void runCommands(std::string_view input)
{
    pb::Command command;
    if (input.size() < 2 || !parseCommand(input.substr(2), command) || kindOf(command) == 0)
        return;
    if (command.has_run_workload() && command.run_workload().count() > 1'000)
        return; // the effect of large workloads is tested elsewhere
    const auto rig = fileIn(std::uint8_t(input[0]) % kStates);
    rig->cluster.command(machineOf(*rig, std::uint8_t(input[1])), command);
    rig->cluster.run(2s);
}

std::vector<std::string> commandsSeeds()
{
    std::vector<std::string> seeds;
    const auto* oneof = pb::Command::descriptor()->FindOneofByName("body");
    for (int i = 0; i < oneof->field_count(); ++i) {
        pb::Command command;
        auto* body = command.GetReflection()->MutableMessage(&command, oneof->field(i));
        Mutator mutator { std::uint64_t(i) };
        for (int change = 0; change < 5; ++change)
            mutator.message(*body);
        for (char receiver = 0; receiver < 4; ++receiver)
            seeds.push_back(std::string { char(1 + i % 4), receiver } + command.SerializeAsString());
    }
    return seeds;
}

template <class T> void mutateBehindTwo(std::string& input, const std::string& other, Mutator& mutator)
{
    T message;
    if (input.size() < 2 || mutator.below(6) == 0 || !message.ParseFromString(input.substr(2))) {
        mutator.bytes(input, other);
        return;
    }
    if (mutator.below(3) == 0)
        input[mutator.below(2)] = char(mutator.below(16));
    const auto* body = message.GetReflection()->GetOneofFieldDescriptor(
        message, T::descriptor()->FindOneofByName("body"));
    for (std::uint64_t left = 1 + mutator.below(3); left > 0; --left) {
        if (body != nullptr && mutator.below(8) > 0) // of the same kind
            mutator.message(*message.GetReflection()->MutableMessage(&message, body));
        else
            mutator.message(message);
    }
    input = input.substr(0, 2) + message.SerializePartialAsString();
}

// Changes of four buckets, generated from the first half of the input, arrive in the order that the second half gives,
// some several times, some late. In the end all have arrived, and the parity bucket must hold what the model says.
void runDeltas(std::string_view input)
{
    ParityRig rig;
    std::vector<ParityRig::Change> changes;
    const std::string_view draw = input.substr(0, input.size() / 2), order = input.substr(input.size() / 2);
    for (std::size_t i = 0; i + 2 < draw.size() && changes.size() < 200; i += 3) {
        const auto byte = [&](std::size_t at) { return std::uint32_t(std::uint8_t(draw[i + at])); };
        const std::uint32_t q = byte(0) % 4, rank = 1 + byte(1) % 6;
        auto& records = rig.model.positions[q];
        const std::string value(byte(2), char('a' + byte(1) % 26));
        if (!records.contains(rank))
            changes.push_back(rig.insert(q, rank, 1'000 * q + 100 * rank + changes.size() * 10'000, value));
        else if (byte(0) & 0x80)
            changes.push_back(rig.erase(q, rank));
        else
            changes.push_back(rig.update(q, rank, value));
    }
    for (const char at : order)
        if (!changes.empty())
            rig.delta(changes[std::uint8_t(at) % changes.size()]);
    for (const ParityRig::Change& change : changes)
        rig.delta(change);
    LHRS_CHECK(rig.differenceToModel().empty());
}

std::vector<std::string> deltasSeeds()
{
    std::vector<std::string> seeds { "", "abc", std::string(60, 'a') };
    Generator draws(1, DrawnFor::Workload);
    for (int i = 0; i < 20; ++i) {
        std::string seed(20 + draws.below(400), '\0');
        for (char& byte : seed)
            byte = char(draws.next());
        seeds.push_back(seed);
    }
    return seeds;
}

// One recovery of a bucket: its slices as record blocks, and what the spare must hold at the end.
struct SliceStream {
    std::uint64_t recovery = 0;
    std::vector<std::string> slices;
    std::map<std::uint32_t, GroupModel::Record> records; // by rank
    std::uint64_t cut = 0;

    SliceStream(std::uint64_t number, std::string_view draw) : recovery(number), slices(1)
    {
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i + 2 < draw.size() && records.size() < 120; i += 3) {
            const auto byte = [&](std::size_t at) { return std::uint32_t(std::uint8_t(draw[i + at])); };
            BlockWriter writer(slices.back());
            const std::uint32_t length = byte(1), count = byte(2) % 8 < 4 ? 1 + byte(2) / 64 : 0; // 0: no run
            rank += byte(0) % 3;
            BlockRun run = count > 0 ? writer.addRun(Rank(rank + 1), count, length) : BlockRun();
            for (std::uint32_t r = 0; r < std::max(1u, count); ++r) {
                ++rank;
                const GroupModel::Record record { 10'000 * number + 7 * rank,
                    std::string(length, char('a' + rank % 26)), ++cut };
                if (count > 0) {
                    run.setHead(r, Key(record.key), record.version);
                    std::ranges::copy(bytesOf(record.value), run.bytes(r).begin());
                } else {
                    writer.add({ .key = Key(record.key),
                        .rank = Rank(rank),
                        .length = length,
                        .version = record.version,
                        .bytes = record.value });
                }
                records[rank] = record;
            }
            if (byte(2) % 4 == 0)
                slices.emplace_back();
        }
    }
    pb::Message message(Peer& sender, std::size_t number) const
    {
        pb::Message message = sender.message();
        auto* slice = message.mutable_spare_slice();
        slice->set_recovery(recovery);
        slice->set_number(std::uint32_t(number));
        slice->set_is_last(number + 1 == slices.size());
        slice->set_records(slices[number]);
        slice->set_cut(cut);
        return message;
    }
};

// Slices of an abandoned recovery and of the next one, generated from the first half of the input. They arrive at a
// spare in the order that the second half gives, some several times, some cut short. In the end all slices of the later
// recovery have arrived. The spare must hold exactly those, and serve them only when it is declared UP.
void runSlices(std::string_view input)
{
    DataRig::Options options;
    options.state = pb::RECOVERING;
    DataRig rig(options);
    Peer manager(NodeRig::kParity);
    const std::string_view draw = input.substr(0, input.size() / 2), order = input.substr(input.size() / 2);
    const SliceStream given(7, draw.substr(0, draw.size() / 2)), last(8, draw.substr(draw.size() / 2));
    for (const char at : order) {
        const SliceStream& stream = at & 1 ? last : given;
        pb::Message message = stream.message(manager, (std::uint8_t(at) >> 2) % stream.slices.size());
        std::string& block = *message.mutable_spare_slice()->mutable_records();
        const bool isDamaged = (at & 2) != 0 && !block.empty();
        const auto stored = rig.data().store().count();
        if (isDamaged)
            block.pop_back();
        rig.driven.message(message);
        if (isDamaged && rig.data().store().count() != stored)
            LHRS_CHECK(rig.data().store().count() == 0); // the first of a later recovery: what was there is forgotten
    }
    for (std::size_t i = 0; i < last.slices.size(); ++i) {
        const pb::Message message = last.message(manager, i);
        LHRS_CHECK(rig.driven.message(message).acknowledges(message));
    }
    const RecordStore& store = rig.data().store();
    LHRS_CHECK(store.count() == last.records.size());
    for (const auto& [rank, record] : last.records) {
        LHRS_CHECK(store.has(Rank(rank)));
        const RecordStore::Record found = store.at(Rank(rank));
        LHRS_CHECK(found.key.value == record.key && found.value == record.value && found.version == record.version);
    }
    LHRS_CHECK(rig.data().link().sequence() == last.cut);
    const std::uint64_t key = last.records.empty() ? 1 : last.records.begin()->second.key;
    LHRS_CHECK(replyOf(rig.search(key)).result() != pb::OK);
    rig.options.state = pb::UP;
    rig.epoch(rig.view(2));
    LHRS_CHECK(replyOf(rig.search(key)).result() == (last.records.empty() ? pb::NOT_FOUND : pb::OK));
}

} // namespace

Target slicesTarget()
{
    return { "slices", "slices to a spare in any order, with doubles, of two recoveries", &runSlices, &deltasSeeds,
        &mutateBytes, 1'500 };
}

Target machinesTarget()
{
    return { "machines", "what a client may say, to each machine in each state of a file", &runMachines, &machinesSeeds,
        &mutateBehindTwo<pb::Message>, 2'000 };
}

Target commandsTarget()
{
    return { "commands", "every command, to each machine in each state of a file", &runCommands, &commandsSeeds,
        &mutateBehindTwo<pb::Command>, 2'000 };
}

Target deltasTarget()
{
    return { "deltas", "Deltas in any order, with doubles and gaps, against a model", &runDeltas, &deltasSeeds,
        &mutateBytes, 1'500 };
}

} // namespace lhrs::fuzz

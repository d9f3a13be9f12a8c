// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the hard cases share: a small file that recovers, packets that are dropped or kept for later, and
// the check that the file is correct in the end.
#pragma once

#include "tests/rigs/core/file_check.h"

#include <QTest>

#include <optional>
#include <vector>

namespace lhrs::test {

struct HardOptions {
    std::uint32_t m = 4, k = 1, records = 40;
    std::uint32_t dataSpares = 14, paritySpares = 14, clients = 2;
    pb::Field field = pb::GF_16;
    std::uint32_t b = 12;
};

class HardCase {
public:
    using Packet = MemoryCluster::Packet;

    explicit HardCase(const HardOptions& options = {}) : rig(rigOptions(options))
    {
        rig.cluster.onPacket = [this](const Packet& packet) { return see(packet); };
        if (qEnvironmentVariableIsSet("LHRS_TRACE"))
            rig.cluster.onEvent = [this](std::uint64_t node, const pb::Event& event) { trace(node, event); };
        isBegun = rig.waitForFile() && rig.insertMany(options.records, 30, 4).results().at("OK") == options.records
            && rig.waitForRest();
        rig.cluster.run(1s);
    }

    // Drops each message for which the test is true.
    std::function<bool(const Packet&)> isLost;
    // Every packet is shown to this function before it arrives.
    std::function<void(const Packet&)> onArrival;

    // Keeps the first packet for which the test is true, so that a test can deliver a copy of it later.
    void keepFirst(std::function<bool(const Packet&)> test)
    {
        m_keeps = std::move(test);
        kept.reset();
    }
    void sendKeptAgain() { rig.cluster.inject(kept->to, *kept->message); }
    std::optional<Packet> kept;

    std::uint64_t data(std::uint32_t group, std::uint32_t position) { return rig.holder(pb::DATA, group, position); }
    std::uint64_t parity(std::uint32_t group, std::uint32_t column) { return rig.holder(pb::PARITY, group, column); }
    std::uint32_t bucketOf(std::uint64_t key) { return addressOf(Key(key), rig.coordinator().file().image()).value; }
    // The first key from `from` on whose correct bucket is this one.
    std::uint64_t keyOf(std::uint32_t bucket, std::uint64_t from = 0)
    {
        while (bucketOf(from) != bucket)
            ++from;
        return from;
    }
    std::uint64_t begin(pb::OperationKind kind, std::uint64_t key, const std::string& value = {},
        std::uint64_t client = FileRig::kClient)
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        return rig.cluster.command(client, command);
    }
    bool isAnswered(std::uint64_t ticket) { return rig.cluster.reply(ticket) != nullptr; }
    std::optional<pb::OperationResult> answerOf(std::uint64_t ticket, Time limit = 20s)
    {
        if (!rig.cluster.runUntil([&] { return isAnswered(ticket); }, limit))
            return std::nullopt;
        return rig.cluster.reply(ticket)->operation();
    }
    // "" if the file is at rest and whole, and every record that the first client stored is there; else what is wrong.
    std::string problem(Time limit = 60s)
    {
        isLost = nullptr;
        onArrival = nullptr;
        rig.cluster.run(1s);
        if (!rig.waitForRest(limit))
            return "not at rest: " + rig.coordinator().underWay();
        for (const auto& [g, group] : rig.coordinator().file().groups()) {
            if (group.state != pb::GROUP_UP)
                return "group " + std::to_string(g.value) + " is not up";
        }
        if (rig.cluster.has(FileRig::kClient)) {
            const pb::WorkloadResult read = rig.verify();
            if (read.wrong() + read.missing() + read.unanswered() > 0)
                return std::to_string(read.missing()) + " records are missing, " + std::to_string(read.wrong())
                    + " wrong, " + std::to_string(read.unanswered()) + " unanswered";
        }
        rig.cluster.run(1s);
        return parityProblem(rig);
    }

    FileRig rig;
    bool isBegun = false;

private:
    static FileRig::Options rigOptions(const HardOptions& options)
    {
        FileRig::Options made;
        made.config = fileConfig(options.m, options.k, options.b);
        made.config.set_recovery(pb::RECOVERY_AUTOMATIC);
        made.config.set_slice(3);
        made.config.set_field(options.field);
        made.dataSpares = options.dataSpares;
        made.paritySpares = options.paritySpares;
        made.clients = options.clients;
        return made;
    }
    bool see(const Packet& packet)
    {
        if (onArrival)
            onArrival(packet);
        if (m_keeps && !kept && m_keeps(packet))
            kept = packet;
        return !isLost || !isLost(packet);
    }
    void trace(std::uint64_t node, const pb::Event& event)
    {
        if (event.has_gauges() || event.has_record_inserted() || event.has_delta_applied())
            return;
        std::printf("%9.3f ms  %4llu  %s\n", double(rig.cluster.now().count()) / 1e6,
            static_cast<unsigned long long>(node), event.ShortDebugString().substr(0, 300).c_str());
    }

    std::function<bool(const Packet&)> m_keeps;
};

#define COMPARE_WELL(hard) QCOMPARE(QString::fromStdString((hard).problem()), QString())

} // namespace lhrs::test

// SPDX-License-Identifier: GPL-3.0-or-later
// A file whose coordinator ends and is replaced by another one, and what must be true of the file afterwards.
#pragma once

#include "tests/rigs/core/file_check.h"

#include <QTest>

namespace lhrs::test {

inline FileRig::Options restartOptions(std::uint32_t k, std::uint32_t m = 4)
{
    FileRig::Options options;
    options.config = fileConfig(m, k, 12);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(3);
    options.dataSpares = 30;
    options.paritySpares = 14;
    return options;
}

inline void begin(FileRig& rig, std::uint64_t records = 40)
{
    if (qEnvironmentVariableIsSet("LHRS_TRACE")) {
        rig.cluster.onEvent = [&rig](std::uint64_t node, const pb::Event& event) {
            if (!event.has_gauges() && !event.has_operation_started() && !event.has_operation_done()
                && !event.has_record_inserted() && !event.has_delta_applied() && !event.has_change_acknowledged())
                std::printf("%9.3f ms  %4llu  %s\n", double(rig.cluster.now().count()) / 1e6,
                    static_cast<unsigned long long>(node), event.ShortDebugString().substr(0, 300).c_str());
        };
    }
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(records, 30, 4).results().at("OK"), records);
    QVERIFY(rig.waitForRest());
}

inline void restart(FileRig& rig, Time down = 0ns)
{
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.run(down);
    rig.startCoordinator(true);
}

// All records are there, the parity is right, all groups are well, and the levels are those of (i, n).
inline void checkAll(FileRig& rig, std::uint64_t records)
{
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    const pb::WorkloadResult read = rig.verify();
    QCOMPARE(read.operations(), records);
    QCOMPARE(read.wrong(), 0u);
    QCOMPARE(read.missing(), 0u);
    rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
    for (const auto& [g, group] : rig.coordinator().file().groups())
        QCOMPARE(group.state, pb::GROUP_UP);
    const FileState& file = rig.coordinator().file();
    for (BucketNumber a; a.value < file.buckets(); a = a.next()) {
        QVERIFY(rig.data(a.value));
        QCOMPARE(rig.data(a.value)->level(), levelOf(a, file.image()));
    }
}

} // namespace lhrs::test

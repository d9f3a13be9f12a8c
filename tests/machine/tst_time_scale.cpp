// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator extends all timeouts for a machine that wakes its processes late.
#include "tests/rigs/core/coordinator_rig.h"

#include <QTest>

#include <limits>

using namespace lhrs;
using namespace lhrs::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

} // namespace

class TestTimeScale : public QObject {
    Q_OBJECT

private slots:
    void timeOutsGrowBeforeTheFileExists();
};

// Registered processes are told, and so is every process that registers later.
void TestTimeScale::timeOutsGrowBeforeTheFileExists()
{
    CoordinatorRig::Options options;
    options.config = fileConfig(4, 1);
    options.timers.set_resend_ms(17);
    CoordinatorRig rig(options);
    rig.addSpare(CoordinatorRig::kParity, pb::PARITY);
    rig.registers(CoordinatorRig::kParity);
    pb::Command command;
    for (const double wrong : { 0.0, 0.5, -1.0, 101.0, kNaN, kInfinity }) {
        command.mutable_set_time_scale()->set_factor(wrong);
        QVERIFY(rig.command(command).of(Body::kRegistered, CoordinatorRig::kParity).empty());
        QCOMPARE(rig.replyOf().refusal(), pb::BAD_ARGUMENT);
    }
    for (const double factor : { 8.0, 4.0 }) { // relative to the initial value, not to the current one
        command.mutable_set_time_scale()->set_factor(factor);
        const Step step = rig.command(command);
        QCOMPARE(rig.replyOf().refusal(), pb::NOT_REFUSED);
        QCOMPARE(rig.replyOf().timers().resend_ms(), std::uint32_t(17 * factor));
        QCOMPARE(rig.replyOf().timers().lease_ms(), std::uint32_t(300 * factor));
        QCOMPARE(rig.replyOf().timers().probes_max(), 3u);
        const auto told = step.of(Body::kRegistered, CoordinatorRig::kParity);
        QCOMPARE(told.at(0).message.registered().timers().lease_ms(), std::uint32_t(300 * factor));
    }
    rig.addSpare(CoordinatorRig::kData, pb::DATA);
    rig.registers(CoordinatorRig::kData);
    rig.pass(5s);
    QVERIFY(rig.file().exists());
    for (const auto node : { CoordinatorRig::kData, CoordinatorRig::kParity })
        QCOMPARE(rig.members.at(node).place.timers().lease_ms(), 1200u);
    command.mutable_set_time_scale()->set_factor(2);
    rig.command(command);
    QCOMPARE(rig.replyOf().refusal(), pb::REFUSED);
    QVERIFY(rig.replyOf().text().find("there is a file already") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTimeScale)
#include "tst_time_scale.moc"

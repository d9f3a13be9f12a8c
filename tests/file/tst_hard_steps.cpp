// SPDX-License-Identifier: GPL-3.0-or-later
// The hard cases H9, H11, H12, H18, H19, H23, H24: a process dies at each message of a split, a recovery, or a parity
// creation; spares are missing; all groups fail at once; many clients come back.
#include "tests/file/hard_case.h"

using namespace lhrs;
using namespace lhrs::test;

using Packet = MemoryCluster::Packet;

class TestHardSteps : public QObject {
    Q_OBJECT

private slots:
    void aSplitDiesAtEveryMessage_data();
    void aSplitDiesAtEveryMessage();
    void aRecoveryDiesAtEverySlice_data();
    void aRecoveryDiesAtEverySlice();
    void parityCreationUnderWritesDiesAtEveryStep_data();
    void parityCreationUnderWritesDiesAtEveryStep();
    void kRisesWhileAGroupRecovers();
    void noSpareThenOne();
    void twoGroupsWantTheSameSpare();
    void aSpareAcceptsAndDies();
    void everyGroupLosesKAtOnce();
    void aThousandClientsComeBackAtOnce();

private:
    // The processes that `roles` names: s source, t target, c coordinator, m recovery manager, p or q parity 0 or 1 of
    // group 0, d a data bucket that is not involved, x a spare that is being filled.
    static std::vector<std::uint64_t> named(
        HardCase& hard, const QString& roles, std::uint32_t source, std::uint32_t target);
};

namespace {

bool isOfSplit(const pb::Message& message)
{
    return message.has_split() || message.has_move_records() || message.has_prepare_batch() || message.has_prepared()
        || message.has_commit() || message.has_applied() || message.has_finish() || message.has_confirm()
        || message.has_epoch() || message.has_epoch_ack();
}

bool isOfRecovery(const pb::Message& message)
{
    return message.has_cut_report() || message.has_delta_copy() || message.has_cut_done() || message.has_recover()
        || message.has_slice_request() || message.has_slice_data() || message.has_spare_slice()
        || message.has_recovery_done() || message.has_confirm();
}

bool isOfCreation(const pb::Message& message)
{
    return message.has_add_parity() || message.has_send_contents() || message.has_contents()
        || message.has_contents_done() || message.has_epoch() || message.has_epoch_ack() || message.has_confirm();
}

} // namespace

std::vector<std::uint64_t> TestHardSteps::named(
    HardCase& hard, const QString& roles, std::uint32_t source, std::uint32_t target)
{
    std::vector<std::uint64_t> found;
    const FileState& file = hard.rig.coordinator().file();
    const auto add = [&](const FileState::MemberInfo* member) {
        if (member && !member->hasFailed())
            found.push_back(member->holder.node.value);
    };
    const auto parityOf = [&](std::uint32_t column) -> const FileState::MemberInfo* {
        const auto& parity = file.groups().at(GroupNumber(0)).parity;
        const auto member = parity.find(ParityColumn(column));
        return member == parity.end() ? nullptr : &member->second;
    };
    for (const QChar role : roles) {
        if (role == 's')
            add(file.data(BucketNumber(source)));
        else if (role == 't')
            add(file.data(BucketNumber(target)));
        else if (role == 'd')
            add(file.data(BucketNumber(3)));
        else if (role == 'p' || role == 'q')
            add(parityOf(role == 'p' ? 0 : 1));
        else if (role == 'm')
            add(parityOf(file.groups().at(GroupNumber(0)).manager.value));
        else if (role == 'x') {
            for (const std::uint64_t node : hard.rig.nodes) {
                const DataBucket* bucket = hard.rig.node(node).dataBucket();
                if (bucket && bucket->state() == pb::RECOVERING)
                    found.push_back(node);
            }
        }
    }
    return found;
}

// ---- H9

void TestHardSteps::aSplitDiesAtEveryMessage_data()
{
    QTest::addColumn<QString>("dies");
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<bool>("isOneGroup"); // source and target in the same group, or not
    for (const bool isOneGroup : { true, false }) {
        const char* words = isOneGroup ? "one group" : "two groups";
        for (const char* roles : { "s", "t", "p", "c" })
            QTest::addRow("%s, k = 1, %s", words, roles) << QString(roles) << 1u << isOneGroup;
        for (const char* roles : { "st", "sp", "sq", "tp", "tq", "pq", "sc", "tc", "pc" })
            QTest::addRow("%s, k = 2, %s", words, roles) << QString(roles) << 2u << isOneGroup;
    }
}

void TestHardSteps::aSplitDiesAtEveryMessage()
{
    QFETCH(const QString, dies);
    QFETCH(const std::uint32_t, k);
    QFETCH(const bool, isOneGroup);
    bool isBeyondTheEnd = false;
    int messages = 0;
    for (; !isBeyondTheEnd; ++messages) {
        HardCase hard({ .m = isOneGroup ? 4u : 2u,
            .k = k,
            .records = isOneGroup ? 22u : 40u,
            .dataSpares = 20,
            .paritySpares = 30 });
        QVERIFY(hard.isBegun);
        const FileImage file = hard.rig.coordinator().file().image();
        QCOMPARE(groupOf(BucketNumber(file.n), isOneGroup ? 4 : 2) == groupOf(splitTarget(file), isOneGroup ? 4 : 2),
            isOneGroup);
        const std::uint32_t source = file.n, target = splitTarget(file).value;
        int seen = 0;
        bool isDue = false;
        hard.onArrival = [&](const Packet& p) { isDue = isDue || (isOfSplit(*p.message) && ++seen > messages); };
        pb::Command command;
        command.mutable_force_split();
        const std::uint64_t ticket = hard.rig.cluster.command(FileRig::kCoordinator, command);
        hard.rig.cluster.runUntil([&] { return isDue || hard.isAnswered(ticket); }, 20s);
        isBeyondTheEnd = hard.isAnswered(ticket);
        hard.onArrival = nullptr;
        const auto victims = named(hard, dies, source, target);
        if (dies.contains('c'))
            hard.rig.cluster.kill(FileRig::kCoordinator);
        for (const std::uint64_t victim : victims)
            hard.rig.kill(victim);
        if (dies.contains('c')) {
            hard.rig.startCoordinator(true);
            QVERIFY(hard.rig.cluster.runUntil([&] { return !hard.rig.coordinator().isListening(); }, 15s));
        }
        const std::string problem = hard.problem();
        QVERIFY2(problem.empty(),
            qPrintable(QString("at message %1: %2").arg(messages).arg(QString::fromStdString(problem))));
        QVERIFY(messages < 200);
    }
    QVERIFY(messages >= 12);
}

// ---- H11

void TestHardSteps::aRecoveryDiesAtEverySlice_data()
{
    QTest::addColumn<QString>("dies");
    QTest::addRow("the recovery manager") << "m";
    QTest::addRow("a spare") << "x";
    QTest::addRow("a bucket that sends records") << "d";
    QTest::addRow("the other parity bucket") << "q";
    QTest::addRow("the manager and the spare") << "mx";
    QTest::addRow("the coordinator") << "c";
    QTest::addRow("the coordinator and the manager") << "cm";
}

void TestHardSteps::aRecoveryDiesAtEverySlice()
{
    QFETCH(const QString, dies);
    bool isBeyondTheEnd = false;
    int messages = 0;
    for (; !isBeyondTheEnd; ++messages) {
        HardCase hard({ .k = 2, .records = 40 });
        QVERIFY(hard.isBegun);
        int seen = 0;
        bool isDue = false, isOver = false;
        hard.onArrival = [&](const Packet& p) { isDue = isDue || (isOfRecovery(*p.message) && ++seen > messages); };
        hard.rig.kill(hard.data(0, 1));
        const auto isUpAgain = [&] {
            const auto* member = hard.rig.coordinator().file().data(BucketNumber(1));
            isOver = isOver || (seen > 0 && member->state == pb::UP);
            return isDue || isOver;
        };
        QVERIFY(hard.rig.cluster.runUntil(isUpAgain, 20s));
        isBeyondTheEnd = !isDue;
        hard.onArrival = nullptr;
        const auto victims = named(hard, dies, 0, 0);
        if (dies.contains('c'))
            hard.rig.cluster.kill(FileRig::kCoordinator);
        for (const std::uint64_t victim : victims)
            hard.rig.kill(victim);
        if (dies.contains('c')) {
            hard.rig.startCoordinator(true);
            QVERIFY(hard.rig.cluster.runUntil([&] { return !hard.rig.coordinator().isListening(); }, 15s));
        }
        const std::string problem = hard.problem();
        QVERIFY2(problem.empty(),
            qPrintable(QString("at message %1: %2").arg(messages).arg(QString::fromStdString(problem))));
        QVERIFY(messages < 200);
    }
    QVERIFY(messages >= 10);
}

// ---- H12

void TestHardSteps::parityCreationUnderWritesDiesAtEveryStep_data()
{
    QTest::addColumn<QString>("dies"); // n: the new parity bucket
    QTest::addRow("the new parity bucket") << "n";
    QTest::addRow("a data bucket") << "s";
    QTest::addRow("the other parity bucket") << "p";
    QTest::addRow("the coordinator") << "c";
}

void TestHardSteps::parityCreationUnderWritesDiesAtEveryStep()
{
    QFETCH(const QString, dies);
    bool isBeyondTheEnd = false;
    int messages = 0;
    for (; !isBeyondTheEnd; ++messages) {
        HardCase hard({ .k = 1, .records = 40 });
        QVERIFY(hard.isBegun);
        pb::Command command;
        command.mutable_raise_availability()->set_availability(2);
        hard.rig.cluster.ask(FileRig::kCoordinator, command);
        pb::Command writes;
        auto* order = writes.mutable_run_workload();
        order->set_keys(pb::PRESENT);
        order->set_count(300);
        order->set_length(40);
        order->set_window(4);
        for (const std::uint32_t weight : { 0u, 100u, 0u, 0u })
            order->add_mix(weight);
        const std::uint64_t written = hard.rig.cluster.command(FileRig::kClient, writes);
        int seen = 0;
        bool isDue = false;
        hard.onArrival = [&](const Packet& p) { isDue = isDue || (isOfCreation(*p.message) && ++seen > messages); };
        command.mutable_create_parity()->set_group(0);
        const std::uint64_t ticket = hard.rig.cluster.command(FileRig::kCoordinator, command);
        hard.rig.cluster.runUntil([&] { return isDue || hard.isAnswered(ticket); }, 20s);
        isBeyondTheEnd = hard.isAnswered(ticket);
        hard.onArrival = nullptr;
        std::vector<std::uint64_t> victims = named(hard, dies, 0, 0);
        if (dies == "n") {
            for (const std::uint64_t node : hard.rig.nodes) {
                const ParityBucket* parity = hard.rig.node(node).parityBucket();
                if (parity && parity->group().value == 0 && parity->column().value == 1)
                    victims.push_back(node);
            }
        }
        if (dies == "c")
            hard.rig.cluster.kill(FileRig::kCoordinator);
        for (const std::uint64_t victim : victims)
            hard.rig.kill(victim);
        if (dies == "c") {
            hard.rig.startCoordinator(true);
            QVERIFY(hard.rig.cluster.runUntil([&] { return !hard.rig.coordinator().isListening(); }, 15s));
        }
        QVERIFY(hard.rig.cluster.runUntil([&] { return hard.isAnswered(written); }, 60s));
        const std::string problem = hard.problem();
        QVERIFY2(problem.empty(),
            qPrintable(QString("at message %1: %2").arg(messages).arg(QString::fromStdString(problem))));
        const std::uint32_t k = hard.rig.coordinator().file().groups().at(GroupNumber(0)).k;
        QVERIFY(k == 1 || k == 2);
        QVERIFY(messages < 200);
    }
    QVERIFY(messages >= 10);
}

// ---- H18, H19, H23, H24

void TestHardSteps::kRisesWhileAGroupRecovers()
{
    HardCase hard({ .m = 2, .k = 1, .records = 60, .dataSpares = 30, .paritySpares = 30 });
    QVERIFY(hard.isBegun);
    pb::Command split;
    split.mutable_force_split();
    while (hard.rig.coordinator().file().image().n != 0) {
        hard.rig.cluster.ask(FileRig::kCoordinator, split);
        QVERIFY(hard.rig.waitForRest());
    }
    hard.rig.kill(hard.data(1, 0));
    QVERIFY(hard.rig.cluster.runUntil(
        [&] { return hard.rig.coordinator().file().groups().at(GroupNumber(1)).state == pb::GROUP_DEGRADED; }, 5s));
    pb::Command raise;
    raise.mutable_raise_availability()->set_availability(2);
    hard.rig.cluster.ask(FileRig::kCoordinator, raise);
    hard.rig.cluster.command(FileRig::kCoordinator, split);
    hard.rig.cluster.run(2s);
    COMPARE_WELL(hard);
    QCOMPARE(hard.rig.coordinator().file().availability(), 2u);
    for (const auto& [g, group] : hard.rig.coordinator().file().groups())
        QVERIFY(group.k == 1 || group.k == 2); // I12: k is K or K - 1
    QCOMPARE(hard.rig.coordinator().file().groups().at(GroupNumber(0)).k, 2u);
}

void TestHardSteps::noSpareThenOne()
{
    HardCase hard({ .k = 1, .dataSpares = 4 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(1);
    hard.rig.kill(hard.data(0, 1));
    hard.rig.cluster.run(30s);
    QCOMPARE(hard.rig.coordinator().file().groups().at(GroupNumber(0)).state, pb::GROUP_DEGRADED);
    const pb::OperationResult found = hard.rig.operate(pb::SEARCH, key);
    QCOMPARE(found.result(), pb::OK);
    QCOMPARE(found.path(), pb::RECORD_RECOVERY);
    QCOMPARE(hard.rig.operate(pb::SEARCH, hard.keyOf(1, 700'000)).result(), pb::NOT_FOUND);
    hard.rig.addSpare(300, pb::DATA);
    COMPARE_WELL(hard);
    QVERIFY(hard.rig.node(300).dataBucket());
}

void TestHardSteps::twoGroupsWantTheSameSpare()
{
    HardCase hard({ .m = 2, .k = 1, .records = 60, .dataSpares = 30, .paritySpares = 30 });
    QVERIFY(hard.isBegun);
    for (const std::uint64_t node : std::set(hard.rig.nodes)) { // no spare is left
        if (!hard.rig.node(node).dataBucket() && hard.rig.node(node).pool() == pb::DATA)
            hard.rig.kill(node);
    }
    hard.rig.kill(hard.data(0, 0));
    hard.rig.kill(hard.data(1, 0));
    hard.rig.cluster.run(5s);
    hard.rig.addSpare(300, pb::DATA);
    hard.rig.cluster.run(10s);
    QVERIFY(hard.rig.node(300).dataBucket()); // one of them has it
    hard.rig.addSpare(301, pb::DATA);
    COMPARE_WELL(hard);
}

void TestHardSteps::aSpareAcceptsAndDies()
{
    HardCase hard({ .k = 1, .dataSpares = 4 });
    QVERIFY(hard.isBegun);
    std::uint64_t dead = 0;
    hard.onArrival = [&](const Packet& p) {
        if (p.message->has_confirm() && p.to == 300)
            dead = p.to;
    };
    hard.rig.kill(hard.data(0, 1));
    hard.rig.addSpare(300, pb::DATA);
    QVERIFY(hard.rig.cluster.runUntil([&] { return dead != 0; }, 20s));
    hard.rig.kill(dead);
    hard.rig.cluster.run(5s);
    hard.rig.addSpare(301, pb::DATA);
    COMPARE_WELL(hard);
    QVERIFY(hard.rig.node(301).dataBucket());
}

void TestHardSteps::everyGroupLosesKAtOnce()
{
    HardCase hard({ .m = 2, .k = 2, .records = 90, .dataSpares = 60, .paritySpares = 60 });
    QVERIFY(hard.isBegun);
    std::vector<std::uint64_t> victims;
    std::size_t groups = 0;
    for (const auto& [g, group] : hard.rig.coordinator().file().groups()) {
        ++groups;
        victims.push_back(group.data.begin()->second.holder.node.value);
        victims.push_back(g.value % 2 == 0 ? group.data.rbegin()->second.holder.node.value
                                           : group.parity.begin()->second.holder.node.value);
    }
    QVERIFY(groups >= 4);
    for (const std::uint64_t victim : std::set(victims.begin(), victims.end()))
        hard.rig.kill(victim);
    COMPARE_WELL(hard);
}

void TestHardSteps::aThousandClientsComeBackAtOnce()
{
    HardCase hard({ .k = 1, .records = 40 });
    QVERIFY(hard.isBegun);
    constexpr std::uint64_t kFirst = 20'000, kClients = 1'000;
    for (std::uint64_t c = 0; c < kClients; ++c)
        hard.rig.addClient(kFirst + c);
    std::vector<std::uint64_t> tickets;
    for (std::uint64_t c = 0; c < kClients; ++c)
        tickets.push_back(
            hard.begin(c % 2 == 0 ? pb::UPDATE : pb::SEARCH, c % 40, "of client " + std::to_string(c), kFirst + c));
    // Some of them end while it is under way.
    hard.rig.cluster.run(1ms);
    for (std::uint64_t c = 0; c < kClients; c += 10)
        hard.rig.cluster.kill(kFirst + c);
    for (std::uint64_t c = 0; c < kClients; ++c) {
        if (c % 10 == 0)
            continue;
        const auto answer = hard.answerOf(tickets[c]);
        QVERIFY(answer);
        QVERIFY2(answer->result() == pb::OK, qPrintable(QString("client %1: %2").arg(c).arg(int(answer->result()))));
    }
    std::size_t most = 0, left = 0;
    const auto results = [&] {
        std::size_t sum = 0;
        for (std::uint32_t a = 0; a < hard.rig.coordinator().file().buckets(); ++a)
            sum += hard.rig.data(a)->results().size();
        return sum;
    };
    most = results();
    for (std::uint64_t c = 0; c < kClients; ++c)
        hard.rig.cluster.kill(kFirst + c);
    hard.rig.cluster.run(90s); // a client's state is dropped 60 s after its last message
    left = results();
    QVERIFY(most >= 400);
    QVERIFY2(left < most / 4, qPrintable(QString("%1 results of %2 are left").arg(left).arg(most)));
    hard.rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(parityProblem(hard.rig)), QString());
}

QTEST_APPLESS_MAIN(TestHardSteps)
#include "tst_hard_steps.moc"

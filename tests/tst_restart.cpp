// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator ends without a word, at any moment, and another one starts that knows nothing (lhrs.md 10.9): the file
// is the same, what was under way is finished or undone, and nothing acknowledged is lost.
#include "tests/file_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

FileRig::Options optionsOf(std::uint32_t k, std::uint32_t m = 4)
{
    FileRig::Options options;
    options.config = fileConfig(m, k, 12);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(3);
    options.dataSpares = 30;
    options.paritySpares = 14;
    return options;
}

// Everything that the coordinator has to know again, as text.
std::string knowledge(const FileState& file)
{
    std::string text = "i=" + std::to_string(file.image().i) + " n=" + std::to_string(file.image().n) + " K=" + std::to_string(file.availability());
    for (const auto& [g, group] : file.groups()) {
        text += "\ngroup " + std::to_string(g.value) + " k=" + std::to_string(group.k) + " state " + std::to_string(group.state);
        for (const auto& [q, member] : group.data)
            text += " D" + std::to_string(q.value) + ":" + std::to_string(member.holder.node.value) + "/" + std::to_string(member.holder.incarnation.value)
                + " level " + std::to_string(member.level) + " state " + std::to_string(member.state);
        for (const auto& [p, member] : group.parity)
            text += " P" + std::to_string(p.value) + ":" + std::to_string(member.holder.node.value) + "/" + std::to_string(member.holder.incarnation.value)
                + " state " + std::to_string(member.state);
    }
    return text;
}

std::set<std::uint64_t> holdersOf(FileRig& rig)
{
    std::set<std::uint64_t> holders;
    for (const auto& [g, group] : rig.coordinator().file().groups()) {
        for (const auto& [q, member] : group.data)
            holders.insert(member.holder.node.value);
        for (const auto& [p, member] : group.parity)
            holders.insert(member.holder.node.value);
    }
    return holders;
}

} // namespace

class TestRestart : public QObject {
    Q_OBJECT

private slots:
    void theFileIsTheSame();
    void keyOperationsGoOnMeanwhile();
    void aFreshFileIsCreatedWhereNobodyHoldsABucket();
    void aSplitIsFinishedOrUndone_data();
    void aSplitIsFinishedOrUndone();
    void theCoordinatorDiesAfterTheFirstCommit();
    void aSourceThatWasSilentIsToldThatItsSplitIsOver();
    void parityCreationIsUndoneOrKept_data();
    void parityCreationIsUndoneOrKept();
    void aRecoveryStartsOver_data();
    void aRecoveryStartsOver();
    void theCoordinatorAndAnySetDieTogether_data();
    void theCoordinatorAndAnySetDieTogether();
    void anOverloadReportOutlivesTheCoordinator();
    void twoCoordinators();
    void whoHasReportedFollowsNoFormerCoordinator();
    void aLateCopyOfItsQuestionDoesNotPartItFromItsServers();
    void whoHearsNobodyMakesNoFile();
    void whoSleptWhileListeningListensAnew();
    void aSpareThatNeverGotItsPlaceIsNotWaitedFor();
    void aFileOfWhichNothingIsHeardIsWaitedFor_data();
    void aFileOfWhichNothingIsHeardIsWaitedFor();
    void bucketsOfAFileThatNobodyKnewOfAreLeftAlone();
    void whoStartsElsewhereIsNotAnswered();
    void clientsKeepTheirKeys();

private:
    static void begin(FileRig& rig, std::uint64_t records = 40);
    static void restart(FileRig& rig, Time down = 0ns);
    static void checkAll(FileRig& rig, std::uint64_t records);
};

void TestRestart::begin(FileRig& rig, std::uint64_t records)
{
    if (qEnvironmentVariableIsSet("LHRS_TRACE")) {
        rig.cluster.onEvent = [&rig](std::uint64_t node, const pb::Event& event) {
            if (!event.has_gauges() && !event.has_operation_started() && !event.has_operation_done() && !event.has_record_inserted() && !event.has_delta_applied() && !event.has_change_acknowledged())
                std::printf("%9.3f ms  %4llu  %s\n", double(rig.cluster.now().count()) / 1e6, static_cast<unsigned long long>(node), event.ShortDebugString().substr(0, 300).c_str());
        };
    }
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(records, 30, 4).results().at("OK"), records);
    QVERIFY(rig.waitForRest());
}

void TestRestart::restart(FileRig& rig, Time down)
{
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.run(down);
    rig.startCoordinator(true);
}

void TestRestart::checkAll(FileRig& rig, std::uint64_t records)
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
    // The levels of all buckets are those of (i, n).
    const FileState& file = rig.coordinator().file();
    for (BucketNumber a; a.value < file.buckets(); a = a.next()) {
        QVERIFY(rig.data(a.value));
        QCOMPARE(rig.data(a.value)->level(), levelOf(a, file.image()));
    }
}

void TestRestart::theFileIsTheSame()
{
    for (const std::uint32_t m : { 1u, 2u, 4u }) {
        FileRig::Options options = optionsOf(2, m);
        options.paritySpares = 40;
        FileRig rig(options);
        begin(rig, 90);
        const std::string before = knowledge(rig.coordinator().file());
        QVERIFY(rig.coordinator().file().buckets() >= 6);
        restart(rig, 3s);
        checkAll(rig, 90);
        QCOMPARE(QString::fromStdString(knowledge(rig.coordinator().file())), QString::fromStdString(before));
        QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 2u);
        // And it grows on.
        QCOMPARE(rig.insertMany(40, 30, 4).results().at("OK"), 40u);
        checkAll(rig, 130);
        restart(rig);
        checkAll(rig, 130);
        QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 3u);
    }
}

void TestRestart::keyOperationsGoOnMeanwhile()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.run(60s);
    const Time since = rig.cluster.now();
    QCOMPARE(rig.verify().missing(), 0u);
    QCOMPARE(rig.operate(pb::UPDATE, 1, "while it is away").result(), pb::OK);
    QVERIFY(rig.cluster.now() - since < 100ms); // nobody waited for anything
    rig.startCoordinator(true);
    checkAll(rig, 40);
    QCOMPARE(rig.operate(pb::SEARCH, 1).value(), std::string("while it is away"));
}

void TestRestart::aFreshFileIsCreatedWhereNobodyHoldsABucket()
{
    FileRig rig(optionsOf(1));
    rig.cluster.kill(FileRig::kCoordinator);
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return rig.coordinator().file().exists(); }, 10s));
    QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 1u);
}

void TestRestart::aSplitIsFinishedOrUndone_data()
{
    QTest::addColumn<std::uint32_t>("m");
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<int>("after");
    // A split takes about 2 ms here: each of its messages is met by some of these moments.
    for (const std::uint32_t m : { 1u, 4u }) {
        for (const std::uint32_t k : { 0u, 1u, 2u }) {
            for (int after = 0; after < 2'400; after += 60)
                QTest::addRow("m = %u, k = %u, after %d us", m, k, after) << m << k << after;
        }
    }
}

void TestRestart::aSplitIsFinishedOrUndone()
{
    QFETCH(const std::uint32_t, m);
    QFETCH(const std::uint32_t, k);
    QFETCH(const int, after);
    FileRig::Options options = optionsOf(k, m);
    options.paritySpares = 40;
    FileRig rig(options);
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(std::chrono::microseconds(after));
    restart(rig);
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().buckets() - buckets <= 1);
    QCOMPARE(rig.insertMany(30, 30, 4).results().at("OK"), 30u);
    checkAll(rig, 70);
}

void TestRestart::theCoordinatorDiesAfterTheFirstCommit()
{
    // H10: alone, and with its only receiver.
    for (const bool isReceiverDead : { false, true }) {
        FileRig rig(optionsOf(1));
        begin(rig);
        const std::uint32_t buckets = rig.coordinator().file().buckets();
        pb::Command command;
        command.mutable_force_split();
        std::uint64_t receiver = 0;
        rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
            if (!packet.message->has_commit())
                return true;
            if (receiver == 0)
                receiver = packet.to;
            return packet.to == receiver; // the others never hear of it
        };
        rig.cluster.command(FileRig::kCoordinator, command);
        QVERIFY(rig.cluster.runUntil([&] { return receiver != 0; }, 5s));
        rig.cluster.kill(FileRig::kCoordinator);
        rig.cluster.run(5ms);
        if (isReceiverDead)
            rig.kill(receiver);
        rig.cluster.onPacket = nullptr;
        rig.startCoordinator(true);
        checkAll(rig, 40);
        QCOMPARE(rig.coordinator().file().buckets(), buckets + 1); // all had prepared
    }
}

void TestRestart::aSourceThatWasSilentIsToldThatItsSplitIsOver()
{
    // Everybody else has carried it out, so the next coordinator need not deal with it; but the source still has its copies,
    // and takes no other order.
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets(), n = rig.coordinator().file().image().n;
    const std::uint64_t source = rig.coordinator().file().data(BucketNumber(n))->holder.node.value;
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return !packet.message->has_finish(); };
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(20ms);
    QCOMPARE(rig.coordinator().file().buckets(), buckets + 1);
    QCOMPARE(rig.data(buckets)->state(), pb::UP);
    QVERIFY(!rig.coordinator().isAtRest());
    rig.cluster.onPacket = [source](const MemoryCluster::Packet& packet) { // it answers a probe all the same
        return packet.to != FileRig::kCoordinator || packet.message->sender() != source || packet.message->has_probe_reply();
    };
    restart(rig);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    rig.cluster.run(100ms);
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().data(BucketNumber(n))->holder.node.value, source);
    for (std::uint32_t split = 0; split < 2 * buckets; ++split) // until it is its turn again
        rig.cluster.command(FileRig::kCoordinator, command);
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().buckets(), 3 * buckets + 1);
}

void TestRestart::parityCreationIsUndoneOrKept_data()
{
    QTest::addColumn<int>("after");
    for (int after = 0; after < 1'800; after += 60)
        QTest::addRow("after %d us", after) << after;
}

void TestRestart::parityCreationIsUndoneOrKept()
{
    QFETCH(const int, after);
    FileRig rig(optionsOf(1));
    begin(rig);
    pb::Command command;
    command.mutable_raise_availability()->set_availability(2);
    rig.cluster.ask(FileRig::kCoordinator, command);
    command.mutable_create_parity()->set_group(0);
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(std::chrono::microseconds(after));
    restart(rig);
    checkAll(rig, 40);
    const std::uint32_t k = rig.coordinator().file().groups().at(GroupNumber(0)).k;
    QVERIFY(k == 1 || k == 2);
}

void TestRestart::aRecoveryStartsOver_data()
{
    QTest::addColumn<int>("after");
    for (int after = 0; after < 900; after += 20)
        QTest::addRow("after %d ms", after) << after;
}

void TestRestart::aRecoveryStartsOver()
{
    QFETCH(const int, after);
    FileRig rig(optionsOf(2));
    begin(rig);
    const std::uint64_t data = rig.holder(pb::DATA, 0, 1), parity = rig.holder(pb::PARITY, 0, 0);
    rig.kill(data);
    rig.kill(parity);
    rig.cluster.run(std::chrono::milliseconds(after));
    restart(rig);
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(0)).k, 2u);
}

void TestRestart::theCoordinatorAndAnySetDieTogether_data()
{
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<std::uint32_t>("set");
    QTest::addColumn<bool>("isSplitting");
    for (const bool isSplitting : { false, true }) {
        for (std::uint32_t k = 1; k <= 3; ++k) {
            for (std::uint32_t set = 1; set < 1u << (4 + k); ++set) {
                if (std::uint32_t(std::popcount(set)) <= k)
                    QTest::addRow("k = %u, set %u%s", k, set, isSplitting ? ", splitting" : "") << k << set << isSplitting;
            }
        }
    }
}

void TestRestart::theCoordinatorAndAnySetDieTogether()
{
    QFETCH(const std::uint32_t, k);
    QFETCH(const std::uint32_t, set);
    QFETCH(const bool, isSplitting);
    FileRig rig(optionsOf(k));
    begin(rig);
    if (isSplitting) {
        pb::Command command;
        command.mutable_force_split();
        rig.cluster.command(FileRig::kCoordinator, command);
        rig.cluster.run(set * 19us + 300us);
    }
    std::vector<std::uint64_t> victims;
    for (std::uint32_t bit = 0; bit < 7; ++bit) {
        if (set >> bit & 1)
            victims.push_back(bit < 4 ? rig.holder(pb::DATA, 0, bit) : rig.holder(pb::PARITY, 0, bit - 4));
    }
    rig.cluster.kill(FileRig::kCoordinator);
    for (const std::uint64_t victim : victims)
        rig.kill(victim);
    rig.startCoordinator(true);
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().groups().at(GroupNumber(0)).k >= k);
}

void TestRestart::anOverloadReportOutlivesTheCoordinator()
{
    // H17: a bucket has passed b, and its report ends with the coordinator.
    FileRig rig(optionsOf(1));
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return !packet.message->has_split(); };
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(20, 30, 1).results().at("OK"), 20u);
    QVERIFY(rig.coordinator().growth().owed() > 0 || !rig.coordinator().growth().isIdle());
    restart(rig);
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 20);
    QVERIFY(rig.coordinator().file().buckets() >= 2);
    // Doubled reports are one debt.
    QVERIFY(rig.coordinator().file().buckets() <= 3);
}

void TestRestart::twoCoordinators()
{
    // H21: the old one was only paused. Its orders and invitations are refused, and it learns why.
    FileRig rig(optionsOf(1));
    begin(rig);
    constexpr std::uint64_t kOld = 2;
    FileRig::Options options = optionsOf(1);
    restart(rig);
    checkAll(rig, 40);
    // An order of the former one, as it would come after its pause.
    const FileState::MemberInfo& member = *rig.coordinator().file().data(BucketNumber(0));
    std::uint64_t refused = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_superseded() && packet.to == kOld)
            refused = packet.message->superseded().coordinator_epoch();
        return true;
    };
    pb::Message order;
    order.set_id(4711);
    order.set_sender(kOld);
    order.mutable_from()->set_ip(kOld);
    order.set_coordinator_epoch(1);
    *order.mutable_epoch()->mutable_view() = rig.coordinator().file().view(GroupNumber(0));
    order.mutable_epoch()->mutable_view()->set_epoch(order.epoch().view().epoch() + 7);
    rig.cluster.inject(member.holder.node.value, order);
    rig.cluster.run(10ms);
    QCOMPARE(refused, 2u);
    QVERIFY(rig.data(0)->view().epoch() < order.epoch().view().epoch());
    // Whoever is told so does nothing any more.
    pb::Message word;
    word.set_sender(member.holder.node.value);
    word.mutable_superseded()->set_coordinator_epoch(9);
    rig.cluster.inject(FileRig::kCoordinator, word);
    rig.cluster.run(10ms);
    QVERIFY(rig.coordinator().isSuperseded());
    pb::Command command;
    command.mutable_force_split();
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, command).refusal(), pb::REFUSED);
}

void TestRestart::whoHasReportedFollowsNoFormerCoordinator()
{
    // What a process reports must still be true when the one that listens acts on it.
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint64_t node = rig.coordinator().file().data(BucketNumber(0))->holder.node.value;
    pb::Message order;
    order.set_id(4711);
    order.set_sender(FileRig::kCoordinator);
    order.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
    order.set_coordinator_epoch(1);
    *order.mutable_epoch()->mutable_view() = rig.coordinator().file().view(GroupNumber(0));
    rig.cluster.kill(FileRig::kCoordinator);
    std::vector<std::uint64_t> reported; // the highest epochs, as they are told
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_state_report())
            reported.push_back(packet.message->state_report().coordinator_epoch());
        return true;
    };
    const auto listens = [&](std::uint64_t coordinator) { // each in the place of the one before
        pb::Message ask;
        ask.set_sender(coordinator);
        ask.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
        ask.mutable_report_state();
        rig.cluster.inject(node, ask);
        rig.cluster.run(10ms);
    };
    const auto isFollowed = [&] {
        order.mutable_epoch()->mutable_view()->set_epoch(order.epoch().view().epoch() + 1);
        rig.cluster.inject(node, order);
        rig.cluster.run(10ms);
        return rig.node(node).dataBucket()->view().epoch() == order.epoch().view().epoch();
    };
    QVERIFY(isFollowed());
    constexpr std::uint64_t kFirst = 71, kSecond = 72;
    listens(kFirst);
    QVERIFY(!isFollowed());
    listens(kFirst);
    listens(kSecond); // must not take the epoch that the first one may have taken
    QCOMPARE(reported, (std::vector<std::uint64_t> { 1, 1, 2 }));
    QVERIFY(!isFollowed());
    rig.cluster.run(6s); // neither has taken over
    QVERIFY(isFollowed());
    listens(kSecond);
    order.set_coordinator_epoch(3);
    QVERIFY(isFollowed());
    pb::Message asksAgain; // one that has its epoch, of a process that had been silent
    asksAgain.set_sender(kSecond);
    asksAgain.mutable_from()->set_ip(std::uint32_t(kSecond));
    asksAgain.set_coordinator_epoch(3);
    asksAgain.mutable_report_state();
    rig.cluster.inject(node, asksAgain);
    rig.cluster.run(10ms);
    QVERIFY(isFollowed());
}

void TestRestart::aLateCopyOfItsQuestionDoesNotPartItFromItsServers()
{
    // Whoever answers gives its word to follow nobody else for 5 s; and would have been declared failed meanwhile.
    FileRig rig(optionsOf(1));
    begin(rig);
    std::map<std::uint64_t, pb::Message> questions; // by who was asked
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_report_state() && packet.message->coordinator_epoch() == 0)
            questions.emplace(packet.to, *packet.message);
        return true;
    };
    restart(rig);
    checkAll(rig, 40);
    std::uint32_t failed = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) { failed += event.has_bucket_failed() ? 1 : 0; };
    QVERIFY(questions.size() > 4);
    for (const auto& [to, question] : questions)
        rig.cluster.inject(to, question);
    rig.cluster.run(10ms);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return failed > 0 && rig.coordinator().isAtRest(); }, 4s));
    QCOMPARE(failed, 1u);
    checkAll(rig, 40);
}

void TestRestart::whoHearsNobodyMakesNoFile()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return packet.to != FileRig::kCoordinator; };
    restart(rig);
    rig.cluster.run(30s);
    QVERIFY(rig.coordinator().isListening());
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
}

void TestRestart::whoSleptWhileListeningListensAnew()
{
    // It had heard two buckets when it was stopped. Its time is long over when it goes on, and the others are still there.
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::set<std::uint64_t> heard;
    for (const std::uint32_t a : { 0u, 1u })
        heard.insert(rig.coordinator().file().data(BucketNumber(a))->holder.node.value);
    restart(rig);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || heard.contains(packet.message->sender());
    };
    rig.cluster.run(1s);
    std::uint32_t rebuilt = 0, listening = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        rebuilt += event.has_coordinator_rebuilt() ? event.coordinator_rebuilt().buckets() : 0;
        listening += event.has_coordinator_listening() ? 1 : 0;
    };
    rig.cluster.pause(FileRig::kCoordinator, 20s);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { return packet.to != FileRig::kCoordinator; };
    rig.cluster.run(20s); // what came meanwhile found no room
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QCOMPARE(listening, 1u);
    QCOMPARE(rebuilt, buckets);
}

void TestRestart::aSpareThatNeverGotItsPlaceIsNotWaitedFor()
{
    // With recovery off all members must come; one that reports no place cannot.
    FileRig::Options options = optionsOf(2, 1);
    options.config.set_recovery(pb::RECOVERY_OFF);
    FileRig rig(options);
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::uint64_t left = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_confirm() && packet.message->confirm().role() == pb::PARITY && left == 0)
            left = packet.to;
        return packet.to != left || !packet.message->has_confirm();
    };
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(50ms);
    QVERIFY(left != 0);
    restart(rig);
    rig.cluster.onPacket = nullptr;
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 3s));
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().buckets() - buckets <= 1);
}

void TestRestart::aFileOfWhichNothingIsHeardIsWaitedFor_data()
{
    QTest::addColumn<bool>("isGivenUp");
    QTest::newRow("until it is heard") << false;
    QTest::newRow("until a person gives it up") << true;
}

void TestRestart::aFileOfWhichNothingIsHeardIsWaitedFor()
{
    // Spares answer, and have been told that there is a file: a second one would take their place in the world.
    QFETCH(bool, isGivenUp);
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::set<std::uint64_t> holders = holdersOf(rig);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || !holders.contains(packet.message->sender());
    };
    restart(rig);
    rig.cluster.run(60s);
    QVERIFY(rig.coordinator().isListening());
    QVERIFY(QString::fromStdString(rig.coordinator().underWay()).contains("none of its buckets is heard"));
    if (!isGivenUp) {
        rig.cluster.onPacket = nullptr;
        checkAll(rig, 40);
        return;
    }
    pb::Command command;
    command.mutable_acknowledge_loss();
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, command).refusal(), pb::NOT_REFUSED);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.coordinator().file().buckets(), 1u);
}

void TestRestart::bucketsOfAFileThatNobodyKnewOfAreLeftAlone()
{
    // Whoever knows of the file is not heard when the coordinator starts. It makes one, and ends nobody's bucket.
    FileRig rig(optionsOf(1));
    std::set<std::uint64_t> knowing;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_registered() && packet.message->registered().file_exists())
            knowing.insert(packet.to);
        return true;
    };
    QVERIFY(rig.waitForFile());
    rig.cluster.run(10ms);
    const std::set<std::uint64_t> holders = holdersOf(rig);
    QVERIFY(std::includes(knowing.begin(), knowing.end(), holders.begin(), holders.end()));
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || (!knowing.contains(packet.message->sender()) && !holders.contains(packet.message->sender()));
    };
    restart(rig);
    for (const std::uint64_t number : { 300u, 301u, 302u }) { // these have just come, and nobody has told them
        rig.addSpare(number, pb::DATA);
        rig.addSpare(number + 500, pb::PARITY);
    }
    QVERIFY(rig.cluster.runUntil([&] { return rig.coordinator().file().exists(); }, 30s));
    std::uint32_t told = 0;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        told += node == FileRig::kCoordinator && event.has_foreign_bucket() ? 1 : 0;
    };
    rig.cluster.onPacket = nullptr;
    rig.cluster.run(30s);
    QCOMPARE(told, std::uint32_t(holders.size())); // once for each
    for (const std::uint64_t node : holders)
        QVERIFY(rig.node(node).dataBucket() || rig.node(node).parityBucket());
}

void TestRestart::whoStartsElsewhereIsNotAnswered()
{
    // Clients and servers could not reach it, if it took over.
    FileRig rig(optionsOf(1));
    begin(rig);
    bool isAnswered = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        isAnswered = isAnswered || packet.message->has_state_report();
        return true;
    };
    const std::uint64_t node = rig.coordinator().file().data(BucketNumber(0))->holder.node.value;
    pb::Message question;
    question.set_sender(4711);
    question.mutable_report_state();
    question.mutable_from()->set_ip(4711);
    rig.cluster.inject(node, question);
    rig.cluster.run(10ms);
    QVERIFY(!isAnswered);
    question.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
    rig.cluster.inject(node, question);
    rig.cluster.run(10ms);
    QVERIFY(isAnswered);
}

void TestRestart::clientsKeepTheirKeys()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    restart(rig);
    checkAll(rig, 40);
    rig.addClient(FileRig::kClient + 1);
    QVERIFY(rig.cluster.runUntil([&] { return rig.client(FileRig::kClient + 1).isRegistered(); }, 5s));
    QCOMPARE(rig.insertMany(10, 30, 1, FileRig::kClient + 1).results().at("OK"), 10u); // and not EXISTS
}

QTEST_APPLESS_MAIN(TestRestart)
#include "tst_restart.moc"

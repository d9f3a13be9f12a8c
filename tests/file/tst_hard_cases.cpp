// SPDX-License-Identifier: GPL-3.0-or-later
// The hard cases H1 to H8 and H13 to H16, H22: late copies, torn fan-outs, reads under way, buckets that wake up,
// minorities, repeats, ranks, lengths, degraded reads. (H9, H11, H12, H18, H19, H23, H24: tst_hard_steps; H10, H17,
// H21: tst_restart; H20: tst_loss; H8: tst_simulation.)
#include "tests/file/hard_case.h"

using namespace lhrs;
using namespace lhrs::test;

using Packet = MemoryCluster::Packet;

class TestHardCases : public QObject {
    Q_OBJECT

private slots:
    void aDeltaThatComesMinutesLateChangesNothing();
    void aTornFanOutIsRolledForward();
    void aHeldDeltaBehindAMissingOneIsDropped();
    void whatOnlyTheDeadKnewWasNeverRead();
    void aRecordIsComputedOnlyAfterTheCut();
    void aSearchWaitsForAChangeUnderWay();
    void existsAndNotFoundAreReads();
    void aWokenBucketAnswersNothing_data();
    void aWokenBucketAnswersNothing();
    void aCutOffMinorityServesNothing_data();
    void aCutOffMinorityServesNothing();
    void aRepeatAfterRecoveryGetsTheOldAnswer_data();
    void aRepeatAfterRecoveryGetsTheOldAnswer();
    void aRankIsFreeOnlyWhenAllParityKnows();
    void lengthsComeBackExactly_data();
    void lengthsComeBackExactly();
    void aDegradedReadNeverMixesVersions();
    void aDegradedReadDoesNotTrustAMemberThatIsAhead();
    void aPortThatChangedHands();
};

// ---- late copies

void TestHardCases::aDeltaThatComesMinutesLateChangesNothing()
{
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(0);
    hard.keepFirst([&](const Packet& p) {
        return p.message->has_delta() && p.message->delta().key() == key && p.to == hard.parity(0, 1);
    });
    QCOMPARE(hard.rig.operate(pb::UPDATE, key, "the first").result(), pb::OK);
    QVERIFY(hard.kept);
    const auto comesAgain = [&](const char* when) {
        hard.sendKeptAgain();
        hard.rig.cluster.run(100ms);
        const std::string problem = parityProblem(hard.rig);
        if (!problem.empty())
            qWarning("%s", when);
        return QString::fromStdString(problem);
    };
    QCOMPARE(comesAgain("at once"), QString());
    for (int i = 0; i < 20; ++i) // the log is trimmed
        QCOMPARE(hard.rig.operate(pb::UPDATE, key, "another " + std::to_string(i)).result(), pb::OK);
    hard.rig.cluster.run(120s);
    QCOMPARE(comesAgain("minutes later"), QString());
    QCOMPARE(hard.rig.operate(pb::DELETE, key).result(), pb::OK);
    QCOMPARE(hard.rig.operate(pb::INSERT, hard.keyOf(0, 1'000), "takes its rank").result(), pb::OK);
    QCOMPARE(comesAgain("its rank has another record"), QString());
    const std::uint32_t moves = hard.rig.coordinator().file().buckets();
    QCOMPARE(hard.rig.insertMany(60, 30, 4).results().at("OK"), 60u);
    QVERIFY(hard.rig.waitForRest());
    hard.rig.cluster.run(1s);
    QVERIFY(hard.rig.coordinator().file().buckets() > moves);
    QCOMPARE(comesAgain("its bucket was split"), QString());
    hard.rig.kill(hard.data(0, 0));
    COMPARE_WELL(hard);
    QCOMPARE(comesAgain("its bucket was recovered"), QString());
}

// ---- the cut

void TestHardCases::aTornFanOutIsRolledForward()
{
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(1), bucket = hard.data(0, 1), other = hard.parity(0, 1);
    bool isThere = false;
    hard.isLost = [&](const Packet& p) {
        if (!p.message->has_delta() || p.from != bucket)
            return false;
        isThere = isThere || p.to != other;
        return p.to == other;
    };
    const std::uint64_t ticket = hard.begin(pb::INSERT, key + 1'000'000 * 4, "reached one of two");
    QVERIFY(hard.rig.cluster.runUntil([&] { return isThere; }, 5s));
    hard.rig.cluster.run(1ms);
    QVERIFY(!hard.isAnswered(ticket));
    hard.rig.kill(bucket);
    hard.isLost = nullptr;
    const auto answer = hard.answerOf(ticket);
    QVERIFY(answer);
    QCOMPARE(answer->result(), pb::OK); // and not EXISTS: the client's repeat finds the stored result
    QCOMPARE(hard.rig.operate(pb::SEARCH, key + 1'000'000 * 4).value(), std::string("reached one of two"));
    COMPARE_WELL(hard);
}

void TestHardCases::aHeldDeltaBehindAMissingOneIsDropped()
{
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t bucket = hard.data(0, 1), first = hard.parity(0, 0);
    const std::uint64_t one = hard.keyOf(1), two = hard.keyOf(1, one + 1);
    Sequence missing = 0, cut = 0;
    bool isHeld = false;
    hard.isLost = [&](const Packet& p) {
        if (!p.message->has_delta() || p.from != bucket)
            return false;
        if (missing == 0)
            missing = p.message->delta().sequence();
        if (p.message->delta().sequence() == missing)
            return true; // applied nowhere
        isHeld = isHeld || p.to == first;
        return p.to != first; // the later one at one parity bucket only
    };
    hard.rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_cut_agreed())
            cut = event.cut_agreed().cuts(0);
    };
    const std::uint64_t a = hard.begin(pb::UPDATE, one, "is nowhere"), b = hard.begin(pb::UPDATE, two, "is held");
    QVERIFY(hard.rig.cluster.runUntil([&] { return isHeld; }, 5s));
    hard.rig.cluster.run(1ms);
    QVERIFY(!hard.isAnswered(a) && !hard.isAnswered(b));
    hard.rig.kill(FileRig::kClient); // no client repeats the request
    hard.rig.kill(bucket);
    hard.isLost = nullptr;
    QVERIFY(hard.rig.cluster.runUntil([&] { return cut != 0; }, 10s));
    QCOMPARE(cut, missing - 1);
    COMPARE_WELL(hard);
    const std::uint64_t reader = FileRig::kClient + 1;
    QVERIFY(hard.rig.operate(pb::SEARCH, one, {}, reader).value() != "is nowhere");
    QVERIFY(hard.rig.operate(pb::SEARCH, two, {}, reader).value() != "is held");
}

void TestHardCases::whatOnlyTheDeadKnewWasNeverRead()
{
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(1), bucket = hard.data(0, 1), knows = hard.parity(0, 0),
                        lacks = hard.parity(0, 1);
    const std::uint64_t reader = FileRig::kClient + 1;
    const std::string before = hard.rig.operate(pb::SEARCH, key, {}, reader).value();
    bool hasArrived = false;
    hard.isLost = [&](const Packet& p) {
        hasArrived = hasArrived || (p.message->has_delta() && p.from == bucket && p.to == knows);
        return p.message->has_delta() && p.from == bucket && p.to == lacks;
    };
    hard.begin(pb::UPDATE, key, "dies with two");
    QVERIFY(hard.rig.cluster.runUntil([&] { return hasArrived; }, 5s));
    const std::uint64_t search = hard.begin(pb::SEARCH, key, {}, reader),
                        exists = hard.begin(pb::INSERT, key, "would be EXISTS", reader);
    hard.rig.cluster.run(5ms);
    QVERIFY(!hard.isAnswered(search) && !hard.isAnswered(exists));
    hard.rig.kill(FileRig::kClient);
    hard.rig.kill(bucket);
    hard.rig.kill(knows);
    const auto found = hard.answerOf(search);
    QVERIFY(found);
    QCOMPARE(found->value(), before);
    COMPARE_WELL(hard);
    QCOMPARE(hard.rig.operate(pb::SEARCH, key, {}, reader).value(), before);
}

void TestHardCases::aRecordIsComputedOnlyAfterTheCut()
{
    // As before, but the member that knows the change lives on for a while; the survivors cannot agree, and it alone
    // could answer.
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(1), bucket = hard.data(0, 1), knows = hard.parity(0, 0),
                        lacks = hard.parity(0, 1);
    const std::uint64_t reader = FileRig::kClient + 1;
    const std::string before = hard.rig.operate(pb::SEARCH, key, {}, reader).value();
    bool hasArrived = false;
    hard.isLost = [&](const Packet& p) {
        hasArrived = hasArrived || (p.message->has_delta() && p.from == bucket && p.to == knows);
        return (p.message->has_delta() && p.from == bucket && p.to == lacks) || p.message->has_cut_report();
    };
    hard.begin(pb::UPDATE, key, "known to one");
    QVERIFY(hard.rig.cluster.runUntil([&] { return hasArrived; }, 5s));
    hard.rig.cluster.run(1ms);
    hard.rig.kill(FileRig::kClient);
    hard.rig.kill(bucket);
    const std::uint64_t search = hard.begin(pb::SEARCH, key, {}, reader);
    hard.rig.cluster.run(2s);
    QCOMPARE(hard.rig.coordinator().file().groups().at(GroupNumber(0)).state, pb::GROUP_FROZEN);
    QVERIFY(!hard.isAnswered(search));
    hard.rig.kill(knows);
    hard.isLost = nullptr;
    const auto found = hard.answerOf(search);
    QVERIFY(found);
    QCOMPARE(found->value(), before);
    COMPARE_WELL(hard);
    QCOMPARE(hard.rig.operate(pb::SEARCH, key, {}, reader).value(), before);
}

// ---- reads

void TestHardCases::aSearchWaitsForAChangeUnderWay()
{
    HardCase hard;
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(2), reader = FileRig::kClient + 1;
    hard.isLost = [](const Packet& p) { return p.message->has_delta_ack(); };
    const std::uint64_t change = hard.begin(pb::UPDATE, key, "new"), search = hard.begin(pb::SEARCH, key, {}, reader);
    hard.rig.cluster.run(60ms);
    QVERIFY(!hard.isAnswered(change) && !hard.isAnswered(search));
    hard.isLost = nullptr;
    QCOMPARE(hard.answerOf(change)->result(), pb::OK);
    QCOMPARE(hard.answerOf(search)->value(), std::string("new"));
}

void TestHardCases::existsAndNotFoundAreReads()
{
    HardCase hard;
    QVERIFY(hard.isBegun);
    const std::uint64_t fresh = hard.keyOf(2, 100'000), old = hard.keyOf(2), reader = FileRig::kClient + 1;
    hard.isLost = [](const Packet& p) { return p.message->has_delta_ack(); };
    const std::uint64_t insert = hard.begin(pb::INSERT, fresh, "x"),
                        exists = hard.begin(pb::INSERT, fresh, "y", reader);
    const std::uint64_t gone = hard.begin(pb::DELETE, old), notFound = hard.begin(pb::UPDATE, old, "z", reader);
    hard.rig.cluster.run(60ms);
    for (const std::uint64_t ticket : { insert, exists, gone, notFound })
        QVERIFY(!hard.isAnswered(ticket));
    hard.isLost = nullptr;
    QCOMPARE(hard.answerOf(insert)->result(), pb::OK);
    QCOMPARE(hard.answerOf(exists)->result(), pb::EXISTS);
    QCOMPARE(hard.answerOf(gone)->result(), pb::OK);
    QCOMPARE(hard.answerOf(notFound)->result(), pb::NOT_FOUND);

    // Without a lease the bucket may answer neither: it hears no member of its group.
    const std::uint64_t bucket = hard.data(0, 3);
    const std::uint64_t present = hard.keyOf(3), absent = hard.keyOf(3, 200'000);
    hard.isLost = [&](const Packet& p) { return p.message->has_lease_grant() && p.to == bucket; };
    hard.rig.cluster.run(400ms);
    std::uint32_t said = 0;
    hard.onArrival = [&](const Packet& p) {
        const bool isOurs = p.from == bucket && p.message->has_reply();
        said += isOurs && (p.message->reply().result() == pb::EXISTS || p.message->reply().result() == pb::NOT_FOUND)
            ? 1
            : 0;
    };
    hard.begin(pb::INSERT, present, "no", reader);
    hard.begin(pb::UPDATE, absent, "no", reader);
    hard.rig.cluster.run(100ms);
    QCOMPARE(said, 0u);
}

// ---- fencing

namespace {

constexpr std::uint64_t kStranger = 9'000; // never asked whether a bucket is still valid

// A Search as sent by a client that knows the old location.
pb::Message searchOf(std::uint64_t key, std::uint32_t bucket, std::uint64_t incarnation)
{
    pb::Message message;
    message.set_sender(kStranger);
    message.mutable_from()->set_ip(std::uint32_t(kStranger));
    auto* search = message.mutable_search();
    search->mutable_request()->set_client(kStranger);
    search->mutable_request()->set_number(1);
    search->set_key(key);
    search->set_target(bucket);
    search->set_incarnation(incarnation);
    search->mutable_client()->set_ip(std::uint32_t(kStranger));
    return message;
}

} // namespace

void TestHardCases::aWokenBucketAnswersNothing_data()
{
    QTest::addColumn<int>("pauseMs");
    QTest::addColumn<int>("isReplaced"); // -1: either
    QTest::addRow("below suspicion") << 100 << 0;
    QTest::addRow("between suspicion and lease") << 230 << -1;
    QTest::addRow("above the lease") << 2'000 << 1;
    QTest::addRow("for minutes") << 180'000 << 1;
}

void TestHardCases::aWokenBucketAnswersNothing()
{
    QFETCH(const int, pauseMs);
    QFETCH(const int, isReplaced);
    HardCase hard;
    QVERIFY(hard.isBegun);
    const std::uint64_t bucket = hard.data(0, 1), key = hard.keyOf(1);
    const std::uint64_t incarnation = hard.rig.data(1)->incarnation().value;
    hard.rig.cluster.pause(bucket, std::chrono::milliseconds(pauseMs));
    // What a client with an old location wrote there waits in its sockets.
    hard.rig.cluster.inject(bucket, searchOf(key, 1, incarnation));
    hard.rig.cluster.run(std::chrono::milliseconds(pauseMs) - 1ms);
    // Declared failed does not mean replaced: until its lease has expired no other process holds the place, and there
    // is no newer state.
    const bool wasReplaced = hard.rig.coordinator().file().data(BucketNumber(1))->holder.incarnation.value
        != incarnation;
    if (isReplaced >= 0)
        QCOMPARE(wasReplaced, bool(isReplaced));
    if (wasReplaced)
        QCOMPARE(hard.rig.operate(pb::UPDATE, key, "newer").result(), pb::OK);
    std::uint32_t values = 0;
    hard.onArrival = [&](const Packet& p) {
        values += p.from == bucket && p.to == kStranger && p.message->has_reply()
                && p.message->reply().result() == pb::OK
            ? 1
            : 0;
    };
    hard.rig.cluster.run(500ms);
    if (wasReplaced)
        QCOMPARE(values, 0u);
    if (isReplaced == 0)
        QCOMPARE(values, 1u);
    hard.rig.cluster.run(10s);
    hard.onArrival = nullptr;
    COMPARE_WELL(hard);
    // The bucket that woke up is now a spare, or still the bucket.
    QVERIFY(hard.rig.node(bucket).dataBucket() == nullptr || hard.rig.node(bucket).dataBucket() == hard.rig.data(1));
}

void TestHardCases::aCutOffMinorityServesNothing_data()
{
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<QString>("side"); // what is cut off; data positions, p: parity columns, c: the coordinator
    QTest::addColumn<int>("direction"); // 0: both, 1: nothing reaches them, 2: nothing leaves them
    for (const int direction : { 0, 1, 2 }) {
        QTest::addRow("a data bucket, %d", direction) << 1u << "1" << direction;
        QTest::addRow("a data and a parity bucket, %d", direction) << 2u << "1p0" << direction;
        QTest::addRow("two data buckets, %d", direction) << 2u << "12" << direction;
        QTest::addRow("a data bucket and the coordinator, %d", direction) << 1u << "1c" << direction;
        QTest::addRow("a parity bucket, %d", direction) << 1u << "p0" << direction;
    }
}

void TestHardCases::aCutOffMinorityServesNothing()
{
    QFETCH(const std::uint32_t, k);
    QFETCH(const QString, side);
    QFETCH(const int, direction);
    HardCase hard({ .k = k });
    QVERIFY(hard.isBegun);
    std::set<std::uint64_t> cutOff;
    std::uint64_t inside = 0;
    for (qsizetype i = 0; i < side.size(); ++i) {
        if (side[i] == 'c')
            cutOff.insert(FileRig::kCoordinator);
        else if (side[i] == 'p')
            cutOff.insert(hard.parity(0, side[++i].digitValue()));
        else
            cutOff.insert(inside = hard.data(0, side[i].digitValue()));
    }
    const std::uint32_t bucket = inside ? hard.rig.node(inside).dataBucket()->number().value : 0;
    const std::uint64_t incarnation = inside ? hard.rig.data(bucket)->incarnation().value : 0;
    const bool isCoordinatorInside = cutOff.contains(FileRig::kCoordinator);
    hard.isLost = [&](const Packet& p) {
        const bool isIn = cutOff.contains(p.from), isOut = cutOff.contains(p.to);
        if (isIn == isOut || p.to == kStranger || p.from == kStranger)
            return false;
        return direction == 0 || (direction == 1 ? isOut : isIn);
    };
    hard.rig.cluster.run(1s); // the lease has expired
    bool isNewer = false;
    const std::uint64_t key = hard.keyOf(bucket);
    if (inside && !isCoordinatorInside) {
        const auto answer = hard.answerOf(hard.begin(pb::UPDATE, key, "newer"), 20s);
        isNewer = answer && answer->result() == pb::OK;
    }
    std::uint32_t stale = 0;
    hard.onArrival = [&](const Packet& p) {
        if (p.to == kStranger && p.message->has_reply() && p.message->reply().result() == pb::OK)
            stale += isNewer && p.message->reply().value() != "newer" ? 1 : 0;
    };
    if (inside) {
        hard.rig.cluster.inject(inside, searchOf(key, bucket, incarnation));
        hard.rig.cluster.run(200ms);
        QCOMPARE(stale, 0u);
    }
    hard.rig.cluster.run(1s);
    COMPARE_WELL(hard);
}

// ---- repeats, ranks, lengths

void TestHardCases::aRepeatAfterRecoveryGetsTheOldAnswer_data()
{
    QTest::addColumn<bool>("isSplit");
    QTest::addColumn<bool>("isRecovered");
    QTest::addColumn<bool>("hasEffect");
    for (const bool hasEffect : { true, false }) {
        const char* what = hasEffect ? "OK" : "EXISTS";
        QTest::addRow("%s, recovered", what) << false << true << hasEffect;
        QTest::addRow("%s, moved by a split", what) << true << false << hasEffect;
        QTest::addRow("%s, both", what) << true << true << hasEffect;
    }
}

void TestHardCases::aRepeatAfterRecoveryGetsTheOldAnswer()
{
    QFETCH(const bool, isSplit);
    QFETCH(const bool, isRecovered);
    QFETCH(const bool, hasEffect);
    HardCase hard({ .dataSpares = 30, .paritySpares = 30 });
    QVERIFY(hard.isBegun);
    // A key that moves in a split of bucket n.
    const FileImage file = hard.rig.coordinator().file().image();
    const std::uint32_t target = splitTarget(file).value, source = isSplit ? file.n : 1;
    const std::uint64_t key = isSplit ? target + (std::uint64_t(1) << 40) : hard.keyOf(source, 500'000);
    QCOMPARE(hard.bucketOf(key), source);
    const std::uint64_t other = FileRig::kClient + 1;
    if (!hasEffect)
        QCOMPARE(hard.rig.operate(pb::INSERT, key, "before", other).result(), pb::OK);
    hard.keepFirst([&](const Packet& p) { return p.message->has_insert() && p.message->insert().key() == key; });
    QCOMPARE(hard.rig.operate(pb::INSERT, key, "once").result(), hasEffect ? pb::OK : pb::EXISTS);
    QVERIFY(hard.kept);
    if (!hasEffect) // from now on a copy of it could have an effect
        QCOMPARE(hard.rig.operate(pb::DELETE, key, {}, other).result(), pb::OK);
    if (isSplit) {
        pb::Command command;
        command.mutable_force_split();
        hard.rig.cluster.ask(FileRig::kCoordinator, command);
        QVERIFY(hard.rig.waitForRest());
    }
    const std::uint32_t now = hard.bucketOf(key);
    if (isRecovered) {
        hard.rig.kill(hard.rig.coordinator().file().data(BucketNumber(now))->holder.node.value);
        COMPARE_WELL(hard);
    }
    // The process that holds the key now gets the same request again, as from the client's retransmission.
    pb::Message repeat = *hard.kept->message;
    repeat.mutable_insert()->set_target(now);
    repeat.mutable_insert()->set_incarnation(0);
    repeat.mutable_insert()->set_done_below(0);
    std::optional<pb::ResultCode> said;
    hard.onArrival = [&](const Packet& p) {
        if (p.message->has_reply() && p.message->reply().request().number() == repeat.insert().request().number()
            && p.to == FileRig::kClient)
            said = p.message->reply().result();
    };
    const std::uint32_t before = hard.rig.data(now)->store().count();
    hard.rig.cluster.inject(hard.rig.coordinator().file().data(BucketNumber(now))->holder.node.value, repeat);
    hard.rig.cluster.run(100ms);
    QVERIFY(said);
    QCOMPARE(*said, hasEffect ? pb::OK : pb::EXISTS);
    QCOMPARE(hard.rig.data(now)->store().count(), before);
    COMPARE_WELL(hard);
}

void TestHardCases::aRankIsFreeOnlyWhenAllParityKnows()
{
    HardCase hard({ .k = 2 });
    QVERIFY(hard.isBegun);
    const std::uint64_t key = hard.keyOf(1), bucket = hard.data(0, 1), late = hard.parity(0, 1);
    const Rank rank = hard.rig.data(1)->store().find(Key(key));
    hard.isLost = [&](const Packet& p) { return p.message->has_delta() && p.from == bucket && p.to == late; };
    const std::uint64_t gone = hard.begin(pb::DELETE, key);
    hard.rig.cluster.run(5ms);
    const std::uint64_t other = hard.keyOf(1, 300'000);
    const std::uint64_t insert = hard.begin(pb::INSERT, other, "must not take that rank", FileRig::kClient + 1);
    hard.rig.cluster.run(5ms);
    QVERIFY(hard.rig.data(1)->store().find(Key(other)) != rank);
    QVERIFY(!hard.isAnswered(gone));
    hard.isLost = nullptr;
    QCOMPARE(hard.answerOf(gone)->result(), pb::OK);
    QCOMPARE(hard.answerOf(insert)->result(), pb::OK);
    const std::uint64_t third = hard.keyOf(1, 400'000);
    QCOMPARE(hard.rig.operate(pb::INSERT, third, "may").result(), pb::OK);
    QCOMPARE(hard.rig.data(1)->store().find(Key(third)), rank);
    COMPARE_WELL(hard);
}

void TestHardCases::lengthsComeBackExactly_data()
{
    QTest::addColumn<int>("field");
    QTest::addRow("GF(2^16)") << int(pb::GF_16);
    QTest::addRow("GF(2^8)") << int(pb::GF_8);
}

void TestHardCases::lengthsComeBackExactly()
{
    QFETCH(const int, field);
    HardCase hard({ .k = 2, .records = 20, .field = pb::Field(field), .b = 100 });
    QVERIFY(hard.isBegun);
    pb::Command split;
    split.mutable_force_split();
    for (int i = 0; i < 3; ++i)
        hard.rig.cluster.ask(FileRig::kCoordinator, split);
    std::map<std::uint64_t, std::string> values;
    std::uint64_t key = 1'000;
    const auto value = [](std::size_t length, char first) {
        std::string made(length, first);
        for (std::size_t i = 0; i < length; ++i)
            made[i] = char(made[i] + char(i * 7 + i / 251));
        return made;
    };
    for (const std::size_t length : { 0u, 1u, 2u, 3u, 255u, 1'399u, 65'534u, 65'535u }) {
        for (int i = 0; i < 4; ++i, ++key)
            QCOMPARE(hard.rig.operate(pb::INSERT, key, values[key] = value(length, char('a' + i))).result(), pb::OK);
    }
    // The longest member of its record group grows, shrinks, and is deleted.
    QCOMPARE(hard.rig.operate(pb::UPDATE, 1'000, values[1'000] = value(4'001, 'g')).result(), pb::OK);
    QCOMPARE(hard.rig.operate(pb::UPDATE, 1'028, values[1'028] = value(5, 's')).result(), pb::OK);
    QCOMPARE(hard.rig.operate(pb::UPDATE, 1'029, values[1'029] = "").result(), pb::OK);
    QCOMPARE(hard.rig.operate(pb::DELETE, 1'030).result(), pb::OK);
    values.erase(1'030);
    hard.rig.kill(hard.data(0, 0));
    hard.rig.kill(hard.data(0, 1));
    COMPARE_WELL(hard);
    hard.rig.kill(hard.data(0, 2));
    hard.rig.kill(hard.parity(0, 0));
    COMPARE_WELL(hard);
    for (const auto& [k, wanted] : values) {
        const pb::OperationResult found = hard.rig.operate(pb::SEARCH, k);
        QCOMPARE(found.result(), pb::OK);
        QVERIFY2(found.value() == wanted, qPrintable(QString("key %1").arg(k)));
    }
}

void TestHardCases::aDegradedReadNeverMixesVersions()
{
    // No spare: the group stays degraded. The other members of each record group change all the time.
    HardCase hard({ .k = 2, .dataSpares = 4 });
    QVERIFY(hard.isBegun);
    QVERIFY(hard.rig.coordinator().file().buckets() >= 4);
    std::map<std::uint64_t, std::string> wanted;
    for (std::uint64_t key = 0; key < 40; ++key) {
        if (hard.bucketOf(key) == 1)
            wanted[key] = hard.rig.operate(pb::SEARCH, key).value();
    }
    QVERIFY(wanted.size() >= 5);
    hard.rig.kill(hard.data(0, 1));
    pb::Command command;
    auto* order = command.mutable_run_workload();
    order->set_kind(pb::UPDATE);
    order->set_keys(pb::LISTED);
    for (std::uint64_t round = 0; round < 100; ++round) {
        for (std::uint64_t key = 0; key < 40; ++key) {
            if (hard.bucketOf(key) != 1)
                order->add_key_list(key);
        }
    }
    order->set_count(std::uint64_t(order->key_list_size()));
    order->set_length(40);
    order->set_window(4);
    order->set_unchecked(true);
    const std::uint64_t writes = hard.rig.cluster.command(FileRig::kClient + 1, command);
    std::uint32_t degraded = 0;
    while (!hard.isAnswered(writes)) {
        for (const auto& [key, value] : wanted) {
            const pb::OperationResult found = hard.rig.operate(pb::SEARCH, key);
            if (found.result() == pb::RETRY)
                continue; // five rounds did not agree: retry, never a wrong value
            QCOMPARE(found.result(), pb::OK);
            QCOMPARE(QByteArray::fromStdString(found.value()), QByteArray::fromStdString(value));
            degraded += found.path() == pb::RECORD_RECOVERY ? 1 : 0;
        }
    }
    QVERIFY(degraded >= 10);
}

void TestHardCases::aDegradedReadDoesNotTrustAMemberThatIsAhead()
{
    // A member of the record group has a change that the computing parity bucket does not have yet.
    HardCase hard({ .k = 2, .dataSpares = 4 });
    QVERIFY(hard.isBegun);
    const std::uint64_t bucket = hard.data(0, 0), computes = hard.parity(0, 0), reader = FileRig::kClient + 1;
    const std::uint64_t key = hard.keyOf(1);
    const pb::OperationResult before = hard.rig.operate(pb::SEARCH, key, {}, reader);
    std::optional<std::uint64_t> neighbour;
    for (std::uint64_t other = 0; other < 40 && !neighbour; ++other) {
        const pb::OperationResult found = hard.bucketOf(other) == 0 ? hard.rig.operate(pb::SEARCH, other, {}, reader)
                                                                    : pb::OperationResult();
        if (found.result() == pb::OK && found.rank() == before.rank())
            neighbour = other;
    }
    QVERIFY(neighbour);
    hard.rig.kill(hard.data(0, 1));
    QCOMPARE(hard.rig.operate(pb::SEARCH, key, {}, reader).path(), pb::RECORD_RECOVERY);
    hard.isLost = [&](const Packet& p) { return p.message->has_delta() && p.from == bucket && p.to == computes; };
    const std::uint64_t change = hard.begin(pb::UPDATE, *neighbour, "known to all but one");
    const std::uint64_t search = hard.begin(pb::SEARCH, key, {}, reader);
    hard.rig.cluster.run(300ms);
    QVERIFY(!hard.isAnswered(search)); // the versions differ, so nothing is computed
    hard.isLost = nullptr;
    QCOMPARE(hard.answerOf(search)->value(), before.value());
    QCOMPARE(hard.answerOf(change)->result(), pb::OK);
}

void TestHardCases::aPortThatChangedHands()
{
    HardCase hard;
    QVERIFY(hard.isBegun);
    const std::uint64_t bucket = hard.data(0, 1), key = hard.keyOf(1);
    QCOMPARE(hard.rig.operate(pb::SEARCH, key).result(), pb::OK); // now the client knows the location
    hard.rig.kill(bucket);
    hard.rig.addSpare(bucket, pb::DATA); // another process listens there
    QCOMPARE(hard.answerOf(hard.begin(pb::SEARCH, key))->result(), pb::OK);
    COMPARE_WELL(hard);
    QVERIFY(hard.rig.data(1));
}

QTEST_APPLESS_MAIN(TestHardCases)
#include "tst_hard_cases.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The runtime's threads and sockets around a machine that only echoes.
#include "node/process/options.h"
#include "tests/fuzz/random_datagrams.h"
#include "tests/station.h"

#include <QDir>
#include <QTest>

#include <set>

using namespace lhrs;
using namespace lhrs::test;

class ThreadsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    void theMessagesOfOneStepShareADatagramAndKeepTheirOrder();
    void aLongMessageGoesByAStreamAndBackAgain();
    void theMachineIsWokenAtItsDeadline();
    void theThreadsHaveTheNamesOfThePaper();
    void theMulticastThreadsEndWhenRecruitedAndComeBack();
    void twoClustersOnOneMachineDoNotHearEachOther();
    void aProcessOnLoopbackSendsNowhereElse();
    void randomDatagramsDoNotStopAProcessFromServing();
    void randomBytesOverStreamsDoNotStopAProcessFromServing();
    void aBurstIsNotLostWhileTheCoreIsBusy();
    void aCoordinatorThatNeverAnswersIsMissed();
};

void ThreadsTest::initTestCase()
{
    ProcessOptions quiet;
    quiet.logLevel = "off";
    openLog(quiet);
}

void ThreadsTest::theMessagesOfOneStepShareADatagramAndKeepTheirOrder()
{
    Station station;
    Speaker speaker(station.udp());
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 100; ++i)
        ids.push_back(speaker.search(station.address(), std::string(50, 'v')).id());
    QVERIFY(speaker.flush());
    QVERIFY(speaker.hears(ids.size()));
    // They are about six datagrams; each is dealt with by one working thread, and its answers leave together.
    auto answers = speaker.answers();
    std::sort(answers.begin(), answers.end());
    QCOMPARE(answers, ids);

    const std::size_t before = speaker.answers().size();
    ids.clear();
    for (int i = 0; i < 15; ++i)
        ids.push_back(speaker.search(station.address(), "v").id()); // fit one datagram
    QVERIFY(speaker.flush());
    QVERIFY(speaker.hears(before + ids.size()));
    answers = speaker.answers();
    QCOMPARE(std::vector<std::uint64_t>(answers.begin() + std::ptrdiff_t(before), answers.end()), ids);
}

void ThreadsTest::aLongMessageGoesByAStreamAndBackAgain()
{
    Station station;
    Speaker speaker(station.udp());
    const std::string large(65'535, 'l');
    speaker.search(station.address(), large);
    speaker.search(station.address(), "short", Way::Stream);
    QVERIFY(speaker.flush());
    QVERIFY(speaker.hears(2));
    const auto values = speaker.values();
    QVERIFY(std::count(values.begin(), values.end(), large) == 1);
    QVERIFY(std::count(values.begin(), values.end(), "short") == 1);
}

void ThreadsTest::theMachineIsWokenAtItsDeadline()
{
    Station station;
    QVERIFY(eventually([&] { return station.heard->timeSteps >= 1; })); // the first call starts it
    Speaker speaker(station.udp());
    for (int i = 0; i < 3; ++i) {
        station.heard->alarmedAt = 0;
        speaker.say(station.address()).mutable_insert(); // the machine now wants to be woken in 20 ms
        QVERIFY(speaker.flush());
        QVERIFY(eventually([&] { return station.heard->alarmedAt > 0; }));
    }
    QVERIFY(station.heard->timeSteps >= 4);
    QVERIFY(station.heard->timeSteps < 50); // it slept in between
}

namespace {

std::multiset<std::string> threadNames()
{
    std::multiset<std::string> names;
    const QDir tasks("/proc/self/task");
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile name(tasks.filePath(task) + "/comm");
        if (name.open(QIODevice::ReadOnly))
            names.insert(name.readAll().trimmed().toStdString());
    }
    return names;
}

} // namespace

void ThreadsTest::theThreadsHaveTheNamesOfThePaper()
{
    RuntimeOptions options;
    options.pool = pb::DATA;
    const Station station(options);
    QVERIFY(eventually([] {
        const auto names = threadNames();
        return names.count("Working") == 4 && names.count("UDP Listening") == 1 && names.count("TCP Listening") == 1
            && names.count("Ack Manager") == 1 && names.count("Mcast Listening") == 1 && names.count("Mcast Working") == 1;
    }));
}

void ThreadsTest::theMulticastThreadsEndWhenRecruitedAndComeBack()
{
    RuntimeOptions options;
    options.pool = pb::DATA;
    Station station(options);
    Speaker speaker(station.udp());
    const auto isInvited = [&] {
        const std::uint64_t before = station.heard->invitations;
        speaker.toPool(pb::DATA).mutable_invite();
        return speaker.flush() && eventually([&] { return station.heard->invitations > before; }, 200ms);
    };
    QVERIFY(eventually(isInvited));
    speaker.say(station.address()).mutable_confirm();
    QVERIFY(speaker.flush());
    QVERIFY(eventually([] { return threadNames().count("Mcast Working") == 0; }));
    QCOMPARE(threadNames().count("Mcast Listening"), std::size_t(0));
    QVERIFY(!isInvited());
    speaker.say(station.address()).mutable_cancel();
    QVERIFY(speaker.flush());
    QVERIFY(eventually(isInvited));
}

void ThreadsTest::twoClustersOnOneMachineDoNotHearEachOther()
{
    RuntimeOptions options;
    options.pool = pb::DATA;
    Station ours(options);
    Station theirs(options);
    Speaker speaker(ours.udp());
    QVERIFY(eventually([&] {
        speaker.toPool(pb::DATA).mutable_invite();
        return speaker.flush() && ours.heard->invitations > 0;
    }));
    speaker.search(theirs.address(), "wrong cluster");
    QVERIFY(speaker.flush());
    QVERIFY(eventually([&] { return theirs.runtime->counters().of(Drop::OtherCluster) == 1; }));
    QCOMPARE(theirs.heard->messages.load(), std::uint64_t(0));
}

void ThreadsTest::aProcessOnLoopbackSendsNowhereElse()
{
    Station station;
    Speaker speaker(station.udp());
    for (const Way way : { Way::Auto, Way::Stream }) {
        pb::Message& message = speaker.search(station.address(), way == Way::Auto ? "short" : std::string(5'000, 'x'));
        message.mutable_from()->set_ip(0x08080808);
        QVERIFY(speaker.flush());
    }
    QVERIFY(eventually([&] { return station.runtime->counters().of(Drop::NotSent) == 2; }));
    QVERIFY(speaker.isAnswered(station.address()));
}

void ThreadsTest::randomDatagramsDoNotStopAProcessFromServing()
{
    constexpr std::size_t kDatagrams = 300'000;
    Station station;
    Speaker speaker(station.udp());
    fuzz::RandomDatagrams datagrams(4711, Envelope::clusterOf(station.udp().ip, station.udp().port));
    std::vector<std::string> bytes(50);
    std::vector<OutDatagram> out(bytes.size());
    for (std::size_t sent = 0; sent < kDatagrams; sent += bytes.size()) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i].assign(datagrams.next());
            out[i] = { station.udp(), bytes[i] };
        }
        speaker.udp.send(out);
        if (sent % 30'000 == 0)
            QVERIFY(speaker.isAnswered(station.address())); // in the middle of it
    }
    QVERIFY(speaker.isAnswered(station.address()));
    const Counters& counters = station.runtime->counters();
    for (const Drop reason : { Drop::TooShort, Drop::WrongMagic, Drop::WrongVersion, Drop::WrongLength, Drop::WrongTag,
             Drop::OtherReceiver, Drop::OtherCluster, Drop::Malformed })
        QVERIFY2(counters.of(reason) > 0, textOf(reason));
}

void ThreadsTest::randomBytesOverStreamsDoNotStopAProcessFromServing()
{
    Station station;
    Speaker speaker(station.udp());
    fuzz::RandomDatagrams packets(4712, Envelope::clusterOf(station.udp().ip, station.udp().port));
    for (int i = 0; i < 300; ++i) {
        const Stranger stranger(station.tcp());
        QVERIFY(stranger.isConnected());
        std::string bytes;
        for (int j = i % 5; j >= 0; --j)
            bytes += packets.next();
        if (i % 10 == 0)
            bytes = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stranger.write(bytes); // may be closed in the middle of it
    }
    QVERIFY(speaker.isAnswered(station.address(), Way::Stream));
    QVERIFY(station.runtime->counters().droppedSum() > 100);
}

void ThreadsTest::aBurstIsNotLostWhileTheCoreIsBusy()
{
    auto heard = std::make_shared<EchoMachine::Heard>();
    std::promise<void> release;
    std::shared_future<void> isReleased = release.get_future().share();
    heard->beforeReply = [isReleased] { isReleased.wait(); };
    Station station({}, heard);
    Speaker speaker(station.udp());
    constexpr int kSearches = 2'000; // less than the queue and the kernel's buffer hold
    for (int i = 0; i < kSearches; ++i)
        speaker.search(station.address(), std::string(30, 'v'));
    QVERIFY(speaker.flush());
    QVERIFY(eventually([&] { return station.heard->messages > 0; }));
    release.set_value();
    QVERIFY(speaker.hears(kSearches));
    QCOMPARE(station.runtime->counters().droppedSum(), std::uint64_t(0));
}

void ThreadsTest::aCoordinatorThatNeverAnswersIsMissed()
{
    const auto nobody = UdpSocket::open({ kLoopback, 0 });
    QVERIFY(nobody);
    RuntimeOptions options;
    options.coordinator = nobody->self();
    options.coordinatorLate = 10ms;
    options.coordinatorMissing = 50ms;
    auto runtime = Runtime::open(options);
    QVERIFY(runtime);
    (*runtime)->start(std::make_unique<EchoMachine>(std::make_shared<EchoMachine::Heard>()));
    const Ending ending = (*runtime)->run();
    QCOMPARE(ending.exitCode, 3);
    QVERIFY(ending.reason.find(textOf(nobody->self())) != std::string::npos);
    QVERIFY(ending.reason.find("--coordinator") != std::string::npos);
}

QTEST_GUILESS_MAIN(ThreadsTest)
#include "tst_threads.moc"

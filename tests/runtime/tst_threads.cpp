// SPDX-License-Identifier: GPL-3.0-or-later
// The runtime's threads and sockets around a machine that only echoes.
#include "node/process/options.h"
#include "tests/fuzz/random_datagrams.h"
#include "tests/rigs/core/station.h"

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
    void aFloodIsKeptOutByTheKernel();
    void randomBytesOverStreamsDoNotStopAProcessFromServing();
    void aBurstIsNotLostWhileTheCoreIsBusy();
    void aCoordinatorThatNeverAnswersIsMissed();
    void aClientThatIsTurnedAwayEndsAndSaysWhy();

    void whoWatchesSeesTheThreadsTheHandlerAndAQueueThatFills();
    void theMulticastThreadsAreInASampleUntilTheyEnd();
    void aPausedProcessIsSeenToStandStill();
    void watchingEndsFiveSecondsAfterTheLastQuestion();
    void timeIsTakenOnlyWhileSomebodyWatches();
};

namespace {

// Asks a station as a window does: a DEALER socket of its own.
class Watcher {
public:
    explicit Watcher(const Station& station) : m_socket(m_context, zmq::socket_type::dealer)
    {
        m_socket.set(zmq::sockopt::linger, 0);
        m_socket.set(zmq::sockopt::rcvtimeo, int(std::chrono::milliseconds(kPatience).count()));
        m_socket.connect(station.runtime->self().control_endpoint());
    }
    void send(pb::Command command)
    {
        command.set_ticket(++m_ticket);
        m_socket.send(zmq::buffer(command.SerializeAsString()), zmq::send_flags::none);
    }
    // The reply to this command; earlier replies to other commands are dropped.
    pb::CommandReply ask(pb::Command command)
    {
        send(std::move(command));
        for (;;) {
            zmq::message_t bytes;
            pb::CommandReply reply;
            if (!m_socket.recv(bytes) || !reply.ParseFromArray(bytes.data(), int(bytes.size())))
                return {};
            if (reply.ticket() == m_ticket)
                return reply;
        }
    }
    pb::NodeSample sample()
    {
        pb::Command command;
        command.mutable_watch();
        return ask(std::move(command)).sample();
    }

private:
    zmq::context_t m_context;
    zmq::socket_t m_socket;
    std::uint64_t m_ticket = 0;
};

pb::NodeSample::Thread threadOf(const pb::NodeSample& sample, const std::string& name)
{
    for (const auto& thread : sample.threads())
        if (thread.name() == name)
            return thread;
    return {};
}

pb::NodeSample::Queue queueOf(const pb::NodeSample& sample, const std::string& name)
{
    for (const auto& queue : sample.queues())
        if (queue.name() == name)
            return queue;
    return {};
}

pb::Command anyCommand()
{
    pb::Command command;
    command.mutable_describe_file();
    return command;
}

ThreadBook::Clock::time_point s_now {};

} // namespace

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
    // They are about six datagrams; one working thread handles each datagram, and its answers leave together.
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
        speaker.say(station.address()).mutable_insert(); // the machine now asks to be woken in 20 ms
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
            && names.count("Ack Manager") == 1 && names.count("Mcast Listening") == 1
            && names.count("Mcast Working") == 1;
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
    for (const bool byStream : { false, true }) {
        pb::Message message;
        message.set_id(1);
        message.mutable_search()->set_value(byStream ? std::string(5'000, 'x') : "short");
        Address { 0x08080808, 9, 9 }.to(*message.mutable_from());
        speaker.sendAsItIs(message, station.address(), byStream);
    }
    QVERIFY(eventually([&] { return station.runtime->counters().of(Drop::NotSent) == 2; }));
    QVERIFY(speaker.isAnswered(station.address()));
}

void ThreadsTest::randomDatagramsDoNotStopAProcessFromServing()
{
    constexpr std::size_t kDatagrams = 300'000;
    Station station;
    Speaker speaker(station.udp());
    fuzz::RandomDatagrams datagrams(4711, Envelope::clusterOf(station.udp()));
    std::vector<std::string> bytes(50);
    std::vector<OutDatagram> out(bytes.size());
    for (std::size_t sent = 0; sent < kDatagrams; sent += bytes.size()) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i].assign(datagrams.next());
            out[i] = { station.udp(), bytes[i] };
        }
        speaker.udp.send(out);
        if (sent % 30'000 == 0)
            QVERIFY(speaker.isAnswered(station.address())); // while the transfer is under way
    }
    QVERIFY(speaker.isAnswered(station.address()));
    const Counters& counters = station.runtime->counters();
    for (const Drop reason : { Drop::TooShort, Drop::WrongMagic, Drop::OtherVersion, Drop::WrongType, Drop::WrongLength,
             Drop::WrongTag, Drop::OtherReceiver, Drop::OtherCluster, Drop::Malformed })
        QVERIFY2(counters.of(reason) > 0, textOf(reason));
}

void ThreadsTest::aFloodIsKeptOutByTheKernel()
{
    Station station;
    Speaker speaker(station.udp());
    const Counters& counters = station.runtime->counters();
    const std::string garbage(200, 'x');
    std::atomic<bool> isOver = false;
    std::jthread flood([&](std::stop_token) {
        const auto socket = UdpSocket::open({ kLoopback, 0 });
        std::vector<OutDatagram> out(64, { station.udp(), garbage });
        while (socket && !isOver)
            socket->send(out);
    });
    // What the kernel threw away is told with the next datagram that it passes.
    const bool isKeptOut = eventually(
        [&] { return speaker.isAnswered(station.address()) && counters.of(Drop::Flood) > 100'000; });
    isOver = true;
    flood.join();
    QVERIFY(isKeptOut);
    QVERIFY(counters.of(Drop::WrongMagic) > 0);
    // Afterwards such a datagram is counted by its reason again.
    QVERIFY(eventually([&] {
        const std::uint64_t before = counters.of(Drop::WrongMagic);
        OutDatagram out { station.udp(), garbage };
        speaker.udp.send({ &out, 1 });
        return speaker.isAnswered(station.address()) && counters.of(Drop::WrongMagic) > before;
    }));
}

void ThreadsTest::randomBytesOverStreamsDoNotStopAProcessFromServing()
{
    Station station;
    Speaker speaker(station.udp());
    fuzz::RandomDatagrams packets(4712, Envelope::clusterOf(station.udp()));
    for (int i = 0; i < 300; ++i) {
        const Stranger stranger(station.tcp());
        QVERIFY(stranger.isConnected());
        std::string bytes;
        for (int j = i % 5; j >= 0; --j)
            bytes += packets.next();
        if (i % 10 == 0)
            bytes = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stranger.write(bytes); // the connection may be closed in the middle of it
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
    constexpr int kSearches = 2'000; // fewer than the queue and the kernel's buffer hold
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

void ThreadsTest::aClientThatIsTurnedAwayEndsAndSaysWhy()
{
    RuntimeOptions options;
    options.kind = pb::CLIENT;
    options.coordinator = UdpSocket::open({ kLoopback, 0 })->self();
    Speaker coordinator(*options.coordinator, *options.coordinator);
    auto runtime = Runtime::open(options);
    QVERIFY(runtime);
    (*runtime)->start(std::make_unique<EchoMachine>(std::make_shared<EchoMachine::Heard>()));
    coordinator.say(Address::from((*runtime)->self().address())).mutable_registered()->set_too_many_clients(true);
    QVERIFY(coordinator.flush());
    const Ending ending = (*runtime)->run();
    QCOMPARE(ending.exitCode, 3);
    QVERIFY2(ending.reason.find("as many clients as it takes (10000)") != std::string::npos, ending.reason.c_str());
    QVERIFY(ending.reason.find(textOf(*options.coordinator)) != std::string::npos);
}

// ---- watching

void ThreadsTest::whoWatchesSeesTheThreadsTheHandlerAndAQueueThatFills()
{
    RuntimeOptions options;
    options.workingThreads = 2;
    auto heard = std::make_shared<EchoMachine::Heard>();
    std::promise<void> goOn;
    heard->beforeReply = [until = goOn.get_future().share()] { until.wait(); };
    Station station(options, heard);
    // Also when a check fails: a station ends only after its handlers.
    std::shared_ptr<void> release(nullptr, [&](void*) { goOn.set_value(); });
    Watcher watcher(station), other(station);
    // The first step of time starts the machine. On a busy computer it may come late, and would wait for the core
    // below.
    QVERIFY(eventually([&] {
        const pb::NodeSample sample = watcher.sample();
        return heard->timeSteps > 0 && sample.has_gauges()
            && threadOf(sample, "Acknowledgement manager").state() == pb::NodeSample::WAITING;
    }));

    // A handler that does not end holds the core (a stream's message is handled by the working threads); the other
    // working thread waits for the core with a command.
    Speaker speaker(station.udp());
    speaker.search(station.address(), "holds the core", Way::Stream);
    QVERIFY(speaker.flush());
    std::string holder, waiter;
    QVERIFY(eventually([&] {
        const pb::NodeSample sample = watcher.sample();
        for (const auto& [one, two] : { std::pair("Working 1", "Working 2"), std::pair("Working 2", "Working 1") })
            if (threadOf(sample, one).handler() == "search")
                holder = one, waiter = two;
        return !holder.empty();
    }));
    other.send(anyCommand());
    QVERIFY(eventually([&] { return threadOf(watcher.sample(), waiter).state() == pb::NodeSample::IN_CORE_WAIT; }));
    for (int i = 0; i < 5; ++i)
        other.send(anyCommand());
    QVERIFY(eventually([&] { return queueOf(watcher.sample(), "Working threads").length() == 5; }));
    const pb::NodeSample held = watcher.sample();
    QVERIFY(held.core_is_busy());
    QVERIFY(!held.has_gauges());
    QCOMPARE(queueOf(held, "Working threads").high_mark(), std::uint64_t(5));
    QVERIFY(queueOf(held, "Working threads").bound() > 5);
    QCOMPARE(queueOf(held, "Commands").length(), std::uint64_t(7)); // these six, and the question itself
    QCOMPARE(threadOf(held, "Acknowledgement manager").state(), pb::NodeSample::WAITING);
    QVERIFY(threadOf(held, waiter).core_wait_ns() > 0);
    QVERIFY(threadOf(held, waiter).cpu_ns() >= 0);
    for (const char* name : { "TCP listening", "Control server", "Event publisher", "Main" })
        QVERIFY2(threadOf(held, name).name() == name, name);

    release.reset(); // let the handler continue
    QVERIFY(eventually([&] { return queueOf(watcher.sample(), "Working threads").length() == 0; }));
    const pb::NodeSample after = watcher.sample();
    QVERIFY(!after.core_is_busy());
    QCOMPARE(queueOf(after, "Working threads").high_mark(), std::uint64_t(5)); // the maximum so far stays
    QVERIFY(after.gauges().operations() > 0);
    QVERIFY(threadOf(after, holder).handler_ns() > threadOf(held, holder).handler_ns());
}

void ThreadsTest::theMulticastThreadsAreInASampleUntilTheyEnd()
{
    RuntimeOptions options;
    options.pool = pb::DATA;
    Station station(options);
    Watcher watcher(station);
    Speaker speaker(station.udp());
    const auto hasBoth = [&] {
        const pb::NodeSample sample = watcher.sample();
        return threadOf(sample, "Multicast listening").name() != ""
            && threadOf(sample, "Multicast working").name() != "" && queueOf(sample, "Multicast").bound() > 0;
    };
    const auto hasNone = [&] {
        const pb::NodeSample sample = watcher.sample();
        return threadOf(sample, "Multicast listening").name() == ""
            && threadOf(sample, "Multicast working").name() == "" && queueOf(sample, "Multicast").bound() == 0;
    };
    QVERIFY(eventually(hasBoth));
    speaker.say(station.address()).mutable_confirm();
    QVERIFY(speaker.flush());
    QVERIFY(eventually(hasNone));
    speaker.say(station.address()).mutable_cancel();
    QVERIFY(speaker.flush());
    QVERIFY(eventually(hasBoth));
}

void ThreadsTest::aPausedProcessIsSeenToStandStill()
{
    Station station;
    Watcher watcher(station);
    pb::Command pause;
    pb::Fault& fault = *pause.mutable_arm_fault()->mutable_fault();
    fault.set_number(1);
    fault.set_lease_ms(60'000);
    fault.mutable_pause();
    QVERIFY2(watcher.ask(pause).refusal() == pb::NOT_REFUSED, "the pause is armed");
    Watcher(station).send(anyCommand());
    Speaker speaker(station.udp());
    speaker.search(station.address(), "nobody takes it");
    QVERIFY(speaker.flush());
    QVERIFY(eventually([&] {
        const pb::NodeSample sample = watcher.sample();
        return threadOf(sample, "UDP listening").state() == pb::NodeSample::IN_PAUSE;
    }));
    pb::Command heal;
    heal.mutable_heal_faults();
    QVERIFY(watcher.ask(heal).refusal() == pb::NOT_REFUSED);
    QVERIFY(
        eventually([&] { return threadOf(watcher.sample(), "UDP listening").state() != pb::NodeSample::IN_PAUSE; }));
}

void ThreadsTest::watchingEndsFiveSecondsAfterTheLastQuestion()
{
    s_now = ThreadBook::Clock::time_point(100s);
    ThreadBook book([] { return s_now; });
    QVERIFY(!book.isWatched());
    QVERIFY(book.deadline() == ThreadBook::Clock::time_point::max()); // no check is due
    book.watch();
    QVERIFY(book.isWatched());
    s_now += 4s;
    book.watch(); // renewed
    QVERIFY(book.deadline() == s_now + ThreadBook::kLease);
    s_now += 4999ms;
    book.look();
    QVERIFY(book.isWatched());
    s_now += 1ms;
    book.look(); // the watcher is gone, killed perhaps
    QVERIFY(!book.isWatched());
    QVERIFY(book.deadline() == ThreadBook::Clock::time_point::max());
}

void ThreadsTest::timeIsTakenOnlyWhileSomebodyWatches()
{
    s_now = ThreadBook::Clock::time_point(100s);
    ThreadBook book([] { return s_now; });
    const ThreadMeter meter(&book, "one");
    const auto sampled = [&] {
        pb::NodeSample sample;
        book.sample(sample);
        return sample.threads(0);
    };
    ThreadMeter::become(pb::NodeSample::IN_HANDLER, int(pb::Message::kDelta));
    s_now += 10s;
    ThreadMeter::become(pb::NodeSample::WAITING);
    QCOMPARE(sampled().handler_ns(), std::int64_t(0));
    ThreadMeter::become(pb::NodeSample::IN_HANDLER, int(pb::Message::kDelta));
    book.watch();
    s_now += 2s;
    QCOMPARE(sampled().handler(), std::string("delta"));
    QCOMPARE(sampled().in_state_ns(), std::int64_t(-1)); // the state changed while there was no watcher
    QCOMPARE(sampled().handler_ns(), std::int64_t(2'000'000'000)); // the part that was observed
    ThreadMeter::become(pb::NodeSample::IN_SOCKET);
    s_now += 1s;
    ThreadMeter::become(pb::NodeSample::IN_HANDLER, -int(pb::Command::kDescribeFile));
    QCOMPARE(sampled().handler(), std::string("describe_file"));
    QCOMPARE(sampled().socket_ns(), std::int64_t(1'000'000'000));
    QCOMPARE(sampled().handler_ns(), std::int64_t(2'000'000'000));
    QCOMPARE(sampled().in_state_ns(), std::int64_t(0));
}

QTEST_GUILESS_MAIN(ThreadsTest)
#include "tst_threads.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What every process publishes and which commands it obeys: events and commands.
#include "node/process/options.h"
#include "tests/runtime/process_rig.h"

#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// Events of some sequence numbers, published in one step.
void publish(EventPublisher& publisher, std::uint64_t first, std::uint64_t count)
{
    std::vector<pb::Event> events(count);
    std::vector<pb::Event*> step;
    for (std::uint64_t i = 0; i < count; ++i) {
        events[i].set_sequence(first + i);
        events[i].mutable_record_read()->set_key(first + i);
        step.push_back(&events[i]);
    }
    publisher.publish(step);
}

std::unique_ptr<EventPublisher> openPublisher(PublisherOptions options = {})
{
    options.self = { 42, "node" };
    options.start = std::chrono::steady_clock::now();
    auto opened = EventPublisher::open(context(), options);
    if (!opened)
        qFatal("%s", opened.error().text.c_str());
    return std::move(*opened);
}

// Publishes single events until the watcher hears the first one: only then its subscription is certain. Returns the
// number after the last one that was published, which the watcher has read.
std::uint64_t meet(EventPublisher& publisher, Watcher& watcher)
{
    std::uint64_t sequence = 1;
    for (;; ++sequence) {
        publish(publisher, sequence, 1);
        if (watcher.next(std::chrono::milliseconds(20)))
            break;
    }
    publish(publisher, ++sequence, 1);
    while (const auto batch = watcher.next())
        if (batch->events.back().sequence() == sequence)
            break;
    return sequence + 1;
}

std::unique_ptr<ControlServer> openServer()
{
    auto opened = ControlServer::open(context(), "tcp://127.0.0.1:*");
    if (!opened)
        qFatal("%s", opened.error().text.c_str());
    return std::move(*opened);
}

} // namespace

class ProcessTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    // events
    void eventsComeInBatchesWhoseHeadersNameThem();
    void aSingleEventDoesNotWaitForOthers();
    void aSingleEventAfterManyIsSentToo();
    void aFullQueueIsAGapThatIsCounted();
    void theLastEventsGetOut();
    void aWatcherMayChooseAProcessByTheFirstBytes();

    // commands
    void whoAreYouIsAnsweredByTheServerItself();
    void twoOperatorsMayUseTheSameTickets();
    void whatIsNoCommandIsRefusedAndCounted();
    void aRequestSocketIsServedAsWell();
    void anOperatorThatHasGoneDoesNoHarm();
    void aCommandBeyondTheBoundIsRefused();
    void strangersOnThePortsDoNoHarm();

    // the runtime behind them
    void aSnapshotNamesTheLastEventItContains();
    void statisticsCountWhatHappened();
    void detailIsSetAndABadLevelRefused();
    void theRestGoesToTheMachine();
    void droppedDatagramsAreToldWithTheirCount();
};

void ProcessTest::initTestCase()
{
    ProcessOptions quiet;
    quiet.logLevel = "off";
    openLog(quiet);
}

// ---- events

void ProcessTest::eventsComeInBatchesWhoseHeadersNameThem()
{
    const auto publisher = openPublisher();
    Watcher watcher(publisher->endpoint());
    const std::uint64_t first = meet(*publisher, watcher);
    std::uint64_t next = first;
    for (const std::uint64_t count : { 1, 700, 3, 256 }) {
        publish(*publisher, next, count);
        next += count;
    }
    std::uint64_t expected = first;
    while (expected < next) {
        const auto batch = watcher.next();
        QVERIFY(batch);
        QCOMPARE(batch->header.process(), std::uint64_t(42));
        QCOMPARE(batch->header.name(), std::string("node"));
        QCOMPARE(batch->header.first_sequence(), expected);
        QCOMPARE(batch->header.lost_before(), std::uint64_t(0));
        QVERIFY(batch->header.monotonic_ns() > 0 && batch->header.wall_ns() > 1'600'000'000'000'000'000);
        QCOMPARE(std::size_t(batch->header.count()), batch->events.size());
        QVERIFY(batch->events.size() <= EventPublisher::kBatch);
        for (const pb::Event& event : batch->events) {
            QCOMPARE(event.sequence(), expected);
            QCOMPARE(event.record_read().key(), expected++);
        }
    }
    QCOMPARE(publisher->lost(), std::uint64_t(0));
}

void ProcessTest::aSingleEventDoesNotWaitForOthers()
{
    const auto publisher = openPublisher();
    Watcher watcher(publisher->endpoint());
    const std::uint64_t next = meet(*publisher, watcher);
    publish(*publisher, next, 1);
    const auto batch = watcher.next();
    QVERIFY(batch);
    QCOMPARE(batch->events.size(), std::size_t(1));
}

// A busy process collects events for longer. Whatever comes when it is not busy any more, or just before, is not left.
void ProcessTest::aSingleEventAfterManyIsSentToo()
{
    const auto publisher = openPublisher();
    Watcher watcher(publisher->endpoint());
    std::uint64_t next = meet(*publisher, watcher);
    for (const std::uint64_t count : { 20, 1, 2'000, 1, 1, 16, 1 }) {
        publish(*publisher, next, count);
        next += count;
        std::optional<Watcher::Batch> batch;
        do
            QVERIFY(batch = watcher.next());
        while (batch->events.back().sequence() + 1 < next);
    }
    QCOMPARE(publisher->lost(), std::uint64_t(0));
}

void ProcessTest::aFullQueueIsAGapThatIsCounted()
{
    PublisherOptions options;
    options.eventsMax = 100;
    const auto publisher = openPublisher(options);
    Watcher watcher(publisher->endpoint());
    const std::uint64_t first = meet(*publisher, watcher);
    publish(*publisher, first, 1'000); // one step, so the queue cannot be drained meanwhile
    auto batch = watcher.next();
    QVERIFY(batch);
    QCOMPARE(batch->header.first_sequence(), first);
    QCOMPARE(batch->header.count(), 100u);
    QCOMPARE(publisher->lost(), std::uint64_t(900));
    publish(*publisher, first + 1'000, 2);
    batch = watcher.next();
    QVERIFY(batch);
    QCOMPARE(batch->header.first_sequence(), first + 1'000);
    QCOMPARE(batch->header.lost_before(), std::uint64_t(900));
}

void ProcessTest::theLastEventsGetOut()
{
    const auto publisher = openPublisher();
    Watcher watcher(publisher->endpoint());
    const std::uint64_t next = meet(*publisher, watcher);
    publish(*publisher, next, 500);
    publisher->stop();
    QVERIFY(watcher.hears([next](const pb::Event& event) { return event.sequence() == next + 499; }));
}

void ProcessTest::aWatcherMayChooseAProcessByTheFirstBytes()
{
    const auto publisher = openPublisher();
    pb::EventHeader mine;
    mine.set_process(42);
    pb::EventHeader other;
    other.set_process(43);
    Watcher ours(publisher->endpoint(), mine.SerializeAsString());
    Watcher theirs(publisher->endpoint(), other.SerializeAsString());
    const std::uint64_t next = meet(*publisher, ours);
    publish(*publisher, next, 1);
    QVERIFY(ours.next());
    QVERIFY(!theirs.next(std::chrono::milliseconds(50)));
}

// ---- commands

void ProcessTest::whoAreYouIsAnsweredByTheServerItself()
{
    const auto server = openServer();
    pb::ProcessInfo self;
    self.set_name("node-7");
    server->start(self, [](const pb::Command&) { qFatal("not for the driver"); });
    ControlSocket control(server->endpoint());
    const auto reply = control.call(who());
    QVERIFY(reply);
    QCOMPARE(reply->process().name(), std::string("node-7"));
}

void ProcessTest::twoOperatorsMayUseTheSameTickets()
{
    const auto server = openServer();
    std::mutex mutex;
    std::vector<pb::Command> commands;
    server->start(pb::ProcessInfo(), [&](const pb::Command& command) {
        const std::lock_guard lock(mutex);
        commands.push_back(command);
    });
    ControlSocket first(server->endpoint());
    ControlSocket second(server->endpoint());
    pb::Command command = readContents(1);
    command.set_ticket(5);
    first.send(command);
    command = readContents(2);
    command.set_ticket(5);
    second.send(command);
    QVERIFY(eventually([&] {
        const std::lock_guard lock(mutex);
        return commands.size() == 2;
    }));
    QVERIFY(commands[0].ticket() != commands[1].ticket());
    // Replies come in reverse order, from this thread.
    for (int i = 1; i >= 0; --i) {
        pb::CommandReply reply;
        reply.set_ticket(commands[std::size_t(i)].ticket());
        reply.mutable_contents()->set_next_rank(commands[std::size_t(i)].read_contents().rank_from());
        server->reply(reply);
    }
    const auto toFirst = first.receive();
    const auto toSecond = second.receive();
    QVERIFY(toFirst && toSecond);
    QCOMPARE(toFirst->ticket(), std::uint64_t(5));
    QCOMPARE(toFirst->contents().next_rank(), 1u);
    QCOMPARE(toSecond->ticket(), std::uint64_t(5));
    QCOMPARE(toSecond->contents().next_rank(), 2u);
}

void ProcessTest::whatIsNoCommandIsRefusedAndCounted()
{
    const auto server = openServer();
    server->start(pb::ProcessInfo(), [&server](const pb::Command& command) {
        pb::CommandReply reply;
        reply.set_ticket(command.ticket());
        server->reply(reply);
    });
    ControlSocket stranger(server->endpoint());
    std::vector<std::vector<std::string>> messages { { "" }, { "\xff\xff\xff" }, { "", "", "x" },
        { "a", "b", "c", "d", "e" }, { std::string(1'000'000, '\x0b') }, { "not empty", who().SerializeAsString() } };
    for (const auto& message : messages) {
        stranger.send(message);
        const auto reply = stranger.receive();
        if (!reply) // a message that looks like one of a REQ socket is answered with its empty frame
            QVERIFY(message.size() > 1);
        else
            QCOMPARE(reply->refusal(), pb::MALFORMED);
    }
    QVERIFY(eventually([&] { return server->malformed() == messages.size(); }));

    std::mt19937_64 random(11);
    constexpr std::size_t kRandom = 2'000;
    for (std::size_t i = 0; i < kRandom; ++i) {
        std::string bytes(random() % 100, '\0');
        for (char& byte : bytes)
            byte = char(random());
        stranger.send(std::vector { bytes });
        QVERIFY(stranger.receive()); // malformed, or accidentally a command
    }
    QVERIFY(server->malformed() > messages.size());
    stranger.send(std::vector { std::string(kCommandMax + 1, 'x') }); // closes the connection
    ControlSocket control(server->endpoint());
    QVERIFY(control.call(who()));
}

void ProcessTest::aRequestSocketIsServedAsWell()
{
    const auto server = openServer();
    server->start(pb::ProcessInfo(), [](const pb::Command&) {});
    ControlSocket requester(server->endpoint(), zmq::socket_type::req);
    QVERIFY(requester.call(who()));
    QVERIFY(requester.call(who()));
}

void ProcessTest::anOperatorThatHasGoneDoesNoHarm()
{
    const auto server = openServer();
    std::atomic<std::uint64_t> ticket = 0;
    server->start(pb::ProcessInfo(), [&](const pb::Command& command) { ticket = command.ticket(); });
    {
        ControlSocket leaving(server->endpoint());
        leaving.send(readContents(1));
        QVERIFY(eventually([&] { return ticket != 0; }));
    }
    ControlSocket staying(server->endpoint());
    QVERIFY(staying.call(who()));
    pb::CommandReply reply;
    reply.set_ticket(ticket);
    server->reply(reply);
    QVERIFY(staying.call(who()));
}

void ProcessTest::aCommandBeyondTheBoundIsRefused()
{
    const auto server = openServer();
    server->start(pb::ProcessInfo(), [](const pb::Command&) {}); // a driver that never answers
    ControlSocket greedy(server->endpoint());
    for (std::size_t i = 0; i < ControlServer::kOpenMax; ++i)
        greedy.send(readContents(1));
    const auto reply = greedy.call(readContents(1));
    QVERIFY(reply);
    QCOMPARE(reply->refusal(), pb::REFUSED);
    QVERIFY(greedy.call(who())); // still answered
}

void ProcessTest::strangersOnThePortsDoNoHarm()
{
    const auto server = openServer();
    server->start(pb::ProcessInfo(), [](const pb::Command&) {});
    const auto publisher = openPublisher();
    for (const std::string& endpoint : { server->endpoint(), publisher->endpoint() }) {
        const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const auto port = std::uint16_t(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
        const SystemAddress address({ kLoopback, port });
        QVERIFY(::connect(socket.get(), address.name(), address.size()) == 0);
        const std::string http = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(1'000, '\xff');
        QVERIFY(::send(socket.get(), http.data(), http.size(), MSG_NOSIGNAL) > 0);
    }
    ControlSocket control(server->endpoint());
    QVERIFY(control.call(who()));
    Watcher watcher(publisher->endpoint());
    meet(*publisher, watcher);
}

// ---- the runtime behind them

void ProcessTest::aSnapshotNamesTheLastEventItContains()
{
    Station station;
    const pb::ProcessInfo& self = station.runtime->self();
    Watcher watcher(self.events_endpoint());
    ControlSocket control(self.control_endpoint());
    pb::Command command;
    command.mutable_take_snapshot();
    // The machine emits one event with each command that it answers, so the event numbers advance.
    std::uint64_t sequence = 0;
    QVERIFY(eventually([&] {
        if (!control.call(readContents(1)))
            return false;
        const auto reply = control.call(command);
        if (!reply || !reply->has_snapshot() || reply->snapshot().sequence() < sequence)
            return false;
        sequence = reply->snapshot().sequence();
        const pb::Snapshot& snapshot = reply->snapshot();
        if (snapshot.process() != self.node() || snapshot.info().name() != "echo" || snapshot.spare_pool() != pb::DATA)
            return false;
        return watcher.next(std::chrono::milliseconds(20)).has_value();
    }));
    // From now on it is subscribed: the next event's number is the one after the snapshot's.
    while (watcher.next(std::chrono::milliseconds(300))) { }
    const auto reply = control.call(command);
    QVERIFY(reply);
    sequence = reply->snapshot().sequence();
    QVERIFY(control.call(readContents(1)));
    QVERIFY(watcher.hears([sequence](const pb::Event& event) {
        return event.has_spare_missing() && event.sequence() > sequence && event.sequence() <= sequence + 2;
    }));
}

void ProcessTest::statisticsCountWhatHappened()
{
    Station station;
    Speaker speaker(station.udp());
    QVERIFY(speaker.isAnswered(station.address()));
    ControlSocket control(station.runtime->self().control_endpoint());
    pb::Command command;
    command.mutable_statistics();
    const auto reply = control.call(command);
    QVERIFY(reply);
    QVERIFY(reply->gauges().messages_in() >= 1 && reply->gauges().messages_out() >= 1);
    QVERIFY(reply->gauges().memory_bytes() > 1'000'000);
    QVERIFY(reply->gauges().cpu_ns() > 0);
    QCOMPARE(reply->gauges().dropped(), std::uint64_t(0));
    QCOMPARE(reply->gauges().operations(), station.heard->messages.load());
    // The same figures come as an event while one of them changes.
    Watcher watcher(station.runtime->self().events_endpoint());
    QVERIFY(eventually([&] {
        if (!speaker.isAnswered(station.address()))
            return false;
        const auto batch = watcher.next(std::chrono::milliseconds(150));
        return batch
            && std::any_of(batch->events.begin(), batch->events.end(), [](const auto& e) { return e.has_gauges(); });
    }));
}

void ProcessTest::detailIsSetAndABadLevelRefused()
{
    Station station;
    ControlSocket control(station.runtime->self().control_endpoint());
    pb::Command command;
    command.mutable_set_detail()->set_detail(pb::COUNTS);
    auto reply = control.call(command);
    QVERIFY(reply && reply->refusal() == pb::NOT_REFUSED);
    pb::Command look;
    look.mutable_take_snapshot();
    reply = control.call(look);
    QVERIFY(reply);
    QCOMPARE(reply->snapshot().detail(), pb::COUNTS);
    command.mutable_set_detail()->set_detail(pb::Detail(99));
    reply = control.call(command);
    QVERIFY(reply);
    QCOMPARE(reply->refusal(), pb::BAD_ARGUMENT);
}

void ProcessTest::theRestGoesToTheMachine()
{
    Station station;
    ControlSocket control(station.runtime->self().control_endpoint());
    for (int i = 0; i < 100; ++i) {
        const auto reply = control.call(readContents(1));
        QVERIFY(reply);
        QCOMPARE(reply->text(), std::string("echo"));
    }
}

void ProcessTest::droppedDatagramsAreToldWithTheirCount()
{
    Station station;
    Watcher watcher(station.runtime->self().events_endpoint());
    const auto sender = UdpSocket::open({ kLoopback, 0 });
    QVERIFY(sender);
    Speaker speaker(station.udp());
    std::vector<OutDatagram> noise(10, OutDatagram { station.udp(), "noise" });
    QVERIFY(eventually([&] {
        sender->send(noise);
        if (!speaker.isAnswered(station.address()))
            return false;
        const auto batch = watcher.next(std::chrono::milliseconds(150));
        return batch && std::any_of(batch->events.begin(), batch->events.end(), [](const pb::Event& event) {
            return event.message_dropped().reason() == textOf(Drop::TooShort) && event.message_dropped().count() >= 10;
        });
    }));
}

QTEST_GUILESS_MAIN(ProcessTest)
#include "tst_process.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Who may connect to the ZeroMQ sockets of a process with keys, and which commands each of them may give.
#include "common/kinds.h"
#include "node/process/control_server.h"
#include "node/process/event_publisher.h"
#include "node/process/zap_handler.h"

#include <QTest>

#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace lhrs;

namespace {

constexpr int kPatienceMs = 20'000;
constexpr int kRefusedMs
    = 300; // a peer that is not let in hears nothing; the handler's counter tells when that is sure

KeyFile clusterKey(std::uint8_t seed = 1)
{
    KeyFile key;
    key.secret.fill(seed);
    return key;
}

template <class Key> void setKey(zmq::socket_t& socket, int option, const Key& key)
{
    if (zmq_setsockopt(socket.handle(), option, key.data(), key.size()) != 0)
        qFatal("%s", zmq_strerror(zmq_errno()));
}

// A socket that connects with this pair to the process that has that public key.
zmq::socket_t connected(zmq::context_t& context, zmq::socket_type type, const std::string& endpoint,
    const CurvePair* pair, const KeyBytes& server)
{
    zmq::socket_t socket(context, type);
    socket.set(zmq::sockopt::linger, 0);
    if (pair != nullptr) {
        setKey(socket, ZMQ_CURVE_SERVERKEY, server);
        setKey(socket, ZMQ_CURVE_PUBLICKEY, pair->publicKey);
        setKey(socket, ZMQ_CURVE_SECRETKEY, pair->secretKey);
    }
    if (type == zmq::socket_type::sub)
        socket.set(zmq::sockopt::subscribe, "");
    socket.connect(endpoint);
    return socket;
}

std::optional<pb::CommandReply> ask(zmq::socket_t& socket, const pb::Command& command, int patienceMs = kPatienceMs)
{
    socket.set(zmq::sockopt::rcvtimeo, patienceMs);
    socket.send(zmq::buffer(command.SerializeAsString()), zmq::send_flags::dontwait);
    zmq::message_t message;
    pb::CommandReply reply;
    if (!socket.recv(message) || !reply.ParseFromArray(message.data(), int(message.size())))
        return std::nullopt;
    return reply;
}

// The command of this kind, without arguments.
pb::Command commandOf(const Kind& kind)
{
    pb::Command command;
    google::protobuf::Message* holder = &command;
    int number = kind.number;
    if (number >= 1'000) {
        const auto* system = pb::Command::descriptor()->FindFieldByNumber(number / 1'000);
        holder = pb::Command::GetReflection()->MutableMessage(&command, system);
        number %= 1'000;
    }
    holder->GetReflection()->MutableMessage(holder, holder->GetDescriptor()->FindFieldByNumber(number));
    command.set_ticket(9);
    return command;
}

// A process with keys: its control server answers every command that it lets through, or none of them.
struct Guarded {
    enum class Answers { AtOnce, Never };
    explicit Guarded(const KeyFile& key = clusterKey(), Answers answers = Answers::AtOnce) : keys(key)
    {
        auto handler = ZapHandler::open(context, keys);
        auto opened = ControlServer::open(context, "tcp://127.0.0.1:*", ControlServer::Serves::OneProcess, &keys);
        PublisherOptions options;
        options.keys = &keys;
        options.self = { 5, "guarded" };
        auto published = EventPublisher::open(context, options);
        if (!handler || !opened || !published)
            qFatal("no sockets");
        zap = std::move(*handler);
        control = std::move(*opened);
        events = std::move(*published);
        pb::ProcessInfo self;
        self.set_name("guarded");
        control->start(self, [this, answers](pb::Command command) {
            ++done;
            if (answers == Answers::Never)
                return;
            pb::CommandReply reply;
            reply.set_ticket(command.ticket());
            reply.set_text("done");
            control->reply(reply);
        });
    }
    ~Guarded()
    {
        control->stop();
        events->stop();
    }

    KeyRing keys;
    zmq::context_t context;
    std::unique_ptr<ZapHandler> zap;
    std::unique_ptr<EventPublisher> events;
    std::unique_ptr<ControlServer> control;
    std::atomic<int> done = 0;
};

} // namespace

class PeersTest : public QObject {
    Q_OBJECT
private slots:
    void everyCommandSaysWhoMayGiveIt();
    void eachRoleMayGiveItsCommandsOnly_data();
    void eachRoleMayGiveItsCommandsOnly();
    void aClientCannotKeepTheOperatorOut();
    void whoHasNoKeyIsNotLetIn_data();
    void whoHasNoKeyIsNotLetIn();
    void onlyHoldersOfAKeyHearEvents();
    void withoutTheHandlerNobodyGetsIn();
    void withoutKeysEverybodyMayAskEverything();
};

void PeersTest::everyCommandSaysWhoMayGiveIt()
{
    QVERIFY(commandKinds().size() > 40);
    for (const Kind& kind : commandKinds())
        QVERIFY2(kind.least != pb::PEER_UNSET, qPrintable(QString::fromStdString(kind.name + ": who may give it?")));
    for (const Kind& kind : eventKinds())
        QVERIFY(kind.least == pb::PEER_UNSET); // it is said of commands only
    for (const char* breaks : { "shutdown", "arm_fault", "acknowledge_loss", "set_gate", "leave_ring" }) {
        const auto found = std::find_if(
            commandKinds().begin(), commandKinds().end(), [&](const Kind& kind) { return kind.name == breaks; });
        QVERIFY2(found != commandKinds().end() && found->least == pb::PEER_OPERATOR, breaks);
    }
}

void PeersTest::eachRoleMayGiveItsCommandsOnly_data()
{
    QTest::addColumn<int>("role");
    for (const PeerRole role : { PeerRole::Watcher, PeerRole::Client, PeerRole::Operator })
        QTest::newRow(wordOf(role)) << int(role);
}

void PeersTest::eachRoleMayGiveItsCommandsOnly()
{
    QFETCH(const int, role);
    Guarded process;
    const KeyRing client(clientKeyOf(clusterKey())), commander(operatorKeyOf(clusterKey()));
    const CurvePair& pair = role == int(PeerRole::Watcher) ? client.asWatcher()
        : role == int(PeerRole::Client)                    ? client.asPeer()
                                                           : commander.asPeer();
    zmq::context_t context;
    auto socket = connected(
        context, zmq::socket_type::dealer, process.control->endpoint(), &pair, client.serverSockets());
    int allowed = 0, refused = 0;
    for (const Kind& kind : commandKinds()) {
        const auto reply = ask(socket, commandOf(kind));
        QVERIFY2(reply, kind.name.c_str());
        const bool mayBe = int(kind.least) <= role + 1;
        QCOMPARE(int(reply->refusal()), int(mayBe ? pb::NOT_REFUSED : pb::NOT_ALLOWED));
        QVERIFY(mayBe || QString::fromStdString(reply->text()).contains("needs the"));
        QCOMPARE(reply->ticket(), std::uint64_t(9));
        ++(mayBe ? allowed : refused);
    }
    // Two commands in one are none: the lesser one must not carry the other in.
    const int done = process.done;
    pb::Command both = commandOf(*std::find_if(
        commandKinds().begin(), commandKinds().end(), [](const Kind& kind) { return kind.name == "describe_ring"; }));
    both.mutable_shutdown();
    const auto reply = ask(socket, both);
    QVERIFY(reply && reply->refusal() == pb::MALFORMED);
    QCOMPARE(process.done.load(), done);
    QVERIFY(allowed > 0);
    QCOMPARE(process.done + 1, allowed); // the server answers WhoAreYou itself
    QCOMPARE(process.control->notAllowed(), std::uint64_t(refused));
    QCOMPARE(refused == 0, role == int(PeerRole::Operator));
    QCOMPARE(process.zap->refused(), std::uint64_t(0));
}

void PeersTest::aClientCannotKeepTheOperatorOut()
{
    Guarded process(clusterKey(), Guarded::Answers::Never);
    const KeyRing client(clientKeyOf(clusterKey())), commander(operatorKeyOf(clusterKey()));
    zmq::context_t context;
    const auto open = [&](const CurvePair& pair) {
        return connected(context, zmq::socket_type::dealer, process.control->endpoint(), &pair, client.serverSockets());
    };
    auto greedy = open(client.asPeer()), another = open(client.asPeer()), commands = open(commander.asPeer());
    pb::Command command;
    command.mutable_take_snapshot();
    const std::string bytes = command.SerializeAsString();
    for (std::size_t i = 0; i < ControlServer::kOpenOfOthersMax; ++i)
        greedy.send(zmq::buffer(bytes), zmq::send_flags::none);
    for (zmq::socket_t* socket : { &greedy, &another }) {
        const auto reply = ask(*socket, command);
        QVERIFY(reply && reply->refusal() == pb::REFUSED);
    }
    QCOMPARE(process.control->open(), ControlServer::kOpenOfOthersMax);
    commands.send(zmq::buffer(bytes), zmq::send_flags::none);
    QTRY_COMPARE(process.done.load(), int(ControlServer::kOpenOfOthersMax) + 1);
    // Replies make room again.
    for (std::uint64_t ticket = 1; ticket <= ControlServer::kOpenOfOthersMax; ++ticket) {
        pb::CommandReply reply;
        reply.set_ticket(ticket);
        process.control->reply(reply);
    }
    another.send(zmq::buffer(bytes), zmq::send_flags::none);
    QTRY_COMPARE(process.done.load(), int(ControlServer::kOpenOfOthersMax) + 2);
}

void PeersTest::whoHasNoKeyIsNotLetIn_data()
{
    QTest::addColumn<int>("who");
    QTest::newRow("a plain peer") << 0;
    QTest::newRow("an unlisted key that knows the server's") << 1;
    QTest::newRow("the operator of another cluster") << 2;
    QTest::newRow("one who takes the server for another") << 3;
}

void PeersTest::whoHasNoKeyIsNotLetIn()
{
    QFETCH(const int, who);
    Guarded process;
    const KeyRing commander(operatorKeyOf(clusterKey())), stranger(operatorKeyOf(clusterKey(2)));
    const CurvePair pair = who == 3 ? commander.asPeer() : stranger.asPeer();
    const KeyBytes server = who == 3 ? stranger.serverSockets() : commander.serverSockets();
    zmq::context_t context;
    auto socket = connected(
        context, zmq::socket_type::dealer, process.control->endpoint(), who == 0 ? nullptr : &pair, server);
    pb::Command command;
    command.mutable_who_are_you();
    QVERIFY(!ask(socket, command, kRefusedMs));
    if (who == 1 || who == 2) // the others do not come as far as the handler
        QTRY_VERIFY_WITH_TIMEOUT(process.zap->refused() > 0, kPatienceMs);
    QCOMPARE(process.done.load(), 0);
    // Somebody with a key is served all the while.
    auto other = connected(
        context, zmq::socket_type::dealer, process.control->endpoint(), &commander.asPeer(), commander.serverSockets());
    const auto reply = ask(other, command);
    QVERIFY(reply && reply->process().name() == "guarded");
}

void PeersTest::onlyHoldersOfAKeyHearEvents()
{
    Guarded process;
    const KeyRing client(clientKeyOf(clusterKey())), stranger(operatorKeyOf(clusterKey(2)));
    zmq::context_t context;
    auto watcher = connected(
        context, zmq::socket_type::sub, process.events->endpoint(), &client.asWatcher(), client.serverSockets());
    auto plain = connected(context, zmq::socket_type::sub, process.events->endpoint(), nullptr, {});
    auto other = connected(
        context, zmq::socket_type::sub, process.events->endpoint(), &stranger.asPeer(), client.serverSockets());
    pb::Event event;
    event.mutable_process_ended()->set_reason("only a test");
    std::uint64_t sequence = 0;
    const auto publish = [&] {
        event.set_sequence(++sequence);
        pb::Event* one = &event;
        process.events->publish({ &one, 1 });
    };
    zmq::message_t message;
    watcher.set(zmq::sockopt::rcvtimeo, 50);
    QTRY_VERIFY_WITH_TIMEOUT((publish(), bool(watcher.recv(message))), kPatienceMs); // until it has connected
    QTRY_VERIFY_WITH_TIMEOUT(process.zap->refused() > 0, kPatienceMs);
    publish();
    for (zmq::socket_t* deaf : { &plain, &other }) {
        deaf->set(zmq::sockopt::rcvtimeo, kRefusedMs);
        QVERIFY(!deaf->recv(message));
    }
}

void PeersTest::withoutTheHandlerNobodyGetsIn()
{
    const KeyRing keys(clusterKey()), commander(operatorKeyOf(clusterKey()));
    zmq::context_t context, outside;
    pb::Command command;
    command.mutable_who_are_you();
    for (const bool hasHandler : { true, false, true }) {
        std::unique_ptr<ZapHandler> handler;
        if (hasHandler)
            handler = std::move(*ZapHandler::open(context, keys));
        auto server = ControlServer::open(context, "tcp://127.0.0.1:*", ControlServer::Serves::OneProcess, &keys);
        QVERIFY(server);
        (*server)->start(pb::ProcessInfo(), [](pb::Command) {});
        auto socket = connected(
            outside, zmq::socket_type::dealer, (*server)->endpoint(), &commander.asPeer(), commander.serverSockets());
        QCOMPARE(ask(socket, command, hasHandler ? kPatienceMs : kRefusedMs).has_value(), hasHandler);
        (*server)->stop();
    }
}

void PeersTest::withoutKeysEverybodyMayAskEverything()
{
    zmq::context_t context;
    auto server = ControlServer::open(context, "tcp://127.0.0.1:*");
    QVERIFY(server);
    (*server)->start(pb::ProcessInfo(), [&](pb::Command command) {
        pb::CommandReply reply;
        reply.set_ticket(command.ticket());
        (*server)->reply(reply);
    });
    auto socket = connected(context, zmq::socket_type::dealer, (*server)->endpoint(), nullptr, {});
    for (const Kind& kind : commandKinds()) {
        const auto reply = ask(socket, commandOf(kind));
        QVERIFY(reply && reply->refusal() == pb::NOT_REFUSED);
    }
    (*server)->stop();
}

QTEST_GUILESS_MAIN(PeersTest)
#include "tst_peers.moc"

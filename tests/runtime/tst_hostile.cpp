// SPDX-License-Identifier: GPL-3.0-or-later
// A program on the same computer that has no key of the cluster, or another one: whatever it sends to its sockets,
// records are read and written all the same, nothing is lost, nobody ends, and what was refused is counted.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "tests/fuzz/random_datagrams.h"
#include "tests/rigs/core/station.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QTest>

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr std::uint64_t kHighEpoch = std::uint64_t(1) << 60;
constexpr int kRounds = 200; // of everything, to every process
constexpr int kSilent = 300; // connections

struct Place {
    pb::ProcessInfo info;
    Address address() const { return Address::from(info.address()); }
    Endpoint udp() const { return { address().ip, address().udpPort }; }
    Endpoint tcp() const { return { address().ip, address().tcpPort }; }
};

std::vector<Place> placesOf(Session& session)
{
    std::vector<Place> places;
    for (const KnownProcess& known : session.control().directory())
        places.push_back({ known.info });
    return places;
}

std::uint64_t clusterOf(const std::vector<Place>& places)
{
    for (const Place& place : places)
        if (place.info.kind() == pb::COORDINATOR)
            return Envelope::clusterOf(place.udp());
    qFatal("no coordinator");
}

// What ends growth, forges answers, changes records, skews parity and poisons the directory where nothing is checked.
std::vector<pb::Message> forgeries(std::uint64_t round)
{
    std::vector<pb::Message> all(7);
    for (pb::Message& message : all) {
        message.set_id(round + 1);
        message.set_coordinator_epoch(kHighEpoch);
    }
    all[0].mutable_superseded()->set_coordinator_epoch(kHighEpoch);
    all[1].mutable_report_state();
    all[2].set_answers(round);
    all[2].mutable_reply()->set_result(pb::OK);
    all[2].mutable_reply()->set_value("forged");
    all[3].mutable_delta();
    all[4].mutable_register_()->mutable_process()->set_kind(pb::NODE);
    all[5].mutable_update()->set_key(round);
    all[5].mutable_update()->set_value("forged");
    all[6].mutable_abort();
    return all;
}

std::string bodyOf(const pb::Message& message)
{
    std::string body(sizeInBody(message), '\0');
    appendMessage(message, body.data());
    return body;
}

void send(const UdpSocket& socket, Endpoint to, std::string_view bytes)
{
    OutDatagram datagram { to, bytes };
    [[maybe_unused]] const auto failed = socket.send({ &datagram, 1 });
}

// Commands that break a cluster, to the control sockets of all processes: without a key, and with another one by
// somebody who knows the public key of the sockets.
void command(const std::vector<Place>& places, const std::string& keyFile)
{
    zmq::context_t context;
    KeyFile other;
    other.secret.fill(9);
    const auto own = readKeyFile(keyFile);
    if (!own)
        qFatal("%s", own.error().text.c_str());
    const KeyRing stranger(other), cluster(*own);
    pb::Command end, fault;
    end.mutable_shutdown();
    fault.mutable_arm_fault()->mutable_fault()->set_number(1);
    fault.mutable_arm_fault()->mutable_fault()->mutable_pause();
    std::vector<zmq::socket_t> sockets;
    for (const Place& place : places)
        for (const bool hasKey : { false, true }) {
            zmq::socket_t& socket = sockets.emplace_back(context, zmq::socket_type::dealer);
            socket.set(zmq::sockopt::linger, 0);
            if (hasKey) {
                zmq_setsockopt(socket.handle(), ZMQ_CURVE_SERVERKEY,
                    (place.info.kind() == pb::CLIENT ? cluster.clientSockets() : cluster.serverSockets()).data(),
                    kKeyBytes);
                zmq_setsockopt(socket.handle(), ZMQ_CURVE_PUBLICKEY, stranger.asPeer().publicKey.data(), kKeyBytes);
                zmq_setsockopt(socket.handle(), ZMQ_CURVE_SECRETKEY, stranger.asPeer().secretKey.data(), kKeyBytes);
            }
            socket.connect(place.info.control_endpoint());
            for (const pb::Command* one : { &end, &fault })
                socket.send(zmq::buffer(one->SerializeAsString()), zmq::send_flags::dontwait);
        }
    zmq::message_t answer;
    for (zmq::socket_t& socket : sockets) {
        socket.set(zmq::sockopt::rcvtimeo, 5);
        if (socket.recv(answer))
            qFatal("a process has answered somebody without a key");
    }
}

// Datagrams and streams without a key, with another one, and of another cluster; and connections that say nothing.
void attack(const std::vector<Place>& places, std::stop_token stop)
{
    KeyFile other;
    other.secret.fill(9);
    const KeyRing stranger(other);
    const std::uint64_t cluster = clusterOf(places);
    Envelope plain(cluster, NodeId(4'711)), keyed(cluster, NodeId(4'712), &stranger);
    fuzz::RandomDatagrams noise(1, cluster);
    const auto socket = UdpSocket::open({ kLoopback, 0 });
    if (!socket)
        qFatal("no socket");
    std::vector<std::unique_ptr<test::Stranger>> silent;
    for (int i = 0; i < kSilent; ++i)
        silent.push_back(std::make_unique<test::Stranger>(places[std::size_t(i) % places.size()].tcp()));
    for (std::uint64_t round = 0; round < kRounds && !stop.stop_requested(); ++round)
        for (const Place& place : places) {
            const NodeId known(place.info.node());
            for (const pb::Message& message : forgeries(round))
                for (Envelope* envelope : { &plain, &keyed })
                    for (const NodeId to : { known, NodeId() })
                        send(*socket, place.udp(), test::sealedPacket(*envelope, bodyOf(message), to));
            for (int i = 0; i < 20; ++i)
                send(*socket, place.udp(), noise.next());
            if (round % 20 != 0)
                continue;
            const test::Stranger http(place.tcp()), frames(place.tcp());
            http.write("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            for (const pb::Message& message : forgeries(round))
                frames.write(test::sealedPacket(round % 40 == 0 ? plain : keyed, bodyOf(message), known));
        }
}

// Records the datagrams between the processes of one cluster on the loopback interface; what other clusters on this
// computer send is none of its business. It needs root.
class Eavesdropper {
public:
    Eavesdropper() : m_socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_IP))) { }
    bool isOpen() const { return bool(m_socket); }
    struct Datagram {
        Endpoint from, to;
        std::string bytes;
    };
    // Takes what has passed in this cluster since the last call.
    std::vector<Datagram> take(std::uint64_t cluster, std::size_t most) const
    {
        std::vector<Datagram> taken;
        std::vector<char> packet(kDatagramMax + 100);
        while (taken.size() < most) {
            const ssize_t count = ::recv(m_socket.get(), packet.data(), packet.size(), 0);
            if (count < 0)
                break;
            if (std::size_t(count) < sizeof(iphdr) + sizeof(udphdr))
                continue;
            iphdr ip;
            udphdr udp;
            std::memcpy(&ip, packet.data(), sizeof ip);
            std::memcpy(&udp, packet.data() + ip.ihl * 4, sizeof udp);
            const std::size_t begin = ip.ihl * 4u + sizeof udp;
            const std::string_view bytes(packet.data() + begin, std::size_t(count) - begin);
            if (ip.protocol == IPPROTO_UDP && bytes.size() >= kEnvelopeBytes && bytes.starts_with("LHRS")
                && std::memcmp(bytes.data() + kClusterAt, &cluster, sizeof cluster) == 0)
                taken.push_back({ { ntohl(ip.saddr), ntohs(udp.source) }, { ntohl(ip.daddr), ntohs(udp.dest) },
                    std::string(bytes) });
        }
        return taken;
    }

private:
    Descriptor m_socket;
};

// Sends again what the processes have sent to each other: to the same receiver, and back to the sender.
void repeat(
    const Eavesdropper& eavesdropper, std::uint64_t cluster, std::stop_token stop, std::atomic<std::uint64_t>& repeated)
{
    const auto socket = UdpSocket::open({ kLoopback, 0 });
    std::vector<Eavesdropper::Datagram> kept;
    while (!stop.stop_requested()) {
        std::vector<Eavesdropper::Datagram> news = eavesdropper.take(cluster, 500);
        for (const auto* some : { &news, &kept })
            for (const Eavesdropper::Datagram& one : *some)
                for (const Endpoint to : { one.to, one.from }) {
                    send(*socket, to, one.bytes);
                    ++repeated;
                }
        if (news.empty())
            std::this_thread::yield();
        kept = std::move(news); // once more, after those that come now
        if (kept.size() > 100)
            kept.resize(100);
    }
}

constexpr const char* kWork
    = "const a = lab.client('alice');\n"
      "const inserted = a.run({ do: 'insert', count: 300, window: 4 });\n"
      "lab.settle({ timeout: 60 });\n"
      "const read = a.run({ do: 'search', count: 2000, window: 4 });\n"
      "lab.expectEqual([inserted.unanswered, read.unanswered, read.wrong, read.missing], [0, 0, 0, 0], 'all "
      "answered');\n"
      "lab.expectEqual([a.verify().wrong, a.scan().records, lab.audit().unequal], [0, 300, 0], 'nothing is lost');\n"
      "lab.split(); lab.settle({ timeout: 60 });\n"
      "lab.expect(lab.file().M > 4, 'it grows');\n";

} // namespace

class HostileTest : public QObject {
    Q_OBJECT
private slots:
    void aNeighbourWithoutTheKeyGetsNothing();
    void whatWasSentOnceIsNotTakenAgain();

private:
    // Plays the work while somebody else does something.
    static void workBeside(ClusterStage& stage, const std::function<void(std::stop_token)>& other);
    // The reasons for which messages were dropped, with their numbers.
    static QMap<QString, quint64> dropped(ClusterStage& stage);
};

void HostileTest::workBeside(ClusterStage& stage, const std::function<void(std::stop_token)>& other)
{
    const ScriptResult made = stage.play("lab.cluster({ m: 4, k: 1, b: 30, spares: { data: 24, parity: 8 } });\n"
                                         "lab.client('alice').insert(1000000);\n"
                                         "lab.client('alice').delete(1000000);\n");
    QVERIFY2(made.outcome == ScriptOutcome::Held, qPrintable(stage.story(made)));
    std::jthread neighbour(other);
    const ScriptResult done = stage.play(std::string("lab.cluster({ m: 4, k: 1, b: 30, reset: false, spares: { data: "
                                                     "24, parity: 8 } });\n")
                                             .append(kWork)
                                             .c_str());
    neighbour.request_stop();
    neighbour.join();
    QVERIFY2(done.outcome == ScriptOutcome::Held, qPrintable(stage.story(done)));
    for (const KnownProcess& known : stage.session.control().directory())
        QVERIFY2(!known.hasEnded, known.info.name().c_str());
}

QMap<QString, quint64> HostileTest::dropped(ClusterStage& stage)
{
    QMap<QString, quint64> reasons;
    for (const RunEvent& event : stage.session.ingest().eventsSince(0, 10'000'000).events)
        if (!event.isGap() && event.event->has_message_dropped())
            reasons[QString::fromStdString(event.event->message_dropped().reason())] += event.event->message_dropped()
                                                                                            .count();
    return reasons;
}

void HostileTest::aNeighbourWithoutTheKeyGetsNothing()
{
    ClusterStage stage;
    stage.limit = 120s * kSlower;
    workBeside(stage, [&](std::stop_token stop) {
        const std::vector<Place> places = placesOf(stage.session);
        command(places, stage.session.local().keyFile());
        attack(places, stop);
    });
    // Each process tells from time to time what it has dropped.
    for (const char* reason : { textOf(Drop::OtherKey), textOf(Drop::WrongTag), textOf(Drop::WrongMagic),
             "a watcher or operator without a key of this cluster" })
        QVERIFY2(test::eventually([&] { return dropped(stage).value(reason) > 0; }), reason);
    const auto reasons = dropped(stage);
    QVERIFY(!reasons.contains(textOf(Drop::Malformed))); // nothing of it was parsed
}

void HostileTest::whatWasSentOnceIsNotTakenAgain()
{
    const Eavesdropper eavesdropper;
    if (!eavesdropper.isOpen())
        QSKIP("recording the network's packets needs root");
    ClusterStage stage;
    stage.limit = 120s * kSlower;
    std::atomic<std::uint64_t> repeated = 0;
    workBeside(
        stage, [&](std::stop_token stop) { repeat(eavesdropper, clusterOf(placesOf(stage.session)), stop, repeated); });
    QVERIFY(repeated > 1'000);
    for (const Drop reason : { Drop::Replayed, Drop::OtherReceiver })
        QVERIFY2(test::eventually([&] { return dropped(stage).value(textOf(reason)) > 0; }), textOf(reason));
}

QTEST_GUILESS_MAIN(HostileTest)
#include "tst_hostile.moc"

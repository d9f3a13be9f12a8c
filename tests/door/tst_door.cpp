// SPDX-License-Identifier: GPL-3.0-or-later
// Doors of real client processes: the programs of Redis and its Python client drive a store of real servers unchanged.
#include "node/door/stored_key.h"
#include "tests/runtime/process_rig.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <sys/un.h>

#include <csignal>
#include <set>

using namespace lhrs;
using namespace lhrs::test;

namespace {

constexpr int kPatienceMs = int(std::chrono::milliseconds(kPatience).count());

// A file with room to grow and one failure that it survives, and a client with a door.
struct DoorRig {
    explicit DoorRig(const QStringList& doors = { "--resp-port", "0" })
    {
        isReady = coordinator.isReady();
        where = QString::fromStdString(coordinator.at("udp"));
        for (int i = 1; i <= 6; ++i)
            server("data", QString("data-%1").arg(i));
        for (int i = 1; i <= 3; ++i)
            server("parity", QString("parity-%1").arg(i));
        for (const auto& [name, program] : servers)
            isReady = isReady && program->isReady();
        client = makeClient(doors);
        isReady = isReady && client->isReady();
    }
    void server(const QString& role, const QString& name)
    {
        servers[name] = std::make_unique<Program>(
            "lhrs-node", QStringList { "--coordinator", where, "--role", role, "--name", name });
    }
    std::unique_ptr<Program> makeClient(const QStringList& doors)
    {
        return std::make_unique<Program>(
            "lhrs-client", QStringList { "--coordinator", where, "--name", "client" } + doors);
    }
    QString port() { return QString::fromStdString(client->at("resp")).section(':', 1); }
    // What redis-cli prints.
    QString cli(const QStringList& words, const QByteArray& input = {})
    {
        return outputOf("redis-cli", QStringList { "-p", port() } + words, input);
    }
    static QString outputOf(const QString& program, const QStringList& arguments, const QByteArray& input = {})
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        process.write(input);
        process.closeWriteChannel();
        if (!process.waitForFinished(120'000))
            return "no end: " + process.readAll();
        const QString output = QString::fromUtf8(process.readAll()).trimmed();
        return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0
            ? output
            : QString("exit code %1: ").arg(process.exitCode()) + output;
    }
    // The records that a server holds as a data bucket.
    static std::uint64_t records(Program& program)
    {
        pb::Command command;
        command.mutable_statistics();
        const auto reply = ControlSocket(program.at("control")).call(command);
        return reply ? reply->gauges().records() : 0;
    }

    Program coordinator { "lhrs-coordinator", { "--new", "--name", "coordinator", "-k", "1", "-b", "500" } };
    QString where;
    std::map<QString, std::unique_ptr<Program>> servers;
    std::unique_ptr<Program> client;
    bool isReady = false;
};

// A connection that says what the test wants.
struct Connection {
    explicit Connection(const std::string& end)
    {
        if (end.starts_with('/')) {
            sockaddr_un address {};
            address.sun_family = AF_UNIX;
            end.copy(address.sun_path, sizeof address.sun_path - 1);
            socket = Descriptor(::socket(AF_UNIX, SOCK_STREAM, 0));
            isOpen = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        } else {
            const SystemAddress address({ kLoopback, std::uint16_t(std::stoi(end.substr(end.find(':') + 1))) });
            socket = Descriptor(::socket(AF_INET, SOCK_STREAM, 0));
            isOpen = ::connect(socket.get(), address.name(), address.size()) == 0;
        }
        const timeval patience { 20, 0 };
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    bool send(const std::string& bytes) const
    {
        return ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size());
    }
    // Reads so many bytes, or all until the end of the connection.
    std::string read(std::size_t most = std::string::npos) const
    {
        std::string got;
        char bytes[4096];
        while (got.size() < most) {
            const ssize_t count = ::recv(socket.get(), bytes, std::min(sizeof bytes, most - got.size()), 0);
            if (count <= 0)
                return count == 0 ? got : got + " (no end)";
            got.append(bytes, std::size_t(count));
        }
        return got;
    }
    Descriptor socket;
    bool isOpen = false;
};

QString missingTool()
{
    for (const char* tool : { "redis-cli", "redis-benchmark" })
        if (QStandardPaths::findExecutable(tool).isEmpty())
            return QString("%1 is not installed (redis-tools)").arg(tool);
    return {};
}

} // namespace

class TestDoor : public QObject {
    Q_OBJECT

private slots:
    void redisCliDrivesTheStore();
    void redisBenchmarkRunsToItsEnd();
    void pythonWritesAndReadsWhileAServerFails();
    void scansFindEveryKeyWhileTheFileGrows();
    void operationsAreEventsOfTheClient();
    void clientsOfTwoDoorsSeeOneStore();
    void aClientThatLeavesDisturbsNobody();
    void oneClientMoreThanThereIsRoomForIsRefused();
    void aWebPageIsRefusedAndCounted();
    void theSocketIsForItsOwnerOnlyAndEndsWithTheDoor();
    void aFileThatIsNotOursIsKept();
    void aDoorBeyondLoopbackIsRefused();
    void aPausedClientAnswersLater();
    void aRingHasADoorToo();
};

void TestDoor::redisCliDrivesTheStore()
{
    if (!missingTool().isEmpty())
        QSKIP(qPrintable(missingTool()));
    DoorRig rig;
    QVERIFY(rig.isReady);
    QCOMPARE(rig.cli({ "PING" }), "PONG");
    QCOMPARE(rig.cli({ "SET", "name", "Ada Lovelace" }), "OK");
    QCOMPARE(rig.cli({ "GET", "name" }), "Ada Lovelace");
    QCOMPARE(rig.cli({ "STRLEN", "name" }), "12");
    QCOMPARE(rig.cli({ "--no-raw", "GET", "none" }), "(nil)");
    QCOMPARE(rig.cli({ "MSET", "a", "1", "b", "2" }), "OK");
    QCOMPARE(rig.cli({ "MGET", "a", "b" }), "1\n2");
    QCOMPARE(rig.cli({ "EXISTS", "a", "b", "none" }), "2");
    QCOMPARE(rig.cli({ "DBSIZE" }), "3");
    QCOMPARE(rig.cli({ "DEL", "a", "b", "none" }), "2");
    QCOMPARE(rig.cli({ "--scan" }), "name");
    QVERIFY(rig.cli({ "INCR", "n" }).contains("none does both"));
    QVERIFY(rig.cli({ "SET", "k", "v", "EX", "5" }).contains("records that expire"));
    QVERIFY(rig.cli({ "INFO", "server" }).contains("process_name:client"));
    QVERIFY(rig.cli({ "-3", "PING" }).contains("ERR unknown command 'HELLO'"));
    QVERIFY(rig.cli({ "-a", "secret", "PING" }).contains("no passwords"));
    // Interactive, from a terminal's point of view: it asks for the commands and their documents first.
    QVERIFY(rig.cli({}, "SET typed 'a b'\nGET typed\n").contains("a b"));
    QByteArray lines;
    for (int i = 0; i < 2'000; ++i)
        lines += QString("SET piped-%1 %1\r\n").arg(i).toUtf8();
    QVERIFY(rig.cli({ "--pipe" }, lines).contains("errors: 0, replies: 2000"));
    const QStringList found = rig.cli({ "--scan", "--pattern", "piped-*" }).split('\n');
    QCOMPARE(QSet<QString>(found.begin(), found.end()).size(), 2'000);
    QCOMPARE(rig.cli({ "GET", "piped-1999" }), "1999");
}

void TestDoor::redisBenchmarkRunsToItsEnd()
{
    if (!missingTool().isEmpty())
        QSKIP(qPrintable(missingTool()));
    DoorRig rig;
    QVERIFY(rig.isReady);
    const QString output = DoorRig::outputOf(
        "redis-benchmark", { "-p", rig.port(), "-t", "set,get,mset", "-n", "20000", "-P", "16", "-r", "2000", "-q" });
    for (const char* test : { "SET", "GET", "MSET" })
        QVERIFY2(output.contains(QRegularExpression(QString("%1[^\\n]*: [0-9.]+ requests per second").arg(test))),
            qPrintable(output));
    QVERIFY2(!output.contains("ERR") && !output.contains("Error"), qPrintable(output));
    const QString stats = rig.cli({ "INFO", "stats" });
    QVERIFY2(stats.contains("total_error_replies:0\r"), qPrintable(stats));
}

void TestDoor::pythonWritesAndReadsWhileAServerFails()
{
    if (DoorRig::outputOf("/usr/bin/python3", { "-c", "import redis" }) != "")
        QSKIP("the Redis client of Python is not installed (python3-redis)");
    DoorRig rig;
    QVERIFY(rig.isReady);
    QProcess python;
    python.setProcessChannelMode(QProcess::MergedChannels);
    python.start("/usr/bin/python3", { LHRS_SOURCE_DIR "/tests/door/redis_writer.py", rig.port() });
    QVERIFY(python.waitForStarted(kPatienceMs));
    const auto reads = [&](const char* word) {
        QByteArray line;
        while (!line.startsWith(word)) {
            if (!python.canReadLine() && !python.waitForReadyRead(120'000))
                return false;
            if (python.canReadLine())
                line = python.readLine();
            if (line.startsWith("Traceback")) {
                qWarning().noquote() << line + python.readAll();
                return false;
            }
        }
        return true;
    };
    QVERIFY(reads("half"));
    // Ends a server that holds records, in the middle of the writing.
    QString holder;
    for (const auto& [name, program] : rig.servers)
        if (name.startsWith("data") && DoorRig::records(*program) > 0)
            holder = name;
    QVERIFY(!holder.isEmpty());
    rig.servers.erase(holder);
    python.write("go on\n");
    QVERIFY(python.waitForFinished(200'000));
    const QString output = QString::fromUtf8(python.readAll());
    QVERIFY2(python.exitCode() == 0 && output.contains("all right"),
        qPrintable(QString("exit code %1: ").arg(python.exitCode()) + output));
}

// SCAN's promise with real splits in between: what was there from the begin to the end is found.
void TestDoor::scansFindEveryKeyWhileTheFileGrows()
{
    if (!missingTool().isEmpty())
        QSKIP(qPrintable(missingTool()));
    DoorRig rig;
    QVERIFY(rig.isReady);
    QByteArray before, during;
    for (int i = 0; i < 400; ++i)
        before += QString("SET before-%1 x\r\n").arg(i).toUtf8();
    for (int i = 0; i < 2'400; ++i)
        during += QString("SET during-%1 %2\r\n").arg(i).arg(QString(100, 'y')).toUtf8();
    QVERIFY(rig.cli({ "--pipe" }, before).contains("errors: 0"));
    QProcess writer;
    writer.start("redis-cli", { "-p", rig.port(), "--pipe" });
    writer.write(during);
    writer.closeWriteChannel();
    int scans = 0;
    do {
        const QStringList found = rig.cli({ "--scan", "--pattern", "before-*" }).split('\n');
        QCOMPARE(QSet<QString>(found.begin(), found.end()).size(), 400);
        ++scans;
    } while (!writer.waitForFinished(1));
    QVERIFY(writer.readAll().contains("errors: 0"));
    QVERIFY(scans > 0);
    QCOMPARE(rig.cli({ "DBSIZE" }), "2800");
    int holders = 0;
    for (const auto& [name, program] : rig.servers)
        holders += name.startsWith("data") && DoorRig::records(*program) > 0 ? 1 : 0;
    QVERIFY(holders > 2); // the file has grown
}

void TestDoor::operationsAreEventsOfTheClient()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    Watcher watcher(rig.client->at("events"));
    const Connection connection(rig.client->at("resp"));
    const std::uint64_t key = storeKeyOf("watched").value;
    // A subscription takes effect some time after it was made, so the operation is repeated until it is seen.
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool isSeen = false;
    while (!isSeen && std::chrono::steady_clock::now() < end) {
        QVERIFY(connection.send("SET watched value\r\n"));
        QCOMPARE(connection.read(5), std::string("+OK\r\n"));
        while (const auto batch = watcher.next(std::chrono::milliseconds(50)))
            for (const pb::Event& event : batch->events)
                isSeen = isSeen
                    || (event.has_operation_done() && event.operation_done().key() == key
                        && event.operation_done().kind() == pb::UPDATE && event.operation_done().result() == pb::OK);
    }
    QVERIFY(isSeen);
    // They count as operations of the client.
    pb::Command command;
    command.mutable_describe_client();
    const auto described = ControlSocket(rig.client->at("control")).call(command);
    QVERIFY(described && described->client().operations() > 0 && described->client().under_way() == 0);
}

void TestDoor::clientsOfTwoDoorsSeeOneStore()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    const auto other = rig.makeClient({ "--resp-port", "0" });
    QVERIFY(other->isReady());
    const Connection one(rig.client->at("resp")), two(other->at("resp"));
    QVERIFY(one.send("SET shared from-one\r\n"));
    QCOMPARE(one.read(5), std::string("+OK\r\n"));
    QVERIFY(two.send("GET shared\r\nDEL shared\r\n"));
    QCOMPARE(two.read(18), std::string("$8\r\nfrom-one\r\n:1\r\n"));
    QVERIFY(one.send("GET shared\r\n"));
    QCOMPARE(one.read(5), std::string("$-1\r\n"));
}

void TestDoor::aClientThatLeavesDisturbsNobody()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    const Connection stays(rig.client->at("resp"));
    const std::string large = "*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$60000\r\n" + std::string(60'000, 'x') + "\r\n";
    for (int i = 0; i < 600; ++i) { // more than there are places: each becomes free again
        std::string words = "PING\r\nMGET";
        for (int k = 0; k < 100; ++k)
            words += " key-" + std::to_string(i) + '-' + std::to_string(k);
        words += "\r\nDBSIZE\r\nSCAN 0\r\n*3\r\n$3\r\nSET\r\n$100\r\nhalf";
        if (i % 6 == 0) {
            const Connection leaves(rig.client->at("resp"));
            QVERIFY(leaves.isOpen);
            (void)leaves.send(large + words); // it may be refused: places are free again only when all is answered
            continue;
        }
        QVERIFY(eventually([&] {
            const Connection leaves(rig.client->at("resp"));
            // The reply to PING says that operations have begun: they are answered when the connection is broken.
            if (!leaves.send(words) || leaves.read(7) != "+PONG\r\n")
                return false;
            const linger broken { 1, 0 };
            ::setsockopt(leaves.socket.get(), SOL_SOCKET, SO_LINGER, &broken, sizeof broken);
            return true;
        }));
    }
    QVERIFY(stays.send("SET k v\r\nGET k\r\n"));
    QCOMPARE(stays.read(12), std::string("+OK\r\n$1\r\nv\r\n"));
    QVERIFY(eventually([&] {
        const Connection asks(rig.client->at("resp"));
        return asks.send("INFO clients\r\nQUIT\r\n")
            && asks.read().find("connected_clients:2\r\n") != std::string::npos;
    }));
}

void TestDoor::oneClientMoreThanThereIsRoomForIsRefused()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    std::vector<std::unique_ptr<Connection>> connections;
    for (int i = 0; i < 256; ++i) {
        connections.push_back(std::make_unique<Connection>(rig.client->at("resp")));
        QVERIFY(connections.back()->send("PING\r\n"));
        QCOMPARE(connections.back()->read(7), std::string("+PONG\r\n"));
    }
    QCOMPARE(Connection(rig.client->at("resp")).read(), std::string("-ERR max number of clients reached\r\n"));
    connections.pop_back();
    QVERIFY(eventually([&] {
        const Connection next(rig.client->at("resp"));
        return next.send("PING\r\n") && next.read(7) == "+PONG\r\n";
    }));
    QVERIFY(connections[0]->send("PING\r\n"));
    QCOMPARE(connections[0]->read(7), std::string("+PONG\r\n"));
}

void TestDoor::aWebPageIsRefusedAndCounted()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    const Connection page(rig.client->at("resp"));
    QVERIFY(page.send("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nSET k v\r\n"));
    QCOMPARE(page.read(), std::string("-ERR this port speaks the Redis protocol, and not to web pages\r\n"));
    const Connection client(rig.client->at("resp"));
    QVERIFY(client.send("GET k\r\nQUIT\r\n"));
    QCOMPARE(client.read(), std::string("$-1\r\n+OK\r\n"));
    const Connection asks(rig.client->at("resp"));
    QVERIFY(asks.send("INFO stats\r\nQUIT\r\n"));
    QVERIFY(asks.read().find("refused_web_pages:1\r\n") != std::string::npos);
}

void TestDoor::theSocketIsForItsOwnerOnlyAndEndsWithTheDoor()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("door").toStdString();
    DoorRig rig({ "--resp-socket", QString::fromStdString(path) });
    QVERIFY(rig.isReady);
    QCOMPARE(rig.client->at("resp-socket"), path);
    struct stat file { };
    QCOMPARE(::lstat(path.c_str(), &file), 0);
    QCOMPARE(file.st_mode & 07777, mode_t(0600));
    {
        const Connection connection(path);
        QVERIFY(connection.send("SET k v\r\nGET k\r\n"));
        QCOMPARE(connection.read(12), std::string("+OK\r\n$1\r\nv\r\n"));
        // Another client does not take it away.
        const auto second = rig.makeClient({ "--resp-socket", QString::fromStdString(path) });
        QVERIFY(second->waitForEnd());
        QCOMPARE(second->exitCode(), 1);
        QVERIFY(second->errors().contains("another program listens"));
        QVERIFY(connection.send("GET k\r\n"));
        QCOMPARE(connection.read(7), std::string("$1\r\nv\r\n"));
    }
    // A client that was killed leaves its socket, and the next one replaces it.
    QVERIFY(rig.client->signal(SIGKILL));
    QVERIFY(rig.client->waitForEnd());
    QVERIFY(QFileInfo::exists(QString::fromStdString(path)));
    auto next = rig.makeClient({ "--resp-socket", QString::fromStdString(path) });
    QVERIFY(next->isReady());
    {
        const Connection connection(path);
        QVERIFY(connection.send("GET k\r\n"));
        QCOMPARE(connection.read(7), std::string("$1\r\nv\r\n"));
        QVERIFY(next->signal(SIGTERM)); // with a connection open
        QVERIFY(next->waitForEnd());
        QCOMPARE(connection.read(), std::string());
    }
    QCOMPARE(next->exitCode(), 0);
    QVERIFY(!QFileInfo::exists(QString::fromStdString(path)));
}

void TestDoor::aFileThatIsNotOursIsKept()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("file");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("precious");
    file.close();
    Program client("lhrs-client", { "--coordinator", "127.0.0.1:1", "--resp-socket", path });
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.exitCode(), 1);
    QVERIFY(client.errors().contains("no socket of this user"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), "precious");
}

void TestDoor::aDoorBeyondLoopbackIsRefused()
{
    for (const QStringList& words :
        { QStringList { "--resp-port", "0.0.0.0:6379" }, QStringList { "--resp-port", "192.168.1.5:6379" } }) {
        Program client("lhrs-client", QStringList { "--coordinator", "127.0.0.1:1" } + words);
        QVERIFY(client.waitForEnd());
        QCOMPARE(client.exitCode(), 2);
        const QString sentence = client.errors();
        QVERIFY2(sentence.contains("--resp-port") && sentence.contains("--resp-socket PATH"), qPrintable(sentence));
    }
    // The port is on 127.0.0.1 alone.
    DoorRig rig;
    QVERIFY(rig.isReady);
    QVERIFY(rig.client->at("resp").starts_with("127.0.0.1:"));
    const SystemAddress other({ kLoopback.number() + 1, std::uint16_t(rig.port().toUInt()) });
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    QVERIFY(::connect(socket.get(), other.name(), other.size()) != 0);
}

void TestDoor::aPausedClientAnswersLater()
{
    DoorRig rig;
    QVERIFY(rig.isReady);
    ControlSocket control(rig.client->at("control"));
    const Connection connection(rig.client->at("resp"));
    QVERIFY(connection.send("SET k 1\r\n"));
    QCOMPARE(connection.read(5), std::string("+OK\r\n"));
    pb::Command pause, heal;
    pb::Fault& fault = *pause.mutable_arm_fault()->mutable_fault();
    fault.set_number(7);
    fault.set_lease_ms(600'000);
    fault.mutable_pause();
    heal.mutable_heal_faults();
    const auto armed = control.call(pause);
    QVERIFY2(armed && armed->refusal() == pb::NOT_REFUSED, armed ? armed->ShortDebugString().c_str() : "no reply");
    QVERIFY(connection.send("GET k\r\n"));
    QVERIFY(eventually([&] {
        pb::Command watch;
        watch.mutable_watch();
        const auto sample = control.call(watch);
        for (const auto& thread : sample->sample().threads())
            if (thread.name() == "Door" && thread.state() == pb::NodeSample::IN_PAUSE)
                return true;
        return false;
    }));
    char byte = 0;
    QVERIFY(::recv(connection.socket.get(), &byte, 1, MSG_DONTWAIT) < 0);
    const auto healed = control.call(heal);
    QVERIFY(healed && healed->refusal() == pb::NOT_REFUSED);
    QCOMPARE(connection.read(7), std::string("$1\r\n1\r\n"));
    // It also ends while it is paused.
    QVERIFY(control.call(pause));
    QVERIFY(connection.send("GET k\r\n"));
    QVERIFY(rig.client->signal(SIGTERM));
    QVERIFY(rig.client->waitForEnd());
    QCOMPARE(rig.client->exitCode(), 0);
}

void TestDoor::aRingHasADoorToo()
{
    Program master("lhrs-coordinator", { "--system", "walk", "--name", "master", "--nodes", "3" });
    QVERIFY(master.isReady());
    const QString where = QString::fromStdString(master.at("udp"));
    std::vector<std::unique_ptr<Program>> nodes;
    for (int i = 0; i < 3; ++i)
        nodes.push_back(std::make_unique<Program>(
            "lhrs-node", QStringList { "--system", "walk", "--coordinator", where, "--name", QString("n%1").arg(i) }));
    for (const auto& node : nodes)
        QVERIFY(node->isReady());
    Program client(
        "lhrs-client", { "--system", "walk", "--coordinator", where, "--name", "client", "--resp-port", "0" });
    QVERIFY(client.isReady());
    const Connection connection(client.at("resp"));
    QVERIFY(connection.send("SET k v\r\nGET k\r\nDEL k\r\nGET k\r\nDBSIZE\r\nQUIT\r\n"));
    const std::string replies = connection.read();
    QVERIFY2(replies.starts_with("+OK\r\n$1\r\nv\r\n:1\r\n$-1\r\n-ERR "), replies.c_str());
    QVERIFY(replies.find("does not do that") != std::string::npos); // a ring has no scan
    QVERIFY(replies.ends_with("\r\n+OK\r\n"));
}

QTEST_GUILESS_MAIN(TestDoor)
#include "tst_door.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// From where a cluster can be reached: by default from nowhere but its own computer; on a network by holders of its
// keys only, on several hosts as on one.
#include "common/keys/key_file.h"
#include "common/keys/key_ring.h"
#include "node/host/host_address.h"
#include "node/lhrs/programs/file_options.h"
#include "tests/runtime/process_rig.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// The local addresses of the sockets of a process, as the system lists them in hexadecimal.
QStringList socketsOf(qint64 pid)
{
    QSet<QString> own;
    const QDir folder(QString("/proc/%1/fd").arg(pid));
    for (const QString& name : folder.entryList(QDir::System | QDir::Files | QDir::NoDotAndDotDot)) {
        char target[128] = {};
        if (::readlink(folder.filePath(name).toLocal8Bit().constData(), target, sizeof target - 1) > 0)
            own << QString::fromLatin1(target);
    }
    QStringList found;
    for (const char* kind : { "tcp", "tcp6", "udp", "udp6" }) {
        QFile table(QString("/proc/%1/net/%2").arg(pid).arg(kind));
        if (!table.open(QIODevice::ReadOnly))
            continue; // the system has no IPv6
        const QStringList rows = QString::fromLatin1(table.readAll()).split('\n').mid(1);
        for (const QString& row : rows) {
            static const QRegularExpression kSpace("\\s+");
            const QStringList cells = row.split(kSpace, Qt::SkipEmptyParts);
            if (cells.size() > 9 && own.contains("socket:[" + cells[9] + ']'))
                found << QString("%1 %2").arg(kind, cells[1].section(':', 0, 0));
        }
    }
    return found;
}

QString run(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished() || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return program + ' ' + arguments.join(' ') + ": " + QString::fromUtf8(process.readAllStandardError());
    return {};
}

// Hosts: network namespaces that are joined by a bridge. They end with this object.
class Hosts {
public:
    Hosts(int count, bool hasV6)
    {
        m_problem = run("ip", { "link", "add", m_bridge, "type", "bridge" });
        note(run("ip", { "link", "set", m_bridge, "up" }));
        for (int host = 1; host <= count && m_problem.isEmpty(); ++host) {
            const QString name = nameOf(host), outer = QString("lhv%1-%2").arg(m_number).arg(host);
            note(run("ip", { "netns", "add", name }));
            m_made << name;
            note(run("ip", { "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name }));
            note(run("ip", { "link", "set", outer, "master", m_bridge, "up" }));
            note(run("ip", { "-n", name, "addr", "add", addressOf(host, false) + "/24", "dev", "eth0" }));
            if (hasV6)
                note(run("ip", { "-n", name, "addr", "add", addressOf(host, true) + "/64", "dev", "eth0", "nodad" }));
            note(run("ip", { "-n", name, "link", "set", "eth0", "up" }));
            note(run("ip", { "-n", name, "link", "set", "lo", "up" }));
        }
    }
    ~Hosts()
    {
        for (const QString& name : m_made)
            run("ip", { "netns", "del", name });
        run("ip", { "link", "del", m_bridge });
    }
    // Why there are none; empty: there are.
    QString problem() const { return m_problem; }
    static QString addressOf(int host, bool isV6) { return QString(isV6 ? "fd77::%1" : "10.77.0.%1").arg(host); }
    // As a switch that does not pass multicasts on.
    QString stopMulticasts() const
    {
        QString problem;
        for (const QString& name : m_made)
            for (const QStringList& words : { QStringList { "add", "table", "inet", "lhrs" },
                     QStringList { "add", "chain", "inet", "lhrs", "in", "{ type filter hook input priority 0 ; }" },
                     QStringList { "add", "rule", "inet", "lhrs", "in", "ip", "daddr", "224.0.0.0/4", "drop" } })
                if (problem.isEmpty())
                    problem = run("ip", QStringList { "netns", "exec", name, "nft" } + words);
        return problem;
    }
    QStringList on(int host) const { return { "ip", "netns", "exec", nameOf(host) }; }

private:
    QString nameOf(int host) const { return QString("lhrs-%1-%2").arg(m_number).arg(host); }
    void note(const QString& problem)
    {
        if (m_problem.isEmpty())
            m_problem = problem;
    }
    // The system removes interfaces a while after their host, so each set of hosts has names of its own.
    inline static int s_before = 0;
    const int m_number = int(::getpid()) % 10'000 * 10 + s_before++ % 10;
    const QString m_bridge = QString("lhb%1").arg(m_number);
    QStringList m_made;
    QString m_problem;
};

template <class Parse> std::string refusalOf(Parse parse, const QStringList& words)
{
    std::vector<std::string> kept { "program" };
    for (const QString& word : words)
        kept.push_back(word.toStdString());
    std::vector<const char*> pointers;
    for (const std::string& word : kept)
        pointers.push_back(word.c_str());
    const auto parsed = parse(int(pointers.size()), pointers.data());
    return parsed.line ? std::string() : parsed.text;
}

} // namespace

class ReachTest : public QObject {
    Q_OBJECT
private slots:
    void byDefaultNothingIsReachableFromOutside();
    void beyondLoopbackOnlyWithAKey();
    void aKeyIsEnoughForItsRoleOnly();
    void whoMayBreakAProcessDependsOnKeyFlagAndAddress_data();
    void whoMayBreakAProcessDependsOnKeyFlagAndAddress();
    void aClusterOnSeveralHostsIsAsOneOnOne_data();
    void aClusterOnSeveralHostsIsAsOneOnOne();
};

void ReachTest::byDefaultNothingIsReachableFromOutside()
{
    Program coordinator("lhrs-coordinator", { "--new" });
    QVERIFY(coordinator.isReady());
    const QString where = QString::fromStdString(coordinator.at("udp"));
    Program node("lhrs-node", { "--coordinator", where }), client("lhrs-client", { "--coordinator", where }),
        simulation("lhrs-sim", {});
    QVERIFY(node.isReady() && client.isReady() && simulation.isReady());
    // 127.x in the order of the computer; ::ffff:127.x and ::1 of IPv6; 224 to 239: the group of a spare.
    static const QRegularExpression kLoopback(
        "^((tcp|udp) [0-9A-F]{6}7F|(tcp|udp)6 (0{16}FFFF0000[0-9A-F]{6}7F|0{24}01000000)|udp [0-9A-F]{6}E[0-9A-F])$");
    for (Program* program : { &coordinator, &node, &client, &simulation }) {
        QStringList sockets;
        QVERIFY(eventually([&] { return (sockets = socketsOf(program->pid())).size() >= 2; }));
        for (const QString& socket : sockets)
            QVERIFY2(kLoopback.match(socket).hasMatch(), qPrintable(program->name + ": " + socket));
    }
    // A spare has joined its group on the loopback interface only.
    QVERIFY(eventually([&] { return socketsOf(node.pid()).filter(QRegularExpression("^udp .{6}E")).size() == 1; }));
    QFile groups("/proc/net/igmp");
    QVERIFY(groups.open(QIODevice::ReadOnly));
    QString interface;
    const QStringList rows = QString::fromLatin1(groups.readAll()).split('\n').mid(1);
    const QString group = socketsOf(node.pid()).filter(QRegularExpression("^udp .{6}E")).first().section(' ', 1);
    for (const QString& row : rows) {
        interface = !row.startsWith('\t') ? row.section('\t', 1, 1).section(' ', 0, 0).trimmed() : interface;
        if (row.contains(group, Qt::CaseInsensitive))
            QCOMPARE(interface, QString("lo"));
    }
}

void ReachTest::beyondLoopbackOnlyWithAKey()
{
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    const QString key = folder.filePath(kClusterKeyName);
    const QStringList away { "--listen", "192.0.2.1" }, there { "--coordinator", "192.0.2.2:4000" };
    const auto contains = [](const std::string& text, const char* words) {
        return QString::fromStdString(text).contains(words);
    };
    for (const std::string& text : { refusalOf(parseCoordinatorLine, away), refusalOf(parseNodeLine, away + there),
             refusalOf(parseClientLine, away + there) }) {
        QVERIFY2(contains(text, "--listen: 192.0.2.1 is not a loopback address"), text.c_str());
        QVERIFY2(contains(text, "--key-file FILE"), text.c_str());
    }
    QCOMPARE(refusalOf(parseCoordinatorLine, away + QStringList { "--key-file", key }), std::string());
    QCOMPARE(refusalOf(parseNodeLine, away + there + QStringList { "--key-file", key }), std::string());
    QCOMPARE(refusalOf(parseCoordinatorLine, { "--key-file", key }), std::string()); // on loopback too
    QVERIFY(contains(refusalOf(parseNodeLine, there + QStringList { "--key-file", key }), "cannot be reached from"));
    QVERIFY(contains(
        refusalOf(parseNodeLine, { "--coordinator", "127.0.0.1:4", "--key-file", folder.path() }), "is not a file"));
    QVERIFY(contains(refusalOf(parseNodeLine, { "--coordinator", "127.0.0.1:4", "--key-file", "/no/such" }),
        "--key-file: the key file /no/such cannot be read: No such file or directory"));
    QVERIFY(QFile::setPermissions(key, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
    QVERIFY(contains(refusalOf(parseCoordinatorLine, { "--key-file", key }), "is open to other users (mode 0604)"));
    // The program says it, too, and ends with the code of a wrong command line.
    Program open("lhrs-node", away + there);
    QVERIFY(open.waitForEnd());
    QCOMPARE(open.exitCode(), kExitUsage);
    QVERIFY(open.errors().contains("--key-file FILE"));
}

void ReachTest::aKeyIsEnoughForItsRoleOnly()
{
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    const QStringList there { "--coordinator", "127.0.0.1:4000", "--key-file" };
    const QString cluster = folder.filePath(kClusterKeyName), client = folder.filePath(kClientKeyName),
                  commander = folder.filePath(kOperatorKeyName);
    QVERIFY(refusalOf(parseNodeLine, there + QStringList { cluster }).empty());
    QVERIFY(refusalOf(parseClientLine, there + QStringList { cluster }).empty());
    QVERIFY(refusalOf(parseClientLine, there + QStringList { client }).empty());
    const std::string node = refusalOf(parseNodeLine, there + QStringList { client });
    QVERIFY2(QString::fromStdString(node).contains("a server or coordinator needs cluster.key"), node.c_str());
    QVERIFY(!refusalOf(parseClientLine, there + QStringList { commander }).empty());
    QVERIFY(!refusalOf(parseCoordinatorLine, { "--key-file", commander }).empty());
}

void ReachTest::whoMayBreakAProcessDependsOnKeyFlagAndAddress_data()
{
    QTest::addColumn<bool>("isBeyond"); // it listens beyond loopback
    QTest::addColumn<bool>("hasFlag");
    QTest::addColumn<QString>("who"); // the key with which the command comes; empty: there are no keys at all
    QTest::addColumn<bool>("mayArm");
    QTest::addColumn<bool>("mayEnd");
    for (const bool isBeyond : { false, true })
        for (const bool hasFlag : { false, true })
            for (const char* who : { "", "watcher", "client", "operator" }) {
                const bool isFree = *who == '\0', isOperator = QLatin1String(who) == QLatin1String("operator");
                if (isBeyond && isFree)
                    continue; // it does not start: beyondLoopbackOnlyWithAKey
                QTest::addRow("%s, %s, %s", isBeyond ? "beyond" : "loopback", hasFlag ? "flag" : "no flag",
                    isFree ? "no keys" : who)
                    << isBeyond << hasFlag << who << (isFree || (isOperator && (!isBeyond || hasFlag)))
                    << (isFree || isOperator);
            }
}

void ReachTest::whoMayBreakAProcessDependsOnKeyFlagAndAddress()
{
    QFETCH(bool, isBeyond);
    QFETCH(bool, hasFlag);
    QFETCH(QString, who);
    QFETCH(bool, mayArm);
    QFETCH(bool, mayEnd);
    const std::vector<std::string> own = interfaceAddresses();
    if (isBeyond && own.empty())
        QSKIP("this computer has no address beyond loopback");
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    QStringList arguments;
    if (isBeyond)
        arguments << "--listen" << QString::fromStdString(own.front());
    if (hasFlag)
        arguments << "--allow-faults";
    if (!who.isEmpty())
        arguments << "--key-file" << folder.filePath(kClusterKeyName);
    Program process("lhrs-coordinator", arguments);
    QVERIFY2(process.isReady(), qPrintable(process.errors()));

    zmq::socket_t socket(context(), zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::ipv6, true);
    socket.set(zmq::sockopt::rcvtimeo, int(kPatience.count()));
    if (!who.isEmpty()) {
        const auto key = readKeyFile(
            folder.filePath(who == "operator" ? kOperatorKeyName : kClientKeyName).toStdString());
        QVERIFY(key);
        const KeyRing ring(*key);
        const CurvePair& pair = who == "watcher" ? ring.asWatcher() : ring.asPeer();
        for (const auto& [option, bytes] : { std::pair(ZMQ_CURVE_SERVERKEY, ring.serverSockets()),
                 std::pair(ZMQ_CURVE_PUBLICKEY, pair.publicKey), std::pair(ZMQ_CURVE_SECRETKEY, pair.secretKey) })
            QCOMPARE(zmq_setsockopt(socket.handle(), option, bytes.data(), bytes.size()), 0);
    }
    socket.connect(process.at("control"));
    const auto ask = [&](const pb::Command& command) {
        socket.send(zmq::buffer(command.SerializeAsString()), zmq::send_flags::dontwait);
        zmq::message_t message;
        pb::CommandReply reply;
        if (!socket.recv(message) || !reply.ParseFromArray(message.data(), int(message.size())))
            reply.set_text("no answer");
        return reply;
    };
    pb::Command arm;
    arm.set_ticket(1);
    auto* fault = arm.mutable_arm_fault()->mutable_fault();
    fault->set_number(7);
    fault->set_lease_ms(60'000);
    fault->mutable_network()->set_drop(1);
    const pb::CommandReply armed = ask(arm);
    QVERIFY2((armed.refusal() == pb::NOT_REFUSED) == mayArm, armed.text().c_str());
    if (!mayArm) {
        QCOMPARE(armed.refusal(), pb::NOT_ALLOWED);
        QVERIFY2(armed.text().find(who == "operator" ? "--allow-faults" : "the operator key") != std::string::npos,
            armed.text().c_str());
    }
    pb::Command end;
    end.set_ticket(2);
    end.mutable_shutdown();
    const pb::CommandReply ended = ask(end);
    QVERIFY2((ended.refusal() == pb::NOT_REFUSED && ended.text() != "no answer") == mayEnd, ended.text().c_str());
    QCOMPARE(mayEnd ? process.waitForEnd() : process.signal(0), true);
}

void ReachTest::aClusterOnSeveralHostsIsAsOneOnOne_data()
{
    QTest::addColumn<bool>("isV6");
    QTest::addColumn<bool>("hasMulticast");
    QTest::newRow("IPv4") << false << true;
    QTest::newRow("IPv6") << true << true;
    QTest::newRow("a switch that passes no multicast on") << false << false;
}

void ReachTest::aClusterOnSeveralHostsIsAsOneOnOne()
{
    QFETCH(bool, isV6);
    QFETCH(bool, hasMulticast);
    constexpr int kHosts = 4;
    if (::geteuid() != 0)
        QSKIP("hosts in network namespaces need root");
    const Hosts hosts(kHosts, isV6);
    if (!hosts.problem().isEmpty())
        QSKIP(qPrintable("no hosts in network namespaces: " + hosts.problem()));
    if (const QString problem = hasMulticast ? QString() : hosts.stopMulticasts(); !problem.isEmpty())
        QSKIP(qPrintable("multicasts cannot be stopped: " + problem));
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    std::vector<std::unique_ptr<Program>> running;
    const auto start = [&](int host, const char* program, QStringList arguments) -> Program& {
        const bool isClient = QLatin1String(program) == QLatin1String("lhrs-client");
        arguments << "--listen" << Hosts::addressOf(host, isV6) << "--key-file"
                  << folder.filePath(isClient ? kClientKeyName : kClusterKeyName);
        running.push_back(std::make_unique<Program>(hosts.on(host), program, arguments));
        return *running.back();
    };
    Program& coordinator = start(1, "lhrs-coordinator", { "--new", "-m", "4", "-k", "2", "-b", "40" });
    QVERIFY2(coordinator.isReady(), qPrintable(coordinator.errors()));
    QVERIFY(
        QString::fromStdString(coordinator.at("control")).startsWith(isV6 ? "tcp://[fd77::1]:" : "tcp://10.77.0.1:"));
    const QString where = QString::fromStdString(coordinator.at("udp"));
    for (int i = 0; i < 20; ++i)
        QVERIFY(start(1 + i % kHosts, "lhrs-node", { "--coordinator", where, "--role", i < 12 ? "data" : "parity" })
                    .isReady());
    Program& client = start(2, "lhrs-client", { "--coordinator", where, "--name", "alice" });
    QVERIFY(client.isReady());
    // The scenario runs on yet another host, and commands with the operator key.
    QFile script(folder.filePath("hosts.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ m: 4, k: 2, b: 40 }); const a = lab.client('alice');\n"
                 "const all = a.run({ do: 'insert', count: 300, window: 8 }); lab.settle();\n"
                 "lab.expectEqual([all.results.ok, all.unanswered], [300, 0], 'all inserted');\n"
                 "lab.expect(lab.file().M > 4, 'the file has grown over the hosts');\n"
                 "lab.expectEqual([a.scan().records, lab.audit().unequal], [300, 0], 'all there, parity equal');\n"
                 "lab.expectError('NotAllowed', () => lab.net({ to: lab.data(1), drop: 1 }));\n"
                 "lab.print('recruited by', lab.file().recruiting);\n"
                 "lab.print('holders', lab.bucket(lab.data(0)).process, lab.bucket(lab.parity(0, 0)).process);\n");
    script.close();
    QFile later(folder.filePath("later.js"));
    QVERIFY(later.open(QIODevice::WriteOnly));
    later.write("lab.cluster({ m: 4, k: 2, b: 40 }); const a = lab.client('alice'); lab.settle({ timeout: 60 });\n"
                "lab.expectEqual([a.verify().wrong, a.scan().records, lab.audit().unequal], [0, 300, 0], 'rebuilt');\n"
                "lab.print('holders', lab.bucket(lab.data(0)).process, lab.bucket(lab.parity(0, 0)).process);\n");
    later.close();
    const QString control = QString::fromStdString(coordinator.at("control")).remove("tcp://");
    QString said;
    const auto play = [&](const QFile& file) {
        Program program(hosts.on(3), "lhrs-play",
            { file.fileName(), "--connect", control, "--key-file", folder.filePath(kOperatorKeyName), "--limit",
                "100" });
        const bool isOver = program.waitForEnd();
        said = program.output() + program.errors();
        return isOver && program.exitCode() == 0;
    };
    QVERIFY2(play(script), qPrintable(said));
    QVERIFY2(said.contains(hasMulticast ? "recruited by multicast" : "recruited by registry"), qPrintable(said));
    static const QRegularExpression kHolders("holders (\\S+) (\\S+)");
    const QStringList holders = kHolders.match(said).capturedTexts().mid(1);
    QCOMPARE(holders.size(), 2);
    int killed = 0;
    for (const auto& program : running)
        killed += holders.contains(program->name) && program->signal(SIGKILL) ? 1 : 0;
    QCOMPARE(killed, 2);
    // For a moment the directory still lists them.
    QVERIFY2(eventually([&] { return play(later); }, 3 * kPatience), qPrintable(said));
    const QStringList successors = kHolders.match(said).capturedTexts().mid(1);
    QCOMPARE(successors.size(), 2);
    for (const QString& successor : successors)
        QVERIFY2(!holders.contains(successor), qPrintable(said));
    // Without a key nobody is answered there.
    Program stranger(hosts.on(4), "lhrs-play", { script.fileName(), "--connect", control });
    QVERIFY(stranger.waitForEnd());
    QVERIFY2(stranger.exitCode() != 0 && (stranger.output() + stranger.errors()).contains("no coordinator answers"),
        qPrintable(stranger.output()));
}

QTEST_GUILESS_MAIN(ReachTest)
#include "tst_reach.moc"

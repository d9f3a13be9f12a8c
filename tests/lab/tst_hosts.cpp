// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts of a cluster: their list, how programs get there, and lhrs-host, which keeps them. The launcher is a script
// here that runs on this computer what ssh would run on another one; tst_netlab has real ones.
#include "common/children/host_pipe.h"
#include "gui/lab/hosts/launcher.h"
#include "gui/lab/hosts/remote_keeper.h"
#include "gui/lab/hosts/server_spread.h"
#include "node/host/host_address.h"
#include "proto/host.pb.h"
#include "tests/rigs/lab/signals.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <mutex>

using namespace lhrs;
using namespace lhrs::gui;
using namespace std::chrono_literals;

namespace {

void writeScript(const QString& path, const QByteArray& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + text);
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
}

bool exists(pid_t pid) { return signalOne(pid, 0); }

// A directory of programs with lhrs-host, and an ssh that runs its last argument here.
class Elsewhere {
public:
    Elsewhere()
    {
        m_path = qgetenv("PATH");
        qputenv("PATH", (m_folder.path() + ':').toLocal8Bit() + m_path);
        qputenv("TMPDIR", m_temporary.path().toLocal8Bit());
        ssh("for last; do :; done\nexec sh -c \"$last\"\n");
        QFile::copy(QString(LHRS_BIN_DIR) + "/lhrs-host", programs() + "/lhrs-host");
        program("lhrs-node", "echo ready $2 udp=1 control=2\nexec sleep 1000\n");
    }
    ~Elsewhere()
    {
        qputenv("PATH", m_path);
        qunsetenv("TMPDIR");
    }
    void ssh(const QByteArray& text) { writeScript(m_folder.filePath("ssh"), text); }
    void program(const char* name, const QByteArray& text) { writeScript(programs() + '/' + name, text); }
    QString programs() const { return m_folder.path(); }
    // What lhrs-host has left.
    QStringList left() const { return QDir(m_temporary.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot); }

    Result<std::unique_ptr<RemoteKeeper>> connect()
    {
        HostEntry entry;
        entry.name = "other";
        entry.programs = programs().toStdString();
        return RemoteKeeper::connect(
            entry, programs().toStdString(), m_folder.filePath("log").toStdString(),
            [this](pid_t pid, const std::string& how) {
                const std::lock_guard lock(m_mutex);
                m_ended[pid] = how;
            },
            [this](pid_t pid, bool isPaused) {
                const std::lock_guard lock(m_mutex);
                m_paused[pid] = isPaused;
            },
            {});
    }
    std::string endOf(pid_t pid)
    {
        const std::lock_guard lock(m_mutex);
        return m_ended[pid];
    }
    bool isPaused(pid_t pid)
    {
        const std::lock_guard lock(m_mutex);
        return m_paused[pid];
    }
    static std::vector<ChildProgram> nodes(int count)
    {
        std::vector<ChildProgram> all;
        for (int i = 1; i <= count; ++i)
            all.push_back({ "node-" + std::to_string(i), "/elsewhere/lhrs-node", { "--name", "n" }, "unused" });
        return all;
    }

private:
    QTemporaryDir m_folder, m_temporary;
    QByteArray m_path;
    std::mutex m_mutex;
    std::map<pid_t, std::string> m_ended;
    std::map<pid_t, bool> m_paused;
};

// lhrs-host with pipes in the hands of the test.
class Host {
public:
    explicit Host(const Elsewhere& stage)
    {
        m_process.start(stage.programs() + "/lhrs-host", {});
        QVERIFY(m_process.waitForStarted());
        QVERIFY(eventually([this] { return m_process.bytesAvailable() > 10; }));
        QCOMPARE(m_process.readLine(), QByteArray("lhrs-host\n"));
        QCOMPARE(next().body_case(), pb::HostReport::kHello);
    }
    template <class Condition> bool eventually(Condition condition)
    {
        return QTest::qWaitFor([&] { return condition(); }, 20'000);
    }
    void write(const QByteArray& bytes) { m_process.write(bytes); }
    void say(const pb::HostCommand& command)
    {
        QByteArray bytes(4, '\0');
        const std::string body = command.SerializeAsString();
        for (int i = 0; i < 4; ++i)
            bytes[i] = char(body.size() >> (24 - 8 * i));
        write(bytes + QByteArray::fromStdString(body));
    }
    pb::HostReport next()
    {
        pb::HostReport report;
        const auto size = [this] {
            const QByteArray head = m_process.peek(4);
            int value = 0;
            for (const char byte : head)
                value = value << 8 | uchar(byte);
            return head.size() == 4 ? value : 1 << 30;
        };
        if (eventually([&] { return m_process.bytesAvailable() >= 4 && m_process.bytesAvailable() >= 4 + size(); })) {
            const int length = size();
            m_process.read(4);
            report.ParseFromString(m_process.read(length).toStdString());
        }
        return report;
    }
    QProcess& process() { return m_process; }

private:
    QProcess m_process;
};

} // namespace

class HostsTest : public QObject {
    Q_OBJECT
private slots:
    void aListOfHostsIsRead();
    void aWrongListSaysWhere_data();
    void aWrongListSaysWhere();
    void serversAreSpread();
    void eachLauncherHasItsLine();
    void theAddressByWhichSshCame();

    void programsThereAreStartedPausedAndEnded();
    void whatDoesNotStartIsSaid();
    void aHostThatIsNotReachedIsNamedWithItsLaunchersWords();
    void whatAShellPrintsFirstIsSkipped();
    void anotherVersionIsRefusedWithBoth();
    void whenTheConnectionEndsSoDoThePrograms();

    void filesAndProgramsStayInTheirFolders();
    void withoutItsOtherSideItEndsEverything();
    void whatIsNoCommandEndsIt();
};

// ---- the list

void HostsTest::aListOfHostsIsRead()
{
    const auto hosts = parseHosts(
        "# laboratory\nlab1\n\n  user@lab2 max-data=3 max-parity=0 # small\n"
        "10.0.0.7 by=podman address=10.0.0.7 programs=/opt/lhrs/bin\nme by=here address=10.0.0.1\n",
        "hosts");
    QVERIFY2(hosts, hosts ? "" : hosts.error().text.c_str());
    QCOMPARE(hosts->size(), std::size_t(4));
    QCOMPARE((*hosts)[0], (HostEntry { .name = "lab1" }));
    QCOMPARE((*hosts)[1], (HostEntry { .name = "user@lab2", .most = { { "data", 3 }, { "parity", 0 } } }));
    QCOMPARE((*hosts)[2],
        (HostEntry { .name = "10.0.0.7", .by = "podman", .address = "10.0.0.7", .programs = "/opt/lhrs/bin" }));
    QCOMPARE((*hosts)[3].by, std::string("here"));
}

void HostsTest::aWrongListSaysWhere_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("nothing") << "# none\n"
                             << "hosts: no host is named";
    QTest::newRow("no word") << "a\nb fast\n"
                             << "hosts:2: \"fast\" is not a word such as address=10.0.0.2; a host has by, address";
    QTest::newRow("unknown") << "a speed=3\n"
                             << "hosts:1: a host has no \"speed\"; it has by, address";
    QTest::newRow("launcher") << "a by=rsh\n"
                              << "hosts:1: by: \"rsh\" is no way to start programs there; there are here, ssh";
    QTest::newRow("address") << "a address=lab1\n"
                             << "hosts:1: address: \"lab1\" is not an address";
    QTest::newRow("count") << "a max-data=-1\n"
                           << "hosts:1: max-data: ";
    QTest::newRow("path") << "a programs=bin\n"
                          << "hosts:1: programs: \"bin\" is not an absolute path";
    QTest::newRow("twice") << "a\na\n"
                           << "hosts: the host a is named twice";
    QTest::newRow("option") << "-oProxyCommand=x\n"
                            << "hosts: \"-oProxyCommand=x\" is not the name of a host";
    QTest::newRow("here") << "a by=here\n"
                          << "hosts: the host a is this computer: say with address=";
}

void HostsTest::aWrongListSaysWhere()
{
    QFETCH(const QString, text);
    QFETCH(const QString, sentence);
    const auto hosts = parseHosts(text.toStdString(), "hosts");
    QVERIFY(!hosts);
    QVERIFY2(hosts.error().text.starts_with(sentence.toStdString()), hosts.error().text.c_str());
    QVERIFY(!readHosts("/no/such/list"));
}

void HostsTest::serversAreSpread()
{
    std::vector<HostEntry> hosts(4);
    for (std::size_t i = 0; i < hosts.size(); ++i)
        hosts[i].name = std::to_string(i);
    hosts[3].most["data"] = 1;
    ServerSpread spread(hosts);
    std::vector<std::size_t> parity, data;
    for (int i = 0; i < 3; ++i)
        parity.push_back(*spread.next("parity"));
    for (int i = 0; i < 7; ++i)
        data.push_back(*spread.next("data"));
    QCOMPARE(parity, (std::vector<std::size_t> { 0, 1, 2 }));
    QCOMPARE(
        data, (std::vector<std::size_t> { 3, 0, 1, 2, 0, 1, 2 })); // first the one that has nothing, and it is full
    QCOMPARE(spread.nextClient(), std::size_t(3));
    QCOMPARE(spread.nextClient(), std::size_t(2));
    ServerSpread full({ HostEntry { .name = "only", .most = { { "data", 1 } } } });
    QVERIFY(full.next("data"));
    QVERIFY(!full.next("data"));
    QVERIFY(full.next("parity"));
}

void HostsTest::eachLauncherHasItsLine()
{
    const HostEntry host { .name = "lab1", .config = "/etc/own" };
    const std::vector<std::string> ssh = sshLine(host, "/it's/bin");
    QCOMPARE(ssh[0], std::string("ssh"));
    QCOMPARE(ssh[2], std::string("/etc/own"));
    QVERIFY(std::find(ssh.begin(), ssh.end(), "BatchMode=yes") != ssh.end()); // a password is never asked for
    QCOMPARE(ssh[ssh.size() - 3], std::string("--"));
    QCOMPARE(ssh[ssh.size() - 2], std::string("lab1"));
    QCOMPARE(slurmLine(host, "/bin").front(), std::string("srun"));
    QCOMPARE(podmanLine(host, "/bin")[3], std::string("lab1"));
    QCOMPARE(dockerLine(host, "/bin").front(), std::string("docker"));
    // A shell reads what it is given as it was meant.
    QProcess shell;
    shell.start("sh", { "-c", QString("printf %s ") + QString::fromStdString(shellQuoted("a'b $HOME \\ \"c\"")) });
    QVERIFY(shell.waitForFinished());
    QCOMPARE(shell.readAll(), QByteArray("a'b $HOME \\ \"c\""));
}

void HostsTest::theAddressByWhichSshCame()
{
    QCOMPARE(addressReachedBySsh("10.0.0.9 50000 10.0.0.2 22"), std::string("10.0.0.2"));
    QCOMPARE(addressReachedBySsh("::1 50000 ::1 22"), std::string());
    QCOMPARE(addressReachedBySsh("127.0.0.1 50000 127.0.0.1 22"), std::string());
    QCOMPARE(addressReachedBySsh("nonsense"), std::string());
    QCOMPARE(addressReachedBySsh(nullptr), std::string());
}

// ---- programs there

void HostsTest::programsThereAreStartedPausedAndEnded()
{
    Elsewhere stage;
    auto keeper = stage.connect();
    QVERIFY2(keeper, keeper ? "" : keeper.error().text.c_str());
    RemoteKeeper& other = **keeper;
    QVERIFY(other.write("cluster.key", "secret"));
    QFile key(QString::fromStdString(other.folder()) + "/cluster.key");
    QCOMPARE(key.permissions() & 0x0fff, QFile::ReadUser | QFile::WriteUser);
    const auto started = other.start(Elsewhere::nodes(3), 20s, {});
    QVERIFY2(started, started ? "" : started.error().text.c_str());
    QCOMPARE(started->size(), std::size_t(3));
    QCOMPARE((*started)[1].name, std::string("node-2"));
    QCOMPARE((*started)[1].word("control"), std::string("2"));
    const pid_t first = (*started)[0].pid, second = (*started)[1].pid, third = (*started)[2].pid;
    QVERIFY(other.isChild(first) && exists(first));
    QCOMPARE(other.running(), std::size_t(3));
    // A pause ends with its lease.
    QVERIFY(other.pause(first, 300ms));
    QVERIFY(other.leaseLeft(first));
    QTRY_VERIFY(stage.isPaused(first));
    QTRY_VERIFY(!stage.isPaused(first) && !other.leaseLeft(first));
    QVERIFY(!other.resume(first));
    QVERIFY(other.pause(second, 60s));
    QVERIFY(other.resume(second));
    // A kill is over when it returns.
    other.kill({ second });
    QVERIFY(!exists(second) && !other.isChild(second) && !other.pause(second, 1s));
    QTRY_COMPARE(stage.endOf(second), std::string("killed on request"));
    QVERIFY(signalOne(third, SIGKILL)); // by somebody else
    QTRY_COMPARE(stage.endOf(third), std::string("it was ended by signal Killed"));
    const std::string folder = other.folder();
    keeper->reset();
    QVERIFY(!exists(first));
    QVERIFY(!QFile::exists(QString::fromStdString(folder)));
    QCOMPARE(stage.left(), QStringList());
}

void HostsTest::whatDoesNotStartIsSaid()
{
    Elsewhere stage;
    stage.program("lhrs-client", "echo 'no memory' >&2\nexit 4\n");
    auto keeper = stage.connect();
    QVERIFY(keeper);
    auto programs = Elsewhere::nodes(1);
    programs.push_back({ "alice", "lhrs-client", {}, {} });
    const auto started = (*keeper)->start(programs, 20s, {});
    QVERIFY(!started);
    QVERIFY2(started.error().text.starts_with(
                 "the host other: alice did not start: it ended with exit code 4; it says: no memory (log: "),
        started.error().text.c_str());
    QTRY_COMPARE((*keeper)->running(), std::size_t(0));
    const auto missing = (*keeper)->start({ { "x", "lhrs-unknown", {}, {} } }, 20s, {});
    QVERIFY2(!missing && missing.error().text.find("there is no program ") != std::string::npos,
        missing ? "" : missing.error().text.c_str());
    // Kept logs stay, keys do not.
    QVERIFY((*keeper)->write("cluster.key", "secret"));
    (*keeper)->endKeepingLogs();
    const QString folder = QString::fromStdString((*keeper)->folder());
    keeper->reset();
    QVERIFY(QFile::exists(folder + "/alice.log") && !QFile::exists(folder + "/cluster.key"));
}

void HostsTest::aHostThatIsNotReachedIsNamedWithItsLaunchersWords()
{
    Elsewhere stage;
    stage.ssh("echo 'other: Permission denied (publickey).' >&2\nexit 255\n");
    const auto refused = stage.connect();
    QVERIFY(!refused);
    QCOMPARE(refused.error().text,
        std::string(
            "The host other does not start lhrs-host: it ended; ssh says: other: Permission denied (publickey)."));
    stage.ssh("echo 'This account is not available.'\n");
    const auto closed = stage.connect();
    QVERIFY(!closed);
    QVERIFY2(closed.error().text.find("it said: This account is not available.") != std::string::npos,
        closed.error().text.c_str());
}

void HostsTest::whatAShellPrintsFirstIsSkipped()
{
    Elsewhere stage;
    stage.ssh("echo Welcome; echo; head -c 5000 /dev/zero; echo\nfor last; do :; done\nexec sh -c \"$last\"\n");
    auto keeper = stage.connect();
    QVERIFY2(keeper, keeper ? "" : keeper.error().text.c_str());
    QVERIFY((*keeper)->start(Elsewhere::nodes(1), 20s, {}));
}

void HostsTest::anotherVersionIsRefusedWithBoth()
{
    Elsewhere stage;
    pb::HostReport hello;
    hello.mutable_hello()->set_protocol(kHostProtocol + 1);
    hello.mutable_hello()->set_version("9.9.9");
    const std::string body = hello.SerializeAsString();
    QFile file(stage.programs() + "/hello");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("lhrs-host\n") + QByteArray(3, '\0') + char(body.size()) + QByteArray::fromStdString(body));
    file.close();
    stage.ssh("cat " + file.fileName().toLocal8Bit() + "\nexec sleep 1000\n");
    const auto keeper = stage.connect();
    QVERIFY(!keeper);
    QVERIFY2(keeper.error().text.find("of version 9.9.9, protocol 2, this program of " LHRS_VERSION ", protocol 1")
            != std::string::npos,
        keeper.error().text.c_str());
}

void HostsTest::whenTheConnectionEndsSoDoThePrograms()
{
    Elsewhere stage;
    stage.ssh(
        "for last; do :; done\necho $$ >" + stage.programs().toLocal8Bit() + "/pid\ncat | sh -c \"$last\" | cat\n");
    auto keeper = stage.connect();
    QVERIFY(keeper);
    const auto started = (*keeper)->start(Elsewhere::nodes(2), 20s, {});
    QVERIFY(started);
    QFile pid(stage.programs() + "/pid");
    QVERIFY(pid.open(QIODevice::ReadOnly));
    QCOMPARE(QProcess::execute("pkill", { "-KILL", "-P", QString::fromLatin1(pid.readAll().trimmed()), "cat" }), 0);
    QTRY_COMPARE((*keeper)->running(), std::size_t(0));
    // Either side may notice first.
    QTRY_VERIFY(!stage.endOf((*started)[0].pid).empty());
    const std::string how = stage.endOf((*started)[0].pid);
    QVERIFY2(how == "it was ended" || how == "its host other is not reached any more: the connection has ended",
        how.c_str());
    QTRY_VERIFY(!exists((*started)[0].pid) && !exists((*started)[1].pid));
    const auto again = (*keeper)->start(Elsewhere::nodes(1), 20s, {});
    QVERIFY(!again);
    QCOMPARE(again.error().text, std::string("the host other: the connection has ended"));
}

// ---- lhrs-host itself

void HostsTest::filesAndProgramsStayInTheirFolders()
{
    Elsewhere stage;
    Host host(stage);
    std::uint64_t id = 0;
    const auto refusalOf = [&](pb::HostCommand command) {
        command.set_id(++id);
        host.say(command);
        const pb::HostReport report = host.next();
        return report.answers() == id ? report.refused() : std::string("another answer");
    };
    for (const char* name : { "../cluster.key", "/tmp/cluster.key", ".hidden", "" }) {
        pb::HostCommand command;
        command.mutable_file()->set_name(name);
        QVERIFY2(refusalOf(command).ends_with("\" is not the name of a file"), name);
    }
    pb::HostCommand key;
    key.mutable_file()->set_name("cluster.key");
    QCOMPARE(refusalOf(key), std::string());
    QVERIFY(refusalOf(key).find("File exists") != std::string::npos);
    for (const char* file : { "../lhrs-node", "/bin/sh", "sh", "lhrs-x/../sh" }) {
        pb::HostCommand command;
        auto* const program = command.mutable_start()->add_programs();
        program->set_name("x");
        program->set_file(file);
        QVERIFY2(refusalOf(command).ends_with("is not one of the programs of a cluster"), file);
    }
    pb::HostCommand signal; // of a process that it did not start
    signal.mutable_signal()->set_kind(pb::HostSignal::PAUSE);
    signal.mutable_signal()->add_pids(std::uint32_t(QCoreApplication::applicationPid()));
    QVERIFY(refusalOf(signal).ends_with("has ended"));
    QVERIFY(refusalOf(pb::HostCommand()).starts_with("it does not know this command"));
}

void HostsTest::withoutItsOtherSideItEndsEverything()
{
    for (const bool bySignal : { false, true }) {
        Elsewhere stage;
        Host host(stage);
        pb::HostCommand command;
        command.set_id(1);
        command.mutable_start()->set_timeout_ms(20'000);
        auto* const program = command.mutable_start()->add_programs();
        program->set_name("node-1");
        program->set_file("lhrs-node");
        host.say(command);
        const pb::HostReport report = host.next();
        QCOMPARE(report.started().children_size(), 1);
        const auto pid = pid_t(report.started().children(0).pid());
        QVERIFY(exists(pid));
        if (bySignal)
            host.process().terminate();
        else
            host.process().closeWriteChannel();
        QVERIFY(host.process().waitForFinished(20'000));
        QCOMPARE(host.process().exitCode(), 0);
        QVERIFY(!exists(pid));
        QCOMPARE(stage.left(), QStringList());
    }
}

void HostsTest::whatIsNoCommandEndsIt()
{
    for (const QByteArray& bytes : { QByteArray("GET / HTTP/1.1\r\n\r\n"), QByteArray::fromHex("00000002ffff") }) {
        Elsewhere stage;
        Host host(stage);
        host.write(bytes);
        QVERIFY(host.process().waitForFinished(20'000));
        QCOMPARE(host.process().exitCode(), 1);
        QVERIFY(host.process().readAllStandardError().contains("is not a command"));
        QCOMPARE(stage.left(), QStringList());
    }
}

QTEST_GUILESS_MAIN(HostsTest)
#include "tst_hosts.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster on several hosts that lhrs-play starts over ssh: hosts of ./run netlab, each with a network of its own.
// Hosts are killed, paused and cut off, and nothing is lost.
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

namespace {

constexpr int kHosts = 8, kLimit = 240'000; // ms
constexpr int kShown = 1'500; // characters of what a scenario said at last
constexpr const char* kWord = "tst"; // a laboratory of its own, beside one that a person may have
constexpr const char* kSubnet = "10.78.0";

struct Ran {
    int code = -1;
    QString said;
};

Ran run(const QString& program, const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LHRS_NETLAB", QString("%1:%2").arg(kWord, kSubnet));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool isOver = process.waitForFinished(kLimit);
    Ran ran { isOver && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
        QString::fromUtf8(process.readAll()) };
    return ran;
}

Ran netlab(const QStringList& arguments)
{
    return run(QString(LHRS_SOURCE_DIR) + "/tests/netlab/netlab.sh", arguments);
}

QString hostsFile() { return QString("/run/lhrs-netlab/%1/hosts").arg(kWord); }
QString host(int number) { return kWord + QString::number(number); }

} // namespace

class NetlabTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanupTestCase();
    void theScenariosRunUnchanged_data();
    void theScenariosRunUnchanged();
    void hostsEndAndNothingIsLost();
    void aHostStandsStillAndIsCutOff();
    void theWayBetweenHostsTakesAsLongAsIsWanted();
    void slurmStartsTheSameFile();
    void nothingRemainsOnTheHosts();

private:
    Ran play(const QString& file, const QStringList& more = {})
    {
        return run(QString(LHRS_BIN_DIR) + "/lhrs-play",
            QStringList { file, "--hosts", hostsFile(), "--limit", "200" } + more);
    }
    Ran playText(const QByteArray& text)
    {
        QFile file(m_folder.filePath("hosts.js"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate))
            return {};
        file.write(text);
        file.close();
        return play(file.fileName());
    }
    QTemporaryDir m_folder;
    bool m_isUp = false;
};

void NetlabTest::initTestCase()
{
    if (::geteuid() != 0)
        QSKIP("hosts in network namespaces need root");
    for (const char* program : { "ip", "nft", "ssh", "sshd" })
        if (QStandardPaths::findExecutable(program).isEmpty()
            && QStandardPaths::findExecutable(program, { "/usr/sbin", "/sbin" }).isEmpty())
            QSKIP(qPrintable(QString("there is no program %1; ./run test installs it").arg(program)));
    // Whether this computer allows hosts at all.
    const Ran tried = run("sh", { "-c", "ip netns add lhrs-tried && ip netns del lhrs-tried" });
    if (tried.code != 0)
        QSKIP(qPrintable("no hosts in network namespaces: " + tried.said));
    const Ran up = netlab({ "up", QString::number(kHosts) });
    QVERIFY2(up.code == 0, qPrintable(up.said));
    m_isUp = true;
}

void NetlabTest::cleanupTestCase()
{
    if (!m_isUp)
        return;
    QCOMPARE(netlab({ "down" }).code, 0);
    const Ran left = run("sh", { "-c", QString("ip netns list; ip -o link; ls /run/lhrs-netlab") });
    QVERIFY2(!left.said.contains(QString("lhrs-%1").arg(kWord)) && !left.said.split('\n').contains(kWord),
        qPrintable(left.said));
}

void NetlabTest::theScenariosRunUnchanged_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "demo", "recover_k", "beyond_k", "walk" })
        QTest::newRow(name) << name;
}

void NetlabTest::theScenariosRunUnchanged()
{
    QFETCH(const QString, name);
    const Ran ran = play(QString(LHRS_SOURCE_DIR) + "/scenarios/" + name + ".js");
    QVERIFY2(ran.code == 0, qPrintable(ran.said.right(kShown)));
}

void NetlabTest::hostsEndAndNothingIsLost()
{
    // Of m + k = 6 members of a group no two are on one host, and each host has spares.
    const Ran ran = playText(R"(
lab.cluster({ m: 4, k: 2, b: 50, spares: { data: 24, parity: 16 } });
const hosts = lab.hosts();
lab.expectEqual(hosts.length, 8, 'all hosts are known');
lab.expect(hosts.every(h => h.processes.length >= 5), 'servers are spread');
const alice = lab.client('alice');
lab.expectEqual(alice.run({ do: 'insert', count: 500, window: 8 }).results.ok, 500, 'all inserted');
lab.settle();
const M = lab.file().M;
lab.expect(M >= 8, 'the file has grown');
const hostOf = name => lab.hosts().find(h => h.processes.includes(name)).name;
const spread = (most, what) => {
    for (let g = 0; g < M / 4; ++g) {
        const data = [0, 1, 2, 3].map(p => 4 * g + p).filter(n => n < M).map(n => lab.data(n));
        const members = data.concat([0, 1].map(j => lab.parity(g, j)));
        const there = members.map(t => hostOf(lab.bucket(t).process));
        const crowd = Math.max(...there.map(h => there.filter(other => other == h).length));
        lab.expect(crowd <= most, what + ': no host has more than ' + most + ' members of group ' + g);
    }
};
spread(1, 'at first');
// Two hosts, neither that of the coordinator nor that of the client.
const kept = [hostOf('coordinator'), hostOf('alice')];
const victims = hosts.map(h => h.name).filter(n => !kept.includes(n)).slice(0, 2);
const fault = lab.killHost(victims);
lab.expect(fault.victims.length >= 10, 'all their processes have ended');
lab.settle({ timeout: 60 });
lab.expectEqual([alice.verify().wrong, alice.scan().records, lab.audit().unequal], [0, 500, 0], 'nothing is lost');
spread(2, 'rebuilt on the six that are left');
lab.expectError('BadArgument', () => lab.killHost('nowhere'));
lab.restart(fault);
lab.expectEqual(lab.hosts().filter(h => h.processes.length == 0).length, 0, 'the hosts are back');
)");
    QVERIFY2(ran.code == 0, qPrintable(ran.said.right(kShown)));
}

void NetlabTest::aHostStandsStillAndIsCutOff()
{
    const Ran ran = playText(R"(
lab.cluster({ m: 4, k: 2, b: 50, spares: { data: 24, parity: 16 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', count: 300, window: 8 });
lab.settle();
const hostOf = name => lab.hosts().find(h => h.processes.includes(name)).name;
const kept = [hostOf('coordinator'), hostOf('alice')];
const holder = n => lab.bucket(lab.data(n)).process;
const victim = n => { let h = hostOf(holder(n)); return kept.includes(h) ? undefined : h; };
const pick = [0, 1, 2, 3, 4, 5].map(victim).filter(h => h !== undefined);
// It stands still until others have taken its places; when it wakes it must believe that.
lab.pauseHost(pick[0], { lease: 4 });
lab.settle({ timeout: 60 });
lab.expectEqual(alice.run({ do: 'update', count: 300, window: 8 }).results.ok, 300, 'service goes on without it');
const cut = lab.isolateHost(pick[1] === pick[0] ? pick[2] : pick[1], { lease: 30 });
lab.settle({ timeout: 60 });
lab.expectEqual(alice.verify().wrong, 0, 'nor when one is cut off');
lab.heal(cut);
lab.settle({ timeout: 60 });
lab.expectEqual([alice.verify().wrong, alice.scan().records, lab.audit().unequal], [0, 300, 0], 'nothing is lost');
)");
    QVERIFY2(ran.code == 0, qPrintable(ran.said.right(kShown)));
}

// Rates and losses are those of the hosts' network; not every kernel can delay (netem), so processes do.
void NetlabTest::theWayBetweenHostsTakesAsLongAsIsWanted()
{
    const Ran ran = playText(R"(
lab.cluster({ m: 4, k: 1, b: 50, spares: { data: 8, parity: 8 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', count: 100, window: 8 });
lab.settle();
const far = [0, 1].map(n => lab.data(n)).find(t => {
    const hostOf = name => lab.hosts().find(h => h.processes.includes(name)).name;
    return hostOf(lab.bucket(t).process) != hostOf('alice');
});
lab.expect(far !== undefined, 'a bucket is on another host than its client');
const key = lab.keysFor(far, 1, { existing: true })[0];
alice.search(key); // it knows the address now
const slow = lab.net({ from: alice, to: far, delayMs: 80 });
const found = alice.search(key);
lab.expect(found.result == 'found' && found.time_ms >= 80, 'the way there takes 80 ms: ' + found.time_ms);
lab.expect(lab.faults()[0].achieved.messages > 0, 'by the fault');
lab.heal(slow);
lab.expectEqual([lab.faults(), alice.search(key).result], [[], 'found'], 'it is healed');
)");
    QVERIFY2(ran.code == 0, qPrintable(ran.said.right(kShown)));
}

void NetlabTest::slurmStartsTheSameFile()
{
    for (const char* program : { "slurmctld", "slurmd", "munged", "salloc" })
        if (QStandardPaths::findExecutable(program, { "/usr/sbin", "/usr/bin", "/sbin" }).isEmpty())
            QSKIP(qPrintable(QString("there is no program %1; ./run test installs it").arg(program)));
    const QString slurm = QString(LHRS_SOURCE_DIR) + "/tests/netlab/slurm.sh";
    const Ran up = run(slurm, { "up" });
    if (up.code != 0) // slurmd is particular about control groups, which a container may not have as it wants them
        QSKIP(qPrintable("Slurm does not start here: " + up.said));
    qputenv("SLURM_CONF", QString("/run/lhrs-netlab/%1/slurm/slurm.conf").arg(kWord).toLocal8Bit());
    const Ran ran = run("salloc",
        { "--nodes", QString::number(kHosts), QString(LHRS_BIN_DIR) + "/lhrs-play", "--slurm", "--limit", "200",
            QString(LHRS_SOURCE_DIR) + "/scenarios/recover_k.js" });
    // The job ends with the run; Slurm then tidies up for a moment.
    Ran jobs;
    const bool isOver = QTest::qWaitFor(
        [&] { return (jobs = run("squeue", { "--noheader" })).said.trimmed().isEmpty() && jobs.code == 0; }, 30'000);
    const Ran down = run(slurm, { "down" });
    qunsetenv("SLURM_CONF");
    QVERIFY2(ran.code == 0, qPrintable(ran.said.right(kShown)));
    QVERIFY2(isOver, qPrintable(jobs.said));
    QVERIFY2(down.code == 0, qPrintable(down.said));
    const Ran outside = run(QString(LHRS_BIN_DIR) + "/lhrs-play", { "--slurm", "x.js" });
    QCOMPARE(outside.code, 2);
    QVERIFY2(outside.said.contains("--slurm: this program does not run in a job of Slurm"), qPrintable(outside.said));
}

void NetlabTest::nothingRemainsOnTheHosts()
{
    const Ran ran = netlab({ "list" });
    QCOMPARE(ran.said.count(" 1 processes"), kHosts); // the sshd
    for (int number = 1; number <= kHosts; ++number) {
        const Ran left = run(
            "ssh", { "-F", QString("/run/lhrs-netlab/%1/ssh_config").arg(kWord), host(number), "ls", "-A", "/tmp" });
        QCOMPARE(left.said.trimmed(), QString());
    }
}

QTEST_GUILESS_MAIN(NetlabTest)
#include "tst_netlab.moc"

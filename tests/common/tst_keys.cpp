// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a cluster: how they are made, read and refused, and what is derived from them.
#include "common/keys/key_ring.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

using namespace lhrs;

namespace {

std::string pathIn(const QTemporaryDir& folder, const char* name) { return folder.filePath(name).toStdString(); }

KeyFile readOrFail(const std::string& path)
{
    const auto key = readKeyFile(path);
    if (!key)
        qFatal("%s", key.error().text.c_str());
    return *key;
}

} // namespace

class KeysTest : public QObject {
    Q_OBJECT
private slots:
    void threeFilesAreMadeThatOnlyTheirOwnerMayRead();
    void keysThatExistAreNotReplaced();
    void keysThatDoNotFitOnTheDiskLeaveNoneBehind();
    void secretsAreWipedFromMemory();
    void twoClustersHaveNothingInCommon();
    void everythingIsDerivedFromTheClustersKey();
    void eachPeerHasTheRoleOfItsKey();
    void aDamagedTextIsRefused_data();
    void aDamagedTextIsRefused();
    void aTextWithAnyOtherByteIsRefusedOrIsAnotherKey();
    void aFileThatIsNoKeyIsRefused_data();
    void aFileThatIsNoKeyIsRefused();
    void aFileOfAnotherUserIsRefused();
    void aListThatNamesThisUserAloneIsEnough();
};

void KeysTest::threeFilesAreMadeThatOnlyTheirOwnerMayRead()
{
    QTemporaryDir folder;
    const std::string keys = pathIn(folder, "keys"); // is made
    const mode_t before = ::umask(0);
    const auto made = makeKeys(keys);
    ::umask(before);
    QVERIFY2(made, made.error().text.c_str());
    struct stat there { };
    QVERIFY(::stat(keys.c_str(), &there) == 0);
    QCOMPARE(there.st_mode & 0777, mode_t(0700));
    QCOMPARE(QDir(folder.filePath("keys")).entryList(QDir::Files),
        QStringList({ kClientKeyName, kClusterKeyName, kOperatorKeyName }));
    for (const auto& [name, role] : { std::pair(kClusterKeyName, KeyRole::Cluster),
             std::pair(kClientKeyName, KeyRole::Client), std::pair(kOperatorKeyName, KeyRole::Operator) }) {
        const std::string path = keys + '/' + name;
        QVERIFY(::stat(path.c_str(), &there) == 0);
        QCOMPARE(there.st_mode & 07777, mode_t(0600));
        const KeyFile key = readOrFail(path);
        QVERIFY(key.role == role);
        const auto again = parseKey(textOf(key));
        QVERIFY(again);
        QVERIFY(again->secret == key.secret && again->servers == key.servers && again->clients == key.clients
            && again->operators == key.operators);
    }
}

void KeysTest::keysThatExistAreNotReplaced()
{
    QTemporaryDir folder;
    const std::string keys = folder.path().toStdString(); // exists already
    QVERIFY(makeKeys(keys));
    const KeyFile before = readOrFail(keys + '/' + kClusterKeyName);
    QVERIFY(QFile::remove(folder.filePath(kClientKeyName)));
    const auto again = makeKeys(keys);
    QVERIFY(!again);
    QVERIFY2(
        again.error().text.find("cluster.key; nothing was changed") != std::string::npos, again.error().text.c_str());
    QVERIFY(!QFile::exists(folder.filePath(kClientKeyName)));
    QVERIFY(readOrFail(keys + '/' + kClusterKeyName).secret == before.secret);
    const auto nowhere = makeKeys(keys + "/no/such/folder");
    QVERIFY(!nowhere);
    QVERIFY(nowhere.error().text.find("cannot be made: No such file or directory") != std::string::npos);
}

void KeysTest::keysThatDoNotFitOnTheDiskLeaveNoneBehind()
{
    QTemporaryDir folder;
    const std::string keys = pathIn(folder, "keys");
    // No file may grow as long as the client's key, which is longer than the cluster's and is written after it.
    rlimit before {};
    QVERIFY(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto former = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small { textOf(KeyFile()).size() + 1, before.rlim_max };
    QVERIFY(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto made = makeKeys(keys);
    QVERIFY(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, former);
    QVERIFY(!made);
    QVERIFY2(made.error().text.find("client.key cannot be written: File too large") != std::string::npos,
        made.error().text.c_str());
    QVERIFY(QDir(QString::fromStdString(keys)).entryList(QDir::Files).isEmpty());
    QVERIFY(makeKeys(keys)); // nothing is in the way
}

void KeysTest::secretsAreWipedFromMemory()
{
    KeyFile key;
    key.secret.fill(7);
    alignas(KeyRing) std::array<unsigned char, sizeof(KeyRing)> memory {};
    KeyRing* ring = new (memory.data()) KeyRing(key);
    const std::vector<KeyBytes> secrets { *ring->serverPackets(), *ring->clientPackets(), ring->ownSockets().secretKey,
        ring->asPeer().secretKey, ring->asWatcher().secretKey };
    const auto holds = [&memory](const KeyBytes& secret) {
        return std::search(memory.begin(), memory.end(), secret.begin(), secret.end()) != memory.end();
    };
    QVERIFY(std::all_of(secrets.begin(), secrets.end(), holds));
    std::destroy_at(ring);
    QVERIFY(std::none_of(secrets.begin(), secrets.end(), holds));
}

void KeysTest::twoClustersHaveNothingInCommon()
{
    QTemporaryDir folder;
    QVERIFY(makeKeys(pathIn(folder, "a")) && makeKeys(pathIn(folder, "b")));
    const KeyRing a(readOrFail(pathIn(folder, "a/cluster.key"))), b(readOrFail(pathIn(folder, "b/cluster.key")));
    QVERIFY(*a.serverPackets() != *b.serverPackets() && *a.clientPackets() != *b.clientPackets());
    QVERIFY(a.serverSockets() != b.serverSockets() && a.clientSockets() != b.clientSockets());
    QVERIFY(!a.roleOf(b.asPeer().publicKey) && !a.roleOf(b.asWatcher().publicKey) && !a.roleOf(KeyBytes {}));
}

void KeysTest::everythingIsDerivedFromTheClustersKey()
{
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    const KeyRing cluster(readOrFail(pathIn(folder, kClusterKeyName)));
    const KeyRing client(readOrFail(pathIn(folder, kClientKeyName)));
    const KeyRing commander(readOrFail(pathIn(folder, kOperatorKeyName)));
    QVERIFY(cluster.serverPackets() != nullptr && client.serverPackets() == nullptr
        && commander.serverPackets() == nullptr);
    QVERIFY(commander.clientPackets() == nullptr);
    QVERIFY(*client.clientPackets() == *cluster.clientPackets());
    QVERIFY(*cluster.serverPackets() != *cluster.clientPackets());
    for (const KeyRing* ring : { &cluster, &client, &commander }) {
        QVERIFY(ring->serverSockets() == cluster.ownSockets().publicKey);
        QVERIFY(ring->clientSockets() == client.ownSockets().publicKey);
    }
    QVERIFY(commander.asPeer().secretKey == cluster.asPeer().secretKey);
    QVERIFY(client.asPeer().secretKey != cluster.asPeer().secretKey);
    // No key may serve two purposes.
    std::vector<KeyBytes> all { *cluster.serverPackets(), *cluster.clientPackets(), cluster.ownSockets().secretKey,
        client.ownSockets().secretKey, client.asPeer().secretKey, client.asWatcher().secretKey,
        commander.asPeer().secretKey };
    std::sort(all.begin(), all.end());
    QVERIFY(std::adjacent_find(all.begin(), all.end()) == all.end());
}

void KeysTest::eachPeerHasTheRoleOfItsKey()
{
    QTemporaryDir folder;
    QVERIFY(makeKeys(folder.path().toStdString()));
    const KeyRing cluster(readOrFail(pathIn(folder, kClusterKeyName)));
    const KeyRing client(readOrFail(pathIn(folder, kClientKeyName)));
    const KeyRing commander(readOrFail(pathIn(folder, kOperatorKeyName)));
    for (const KeyRing* ring : { &cluster, &client }) { // servers, and client processes
        QVERIFY(ring->roleOf(commander.asPeer().publicKey) == PeerRole::Operator);
        QVERIFY(ring->roleOf(client.asPeer().publicKey) == PeerRole::Client);
        QVERIFY(ring->roleOf(client.asWatcher().publicKey) == PeerRole::Watcher);
        QVERIFY(!ring->roleOf(ring->ownSockets().publicKey));
        QVERIFY(!ring->roleOf(KeyBytes {}));
    }
    QVERIFY(!commander.roleOf(KeyBytes {}));
    QVERIFY(PeerRole::Watcher < PeerRole::Client && PeerRole::Client < PeerRole::Operator);
    for (const PeerRole role : { PeerRole::Watcher, PeerRole::Client, PeerRole::Operator })
        QVERIFY(peerRoleNamed(wordOf(role)) == role);
    QVERIFY(!peerRoleNamed("root"));
}

void KeysTest::aDamagedTextIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray hex(64, 'a');
    const QByteArray good = "LHRS-KEY 1 cluster\nsecret " + hex + "\n";
    QVERIFY(parseKey(good.toStdString()));
    QTest::newRow("empty") << QByteArray() << "its first line does not begin with \"LHRS-KEY 1\"";
    QTest::newRow("another file") << QByteArray("-----BEGIN PRIVATE KEY-----\n") << "does not begin";
    QTest::newRow("later version") << QByteArray("LHRS-KEY 2 cluster\n") << "not a key file of this version";
    QTest::newRow("no role") << QByteArray("LHRS-KEY 1 \nsecret " + hex + "\n") << "names no role";
    QTest::newRow("unknown role") << QByteArray("LHRS-KEY 1 root\nsecret " + hex + "\n") << "names no role";
    QTest::newRow("no secret") << QByteArray("LHRS-KEY 1 cluster\n") << "a line \"secret\" with 64";
    QTest::newRow("short") << good.left(good.size() - 2) << "a line \"secret\" with 64";
    QTest::newRow("long") << QByteArray("LHRS-KEY 1 cluster\nsecret " + hex + "a\n") << "a line \"secret\" with 64";
    QTest::newRow("no digits") << QByteArray("LHRS-KEY 1 cluster\nsecret " + QByteArray(64, 'x') + "\n")
                               << "a line \"secret\" with 64";
    QTest::newRow("a zero byte") << QByteArray("LHRS-KEY 1 cluster\nsecret " + QByteArray(64, '\0') + "\n")
                                 << "a line \"secret\" with 64";
    QTest::newRow("something more") << good + "x"
                                    << "something follows";
    QTest::newRow("of a client") << QByteArray("LHRS-KEY 1 client\nsecret " + hex + "\n")
                                 << "a line \"servers\" with 64";
    QTest::newRow("too long") << QByteArray(5'000, 'x') << "too long";
}

void KeysTest::aDamagedTextIsRefused()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto key = parseKey({ text.data(), std::size_t(text.size()) });
    QVERIFY(!key);
    QVERIFY2(QString::fromStdString(key.error().text).contains(says), key.error().text.c_str());
}

void KeysTest::aTextWithAnyOtherByteIsRefusedOrIsAnotherKey()
{
    KeyFile key;
    key.role = KeyRole::Operator;
    key.secret.fill(1);
    const std::string good = textOf(key);
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const char other : { '\0', '\n', ' ', '7', 'F', 'g', '\xff' }) {
            std::string text = good;
            text[at] = other;
            const auto read = parseKey(text);
            QVERIFY(!read || text == good || textOf(*read) != good);
        }
}

void KeysTest::aFileThatIsNoKeyIsRefused_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << "nothing.key"
                             << "No such file or directory; lhrs-coordinator --make-keys";
    QTest::newRow("a folder") << "folder"
                              << "is not a file";
    QTest::newRow("a pipe") << "pipe"
                            << "is not a file";
    QTest::newRow("readable by the group") << "group.key"
                                           << "(mode 0640)";
    QTest::newRow("readable by all") << "all.key"
                                     << "open to other users (mode 0644)";
    QTest::newRow("writable by others") << "write.key"
                                        << "(mode 0602)";
    QTest::newRow("damaged") << "damaged.key"
                             << "damaged.key cannot be used: it is damaged";
    QTest::newRow("empty") << "empty.key"
                           << "empty.key cannot be used: it is not a key file";
}

void KeysTest::aFileThatIsNoKeyIsRefused()
{
    QFETCH(const QString, name);
    QFETCH(const QString, says);
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("folder"));
    QVERIFY(::mkfifo(pathIn(folder, "pipe").c_str(), 0600) == 0);
    KeyFile key;
    const std::string text = textOf(key);
    const auto put = [&](const char* file, const std::string& bytes, mode_t mode) {
        QFile written(folder.filePath(file));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(bytes.data(), qsizetype(bytes.size()));
        written.close();
        QVERIFY(::chmod(pathIn(folder, file).c_str(), mode) == 0);
    };
    put("group.key", text, 0640);
    put("all.key", text, 0644);
    put("write.key", text, 0602);
    put("damaged.key", text.substr(0, text.size() - 9), 0600);
    put("empty.key", "", 0600);
    const auto read = readKeyFile(folder.filePath(name).toStdString());
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().text).contains(says), read.error().text.c_str());
    QVERIFY2(QString::fromStdString(read.error().text).contains(name), read.error().text.c_str());
}

void KeysTest::aFileOfAnotherUserIsRefused()
{
    if (::geteuid() != 0)
        QSKIP("only root can make a file of another user");
    constexpr uid_t kSomebody = 1'234, kAnother = 1'235;
    QTemporaryDir folder;
    const std::string path = pathIn(folder, kClusterKeyName);
    QVERIFY(makeKeys(folder.path().toStdString()));
    QVERIFY(::chmod(folder.path().toStdString().c_str(), 0755) == 0);
    QVERIFY(::chown(path.c_str(), kSomebody, gid_t(-1)) == 0);
    QVERIFY(::seteuid(kAnother) == 0);
    const auto another = readKeyFile(path); // the system does not even let him open it
    QVERIFY(::seteuid(0) == 0 && ::seteuid(kSomebody) == 0);
    const auto own = readKeyFile(path);
    QVERIFY(::seteuid(0) == 0);
    QVERIFY(!another);
    QVERIFY2(own, own.error().text.c_str());
    QVERIFY(readKeyFile(path)); // root may read it in any case
}

// So does systemd give a unit's user the file that root owns: its mode is 0440, and no group may read it.
void KeysTest::aListThatNamesThisUserAloneIsEnough()
{
    if (::geteuid() != 0)
        QSKIP("only root can become the user whom the list names");
    constexpr uid_t kSomebody = 1'234, kAnother = 1'235;
    QTemporaryDir folder;
    const std::string path = pathIn(folder, kClusterKeyName);
    QVERIFY(makeKeys(folder.path().toStdString()));
    QVERIFY(::chmod(folder.path().toStdString().c_str(), 0755) == 0);
    struct Entry {
        std::uint16_t tag, rights;
        std::uint32_t id;
    };
    constexpr std::uint32_t kNobody = 0xffff'ffff;
    // What the owner, a user, the owning group, a named group, the mask and others may do; as setfacl writes it.
    const auto list = [&path](std::uint32_t user, std::uint16_t ofGroup, std::uint16_t ofNamedGroup, int others) {
        const Entry entries[] { { 1, 4, kNobody }, { 2, 4, user }, { 4, ofGroup, kNobody }, { 8, ofNamedGroup, 77 },
            { 16, 4, kNobody }, { 32, std::uint16_t(others), kNobody } };
        const std::uint32_t version = 2;
        char bytes[sizeof version + sizeof entries];
        std::memcpy(bytes, &version, sizeof version);
        std::memcpy(bytes + sizeof version, entries, sizeof entries);
        return ::setxattr(path.c_str(), "system.posix_acl_access", bytes, sizeof bytes, 0) == 0;
    };
    const auto readBy = [&path](uid_t user) {
        const bool became = ::seteuid(user) == 0;
        const auto key = readKeyFile(path);
        return ::seteuid(0) == 0 && became ? key ? std::string() : key.error().text : std::string("seteuid failed");
    };
    if (!list(kSomebody, 0, 0, 0))
        QSKIP("the file system of this folder has no access lists");
    struct stat there { };
    QVERIFY(::stat(path.c_str(), &there) == 0);
    QCOMPARE(there.st_mode & 07777, mode_t(0440));
    QCOMPARE(readBy(kSomebody), std::string());
    QVERIFY(readBy(kAnother).find("cannot be read") != std::string::npos);
    QVERIFY(readBy(0).find("is open to other users (mode 0440)") != std::string::npos);
    QVERIFY(list(kSomebody, 4, 0, 0)); // the owning group
    QVERIFY(readBy(kSomebody).find("is open to other users") != std::string::npos);
    QVERIFY(list(kSomebody, 0, 4, 0)); // another group
    QVERIFY(readBy(kSomebody).find("is open to other users") != std::string::npos);
    QVERIFY(list(kSomebody, 0, 0, 4));
    QVERIFY(readBy(kSomebody).find("is open to other users (mode 0444)") != std::string::npos);
}

QTEST_GUILESS_MAIN(KeysTest)
#include "tst_keys.moc"

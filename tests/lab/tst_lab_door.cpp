// SPDX-License-Identifier: GPL-3.0-or-later
// A client that the lab starts has a door for programs that speak the Redis protocol.
#include "tests/rigs/lab/lab_stage.h"

#include <QFileInfo>
#include <QTest>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

using namespace lhrs;
using namespace lhrs::gui;

class LabDoorTest : public QObject {
    Q_OBJECT
private slots:
    void aClientHasADoorForItsUserAlone();
    void aSimulatedClientHasNone();
};

void LabDoorTest::aClientHasADoorForItsUserAlone()
{
    ClusterStage stage;
    const ScriptResult result = stage.play("lab.cluster({ m: 2, k: 1, b: 100, spares: { data: 2, parity: 1 } });\n"
                                           "lab.print(lab.client('alice').door);");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    const QString path = stage.listener.taken().filter("alice.redis").value(0).section(' ', 1);
    QVERIFY2(QFileInfo::exists(path), qPrintable(path));
    QCOMPARE(
        QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
        QFile::Permissions());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un there {};
    there.sun_family = AF_UNIX;
    std::strncpy(there.sun_path, qPrintable(path), sizeof there.sun_path - 1);
    QCOMPARE(::connect(socket, reinterpret_cast<const sockaddr*>(&there), sizeof there), 0);
    const QByteArray asked = "PING\r\nSET name Ada\r\nGET name\r\n", wanted = "+PONG\r\n+OK\r\n$3\r\nAda\r\n";
    QCOMPARE(::write(socket, asked.constData(), std::size_t(asked.size())), ssize_t(asked.size()));
    QByteArray said;
    std::array<char, 256> part {};
    for (ssize_t count = 1; count > 0 && said.size() < wanted.size(); said.append(part.data(), qsizetype(count)))
        count = std::max<ssize_t>(::read(socket, part.data(), part.size()), 0);
    ::close(socket);
    QCOMPARE(said, wanted);
    // It is an operation of this client like any other.
    const ScriptResult seen = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 100, spares: { data: 2, parity: 1 }, reset: false });\n"
        "lab.expectEqual(lab.client('alice').scan().records, 1, 'the record is in the file');");
    QVERIFY2(seen.outcome == ScriptOutcome::Held, qPrintable(stage.story(seen)));
    stage.session.local().stop();
    QVERIFY(!QFileInfo::exists(path));
}

void LabDoorTest::aSimulatedClientHasNone()
{
    ClusterStage stage;
    stage.session.local().preferSimulated(SimulatedOptions { 1, 0 });
    const ScriptResult result = stage.play("lab.cluster({ m: 2, k: 1, b: 100 });\n"
                                           "lab.expectEqual(lab.client('alice').door, null, 'no file');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

QTEST_GUILESS_MAIN(LabDoorTest)
#include "tst_lab_door.moc"

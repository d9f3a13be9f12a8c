// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a local cluster that cannot be started are named.
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

class LocalClusterTest : public QObject {
    Q_OBJECT
private slots:
    void programsThatAreMissingAreNamed();
    void aProgramThatEndsAtOnceIsNamedWithItsLastWords();
};

void LocalClusterTest::programsThatAreMissingAreNamed()
{
    Session session;
    session.local().setProgramDirectory("/nonexistent");
    LocalOptions options;
    options.config.set_m(4);
    options.config.set_b(10);
    const auto started = session.local().start(options);
    QVERIFY(!started);
    QVERIFY2(started.error().text.find("lhrs-coordinator is not in /nonexistent") != std::string::npos,
        started.error().text.c_str());
    QCOMPARE(session.local().processes(), 0u);
}

void LocalClusterTest::aProgramThatEndsAtOnceIsNamedWithItsLastWords()
{
    QTemporaryDir directory;
    QFile program(directory.filePath("lhrs-coordinator"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\necho 'the port 4711 is in use' >&2\nexit 1\n");
    program.close();
    program.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    Session session;
    session.local().setProgramDirectory(directory.path().toStdString());
    const auto started = session.local().start(LocalOptions());
    QVERIFY(!started);
    QVERIFY2(started.error().text.find(
                 "coordinator did not start: it ended with exit code 1; it says: the port 4711 is in use")
            != std::string::npos,
        started.error().text.c_str());
    QCOMPARE(session.local().processes(), 0u);
}

QTEST_GUILESS_MAIN(LocalClusterTest)
#include "tst_local_cluster.moc"

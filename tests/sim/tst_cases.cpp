// SPDX-License-Identifier: GPL-3.0-or-later
// Text in, events out: every tests/cases/NAME.case is run and must hold. If there is a NAME.events, the events must
// equal it, line by line. LHRS_REWRITE=1 writes the .events files again; the difference is to be reviewed.
#include "common/protobuf_text.h"
#include "node/sim/engine/event_lines.h"
#include "node/sim/lhrs/simulation.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <array>
#include <string_view>

using namespace lhrs;

namespace {

const QString kFolder = QStringLiteral(LHRS_SOURCE_DIR "/tests/cases");

// Periodic events of every process, and arrivals of messages, would only hide the story.
bool isTold(const pb::Event& event)
{
    constexpr std::array<std::string_view, 4> noise { "alive", "register", "registered", "ack" };
    if (event.has_message_received() || event.has_process_started())
        return false;
    if (!event.has_message_sent())
        return true;
    for (const std::string_view kind : noise)
        if (event.message_sent().kind() == kind)
            return false;
    return true;
}

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCases : public QObject {
    Q_OBJECT

private slots:
    void aCaseHoldsAndTellsItsStory_data();
    void aCaseHoldsAndTellsItsStory();
    void everyStoryHasItsCase();
};

void TestCases::aCaseHoldsAndTellsItsStory_data()
{
    QTest::addColumn<QString>("name");
    const QStringList files = QDir(kFolder).entryList({ QStringLiteral("*.case") }, QDir::Files, QDir::Name);
    QVERIFY(!files.isEmpty());
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file.chopped(5);
}

void TestCases::aCaseHoldsAndTellsItsStory()
{
    QFETCH(const QString, name);
    const QString path = kFolder + QLatin1Char('/') + name;
    pb::Case told;
    const auto read = mergeText(readAll(path + QStringLiteral(".case")).toStdString(), told);
    QVERIFY2(read, read ? "" : read.error().text.c_str());
    QVERIFY2(!told.tells().empty(), "a case says in a sentence what it shows");

    Simulation simulation(told);
    QString lines;
    simulation.setListener([&](const SimProcess& process, const pb::Event& event) {
        if (isTold(event) && !simulation.isReadingBack())
            lines += QString::fromStdString(eventLine(simulation.cluster(), process, event, wordsOf(event.place())))
                + QLatin1Char('\n');
    });
    const bool isRight = simulation.run();
    QVERIFY2(isRight, isRight ? "" : simulation.failure()->text.c_str());

    QFile events(path + QStringLiteral(".events"));
    if (!events.exists())
        return;
    if (qEnvironmentVariableIsSet("LHRS_REWRITE")) {
        QVERIFY(events.open(QIODevice::WriteOnly | QIODevice::Truncate));
        events.write(lines.toUtf8());
        return;
    }
    const QStringList expected = QString::fromUtf8(readAll(events.fileName())).split(QLatin1Char('\n'));
    const QStringList actual = lines.split(QLatin1Char('\n'));
    for (qsizetype line = 0; line < std::max(expected.size(), actual.size()); ++line)
        QVERIFY2(expected.value(line) == actual.value(line),
            qPrintable(QStringLiteral(
                "%1.events, line %2; LHRS_REWRITE=1 writes the file anew\n  expected: %3\n  happened: %4")
                           .arg(name)
                           .arg(line + 1)
                           .arg(expected.value(line), actual.value(line))));
}

void TestCases::everyStoryHasItsCase()
{
    for (const QString& file : QDir(kFolder).entryList({ QStringLiteral("*.events") }, QDir::Files)) {
        const QString itsCase = kFolder + QLatin1Char('/') + file.chopped(7) + QStringLiteral(".case");
        QVERIFY2(QFile::exists(itsCase), qPrintable(file));
    }
}

QTEST_APPLESS_MAIN(TestCases)
#include "tst_cases.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are started in a language that writes 0,5 for a half, has a dotless i, or has digits of its own.
// Options, numbers between programs, and tables are the same as everywhere.
#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <clocale>
#include <cstdio>

namespace {

constexpr int kPatienceMs = 120'000;
const char* const kScript = "lab.cluster({ m: 2, k: 0, b: 20, loadControl: 0.5, spares: { data: 2, parity: 0 } });\n"
                            "const alice = lab.client('alice');\n"
                            "lab.measure({ name: 'halves', factors: { share: [0.5] }, repetitions: 1, warmUp: 0, run: "
                            "c => { alice.run({ do: 'insert', count: 5 }); return { seen: c.share / 2 }; } });\n"
                            "lab.expectEqual(lab.file().records, 5, 'all are there');\n"
                            "lab.print('FILLING ' + 0.25 + ' ' + 'i'.toUpperCase());\n";

} // namespace

class LanguagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theProgramsDoTheSame_data();
    void theProgramsDoTheSame();
    void numbersOfThisProgramAreThoseOfC_data();
    void numbersOfThisProgramAreThoseOfC();
};

void LanguagesTest::initTestCase()
{
    QProcess made;
    made.setProcessChannelMode(QProcess::MergedChannels);
    made.start("/bin/sh", { LHRS_SOURCE_DIR "/tests/make_languages.sh", LHRS_LANGUAGES });
    QVERIFY(made.waitForFinished(kPatienceMs));
    QVERIFY2(made.exitCode() == 0, made.readAll());
}

void LanguagesTest::theProgramsDoTheSame_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QStringList>("arguments");
    for (const char* language : { "de_DE", "tr_TR", "ar_EG" }) {
        QTest::addRow("%s, simulated", language)
            << QString(language) << QStringList { "--sim", "--speed", "2.5", "--limit", "100.5" };
        QTest::addRow("%s, processes", language) << QString(language) << QStringList { "--local", "--limit", "100.5" };
    }
}

void LanguagesTest::theProgramsDoTheSame()
{
    QFETCH(const QString, language);
    QFETCH(const QStringList, arguments);
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(kScript);
    script.close();
    QProcess play;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOCPATH", LHRS_LANGUAGES);
    environment.insert("LC_ALL", language + ".UTF-8");
    play.setProcessEnvironment(environment);
    play.setProcessChannelMode(QProcess::MergedChannels);
    play.start(
        LHRS_BIN_DIR "/lhrs-play", arguments + QStringList { "--csv", directory.filePath("out"), script.fileName() });
    QVERIFY(play.waitForFinished(kPatienceMs));
    const QString said = QString::fromUtf8(play.readAll());
    QVERIFY2(play.exitStatus() == QProcess::NormalExit && play.exitCode() == 0, qPrintable(said));
    QVERIFY2(said.contains("FILLING 0.25 I"), qPrintable(said));
    if (arguments.contains("--sim"))
        QVERIFY2(said.contains("virtual time at 2.5 of real time"), qPrintable(said));
    QFile table(directory.filePath("out/halves.csv"));
    QVERIFY(table.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(table.readAll()).trimmed().split('\n');
    const QRegularExpression quoted("\"[^\"]*\""); // the description of the machine contains commas
    const QStringList heads = lines.at(lines.size() - 2).split(','),
                      cells = QString(lines.last()).remove(quoted).split(',');
    QCOMPARE(cells.size(), heads.size());
    QCOMPARE(cells.value(heads.indexOf("share")), "0.5");
    QCOMPARE(cells.value(heads.indexOf("seen")), "0.25");
}

void LanguagesTest::numbersOfThisProgramAreThoseOfC_data()
{
    QTest::addColumn<QString>("language");
    for (const char* language : { "de_DE", "tr_TR", "ar_EG" })
        QTest::newRow(language) << QString(language);
}

// This program links the lab as the others do, and its Qt application object is created in that language.
void LanguagesTest::numbersOfThisProgramAreThoseOfC()
{
    QFETCH(const QString, language);
    if (qEnvironmentVariable("LANGUAGES_CHILD") == language) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f", 0.5);
        QCOMPARE(QString(text), "0.5");
        QCOMPARE(QString::fromStdString(std::to_string(0.5)), "0.500000");
        QCOMPARE(std::stod("0.5"), 0.5);
        QCOMPARE(QLocale().toString(0.5), "0.5");
        QCOMPARE(QString("%L1").arg(0.5), "0.5");
        QCOMPARE(QString(std::setlocale(LC_CTYPE, nullptr)), language + ".UTF-8"); // everything else uses the language
        return;
    }
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOCPATH", LHRS_LANGUAGES);
    environment.insert("LC_ALL", language + ".UTF-8");
    environment.insert("LANGUAGES_CHILD", language);
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::MergedChannels);
    child.start(QCoreApplication::applicationFilePath(), { "numbersOfThisProgramAreThoseOfC:" + language });
    QVERIFY(child.waitForFinished(kPatienceMs));
    QVERIFY2(child.exitCode() == 0, child.readAll());
}

QTEST_GUILESS_MAIN(LanguagesTest)
#include "tst_languages.moc"

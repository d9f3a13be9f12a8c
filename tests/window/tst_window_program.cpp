// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a program: its command line, and a computer without a display.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

constexpr int kPatienceMs = 60'000;

struct Run {
    QString out, err;
    int code = -1;
};

Run run(const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(LHRS_BIN_DIR "/lhrs-gui", arguments);
    if (!process.waitForFinished(kPatienceMs))
        process.kill();
    return { process.readAllStandardOutput(), process.readAllStandardError(),
        process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1 };
}

} // namespace

class WindowProgramTest : public QObject {
    Q_OBJECT
private slots:
    void aWrongCommandLineEndsWithASentence_data();
    void aWrongCommandLineEndsWithASentence();
    void withoutADisplayItSaysSo();
    void aScenarioThatThrowsBeforeItsClusterEndsWithItsError();
    void aDamagedRecordingIsExportedAndSaid();
};

void WindowProgramTest::aScenarioThatThrowsBeforeItsClusterEndsWithItsError()
{
    QTemporaryDir home;
    QFile script(home.filePath("early.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("// early.js @title e @minutes 1\nthrow new Error('early');\n"); // no call of lab
    script.close();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("HOME", home.path());
    const Run ended = run({ "--play", script.fileName(), "--screenshot", home.filePath("a.png") }, environment);
    QVERIFY2(ended.out.contains("early.js, line 2: Error: early."), qPrintable(ended.out + ended.err));
    QCOMPARE(ended.code, 2);
}

void WindowProgramTest::aWrongCommandLineEndsWithASentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* words, const char* sentence) {
        QTest::newRow(words) << QString(words).split(' ', Qt::SkipEmptyParts) << QString(sentence);
    };
    row("grow.js", "“grow.js” is not understood");
    row("--wrong", "Unknown option 'wrong'");
    row("--workspace kitchen", "--workspace kitchen: write lecture, inspect");
    row("--theme pink", "--theme pink: write light, dark");
    row("--font-scale 9", "--font-scale 9: write a number from 0.8 to 2.5");
    row("--font-scale nan", "--font-scale nan: write a number from 0.8 to 2.5");
    row("--connect garbage", "“garbage” is not an address");
    row("--connect 127.0.0.1:70000", "“127.0.0.1:70000” is not an address");
    row("--sim --seed -1", "--seed -1: write a number");
    row("--size big", "--size big: write WIDTHxHEIGHT");
    row("--local --sim", "exclude each other");
    row("--seed 3", "write --sim, too");
    row("--tour --sim", "--tour starts a cluster of its own");
    row("--tour --open a.lhrun", "--tour starts a cluster of its own");
    row("--sim --speed fast", "--speed fast: write a number");
    row("--screenshot a.png", "--screenshot needs --play");
    row("--export a.lhrun", "--export FILE.lhrun and --out DIR go together");
    row("--open /nowhere.lhrun", "/nowhere.lhrun");
    row("--play /nowhere.js --screenshot a.png", "/nowhere.js");
    row("--record /dev/null", "/dev/null: this file exists already");
}

void WindowProgramTest::aWrongCommandLineEndsWithASentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("HOME", home.path());
    environment.insert("XDG_CONFIG_HOME", home.path());
    const Run ended = run(arguments, environment);
    QVERIFY2(ended.err.contains(sentence), qPrintable(ended.err));
    // 1: Qt's own exit code for an unknown option.
    QVERIFY2(ended.code == 1 || ended.code == 2, qPrintable(QString::number(ended.code)));
}

void WindowProgramTest::withoutADisplayItSaysSo()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : { "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM" })
        environment.remove(name);
    const Run ended = run({ "--local" }, environment);
    QVERIFY2(ended.err.contains("there is no display") && ended.err.count('\n') == 1, qPrintable(ended.err));
    QCOMPARE(ended.code, 2);
    const Run helped = run({ "--help" }, environment);
    QVERIFY2(helped.out.contains("--workspace"), qPrintable(helped.err));
    QCOMPARE(helped.code, 0);
}

// The readable part is exported, the missing part is reported, and scripts see the exit code.
void WindowProgramTest::aDamagedRecordingIsExportedAndSaid()
{
    QTemporaryDir folder;
    QFile kept(QStringLiteral(LHRS_SOURCE_DIR "/tests/recordings/version_2.lhrun.z")),
        file(folder.filePath("cut.lhrun"));
    QVERIFY(kept.open(QIODevice::ReadOnly) && file.open(QIODevice::WriteOnly));
    const QByteArray whole = qUncompress(kept.readAll());
    QVERIFY(file.write(whole.left(whole.size() * 9 / 10)) > 0);
    file.close();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_CONFIG_HOME", folder.path());
    const Run ended = run({ "--export", file.fileName(), "--out", folder.filePath("out") }, environment);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("cut.lhrun is cut off: "), qPrintable(ended.err));
    QVERIFY(QFile::exists(folder.filePath("out/operations.csv")));
}

QTEST_GUILESS_MAIN(WindowProgramTest)
#include "tst_window_program.moc"

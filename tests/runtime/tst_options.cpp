// SPDX-License-Identifier: GPL-3.0-or-later
// Every option with a value of every program, as one table: a value that is no number, is out of bounds or has a unit
// is refused at once with a sentence that names the option. The table is compared with each program's own --help.
#include "node/lhrs/programs/file_options.h"

#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <variant>

using namespace lhrs;

namespace {

constexpr int kPatienceMs = 120'000;

enum class Kind { Word, Choice, Whole, Real, Seed, Address, Threshold, Timers, Size, Bytes };

struct OptionRow {
    const char* program;
    const char* option;
    Kind kind;
    const char* low = nullptr; // the smallest accepted value
    const char* high = nullptr; // the largest accepted value
};

// Kind::Word: a file name or a text, which has no wrong values.
const OptionRow kOptions[] = {
    // of all watched programs
    { "watched", "--name", Kind::Word },
    { "watched", "--system", Kind::Choice },
    { "watched", "--events", Kind::Whole, "0", "65535" },
    { "watched", "--control", Kind::Whole, "0", "65535" },
    { "watched", "--log", Kind::Choice },
    // of processes
    { "process", "--listen", Kind::Address },
    { "process", "--key-file", Kind::Word },
    { "process", "--threads", Kind::Whole, "1", "64" },
    { "member", "--coordinator", Kind::Address },
    { "lhrs-coordinator", "--make-keys", Kind::Word },
    { "lhrs-client", "--resp-port", Kind::Whole, "0", "65535" },
    { "lhrs-client", "--resp-socket", Kind::Word },
    { "lhrs-node", "--role", Kind::Choice },
    { "lhrs-node", "--memory", Kind::Bytes, "16M", "1048576G" },
    // of a file
    { "file", "--config", Kind::Word },
    { "file", "-m", Kind::Whole, "1", "32" },
    { "file", "-k", Kind::Whole, "0", "8" },
    { "file", "-b", Kind::Whole, "1", "268435456" },
    { "file", "--field", Kind::Choice },
    { "file", "--rerank", Kind::Choice },
    { "file", "--threshold", Kind::Threshold },
    { "file", "--galois", Kind::Choice },
    { "file", "--recruiting", Kind::Choice },
    { "file", "--recovery", Kind::Choice },
    { "file", "--slice", Kind::Whole, "1", "16777216" },
    { "file", "--decode", Kind::Choice },
    { "file", "--recovery-transport", Kind::Choice },
    { "file", "--tcp", Kind::Choice },
    { "file", "--split", Kind::Choice },
    { "file", "--load-control", Kind::Real, "0", "1" },
    { "file", "--timers", Kind::Timers },
    { "file", "--time-scale", Kind::Real, "0.01", "1000" },
    { "lhrs-sim", "--seed", Kind::Seed },
    { "lhrs-sim", "--data-spares", Kind::Whole, "0", "2000" },
    { "lhrs-sim", "--parity-spares", Kind::Whole, "0", "2000" },
    { "lhrs-sim", "--speed", Kind::Real, "0.001", "100" },
    { "lhrs-sim", "--wall-of-zero", Kind::Whole, "0", "4611686018427387903" },
    { "lhrs-sim", "--delay", Kind::Whole, "1", "10000000" },
    { "lhrs-sim", "--jitter", Kind::Whole, "0", "10000000" },
    { "lhrs-sim", "--step-cost", Kind::Whole, "1", "1000000" },
    { "lhrs-sim", "--case-file", Kind::Word },
    { "lhrs-play", "--seed", Kind::Seed },
    { "lhrs-play", "--speed", Kind::Real },
    { "lhrs-play", "--set", Kind::Word },
    { "lhrs-play", "--sweep", Kind::Word },
    { "lhrs-play", "--sweep-file", Kind::Word },
    { "lhrs-play", "--csv", Kind::Word },
    { "lhrs-play", "--record", Kind::Word },
    { "lhrs-play", "--pace", Kind::Real },
    { "lhrs-play", "--limit", Kind::Real },
    { "lhrs-play", "--exercise", Kind::Word },
    { "lhrs-play", "--junit", Kind::Word },
    { "lhrs-play", "--connect", Kind::Address },
    { "lhrs-play", "--key-file", Kind::Word },
    { "lhrs-play", "--hosts", Kind::Word },
    { "lhrs-play", "--chart", Kind::Choice },
    { "lhrs-play", "--audit", Kind::Choice },
    { "lhrs-thrash", "--seed", Kind::Seed },
    { "lhrs-thrash", "--minutes", Kind::Real },
    { "lhrs-thrash", "--time-scale", Kind::Real },
    { "lhrs-thrash", "--logs", Kind::Word },
    { "lhrs-fuzz", "--minutes", Kind::Real },
    { "lhrs-fuzz", "--seed", Kind::Seed },
#ifdef LHRS_HAS_WINDOW
    { "lhrs-gui", "--export", Kind::Word },
    { "lhrs-gui", "--out", Kind::Word },
    { "lhrs-gui", "--seed", Kind::Seed },
    { "lhrs-gui", "--speed", Kind::Real },
    { "lhrs-gui", "--connect", Kind::Address },
    { "lhrs-gui", "--key-file", Kind::Word },
    { "lhrs-gui", "--hosts", Kind::Word },
    { "lhrs-gui", "--open", Kind::Word },
    { "lhrs-gui", "--record", Kind::Word },
    { "lhrs-gui", "--play", Kind::Word },
    { "lhrs-gui", "--theme", Kind::Choice },
    { "lhrs-gui", "--font-scale", Kind::Real },
    { "lhrs-gui", "--screenshot", Kind::Word },
    { "lhrs-gui", "--csv", Kind::Word },
    { "lhrs-gui", "--card-pictures", Kind::Word },
    { "lhrs-gui", "--size", Kind::Size },
    { "lhrs-gui", "--workspace", Kind::Choice },
    { "lhrs-report", "--paper", Kind::Word },
    { "lhrs-report", "--commit", Kind::Word },
#endif
};

// A program: the parts of the table that belong to it, and the other arguments that it needs.
struct ProgramRow {
    const char* name;
    QStringList parts;
    QStringList besides;
    // Parses within this process; empty: the program is started.
    std::function<std::pair<int, std::string>(const std::vector<const char*>&)> parse = {};
};

template <class Line> auto parsedBy(Parsed<Line> (*parse)(int, const char* const*))
{
    return [parse](const std::vector<const char*>& words) {
        const auto parsed = parse(int(words.size()), words.data());
        return std::pair(parsed.exitCode, parsed.text);
    };
}

const std::vector<ProgramRow>& programs()
{
    static const QStringList kCoordinator { "--coordinator", "127.0.0.1:4000" };
    static const std::vector<ProgramRow> kPrograms {
        { "lhrs-node", { "watched", "process", "member", "lhrs-node" }, kCoordinator, parsedBy(parseNodeLine) },
        { "lhrs-client", { "watched", "process", "member", "lhrs-client" }, kCoordinator, parsedBy(parseClientLine) },
        { "lhrs-coordinator", { "watched", "process", "file", "lhrs-coordinator" }, {},
            parsedBy(parseCoordinatorLine) },
        { "lhrs-sim", { "watched", "file", "lhrs-sim" }, {}, parsedBy(parseSimLine) },
        { "lhrs-play", { "lhrs-play" }, { "ok.js" } },
        { "lhrs-thrash", { "lhrs-thrash" }, {} },
        { "lhrs-fuzz", { "lhrs-fuzz" }, { "lines" } },
#ifdef LHRS_HAS_WINDOW
        { "lhrs-gui", { "lhrs-gui" }, {} },
        { "lhrs-report", { "lhrs-report" }, { "." } },
#endif
    };
    return kPrograms;
}

struct Ended {
    int code = -1;
    QString said;
};

Ended run(const ProgramRow& program, const QStringList& words, const QString& directory)
{
    if (program.parse) {
        std::vector<std::string> kept { program.name };
        for (const QString& word : words)
            kept.push_back(word.toStdString());
        std::vector<const char*> pointers;
        for (const std::string& word : kept)
            pointers.push_back(word.c_str());
        const auto [code, text] = program.parse(pointers);
        return { code, QString::fromStdString(text) };
    }
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(directory);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_RUNTIME_DIR", directory);
    environment.insert("XDG_CONFIG_HOME", directory);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(LHRS_BIN_DIR "/") + program.name, words);
    if (!process.waitForFinished(kPatienceMs)) {
        process.kill();
        process.waitForFinished();
        return { -1, "it still runs" };
    }
    return { process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
        QString::fromUtf8(process.readAll()) };
}

QStringList wrongWords(const OptionRow& row)
{
    const QStringList numbers { "", "nan", "inf", "-inf", "-1", "ten", "5ms", "0,5", "1e999", QString(300, '9'), "0b1",
        "5 5" };
    switch (row.kind) {
    case Kind::Word: return {};
    case Kind::Choice: return { "", "nonsense" };
    case Kind::Seed: return numbers + QStringList { "4.5", "0x", "18446744073709551616" };
    case Kind::Whole:
        return numbers
            + QStringList { "4.5", "1e3", QString::number(QString(row.low).toLongLong() - 1),
                  QString::number(QString(row.high).toLongLong() + 1) };
    case Kind::Real: return numbers + QStringList { "-0.1", "1e300" };
    case Kind::Address:
        return { "", "garbage", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:x", "x:y", "999.0.0.1:5",
            "127.0.0.1:4000ms" };
    case Kind::Threshold: return { "", "4", "x", "0:3", "4:99", "4:-1", "nan:1", "4:nan", "4:1:1" };
    case Kind::Timers:
        return { "garbage", "resend_ms: -5", "resend_ms: nan", "resend_ms: 5ms", "resend_ms: 9999999999" };
    case Kind::Bytes:
        return numbers + QStringList { "0", "1K", "15M", "16777215", "1.5G", "512MB", "1048577G", "99999999999G" };
    case Kind::Size:
        return { "", "0x0", "foo", "nanxnan", "1280", "1280x720x2", "-1280x720", "99999x99999", "1280.5x720",
            "1280x720px" };
    }
    return {};
}

std::vector<OptionRow> optionsOf(const ProgramRow& program)
{
    std::vector<OptionRow> own;
    for (const OptionRow& row : kOptions)
        if (program.parts.contains(row.program))
            own.push_back(row);
    return own;
}

} // namespace

class OptionsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theTableHasEachOptionOfTheHelp_data();
    void theTableHasEachOptionOfTheHelp();
    void whatIsNoGoodValueIsRefusedInWords_data();
    void whatIsNoGoodValueIsRefusedInWords();
    void theBoundsThemselvesAreTaken();
    void optionsThatNeedAnotherSaySo();

private:
    QTemporaryDir m_directory;
};

void OptionsTest::initTestCase()
{
    QFile script(m_directory.filePath("ok.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.print(1);\n");
}

void OptionsTest::theTableHasEachOptionOfTheHelp_data()
{
    QTest::addColumn<int>("program");
    for (std::size_t i = 0; i < programs().size(); ++i)
        QTest::newRow(programs()[i].name) << int(i);
}

void OptionsTest::theTableHasEachOptionOfTheHelp()
{
    QFETCH(const int, program);
    const ProgramRow& row = programs()[std::size_t(program)];
    // "-k,--availability K   Intended ...", "--size <WxH>   Size ...", "[--seed S]"
    static const QRegularExpression kOption(
        "(?:^\\s+|\\[|\\| )(-[-a-z]+)(?:,[-a-z]+)? (?:<[^>]+>|[A-Z][^\\s\\]]*)(?:\\s{2,}|\\]|$)",
        QRegularExpression::MultilineOption);
    const Ended help = run(row, { "--help" }, m_directory.path());
    QSet<QString> told, known;
    for (auto found = kOption.globalMatch(help.said); found.hasNext();)
        told << found.next().captured(1);
    for (const OptionRow& option : optionsOf(row))
        known << option.option;
    QVERIFY2(told == known,
        qPrintable("only in --help: " + QStringList((told - known).values()).join(' ')
            + "; only in the table: " + QStringList((known - told).values()).join(' ') + '\n' + help.said));
}

void OptionsTest::whatIsNoGoodValueIsRefusedInWords_data()
{
    QTest::addColumn<int>("program");
    QTest::addColumn<int>("option");
    for (std::size_t p = 0; p < programs().size(); ++p) {
        const auto options = optionsOf(programs()[p]);
        for (std::size_t o = 0; o < options.size(); ++o)
            if (!wrongWords(options[o]).isEmpty())
                QTest::addRow("%s %s", programs()[p].name, options[o].option) << int(p) << int(o);
    }
}

void OptionsTest::whatIsNoGoodValueIsRefusedInWords()
{
    QFETCH(const int, program);
    QFETCH(const int, option);
    const ProgramRow& row = programs()[std::size_t(program)];
    const OptionRow tried = optionsOf(row)[std::size_t(option)];
    const QString name = tried.option;
    const bool needsSim = QByteArray(row.name) == "lhrs-gui" && (tried.kind == Kind::Seed || name == "--speed");
    for (const QString& wrong : wrongWords(tried)) {
        QStringList words = QByteArray(row.name) == "lhrs-fuzz" ? row.besides : QStringList();
        if (needsSim)
            words << "--sim";
        words << name << wrong;
        if (QByteArray(row.name) != "lhrs-fuzz" && name != "--coordinator")
            words << row.besides;
        const Ended ended = run(row, words, m_directory.path());
        const QByteArray about = (words.join(' ') + ": exit code " + QString::number(ended.code) + '\n' + ended.said)
                                     .toUtf8();
        QVERIFY2(ended.code > 0, about);
        QVERIFY2(ended.said.contains(name), about);
        QVERIFY2(ended.said.trimmed().count('\n') <= 2 && !ended.said.trimmed().isEmpty(), about);
    }
}

void OptionsTest::theBoundsThemselvesAreTaken()
{
    for (const ProgramRow& program : programs()) {
        for (const OptionRow& option : optionsOf(program)) {
            if (!program.parse || option.low == nullptr)
                continue;
            for (const char* bound : { option.low, option.high }) {
                const Ended ended = run(
                    program, QStringList { option.option, bound } + program.besides, m_directory.path());
                QVERIFY2(ended.code == 0, qPrintable(QString(option.option) + ' ' + bound + ": " + ended.said));
            }
        }
    }
}

void OptionsTest::optionsThatNeedAnotherSaySo()
{
    const auto said = [this](const char* name, const QStringList& words) {
        for (const ProgramRow& program : programs())
            if (QByteArray(program.name) == name) {
                const Ended ended = run(program, words, m_directory.path());
                return ended.code > 0 ? ended.said : QString("exit code %1: ").arg(ended.code) + ended.said;
            }
        return QString();
    };
    QVERIFY2(said("lhrs-sim", { "--messages" }).contains("write --case or --case-file, too"),
        qPrintable(said("lhrs-sim", { "--messages" })));
    QVERIFY(said("lhrs-play", { "--audit", "all" }).contains("write --connect HOST:PORT, too"));
    QVERIFY(said("lhrs-play", { "--chart-points", "ok.js" }).contains("requires --chart"));
    const QString unused = said("lhrs-play", { "--set", "unknown=3", "ok.js" });
    QVERIFY2(unused.contains("--set unknown=3: the scenario takes no parameters") && unused.trimmed().count('\n') == 0,
        qPrintable(unused));
}

QTEST_GUILESS_MAIN(OptionsTest)
#include "tst_options.moc"

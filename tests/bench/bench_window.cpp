// SPDX-License-Identifier: GPL-3.0-or-later
// The budgets of the window, measured on this machine. A cluster in a separate process publishes events at a set rate
// on real sockets; this process receives, folds, records and draws them offscreen. A table lists what was measured,
// what is allowed, the machine, the commit and the load of the machine. A missed budget is reported, but it is not a
// failure.
#include "tests/bench/bench_window_rig.h"
#include "tests/bench/window_measures.h"

#include "gui/lab/tables/lab_table.h"
#include "gui/view/paint/field_style.h"

#include <CLI/CLI.hpp>

#include <QProcess>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

struct Measure {
    const char* name;
    std::vector<BenchRow> (*measure)(const BenchOptions&);
    bool isRepeated; // the best of several attempts: other work on the machine can only make it worse
};

constexpr Measure kMeasures[] = { { "ingest", measureIngest, true }, { "frames", measureFrames, true },
    { "cluster", measureBesideCluster, true }, { "pixel", measureEventToPixel, true },
    { "recording", measureRecording, true }, { "memory", measureMemory, false }, { "idle", measureIdle, true } };

QString firstLine(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(5'000) || process.exitCode() != 0)
        return {};
    return QString::fromUtf8(process.readAllStandardOutput()).section('\n', 0, 0);
}

QString commitShown()
{
    const QString source = QStringLiteral(LHRS_SOURCE_DIR);
    const QString commit = firstLine(QStringLiteral("git"), { "-C", source, "rev-parse", "--short", "HEAD" });
    const bool isChanged = !firstLine(QStringLiteral("git"), { "-C", source, "status", "--porcelain" }).isEmpty();
    return commit.isEmpty()
        ? QStringLiteral("no commit known")
        : QStringLiteral("commit ") + commit + (isChanged ? QStringLiteral(" with changes") : QString());
}

double load()
{
    double average[1] = {};
    return ::getloadavg(average, 1) == 1 ? average[0] : -1;
}

void print(const BenchRow& row, double busy, QFile* csv)
{
    const char* verdict = !row.isMet ? "" : *row.isMet ? "met" : "MISSED";
    std::printf("%s | %s\n    %s\n    %s%s%s%sload %.1f\n", qPrintable(row.quantity), qPrintable(row.condition),
        qPrintable(row.measured), row.isMet ? "budget: " : "", qPrintable(row.budget), row.isMet ? ": " : "",
        row.isMet ? (std::string(verdict) + "; ").c_str() : "", busy);
    std::fflush(stdout);
    if (csv == nullptr)
        return;
    QString line;
    for (const QString& cell :
        { row.quantity, row.condition, row.measured, row.budget, QString(verdict), QString::number(busy, 'f', 1) })
        line += (line.isEmpty() ? "\"" : ",\"") + cell + "\"";
    csv->write(line.toUtf8() + "\n");
    csv->flush();
}

// Repeats the measurement as often as requested, and keeps the best value of each line.
void runMeasure(const Measure& what, const BenchOptions& options, int attempts, QFile* csv)
{
    std::vector<BenchRow> best;
    std::vector<double> busy;
    for (int attempt = 0; attempt < (what.isRepeated ? attempts : 1); ++attempt) {
        const std::vector<BenchRow> rows = what.measure(options);
        best.resize(rows.size());
        busy.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (attempt == 0 || rows[i].key < best[i].key) {
                best[i] = rows[i];
                busy[i] = load();
            }
        }
    }
    for (std::size_t i = 0; i < best.size(); ++i)
        print(best[i], busy[i], csv);
}

} // namespace

int main(int count, char** arguments)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    BenchOptions options;
    bool isQuick = false;
    int attempts = 3, width = 1280, height = 720;
    std::uint32_t clusterOf = 0;
    std::vector<std::string> only;
    std::string csvPath;
    CLI::App app("The budgets of the window, measured on this machine.");
    std::vector<std::string> names;
    for (const Measure& measure : kMeasures)
        names.emplace_back(measure.name);
    app.add_option("what", only, "Only these: ingest, frames, cluster, pixel, recording, memory, idle")
        ->check(CLI::IsMember(names));
    app.add_flag("--quick", isQuick, "Each once and short: about three minutes");
    const auto* attemptsSaid = app.add_option("--attempts", attempts, "Of each measurement; the best counts")
                                   ->check(CLI::Range(1, 20));
    const auto* secondsSaid = app.add_option("--seconds", options.seconds, "Of a measurement of frames, or idle")
                                  ->check(CLI::Range(0.5, 3600.0));
    const auto* ingestSaid = app.add_option("--ingest-seconds", options.ingestSeconds, "Of the ingest at full rate")
                                 ->check(CLI::Range(0.5, 3600.0));
    const auto* memorySaid = app.add_option("--memory-seconds", options.memorySeconds,
                                    "Of the measurement of memory; an hour is extrapolated from it")
                                 ->check(CLI::Range(10.0, 86400.0));
    const auto* eventsSaid = app.add_option("--events", options.events, "Of the long recording")
                                 ->check(CLI::Range(10'000, 100'000'000));
    app.add_option("--rate", options.rate, "Events a second of the frames")->check(CLI::Range(1, 1'000'000));
    app.add_option("--buckets", options.buckets, "Data buckets of the frames")->check(CLI::Range(2, 1'000));
    app.add_option("--width", width, "Of the window")->check(CLI::Range(640, 8'000));
    app.add_option("--height", height, "Of the window")->check(CLI::Range(400, 8'000));
    app.add_option("--csv", csvPath, "Also writes the table to this file");
    app.add_option("--play-cluster", clusterOf, "Is the cluster that is watched; used by this program itself")
        ->group("");
    CLI11_PARSE(app, count, arguments);
    if (clusterOf > 0)
        return playCluster(clusterOf);
    const auto shorten = [isQuick](const CLI::Option* said, auto& value, auto quick) {
        value = isQuick && said->empty() ? quick : value;
    };
    shorten(attemptsSaid, attempts, 1);
    shorten(secondsSaid, options.seconds, 3.0);
    shorten(ingestSaid, options.ingestSeconds, 5.0);
    shorten(memorySaid, options.memorySeconds, 60.0);
    shorten(eventsSaid, options.events, std::uint64_t(200'000));
    options.size = { width, height };
    QApplication application(count, arguments);
    QApplication::setStyle(new FieldStyle);
    Theme::registerFonts();
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        if (type != QtDebugMsg && type != QtInfoMsg && !text.contains(QLatin1String("propagateSizeHints")))
            std::fprintf(stderr, "%s\n", qPrintable(text));
    });
    QFile csv(QString::fromStdString(csvPath));
    if (!csvPath.empty() && !csv.open(QIODevice::WriteOnly | QIODevice::Truncate))
        benchFailed(csv.fileName() + QStringLiteral(" cannot be written: ") + csv.errorString());
    std::printf("%s; %s; window %d x %d, offscreen raster; load average %.1f; %s\n", qPrintable(machineShown()),
        qPrintable(commitShown()), width, height, load(),
        attempts == 1 ? "one attempt" : "the best of several attempts");
    std::fflush(stdout);
    for (const Measure& measure : kMeasures) {
        if (only.empty() || std::find(only.begin(), only.end(), measure.name) != only.end())
            runMeasure(measure, options, attempts, csvPath.empty() ? nullptr : &csv);
    }
    return 0;
}

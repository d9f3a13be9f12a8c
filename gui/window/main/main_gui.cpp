// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-gui: the window.
#include "common/number_words.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/export/play_printer.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/replay/unsaved_store.h"
#include "gui/lab/tables/chart_svg.h"
#include "gui/view/charts/measure_view.h"
#include "gui/view/paint/field_style.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/main/main_window.h"
#include "gui/window/start/scenario_pictures.h"
#include "gui/window/show/window_time.h"
#include "gui/window/widgets/screen_place.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <string_view>

extern const char kProgramCommit[]; // program_commit.cmake

namespace {

using namespace lhrs::gui;

constexpr int kExitUsage = 2;
constexpr int kLastMovement = 15'000; // milliseconds for the picture to come to rest at the end
constexpr int kLastEvent = 60'000; // milliseconds to show the last event

int usage(const QString& sentence)
{
    std::fprintf(stderr, "lhrs-gui: %s\n", qPrintable(sentence));
    return kExitUsage;
}

// The scenarios in the source directory of a build tree, or where they are installed.
QString scenarioDirectory()
{
    for (const QString& path : { QStringLiteral("scenarios"), QStringLiteral(LHRS_SCENARIO_DIR),
             QCoreApplication::applicationDirPath() + QStringLiteral("/../share/lhrs/scenarios") }) {
        if (QFileInfo(path).isDir())
            return QDir::cleanPath(QFileInfo(path).absoluteFilePath());
    }
    return QStringLiteral("scenarios");
}

// Plays the scenario to its end, waits until the picture is at rest, saves it, and prints what happened. `folder`:
// where its tables are written; null: nowhere.
int takePicture(MainWindow& window, const QString& file, ResultFolder* folder, QSize size)
{
    PlayPrinter printer(stdout);
    window.director().setSpeed(Director::kInstant);
    if (folder != nullptr) {
        ScriptSettings& settings = window.player().run().settings();
        settings.run = folder->facts().run;
        settings.results = folder;
    }
    window.time().setScriptListener(printer);
    window.resize(size);
    window.show();
    int code = 0;
    bool isOver = false;
    std::uint64_t last = 0; // event of the run
    QElapsedTimer since;
    const auto finish = [&] {
        const bool isMoving = window.pacer().isBusy() || window.canvas().isMoving();
        const bool isBehind = window.pacer().shownUpTo() < last; // a busy machine has not shown the end yet
        if (!isOver || !window.director().isOver() || (isMoving && since.elapsed() < kLastMovement)
            || (isBehind && since.elapsed() < kLastEvent))
            return;
        const ScriptResult result = window.player().run().engine().result();
        const ScriptEngine& engine = window.player().run().engine();
        printer.summary(result, engine.tables());
        code = int(result.outcome);
        QString error;
        if (folder != nullptr) {
            for (const MeasureChart& chart : engine.charts().drawn(engine.tables(), engine.identity().isSimulated))
                if (error.isEmpty())
                    error = writeMeasureChart(
                        folder->directory() + '/' + chart.id + ".png", chart, chartOrigin(engine.identity()));
            if (error.isEmpty())
                error = printer.finishTables(*folder, engine.tables(), engine.charts(), outcomeWord(result.outcome));
        }
        if (!error.isEmpty())
            code = usage(error);
        window.clock().step(0.5); // updates status and lists for the end too
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        if (window.savePicture(file)) {
            std::printf("picture: %s\n", qPrintable(QFileInfo(file).absoluteFilePath()));
        } else {
            const int unwritten = usage(QStringLiteral("the picture cannot be written to %1").arg(file));
            code = code == 0 ? unwritten : code;
        }
        QCoreApplication::exit(code);
    };
    QObject::connect(&window.player(), &Player::finished, &window, [&] {
        isOver = true;
        last = window.cluster().committed();
        since.start();
    });
    QTimer wait;
    QObject::connect(&wait, &QTimer::timeout, &window, finish);
    wait.start(100);
    window.player().runToEnd();
    if (!window.player().run().hasBegun()) // it did not begin, so finished() would never come
        return usage(window.player().words().caption);
    return QCoreApplication::exec();
}

// The facts of a scenario that is played to its end. `simulated`: null for real processes.
RunFacts factsOf(MainWindow& window, std::uint64_t seed, const SimulatedOptions* simulated)
{
    RunFacts facts = window.run();
    facts.scenario = window.player().scenario().file;
    facts.seed = QString::number(seed);
    const QString seedOfCluster = simulated != nullptr ? QString::number(simulated->seed) : QString();
    facts.inputs = inputsDigest(window.player().scenario().source, {}, seed,
        { simulated != nullptr ? "simulated" : "real", "lhrs-gui", seedOfCluster });
    if (simulated != nullptr) {
        facts.isSimulated = true;
        facts.run = simulatedRunId(facts.inputs);
        facts.started.clear();
        facts.host.clear();
    }
    return facts;
}

// Writes everything that can be exported from a recording, and prints what was written. Nothing is shown on a screen.
int exportRecording(MainWindow& window, const QString& file, const QString& directory, FolderUse use, QSize size)
{
    window.clock().stop(); // frames are computed on demand, so that the same file gives the same pictures
    window.resize(size);
    window.show();
    if (const QString problem = window.files().openRecording(file); !problem.isEmpty())
        return usage(problem);
    const ExportResult result = window.exportAll(directory, use);
    for (const QString& name : result.written)
        std::printf("written: %s\n", qPrintable(directory + '/' + name));
    for (const QString& note : result.notes)
        std::printf("%s\n", qPrintable(note));
    // Everything available has been written; missing parts are reported, and the exit code tells scripts.
    if (!result.problem.isEmpty() || !result.damage.isEmpty())
        return usage(!result.problem.isEmpty() ? result.problem : result.damage);
    return 0;
}

// Writes the pictures of the start page's cards: for one scenario, or for all.
int writeCards(const QString& scenario, const QString& directory)
{
    QStringList written;
    const QString problem = scenario.isEmpty() ? writeAllCardPictures(scenarioDirectory(), directory, written)
                                               : writeCardPictures(scenario, directory);
    if (!scenario.isEmpty() && problem.isEmpty())
        written << QFileInfo(scenario).completeBaseName();
    for (const QString& name : written)
        std::printf("written: %s/%s_light.png and _dark.png\n", qPrintable(directory), qPrintable(name));
    return problem.isEmpty() ? 0 : usage(problem);
}

// Without a screen, Qt prints a warning at each change of the window's size hints.
void ignoreSizeHints()
{
    static QtMessageHandler rest = nullptr;
    rest = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& text) {
        if (!text.contains(QLatin1String("propagateSizeHints")))
            rest(type, context, text);
    });
}

} // namespace

int main(int count, char** arguments)
{
    const auto isGiven = [&](std::initializer_list<std::string_view> options) {
        return std::any_of(arguments + 1, arguments + count, [&](const char* word) {
            return std::any_of(options.begin(), options.end(),
                [&](std::string_view option) { return std::string_view(word).starts_with(option); });
        });
    };
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && !isGiven({ "-platform" })) {
        const bool hasScreen = !qEnvironmentVariableIsEmpty("DISPLAY")
            || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
        // An export never needs a screen. Text on the terminal and a picture can do without one if there is none.
        const bool isForTerminal = isGiven({ "--help", "-h", "--version", "-v", "--screenshot" });
        if (isGiven({ "--export", "--card-pictures" }) || (!hasScreen && isForTerminal))
            qputenv("QT_QPA_PLATFORM", "offscreen");
        else if (!hasScreen) // without this, Qt would abort
            return usage(QStringLiteral("there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY "
                                        "is set); --screenshot and --export need none, nor does lhrs-play."));
    }
    setProgramCommit(kProgramCommit);
    QApplication application(count, arguments);
    if (QGuiApplication::platformName() == QLatin1String("offscreen"))
        ignoreSizeHints();
    QApplication::setApplicationName(QStringLiteral("lhrs-gui"));
    QApplication::setApplicationVersion(QStringLiteral(LHRS_VERSION));
    QApplication::setStyle(new FieldStyle);
    Theme::registerFonts();

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("The window onto an LH*RS cluster."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption local(
        QStringLiteral("local"), QStringLiteral("Start a cluster of processes on this computer."));
    const QCommandLineOption sim(
        QStringLiteral("sim"), QStringLiteral("Start a simulated cluster, or play the scenario on one."));
    const QCommandLineOption seed(
        QStringLiteral("seed"), QStringLiteral("With --sim: its seed."), QStringLiteral("N"), QStringLiteral("1"));
    const QCommandLineOption speed(QStringLiteral("speed"),
        QStringLiteral("With --sim: virtual time to real time, 0.001 to 100, or max."), QStringLiteral("X"),
        QStringLiteral("1"));
    const QCommandLineOption testCase(
        QStringLiteral("case"), QStringLiteral("With --sim: watch the case that the seed stands for in the tests."));
    const QCommandLineOption messages(QStringLiteral("messages"),
        QStringLiteral("With --case: its messages, too, which may make another run of it."));
    const QCommandLineOption connect(QStringLiteral("connect"),
        QStringLiteral("Watch a running cluster: control endpoint of its coordinator."), QStringLiteral("HOST:PORT"));
    const QCommandLineOption play(QStringLiteral("play"),
        QStringLiteral("Load this scenario; it stops before its first step."), QStringLiteral("FILE"));
    const QCommandLineOption theme(QStringLiteral("theme"),
        QStringLiteral("light, dark, light-contrast, dark-contrast or system; else what was chosen the last time."),
        QStringLiteral("THEME"), QStringLiteral("system"));
    const QCommandLineOption fontScale(QStringLiteral("font-scale"),
        QStringLiteral("Size of all text, 0.8 to 2.5; else what was chosen the last time."), QStringLiteral("N"),
        QStringLiteral("1"));
    const QCommandLineOption presenter(
        QStringLiteral("presenter"), QStringLiteral("Present: full screen for the hall, notes on the other screen."));
    const QCommandLineOption projector(
        QStringLiteral("projector"), QStringLiteral("150 %, light, thick lines, fewer layers."));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"),
        QStringLiteral("Play the scenario to its end, save the window as a picture, print the summary and exit."),
        QStringLiteral("FILE.png"));
    const QCommandLineOption csv(QStringLiteral("csv"),
        QStringLiteral("With --screenshot: write the tables of measurements into this directory."),
        QStringLiteral("DIR"));
    const QCommandLineOption append(QStringLiteral("append"),
        QStringLiteral("With --csv or --export: add the run to the results that the directory has."));
    const QCommandLineOption overwrite(QStringLiteral("overwrite"),
        QStringLiteral("With --csv or --export: remove the results that the directory has."));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window in pixels."),
        QStringLiteral("WxH"), QStringLiteral("1280x720"));
    const QCommandLineOption workspace(QStringLiteral("workspace"),
        QStringLiteral("lecture, inspect, measure, write, space-time, faults, invariants or gate."),
        QStringLiteral("NAME"), QStringLiteral("lecture"));
    const QCommandLineOption open(QStringLiteral("open"), QStringLiteral("Show this recording; no cluster is needed."),
        QStringLiteral("FILE.lhrun"));
    const QCommandLineOption record(QStringLiteral("record"),
        QStringLiteral("Record the run into this file, which must not exist."), QStringLiteral("FILE.lhrun"));
    const QCommandLineOption tour(
        QStringLiteral("tour"), QStringLiteral("Take the tour, or go on with it where it was left."));
    const QCommandLineOption exported(QStringLiteral("export"),
        QStringLiteral(
            "Write the tables (CSV), the ShiViz log and pictures of this recording into a directory, and exit."),
        QStringLiteral("FILE.lhrun"));
    const QCommandLineOption out(
        QStringLiteral("out"), QStringLiteral("With --export: the directory."), QStringLiteral("DIR"));
    const QCommandLineOption cards(QStringLiteral("card-pictures"),
        QStringLiteral("Make the pictures of the start page in this directory, of all scenarios or of --play; exit."),
        QStringLiteral("DIR"));
    parser.addOptions({ cards, presenter, projector, exported, out, local, sim, seed, speed, testCase, messages,
        connect, open, record, play, tour, theme, fontScale, screenshot, csv, append, overwrite, size, workspace });
    parser.process(application);
    if (!parser.positionalArguments().isEmpty())
        return usage(QStringLiteral("“%1” is not understood; --help lists the options.")
                         .arg(parser.positionalArguments().constFirst()));

    MainWindow::Options options;
    // A picture of a run must not depend on the desktop or on the person's settings.
    const bool isForFile = parser.isSet(exported) || parser.isSet(screenshot);
    if (!isForFile) {
        options.settingsPath = Remembered::usualPath();
        options.unsavedDirectory = UnsavedStore::usualDirectory();
    }
    const QString themeName = parser.value(theme);
    using Choice = MainWindow::ThemeChoice;
    if (themeName == QLatin1String("light") || themeName == QLatin1String("light-contrast"))
        options.theme = Choice::Light;
    else if (themeName == QLatin1String("dark") || themeName == QLatin1String("dark-contrast"))
        options.theme = Choice::Dark;
    else if (themeName != QLatin1String("system"))
        return usage(
            QStringLiteral("--theme %1: write light, dark, light-contrast, dark-contrast or system.").arg(themeName));
    else if (parser.isSet(exported))
        options.theme = Choice::Light;
    else if (parser.isSet(theme))
        options.theme = Choice::System;
    if (parser.isSet(theme))
        options.isHighContrast = themeName.endsWith(QLatin1String("-contrast"));
    const auto scale = lhrs::readNumber<double>(
        parser.value(fontScale).toStdString(), Theme::kFontScaleMin, Theme::kFontScaleMax);
    if (!scale)
        return usage(QStringLiteral("--font-scale %1: write a number from 0.8 to 2.5.").arg(parser.value(fontScale)));
    if (parser.isSet(fontScale))
        options.fontScale = *scale;
    if (parser.isSet(projector) && (parser.isSet(theme) || parser.isSet(fontScale)))
        return usage(QStringLiteral(
            "--projector is a theme and a size of its own: --theme and --font-scale do not go with it."));
    if (parser.isSet(presenter) && isForFile)
        return usage(QStringLiteral("--presenter is for a hall: --screenshot and --export do not go with it."));
    const QStringList sides = parser.value(size).split(QLatin1Char('x'));
    const auto wide = lhrs::readNumber(sides.value(0).toStdString(), 640, 8192),
               high = lhrs::readNumber(sides.value(1).toStdString(), 400, 8192);
    if (sides.size() != 2 || !wide || !high)
        return usage(
            QStringLiteral("--size %1: write WIDTHxHEIGHT, for example 1280x720; at least 640x400, at most 8192x8192.")
                .arg(parser.value(size)));
    const QSize pixels(*wide, *high);
    if (int(parser.isSet(local)) + int(parser.isSet(connect)) + int(parser.isSet(sim)) > 1)
        return usage(QStringLiteral("--local, --sim and --connect exclude each other."));
    if (!parser.isSet(sim) && (parser.isSet(seed) || parser.isSet(speed) || parser.isSet(testCase)))
        return usage(QStringLiteral("--seed, --speed and --case are for a simulated cluster; write --sim, too."));
    if (parser.isSet(messages) && !parser.isSet(testCase))
        return usage(QStringLiteral("--messages is for a case; write --case, too."));
    if (parser.isSet(testCase) && parser.isSet(play))
        return usage(QStringLiteral("--case plays what the seed says, so no scenario can be played on it."));
    const auto drawn = lhrs::readSeed(parser.value(seed).toStdString());
    if (!drawn)
        return usage(
            QStringLiteral("--seed %1: write a number such as 7 or 0x5e1f09, below 2^64.").arg(parser.value(seed)));
    const bool isFastest = parser.value(speed) == QLatin1String("max");
    const auto factor = lhrs::readNumber<double>(isFastest ? "1" : parser.value(speed).toStdString(), 0.001, 100);
    if (!factor)
        return usage(QStringLiteral("--speed %1: write a number from 0.001 to 100, or max.").arg(parser.value(speed)));
    const SimulatedOptions simulated { *drawn, isFastest ? 0 : *factor, parser.isSet(testCase),
        parser.isSet(messages) };
    if (parser.isSet(connect))
        if (const auto endpoint = endpointOf(parser.value(connect).toStdString()); !endpoint)
            return usage(QStringLiteral("--connect: ") + QString::fromStdString(endpoint.error().text));
    if (parser.isSet(open)
        && (parser.isSet(local) || parser.isSet(sim) || parser.isSet(connect) || parser.isSet(play)
            || parser.isSet(record)))
        return usage(QStringLiteral(
            "--open shows a run that is over: --local, --sim, --connect, --play and --record do not go with it."));
    if (parser.isSet(screenshot) && !parser.isSet(play))
        return usage(QStringLiteral("--screenshot needs --play: the picture is that of a scenario's end."));
    if (parser.isSet(csv) && !parser.isSet(screenshot))
        return usage(QStringLiteral("--csv needs --screenshot: the tables are those of a scenario played to its end."));
    if (parser.isSet(append) && parser.isSet(overwrite))
        return usage(QStringLiteral("--append and --overwrite exclude each other."));
    if ((parser.isSet(append) || parser.isSet(overwrite)) && !parser.isSet(csv) && !parser.isSet(exported))
        return usage(QStringLiteral("--append and --overwrite say what becomes of results in the directory of --csv or "
                                    "--out; write one of these, too."));
    const bool hasOther = std::ranges::any_of(std::array { &local, &sim, &connect, &open, &play, &exported },
        [&](const auto* option) { return parser.isSet(*option); });
    if (parser.isSet(tour) && hasOther)
        return usage(QStringLiteral("--tour starts a cluster of its own: --local, --sim, --connect, --open, --play and "
                                    "--export do not go with it."));
    if (parser.isSet(exported) != parser.isSet(out))
        return usage(QStringLiteral("--export FILE.lhrun and --out DIR go together."));
    if (parser.isSet(exported)
        && (parser.isSet(local) || parser.isSet(connect) || parser.isSet(play) || parser.isSet(record)
            || parser.isSet(open)))
        return usage(QStringLiteral(
            "--export reads a recording and ends: --local, --connect, --open, --play and --record do not go with it."));
    options.scenarioDirectory = scenarioDirectory();
    options.recordPath = parser.value(record);
    if (parser.isSet(record) && QFile::exists(options.recordPath))
        return usage(
            QStringLiteral("--record %1: this file exists already; name another one.").arg(options.recordPath));

    using Workspace = MainWindow::Workspace;
    const std::map<QString, Workspace> workspaces { { QStringLiteral("lecture"), Workspace::Lecture },
        { QStringLiteral("inspect"), Workspace::Inspect }, { QStringLiteral("measure"), Workspace::Measure },
        { QStringLiteral("write"), Workspace::Write }, { QStringLiteral("space-time"), Workspace::SpaceTime },
        { QStringLiteral("faults"), Workspace::Faults }, { QStringLiteral("invariants"), Workspace::Invariants },
        { QStringLiteral("gate"), Workspace::Gate } };
    const auto chosen = workspaces.find(parser.value(workspace));
    if (chosen == workspaces.end())
        return usage(QStringLiteral("--workspace %1: write %2").arg(parser.value(workspace), workspace.description()));

    if (parser.isSet(cards))
        return writeCards(parser.value(play), parser.value(cards));

    MainWindow window(options);
    if (parser.isSet(projector))
        window.looks().setProjector(true);
    if (chosen->second != Workspace::Lecture)
        window.setWorkspace(chosen->second);
    ScriptSettings& settings = window.player().run().settings();
    settings.mayStartCluster = !parser.isSet(connect);
    if (parser.isSet(play))
        settings.paperDirectory = QFileInfo(parser.value(play)).absolutePath() + QStringLiteral("/paper");
    const FolderUse use = parser.isSet(overwrite) ? FolderUse::Overwrite
        : parser.isSet(append)                    ? FolderUse::Append
                                                  : FolderUse::New;
    if (parser.isSet(exported))
        return exportRecording(window, parser.value(exported), parser.value(out), use, pixels);
    // Opened before anything is started: without a place for the results, nothing is measured.
    std::unique_ptr<ResultFolder> folder;
    if (parser.isSet(csv)) {
        auto opened = ResultFolder::open(parser.value(csv), use);
        if (!opened)
            return usage(QString::fromStdString(opened.error().text));
        folder = std::move(*opened);
    }
    if (parser.isSet(sim))
        window.start().preferSimulated(simulated);
    if (parser.isSet(connect))
        window.start().connectTo(parser.value(connect));
    // A text that is not a valid program stays in the editor, where it can be corrected.
    if (parser.isSet(play) && !window.files().openScenario(parser.value(play), !parser.isSet(screenshot))
        && (parser.isSet(screenshot) || window.editor().path().isEmpty()))
        return usage(window.player().words().caption);
    if (folder)
        if (const QString problem = folder->begin(
                factsOf(window, settings.seed, parser.isSet(sim) ? &simulated : nullptr));
            !problem.isEmpty())
            return usage(problem);
    if (parser.isSet(screenshot))
        return takePicture(window, parser.value(screenshot), folder.get(), pixels);
    if (parser.isSet(local) && !parser.isSet(play))
        window.start().startHere();
    if (parser.isSet(sim) && !parser.isSet(play))
        window.start().startHere(simulated);
    if (parser.isSet(open))
        if (const QString problem = window.files().openRecording(parser.value(open)); !problem.isEmpty())
            return usage(problem);
    // A default size must fit on the screen.
    constexpr QMargins kFrame(4, 32, 4, 4); // of the desktop; the real frame is known only once the window is shown
    window.resize(
        parser.isSet(size) ? pixels : fitOnScreens(QRect(QPoint(), pixels), screensNow().mid(0, 1), kFrame).size());
    window.show();
    if (parser.isSet(tour))
        window.tour().start();
    if (parser.isSet(presenter))
        window.setPresenting(true);
    return QApplication::exec();
}

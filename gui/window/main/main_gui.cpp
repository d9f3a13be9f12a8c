// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-gui: the window.
#include "gui/lab/live/ingest.h"
#include "gui/lab/export/play_printer.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/tables/chart_svg.h"
#include "gui/view/charts/measure_view.h"
#include "gui/view/paint/field_style.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/main/gui_options.h"
#include "gui/window/show/window_time.h"
#include "gui/window/start/lhrs/file_cards.h"
#include "gui/window/widgets/screen_place.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
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
             QCoreApplication::applicationDirPath() + QStringLiteral("/../share/lhrs-lab/scenarios") }) {
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
                        folder->directory() + '/' + chart.id + ".png", chart, chartOrigin(engine.identity(), &chart));
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
        last = window.cluster().session().ingest().committed();
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
    const QString problem = scenario.isEmpty()
        ? writeAllCardPictures(scenarioDirectory(), directory, fileCards(), written)
        : writeCardPictures(scenario, directory, fileCards());
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

// Chooses the platform before Qt does. Returns why there is none, as a sentence.
QString choosePlatform(int count, char** arguments)
{
    const auto isGiven = [&](std::initializer_list<std::string_view> options) {
        return std::any_of(arguments + 1, arguments + count, [&](const char* word) {
            return std::any_of(options.begin(), options.end(),
                [&](std::string_view option) { return std::string_view(word).starts_with(option); });
        });
    };
    if (!qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") || isGiven({ "-platform" }))
        return {};
    const bool hasScreen = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
    // An export never needs a screen. Text on the terminal and a picture can do without one if there is none.
    const bool isForTerminal = isGiven({ "--help", "-h", "--version", "-v", "--screenshot" });
    if (isGiven({ "--export", "--card-pictures" }) || (!hasScreen && isForTerminal))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    else if (!hasScreen) // without this, Qt would abort
        return QStringLiteral("there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set); "
                              "--screenshot and --export need none, nor does lhrs-play.");
    return {};
}

void prepare(MainWindow& window, const GuiOptions& options)
{
    if (options.isSet("projector"))
        window.looks().setProjector(true);
    if (options.workspace != Workspace::Lecture)
        window.setWorkspace(options.workspace);
    ScriptSettings& settings = window.player().run().settings();
    settings.mayStartCluster = !options.isSet("connect");
    if (options.isSet("play"))
        settings.paperDirectory = QFileInfo(options.value("play")).absolutePath() + QStringLiteral("/paper");
}

// Begins what was asked for before the window is visible. Returns why it cannot begin, as a sentence.
QString begin(MainWindow& window, const GuiOptions& options)
{
    if (options.isSet("sim"))
        window.start().preferSimulated(options.simulated);
    if (options.isSet("hosts"))
        window.start().preferHosts(options.hosts);
    if (options.isSet("connect"))
        window.start().connectWith(options.value("connect"), options.value("key-file"));
    if (options.isSet("play")) {
        // A text that is not a valid program stays in the editor, where it can be corrected.
        const bool isForFile = options.isSet("screenshot");
        if (!window.files().openScenario(options.value("play"), !isForFile)
            && (isForFile || window.editor().path().isEmpty()))
            return window.player().words().caption;
        return {};
    }
    if (options.isSet("local"))
        window.start().startHere();
    if (options.isSet("sim"))
        window.start().startHere(options.simulated);
    return options.isSet("open") ? window.files().openRecording(options.value("open")) : QString();
}

// Plays the scenario to its end for a picture, and for its tables if they are asked for.
int report(MainWindow& window, const GuiOptions& options)
{
    // Opened before anything is started: without a place for the results, nothing is measured.
    std::unique_ptr<ResultFolder> folder;
    if (options.isSet("csv")) {
        auto opened = ResultFolder::open(options.value("csv"), options.use);
        if (!opened)
            return usage(QString::fromStdString(opened.error().text));
        folder = std::move(*opened);
    }
    if (const QString problem = begin(window, options); !problem.isEmpty())
        return usage(problem);
    if (folder)
        if (const QString problem = folder->begin(factsOf(
                window, window.player().run().settings().seed, options.isSet("sim") ? &options.simulated : nullptr));
            !problem.isEmpty())
            return usage(problem);
    return takePicture(window, options.value("screenshot"), folder.get(), options.size);
}

// Shows the window until the person closes it.
int show(MainWindow& window, const GuiOptions& options)
{
    if (const QString problem = begin(window, options); !problem.isEmpty())
        return usage(problem);
    // A default size must fit on the screen.
    constexpr QMargins kFrame(4, 32, 4, 4); // of the desktop; the real frame is known only once the window is shown
    window.resize(options.isSet("size")
            ? options.size
            : fitOnScreens(QRect(QPoint(), options.size), screensNow().mid(0, 1), kFrame).size());
    window.show();
    if (options.isSet("tour"))
        window.tour().start();
    if (options.isSet("presenter"))
        window.setPresenting(true);
    return QApplication::exec();
}

} // namespace

int main(int count, char** arguments)
{
    if (const QString problem = choosePlatform(count, arguments); !problem.isEmpty())
        return usage(problem);
    setProgramCommit(kProgramCommit);
    QApplication application(count, arguments);
    if (QGuiApplication::platformName() == QLatin1String("offscreen"))
        ignoreSizeHints();
    QApplication::setApplicationName(QStringLiteral("lhrs-gui"));
    QApplication::setApplicationVersion(QStringLiteral(LHRS_VERSION));
    QApplication::setStyle(new FieldStyle);
    Theme::registerFonts();

    GuiOptions options;
    if (const QString problem = options.read(application); !problem.isEmpty())
        return usage(problem);
    options.window.scenarioDirectory = scenarioDirectory();
    if (options.isSet("card-pictures"))
        return writeCards(options.value("play"), options.value("card-pictures"));
    MainWindow window(options.window);
    prepare(window, options);
    if (options.isSet("export"))
        return exportRecording(window, options.value("export"), options.value("out"), options.use, options.size);
    return options.isSet("screenshot") ? report(window, options) : show(window, options);
}

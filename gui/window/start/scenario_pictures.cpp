// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/scenario_pictures.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/script/script_engine.h"
#include "gui/lab/local/session.h"
#include "gui/view/systems/view_systems.h"
#include "gui/window/start/scenario_cards.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImageWriter>
#include <QPainter>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

namespace lhrs::gui {

namespace {

using namespace std::chrono_literals;

constexpr QSize kCardView(400, 225); // pixels at 100 % in which the cluster is drawn
constexpr qreal kCardScale = 1.28; // of the picture: 512 x 288
constexpr int kCardColours = 24;
constexpr std::uint64_t kCardSeed = 7;
constexpr int kTries = 4;
constexpr auto kCardLimit = 300s; // for playing one scenario

// The instant to show: the first one that tells most.
Result<ClusterState> tellingState(Recording& recording)
{
    const std::uint64_t end = recording.events();
    Result<ClusterState> last = recording.stateAt(end);
    if (!last)
        return last;
    const SystemWords& words = wordsOf(*last);
    const std::vector<int> telling = words.tellingKinds();
    std::uint64_t best = end, at = 0;
    std::int64_t most = 0;
    ClusterState state;
    const auto next = [&] { return recording.nextOf(telling, at, false); };
    for (std::uint64_t event = next(); event != 0; event = next()) {
        if (!recording.fold(state, at, event))
            return Error { "its events cannot be read" };
        at = event;
        if (const std::int64_t told = words.tellingOf(state); told > most) {
            most = told;
            best = at;
        }
    }
    return best == end ? last : recording.stateAt(best);
}

// Reduces the image to its most frequent colours, so that the file is small.
QImage withFewColours(const QImage& image)
{
    std::map<QRgb, int> count;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++count[image.pixel(x, y) | 0xff000000];
    std::vector<std::pair<int, QRgb>> order;
    for (const auto& [colour, pixels] : count)
        order.emplace_back(-pixels, colour);
    std::sort(order.begin(), order.end());
    QList<QRgb> table;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), kCardColours); ++i)
        table.append(order[i].second);
    return image.convertToFormat(QImage::Format_Indexed8, table, Qt::ThresholdDither | Qt::AvoidDither);
}

struct PlayedScenario {
    QString problem; // empty: all expectations held
    std::uint64_t lost = 0; // events
    QStringList tables;
    ClusterState state;
};

// Stops an exercise when it is the person's turn, so that the picture shows its beginning.
class UpToThePerson : public ScriptObserver {
public:
    ScriptEngine* engine = nullptr;
    std::atomic<bool> isReached = false;
    bool hasPerson() const override { return true; }
    void onExercise(const ExerciseShown&) override
    {
        isReached = true;
        engine->stop();
    }
};

PlayedScenario playOnce(const QString& name, const QString& source, const QString& paperDirectory, const CardRuns& runs)
{
    PlayedScenario played;
    QTemporaryDir folder;
    if (!folder.isValid()) {
        played.problem = QStringLiteral("there is no place for temporary files: %1").arg(folder.errorString());
        return played;
    }
    const QString file = folder.filePath(QStringLiteral("run.lhrun"));
    Session session;
    SimulatedOptions simulated;
    simulated.seed = kCardSeed;
    simulated.speed = 0;
    simulated.waitsForScript = true; // the run is decided by seed and calls
    session.local().preferSimulated(simulated);
    auto started = Recorder::start(file, {}, [&session] { return session.ingest().nowNs(); });
    if (!started) {
        played.problem = QString::fromStdString(started.error().text);
        return played;
    }
    const std::unique_ptr<Recorder> recorder = std::move(*started);
    session.ingest().recordTo(recorder.get());
    UpToThePerson observer;
    ScriptEngine engine(session, observer);
    observer.engine = &engine;
    ScriptSettings settings;
    settings.seed = kCardSeed;
    settings.paperDirectory = paperDirectory;
    settings.limit = kCardLimit;
    if (const auto shortened = runs.shortened.find(name); shortened != runs.shortened.end())
        settings.sets = shortened->second;
    engine.start(source, name + QStringLiteral(".js"), settings);
    engine.wait(kCardLimit * 2); // it reaches its own limit before
    const ScriptResult result = engine.result();
    played.lost = session.ingest().settledInvariants().lost + recorder->status().lost;
    session.ingest().recordTo(nullptr);
    const bool isPlayed = result.outcome == ScriptOutcome::Held
        || (observer.isReached && result.outcome == ScriptOutcome::Stopped);
    played.problem = isPlayed ? recorder->finish() : result.sentence();
    if (!played.problem.isEmpty())
        return played;
    played.tables = engine.tables().names();
    auto recording = Recording::open(file);
    auto state = recording ? tellingState(**recording) : Result<ClusterState>(recording.error());
    if (state)
        played.state = std::move(*state);
    else
        played.problem = QStringLiteral("%1: its run cannot be shown: %2")
                             .arg(name, QString::fromStdString(state.error().text));
    return played;
}

// A busy machine loses events of a long run; the picture would then differ from other times.
PlayedScenario playForCard(
    const QString& name, const QString& source, const QString& paperDirectory, const CardRuns& runs)
{
    PlayedScenario played;
    for (int tries = 0; tries < kTries; ++tries) {
        played = playOnce(name, source, paperDirectory, runs);
        if (!played.problem.isEmpty() || played.lost == 0)
            return played;
    }
    played.problem = QStringLiteral("%1: %2 events of its run were lost. Try again when the machine is less busy.")
                         .arg(name)
                         .arg(played.lost);
    return played;
}

QString writeCard(const QString& name, const PlayedScenario& played, const QString& directory)
{
    for (const Theme::Kind kind : { Theme::Kind::Light, Theme::Kind::Dark }) {
        const QString word = kind == Theme::Kind::Dark ? QStringLiteral("dark") : QStringLiteral("light");
        const QString path = QStringLiteral("%1/%2_%3.png").arg(directory, name, word);
        QImageWriter writer(path, "png");
        writer.setCompression(100);
        if (!played.tables.isEmpty())
            writer.setText(QStringLiteral("tables"), played.tables.join(QLatin1Char(' ')));
        if (!writer.write(withFewColours(cardImage(played.state, kind))))
            return QStringLiteral("%1 cannot be written: %2. Choose another place.").arg(path, writer.errorString());
    }
    return {};
}

} // namespace

namespace {

// The picture of a system that has none of its own for cards.
QImage cardOfView(SystemView& view, const ClusterState& state, Theme::Kind kind)
{
    constexpr qreal kLarge = 1.75; // its words need more room than a card has, and the picture says enough without them
    const QSize largeView = kCardView * kLarge;
    const Selection selection;
    const std::set<ProcessId> silent;
    const auto sightWith = [&](const Theme& theme) {
        SystemView::Sight sight { state, theme, selection, silent, QSizeF(largeView) };
        sight.layers.legend = sight.layers.waiting = false;
        return sight;
    };
    const Theme asked(kind);
    const Theme theme(kind, view.roomScale(sightWith(asked)));
    view.layout(sightWith(theme), false);
    DisplayList list(theme);
    view.drawResting(sightWith(theme), list);
    return list.toImage(largeView, kCardScale / kLarge, theme.canvas);
}

} // namespace

QImage cardImage(const ClusterState& state, Theme::Kind kind)
{
    if (const SystemCard card = cardFor(state))
        return card(state, kind, kCardView, kCardScale);
    const SystemViews views = systemViews();
    return cardOfView(viewFor(state, views), state, kind);
}

QString writeCardPictures(const QString& scenario, const QString& directory, const CardRuns& runs)
{
    QFile file(scenario);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
        return QStringLiteral("%1 cannot be read: %2.").arg(scenario, file.errorString());
    if (!QDir().mkpath(directory))
        return QStringLiteral("%1 cannot be made. Choose another directory.").arg(directory);
    const QString name = QFileInfo(scenario).completeBaseName();
    const PlayedScenario played = playForCard(
        name, QString::fromUtf8(file.readAll()), QFileInfo(scenario).absolutePath() + QStringLiteral("/paper"), runs);
    return played.problem.isEmpty() ? writeCard(name, played, directory) : played.problem;
}

QString writeAllCardPictures(
    const QString& scenarioDirectory, const QString& directory, const CardRuns& runs, QStringList& written)
{
    std::vector<ScenarioFile> files = scenariosIn(scenarioDirectory);
    const std::vector<ScenarioFile> exercises = scenariosIn(scenarioDirectory + QStringLiteral("/exercises"));
    files.insert(files.end(), exercises.begin(), exercises.end());
    for (const ScenarioFile& file : files) {
        if (const QString problem = writeCardPictures(file.path, directory, runs); !problem.isEmpty())
            return problem;
        written << QFileInfo(file.path).completeBaseName();
    }
    for (const auto& [name, source] : runs.freePlay) {
        const PlayedScenario played = playForCard(name, source, {}, runs);
        const QString problem = played.problem.isEmpty() ? writeCard(name, played, directory) : played.problem;
        if (!problem.isEmpty())
            return problem;
        written << name;
    }
    return {};
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The window's time: a recording without a cluster, the past of a running cluster, keys, mouse, and bad files.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/lab/invariant_story.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"
#include "gui/window/lhrs/invariant_panel.h"
#include "gui/window/main/main_window.h"
#include "gui/window/show/window_time.h"

#include <QAbstractItemModelTester>
#include <QDragEnterEvent>
#include <QFile>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;

MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

// A window on a cluster of sockets, with `count` records inserted one after the other.
struct Watching {
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window { options() };
    std::uint32_t inserted = 0;

    // This many more records in bucket 0, as published by its process.
    void tell(std::uint32_t count)
    {
        const DataBucketState bucket = window.cluster().session().ingest().state().data.at(0);
        std::vector<pb::Event> events(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i].mutable_place()->set_role(pb::DATA);
            auto* record = events[i].mutable_record_inserted();
            record->set_key(100'000 + ++inserted);
            record->set_rank(1'000 + inserted);
            record->set_count(bucket.count + i + 1);
            record->set_sequence(bucket.sequence + i + 1);
        }
        cluster.tell(bucket.process, std::move(events));
    }
    // At least this many, and all of them have arrived. False: they do not arrive.
    bool insert(std::uint32_t count)
    {
        const std::uint64_t before = window.cluster().session().ingest().committed();
        // The subscription may be later than the first events.
        if (!QTest::qWaitFor([&] { return tell(1), window.cluster().session().ingest().committed() > before; }, kLimit))
            return false;
        tell(count);
        return QTest::qWaitFor(
            [&] { return window.cluster().session().ingest().committed() > before + count; }, kLimit);
    }

    Watching()
    {
        window.show();
        window.start().connectTo(cluster.address());
    }
    bool isReady()
    {
        return QTest::qWaitFor(
            [&] { return window.cluster().link().state() == LinkState::Here && !window.pacer().state().data.empty(); },
            kLimit);
    }
};

} // namespace

class WindowTimeTest : public QObject {
    Q_OBJECT
private slots:
    void aRecordingIsShownWithoutACluster();
    void aFileThatIsDroppedIsOpened();
    void keysAndMouseMoveTheInstant();
    void aDamagedRecordingSaysWhatIsMissing();
    void aFrozenPictureStandsWhileTheClusterGoesOn();
    void theRunIsSavedWhileItGoesOn();
    void theTemporaryRecordingGoesWithTheWindow();
    void nothingIsClippedAt1280x720();
    void theInvariantsAreThoseOfTheShownInstant();
    void aRecordingTellsOfLongerTimeOuts();
    void aClusterThatIsStartedHereTellsHowLateItWasWoken();
};

void WindowTimeTest::aRecordingIsShownWithoutACluster()
{
    QTemporaryDir folder;
    const ClusterState end = makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QVERIFY(!window.showsCluster());
    // Text that is no instant is refused with a message, and nothing changes.
    QFile other(folder.filePath("picture.lhrun"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("<b>no recording</b>");
    other.close();
    QVERIFY2(window.files().openRecording(other.fileName()).contains("is not a recording"),
        qPrintable(window.files().openRecording(other.fileName())));
    QVERIFY(!window.showsCluster());
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    QVERIFY(window.showsCluster());
    QVERIFY(window.timeBar().isVisible());
    QVERIFY(!window.workloads().isVisible()); // there is no cluster to work on
    window.actions().get("follow")->trigger();
    window.clock().step(0.1);
    QCOMPARE(bytesOf(window.pacer().state()), bytesOf(end));
    QVERIFY(window.canvas().picture().toText().contains("Bucket"));
    QVERIFY2(window.timeBar().words().contains("PAUSED"), qPrintable(window.timeBar().words()));
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.3), window.status().text().contains("RECORDED")), kLimit);
    window.actions().get("closeRecording")->trigger();
    QVERIFY(!window.showsCluster());
}

void WindowTimeTest::aFileThatIsDroppedIsOpened()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    // Dragged over the window, and dropped if the window accepts it.
    const auto drag = [&](const QStringList& names) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& name : names)
            urls << QUrl::fromLocalFile(folder.filePath(name));
        data.setUrls(urls);
        QDragEnterEvent enters(
            QPoint(200, 200), Qt::MoveAction | Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enters.ignore();
        QApplication::sendEvent(&window, &enters);
        if (!enters.isAccepted())
            return false;
        QDropEvent drops(QPointF(200, 200), Qt::MoveAction | Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drops);
        return drops.dropAction() == Qt::CopyAction; // the file stays where it is
    };
    QVERIFY(!drag({ "picture.png" }) && !drag({ "run.lhrun", "run.lhrun" }) && !drag({}));
    QVERIFY(!window.timeLine().isReplay());
    QVERIFY(drag({ "run.lhrun" }));
    QVERIFY(window.timeLine().isReplay() && window.showsCluster());
    window.files().closeRecording();
    QVERIFY(drag({ "no.lhrun" })); // the file is gone
    QVERIFY(!window.timeLine().isReplay());
    QVERIFY2(window.labLine().text().contains("no.lhrun"), qPrintable(window.labLine().text()));
    window.actions().get("openScenario")->setEnabled(false);
    QVERIFY(drag({ "grow.js" }));
    QVERIFY2(window.labLine().text().contains("grow.js can be opened"), qPrintable(window.labLine().text()));
    QVERIFY(!window.player().isLoaded());
}

void WindowTimeTest::keysAndMouseMoveTheInstant()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.clock().step(0.1);
    TimeTrack& track = window.timeBar().track();
    const std::int64_t middle = (window.timeLine().beginNs() + window.timeLine().endNs()) / 2;
    const QPoint at(int(track.xOf(middle)), track.height() - 6);
    QTest::mousePress(&track, Qt::LeftButton, {}, at);
    window.clock().step(0.1);
    const std::int64_t pixel = track.nsAt(101) - track.nsAt(100);
    QVERIFY(std::abs(window.timeLine().cursorNs() - middle) <= 2 * pixel + 2'000); // events are 1 µs apart
    QTest::mouseMove(&track, QPoint(int(track.xOf(window.timeLine().endNs())), 20));
    window.clock().step(0.1);
    QCOMPARE(window.timeLine().cursor(), window.timeLine().newest());
    QTest::mouseRelease(&track, Qt::LeftButton);
    QVERIFY(!track.marks().empty());
    const TimeMark mark = track.marks().front();
    QCOMPARE(mark.look.glyph, Glyph::Fork);
    QTest::mouseClick(&track, Qt::LeftButton, {}, QPoint(int(track.xOf(mark.ns)), 5));
    QCOMPARE(window.timeLine().cursor(), mark.event);

    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.actions().get("toStart")->trigger();
    window.canvas().setFocus();
    TimeLine& time = window.timeLine();
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with = {}) {
        QTest::keyClick(&window.canvas(), key, with);
        window.clock().step(0.02);
    };
    press(Qt::Key_BracketRight);
    QCOMPARE(time.cursor(), std::uint64_t(1));
    press(Qt::Key_BracketRight);
    press(Qt::Key_BracketLeft);
    QCOMPARE(time.cursor(), std::uint64_t(1));
    press(Qt::Key_BraceRight);
    QVERIFY(time.cursor() > 1);
    press(Qt::Key_End);
    QCOMPARE(time.cursor(), time.newest());
    press(Qt::Key_Home);
    QCOMPARE(time.cursor(), std::uint64_t(0));
    time.setSpeed(TimeLine::kSlowest); // the run took less than a millisecond
    press(Qt::Key_Space);
    QCOMPARE(time.mode(), TimeLine::Mode::Play);
    press(Qt::Key_Space);
    QCOMPARE(time.mode(), TimeLine::Mode::Paused);
    QTest::mouseClick(window.timeBar().findChild<QPushButton*>("playPauseButton"), Qt::LeftButton);
    QCOMPARE(time.mode(), TimeLine::Mode::Play);
}

void WindowTimeTest::aDamagedRecordingSaysWhatIsMissing()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path);
    QVERIFY(QFile::resize(path, QFile(path).size() * 9 / 10));
    MainWindow window(options());
    window.show();
    const QString problem = window.files().openRecording(path);
    QCOMPARE(problem, QString());
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.3), window.status().text().contains("DAMAGED")), kLimit);
}

void WindowTimeTest::aFrozenPictureStandsWhileTheClusterGoesOn()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.clock().step(0.1);
    w.window.actions().get("freeze")->trigger();
    const std::uint64_t version = w.window.pacer().version();
    QVERIFY(w.insert(20));
    w.window.clock().step(0.05);
    QCOMPARE(w.window.pacer().version(), version);
    QVERIFY2(w.window.timeBar().words().contains("behind"), qPrintable(w.window.timeBar().words()));
    // Back to the beginning, and to the newest event again.
    w.window.actions().get("toStart")->trigger();
    w.window.clock().step(0.05);
    QCOMPARE(w.window.timeLine().trouble(), QString());
    QCOMPARE(w.window.timeLine().cursor(), std::uint64_t(0));
    w.window.actions().get("follow")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT((w.window.clock().step(0.05),
                                 w.window.pacer().state().data.at(0).count
                                     == w.window.cluster().session().ingest().state().data.at(0).count),
        kLimit);
    QCOMPARE(w.window.timeBar().words(), QString("FOLLOW"));
}

void WindowTimeTest::theRunIsSavedWhileItGoesOn()
{
    QTemporaryDir folder;
    Watching w;
    QVERIFY(w.isReady());
    QVERIFY(w.insert(21));
    const QString path = folder.filePath("kept.lhrun");
    QVERIFY2(w.window.time().save(path), qPrintable(w.window.labLine().text()));
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->damage(), QString());
    QVERIFY((*recording)->events() > 20);
    QVERIFY((*recording)->stateAt((*recording)->events()));
    QVERIFY2(w.window.time().save(path), qPrintable(w.window.labLine().text())); // replaces the former one
}

void WindowTimeTest::theTemporaryRecordingGoesWithTheWindow()
{
    QTemporaryDir home;
    const QByteArray former = qgetenv("XDG_STATE_HOME");
    qputenv("XDG_STATE_HOME", QFile::encodeName(home.path()));
    const QDir temp(home.filePath("lhrs-lab/recordings")); // not where memory may be used up
    const QStringList pattern { QStringLiteral("lhrs-%1-*.lhrun*").arg(QCoreApplication::applicationPid()) };
    {
        MainWindow window(options());
        QVERIFY(!temp.entryList(pattern, QDir::Files).isEmpty());
    }
    QCOMPARE(temp.entryList(pattern, QDir::Files), QStringList());
    // If nothing can be stored, the run goes on without a recording.
    qputenv("XDG_STATE_HOME", "/dev/null");
    const QByteArray temporary = qgetenv("TMPDIR");
    qputenv("TMPDIR", "/dev/null/nowhere");
    {
        MainWindow window(options());
        QVERIFY(!window.time().save(home.filePath("run.lhrun")));
        QVERIFY2(window.labLine().text().contains("is not recorded"), qPrintable(window.labLine().text()));
    }
    temporary.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", temporary);
    former.isEmpty() ? qunsetenv("XDG_STATE_HOME") : qputenv("XDG_STATE_HOME", former);
}

void WindowTimeTest::nothingIsClippedAt1280x720()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    for (const double scale : { 1.0, 1.5 }) {
        window.looks().setFontScale(scale);
        window.resize(1280, 720);
        window.show();
        QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
        window.actions().get("follow")->trigger();
        window.clock().step(0.1);
        QCOMPARE(window.size(), QSize(1280, 720));
        QVERIFY(window.timeBar().track().width() > 200);
        QCOMPARE(window.timeBar().track().height(), int(24 * scale)); // it follows the theme
        QVERIFY(!window.timeBar().findChild<QPushButton*>("playPauseButton")->icon().isNull());
        QCOMPARE(window.timeBar().y() + window.timeBar().height() <= window.centralWidget()->height(), true);
    }
}

void WindowTimeTest::theInvariantsAreThoseOfTheShownInstant()
{
    // A run in which an epoch falls, in the middle.
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    InvariantStory story = InvariantStory::honest();
    story.epoch(5);
    story.epoch(4);
    const std::uint64_t wrong = story.order.size();
    for (std::uint32_t rank = 10; rank < 20; ++rank)
        story.insert(2 * rank, rank);
    {
        const auto recorder = recorderAt(path, often(20));
        recorder->onKeyframe({}, 0);
        Feeder feeder { *recorder };
        feeder.isKept = false;
        feeder.story(story);
        QCOMPARE(recorder->finish(), QString());
    }
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QCOMPARE(window.files().openRecording(path), QString());
    window.actions().get("invariants")->trigger();
    QVERIFY(part<InvariantPanel>(window).isVisible() && window.canvas().isVisible());
    InvariantList& list = part<InvariantPanel>(window).list();
    QAbstractItemModelTester tester(list.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    const auto step = [&] { window.clock().step(0.5); };
    window.actions().get("toStart")->trigger();
    step();
    QCOMPARE(part<InvariantPanel>(window).summary(), QString("0 hold, 0 violated, 22 not checked"));
    window.actions().get("follow")->trigger();
    step();
    QCOMPARE(part<InvariantPanel>(window).summary(), QString("7 hold, 1 violated, 14 not checked"));
    QVERIFY2(window.status().text().contains("1 violated"), qPrintable(window.status().text()));
    QCOMPARE(list.invariantModel().invariant(14).state, InvariantState::Violated);
    const QString said = list.model()->index(14, 0).data(Qt::AccessibleTextRole).toString();
    QVERIFY2(
        said.startsWith("I15, epochs never fall back: violated, at 0.000 s: the epoch of group 0 fell from 5 to 4"),
        qPrintable(said));
    // A click goes there, and before it the invariant was not violated.
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(14, 0)).center());
    QCOMPARE(window.timeLine().cursor(), wrong);
    step();
    QCOMPARE(list.invariantModel().invariant(14).state, InvariantState::Violated);
    window.actions().get("stepBack")->trigger();
    step();
    QCOMPARE(window.timeLine().cursor(), wrong - 1);
    QCOMPARE(list.invariantModel().invariant(14).state, InvariantState::Holds);
    // Enter opens a row, which says when it was last checked.
    list.setCurrentIndex(list.model()->index(2, 0));
    QCoreApplication::processEvents();
    const int closed = list.visualRect(list.model()->index(2, 0)).height();
    QTest::keyClick(&list, Qt::Key_Return);
    QCoreApplication::processEvents();
    QVERIFY(list.invariantModel().isOpen(2));
    QVERIFY(list.visualRect(list.model()->index(2, 0)).height() > closed);
    QTest::keyClick(&list, Qt::Key_Return);
    QCoreApplication::processEvents();
    QCOMPARE(list.visualRect(list.model()->index(2, 0)).height(), closed);
    // The status line closes the panel and opens it.
    step();
    const QRectF place = window.status().partOf("invariants");
    QVERIFY(!place.isEmpty());
    QTest::mouseClick(&window.status(), Qt::LeftButton, {}, place.center().toPoint());
    QVERIFY(!part<InvariantPanel>(window).isVisible());
    QTest::mouseClick(&window.status(), Qt::LeftButton, {}, place.center().toPoint());
    QVERIFY(part<InvariantPanel>(window).isVisible());
    // All rows have room for their words, at every size.
    for (const double scale : { 1.0, 1.5 }) {
        window.looks().setFontScale(scale);
        QCoreApplication::processEvents();
        int bottom = 0;
        for (int row = 0; row < list.model()->rowCount(); ++row) {
            const QRect rect = list.visualRect(list.model()->index(row, 0));
            QVERIFY(row == 0 || rect.top() >= bottom - 1);
            QVERIFY(rect.height() >= window.theme().lineHeight({ TextSize::Body })
                && rect.width() <= list.viewport()->width());
            bottom = rect.bottom();
        }
    }
}

void WindowTimeTest::aRecordingTellsOfLongerTimeOuts()
{
    for (const unsigned scale : { 1u, 4u }) {
        QTemporaryDir folder;
        const QString path = folder.filePath("run.lhrun");
        {
            const auto recorder = recorderAt(path, often(20));
            recorder->onKeyframe({}, 0);
            recorder->meta("wake_late_ms", "80.4");
            recorder->meta("time_scale", QString::number(scale));
            QCOMPARE(recorder->finish(), QString());
        }
        MainWindow window(options());
        window.resize(1920, 1080);
        window.show();
        QCOMPARE(window.files().openRecording(path), QString());
        const auto text = [&] { return window.clock().step(0.3), window.status().text(); };
        QTRY_VERIFY_WITH_TIMEOUT(text().contains("RECORDED"), kLimit);
        const QString told = scale > 1 ? "TIME-OUTS × 4: this machine woke processes up to 81 ms late" : "";
        QVERIFY2(text().contains(told) && text().contains("TIME-OUTS") == (scale > 1), qPrintable(text()));
    }
}

// The amount of the delay depends on the machine.
void WindowTimeTest::aClusterThatIsStartedHereTellsHowLateItWasWoken()
{
    QTemporaryDir folder;
    MainWindow::Options o = options();
    o.recordPath = folder.filePath("live.lhrun");
    std::optional<MachinePatience> patience;
    {
        MainWindow window(o);
        window.show();
        window.start().startHere();
        const auto link = [&] { return window.clock().step(0.3), window.cluster().link().state(); };
        QTRY_VERIFY_WITH_TIMEOUT(link() == LinkState::Here, 60'000);
        patience = window.cluster().session().local().patience();
        QVERIFY(patience.has_value() && patience->wakeLateNs > 0);
        window.clock().step(0.3);
        QCOMPARE(window.status().text().contains("TIME-OUTS"), patience->timeScale > 1);
    }
    auto recording = Recording::open(o.recordPath);
    QVERIFY2(bool(recording), recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->meta("time_scale"), QString::number(patience->timeScale));
    QCOMPARE((*recording)->meta("wake_late_ms"), QString::number(double(patience->wakeLateNs) / 1e6));
}

int main(int count, char** arguments) { return runOffscreen<WindowTimeTest>(count, arguments); }
#include "tst_window_time.moc"

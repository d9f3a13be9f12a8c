// SPDX-License-Identifier: GPL-3.0-or-later
// In front of a hall: full screen and the presenter's window, the clicker, captions of past instants, settings that
// persist, and the announcements for a screen reader.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/text_check.h"

#include "gui/lab/local/network_check.h"
#include "gui/window/main/main_window.h"
#include "gui/window/main/start_systems.h"

#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QListView>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;

MainWindow::Options options(const QString& settings = {})
{
    MainWindow::Options o;
    o.settingsPath = settings;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

// A closed recording of a file that grows, with captions: two steps, a question, an expectation.
void makeToldRecording(const QString& path)
{
    const auto recorder = recorderAt(path, often(50));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    const Story story = growth(6, 7);
    const std::size_t third = story.order.size() / 3;
    for (std::size_t i = 0; i < story.order.size(); ++i) {
        if (i == third) {
            recorder->caption("step", "a", "The file grows", "scenario");
            recorder->marker("step", "a The file grows", "scenario");
            recorder->caption("say", "a", "A bucket overflows.", "scenario");
            recorder->caption("note", "a", "Ask who knows linear hashing.", "scenario");
        }
        if (i == 2 * third) {
            recorder->caption("step", "b", "It grows on", "scenario");
            recorder->marker("step", "b It grows on", "scenario");
            recorder->caption("say", "b", "And the parity with it.", "scenario");
            Expectation held;
            held.text = "8 buckets";
            held.isHeld = true;
            recorder->expectation(held);
        }
        const auto& [process, index] = story.order[i];
        feeder.event(process, story.told.at(process)[index]);
    }
    recorder->finish();
}

// A window that shows such a recording at its end.
struct Replay {
    QTemporaryDir folder;
    MainWindow window;

    explicit Replay(const QString& settings = {}) : window(options(settings))
    {
        makeToldRecording(folder.filePath("told.lhrun"));
        window.clock().stop(); // the test makes the frames
        window.resize(1280, 720);
        window.show();
        problem = window.files().openRecording(folder.filePath("told.lhrun"));
        window.actions().get("follow")->trigger();
        frames();
    }
    void frames()
    {
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            window.clock().step(0.3);
        }
    }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {})
    {
        QTest::keyClick(&window.canvas(), key, with);
        frames();
    }
    QString problem;
};

} // namespace

class PresentationTest : public QObject {
    Q_OBJECT
private slots:
    void captionsAreThoseOfTheShownInstant();
    void theClickerLeadsThroughARecording();
    void aHallReadsEverythingThatIsShown_data();
    void aHallReadsEverythingThatIsShown();
    void thePresenterHasNotesOfTheirOwn();
    void whatCannotBeTakenBackIsAskedForTwice();
    void notesAreReadFromTheTextOfAScenario();
    void votesAreCountedByKeys();
    void aScreenReaderIsToldEachCaption();
    void looksAreFoundAgain();
    void theProjectorIsAPresetThatGoesAgain();
    void whateverHasTheFocusShowsIt();
    void aScreenReaderIsNotFlooded();
    void theStartPageExplainsAndRemembers();
    void theWheelOverAFieldIsLeftToThePage();
    void noTextIsClippedInAnyLook();
};

void PresentationTest::captionsAreThoseOfTheShownInstant()
{
    Replay replay;
    QCOMPARE(replay.problem, QString());
    MainWindow& window = replay.window;
    QVERIFY(window.player().strip().isVisible());
    QVERIFY(!window.player().strip().findChild<QPushButton*>("nextStepButton")->isVisible());
    QCOMPARE(window.player().words().step, QString("(b)  It grows on"));
    QCOMPARE(window.player().words().caption, QString("And the parity with it."));
    auto* history = window.player().strip().findChild<QListView*>("captionHistory");
    QVERIFY(history->isVisible());
    QStringList said;
    for (int row = 0; row < history->model()->rowCount(); ++row)
        said << history->model()->index(row, 0).data().toString();
    QCOMPARE(said,
        QStringList({ "(a)  The file grows", "A bucket overflows.", "(b)  It grows on", "And the parity with it.",
            "✓ 8 buckets" })); // and no note
    window.timeLine().seek(window.timeLine().newest() / 2);
    replay.frames();
    QCOMPARE(window.player().words().step, QString("(a)  The file grows"));
    QCOMPARE(window.player().words().caption, QString("A bucket overflows."));
    QCOMPARE(history->model()->rowCount(), 2);
    window.timeLine().seek(0);
    replay.frames();
    QCOMPARE(window.player().words().step + window.player().words().caption, QString());
    // Where the scenario says nothing, the narrator speaks.
    makeRecording(replay.folder.filePath("silent.lhrun"));
    QCOMPARE(window.files().openRecording(replay.folder.filePath("silent.lhrun")), QString());
    window.timeLine().seek(window.timeLine().newest());
    replay.frames();
    QVERIFY(window.player().strip().isVisible());
    QVERIFY2(window.player().words().caption.contains("split"), qPrintable(window.player().words().caption));
    const QString last = window.player().words().caption;
    window.timeLine().seek(window.timeLine().newest() / 2);
    replay.frames();
    QVERIFY(!window.player().words().caption.isEmpty() && window.player().words().caption != last);
    window.timeLine().seek(0);
    replay.frames();
    QCOMPARE(window.player().words().caption, QString());
}

void PresentationTest::theClickerLeadsThroughARecording()
{
    Replay replay;
    MainWindow& window = replay.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    replay.press(Qt::Key_F5);
    QVERIFY(window.isPresenting());
    QCOMPARE(window.height(), window.screen()->size().height());
    replay.press(Qt::Key_PageUp);
    QCOMPARE(window.player().words().step, QString("(b)  It grows on"));
    QVERIFY(window.timeLine().cursor() < window.timeLine().newest());
    replay.press(Qt::Key_PageUp);
    QCOMPARE(window.player().words().step, QString("(a)  The file grows"));
    replay.press(Qt::Key_PageUp); // only the beginning comes before it
    QCOMPARE(window.timeLine().cursor(), std::uint64_t(0));
    replay.press(Qt::Key_PageDown);
    QCOMPARE(window.player().words().step, QString("(a)  The file grows"));
    auto* blank = window.findChild<QWidget*>("blankScreen");
    replay.press(Qt::Key_B);
    QVERIFY(blank->isVisible());
    QCOMPARE(blank->size(), window.size());
    replay.press(Qt::Key_PageDown); // first it restores the picture
    QVERIFY(!blank->isVisible());
    QCOMPARE(window.player().words().step, QString("(a)  The file grows"));
    replay.press(Qt::Key_PageDown);
    QCOMPARE(window.player().words().step, QString("(b)  It grows on"));
    replay.press(Qt::Key_PageDown);
    QCOMPARE(window.timeLine().cursor(), window.timeLine().newest());
    replay.press(Qt::Key_Home);
    window.timeLine().setSpeed(TimeLine::kSlowest);
    replay.press(Qt::Key_Period);
    QVERIFY(window.timeLine().cursor() > 0); // it plays; the run took less than a millisecond
    replay.press(Qt::Key_B);
    replay.press(Qt::Key_Escape); // leaves the dark screen first, then the presentation
    QVERIFY(!blank->isVisible() && window.isPresenting());
    replay.press(Qt::Key_Escape);
    QVERIFY(!window.isPresenting() && !window.isFullScreen());
}

void PresentationTest::aHallReadsEverythingThatIsShown_data()
{
    QTest::addColumn<QSize>("size");
    for (const QSize size : { QSize(1280, 720), QSize(3840, 2160) })
        QTest::newRow(qPrintable(QString("%1 x %2").arg(size.width()).arg(size.height()))) << size;
}

void PresentationTest::aHallReadsEverythingThatIsShown()
{
    QFETCH(const QSize, size);
    Replay replay;
    MainWindow& window = replay.window;
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.setPresenting(true);
    window.setWindowState(Qt::WindowNoState); // sized by the test, not by the screen
    window.resize(size);
    replay.frames();
    QCOMPARE(window.size(), size);
    const int least = (size.height() + 44) / 45;
    QVERIFY(!window.menuBar()->isVisible() && !window.workloads().isVisible() && !window.labLine().isVisible());
    QVERIFY(window.canvas().isVisible() && window.timeBar().isVisible() && window.player().strip().isVisible());
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>())
        QVERIFY2(!dock->isVisible(), qPrintable(dock->objectName()));
    QVERIFY2(window.status().text().startsWith("RECORDED"), qPrintable(window.status().text()));
    QVERIFY2(smallestText(window.canvas().picture()) >= least,
        qPrintable(QString::number(smallestText(window.canvas().picture()))));
    QVERIFY(smallestText(window.status().picture()) >= least);
    QVERIFY(window.theme().font({ TextSize::Small }).pixelSize() >= least);
    QVERIFY2(smallerThan(least, window).isEmpty(), qPrintable(smallerThan(least, window)));
    QVERIFY2(clipped(window).isEmpty(), qPrintable(clipped(window)));
    for (const QString& wrong : { textFault(window.canvas().restingPicture(), window.canvas().size()),
             textFault(window.status().picture(), window.status().size()) })
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    auto* caption = window.player().strip().findChild<CaptionLabel*>("caption");
    QVERIFY(caption->fits());
    window.setPresenting(false);
    replay.frames();
    QVERIFY(window.menuBar()->isVisible());
    QCOMPARE(window.workspace(), MainWindow::Workspace::Inspect); // unchanged
    QCOMPARE(window.theme().fontScale(), 1.0);
}

void PresentationTest::thePresenterHasNotesOfTheirOwn()
{
    FakeCluster cluster({ 4, 4, 1 });
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().processes.size() == 18, kLimit);
    QVERIFY(window.files().openScenario(QStringLiteral(LHRS_SOURCE_DIR "/scenarios/grow.js"), false));
    QVERIFY(!window.notes());
    window.setPresenting(true);
    QVERIFY(window.notes() && window.notes()->isVisible() && window.notes()->isWindow()
        && window.findChild<QWidget*>("groupBar")->isHidden());
    QVERIFY2(window.notes()->words().next.startsWith("(a)"), qPrintable(window.notes()->words().next));
    QVERIFY(window.notes()->words().faults.isEmpty());
    QVERIFY(!window.notes()->words().elapsed.isEmpty() && !window.notes()->words().clock.isEmpty());
    pb::Event fault;
    fault.mutable_fault_begun()->mutable_fault()->set_number(7);
    fault.mutable_fault_begun()->mutable_fault()->mutable_network()->set_drop(0.5);
    cluster.tell(kFileData + 2, fault);
    QTRY_COMPARE_WITH_TIMEOUT(window.notes()->words().faults.size(), 1, kLimit);
    QVERIFY2(window.notes()->words().faults[0].startsWith("data 2 "), qPrintable(window.notes()->words().faults[0]));
    QTRY_VERIFY_WITH_TIMEOUT(window.notes()->findChild<QPushButton*>("notes_healAll")->isEnabled(), kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(clipped(*window.notes()).isEmpty(), qPrintable(clipped(*window.notes())), kLimit);
    // The keys of the clicker work in the presenter's window too.
    window.notes()->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.notes()));
    QTest::keyClick(window.notes(), Qt::Key_B);
    QVERIFY(window.findChild<QWidget*>("blankScreen")->isVisible());
    QTest::keyClick(window.notes(), Qt::Key_Escape);
    QTest::mouseClick(window.notes()->findChild<QPushButton*>("notes_stopPresenting"), Qt::LeftButton);
    QVERIFY(!window.isPresenting() && !window.notes() && !window.findChild<QWidget*>("groupBar")->isHidden());
}

void PresentationTest::whatCannotBeTakenBackIsAskedForTwice()
{
    SecondClick second;
    QVERIFY(!second.mayDo("kill data 3", 10));
    QVERIFY(!second.mayDo("kill data 4", 11)); // another action
    QVERIFY(second.mayDo("kill data 4", 12));
    QVERIFY(!second.mayDo("kill data 4", 13)); // the third click counts as a first one
    QVERIFY(!second.mayDo("kill data 4", 13 + SecondClick::kPatience)); // too late
    Replay replay;
    MainWindow& window = replay.window;
    for (const char* id : { "kill", "restart", "delete", "leave", "quit", "acknowledgeLoss", "armFault" })
        QVERIFY2(window.actions().isDestructive(window.actions().get(id)), id);
    for (const char* id : { "healAll", "nextStep", "search", "heal" })
        QVERIFY2(!window.actions().isDestructive(window.actions().get(id)), id);
    window.setPresenting(true);
    window.actions().get("closeRecording")->trigger();
    QVERIFY(window.timeLine().isReplay());
    const auto* notice = window.player().strip().findChild<QLabel*>("progress");
    QVERIFY2(notice->text().contains("once more"), qPrintable(notice->text()));
    window.clock().step(SecondClick::kPatience + 1); // no second click came
    QVERIFY2(!notice->text().contains("once more"), qPrintable(notice->text()));
    window.actions().get("closeRecording")->trigger();
    QVERIFY(window.timeLine().isReplay());
    window.actions().get("closeRecording")->trigger();
    QVERIFY(!window.timeLine().isReplay());
    // Without a presentation one click is enough.
    window.setPresenting(false);
    window.actions().get("quit")->trigger();
    QVERIFY(!window.isVisible());
}

void PresentationTest::notesAreReadFromTheTextOfAScenario()
{
    const std::vector<PlannedStep> plan = planOf(
        "lab.note('before any step');\nlab.step('a', 'It\\'s first');\n  lab.note(\"one\");\nlab.note('two ' + 2);\n"
        "// lab.step('x', 'commented out');\nlab.step('b', titleOf(3));\nlab.note('three');\nlab.step(");
    QCOMPARE(plan.size(), std::size_t(3));
    QCOMPARE(plan[0].id + " " + plan[0].title, QString("a It's first"));
    QCOMPARE(plan[0].notes, QStringList({ "one" })); // computed text is not known yet
    QCOMPARE(plan[1].id + plan[1].title, QString("b"));
    QCOMPARE(plan[1].notes, QStringList({ "three" }));
    QVERIFY(plan[2].id.isEmpty());
}

void PresentationTest::votesAreCountedByKeys()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("ask.js"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("const q = lab.predict({ text: 'Which bucket splits?', choices: ['5', '0'] });\nlab.print(q.votes);\n");
    file.close();
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QVERIFY(window.files().openScenario(file.fileName(), true));
    QTRY_VERIFY_WITH_TIMEOUT(
        window.player().isHeld() || window.player().words().caption.contains("Which bucket"), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(QString(window.player().words().caption)
                                 .replace(QChar(QChar::Nbsp), QLatin1Char(' '))
                                 .contains("Which bucket splits?   1: 5   2: 0"),
        kLimit);
    for (const Qt::Key key : { Qt::Key_2, Qt::Key_2, Qt::Key_1, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Minus })
        QTest::keyClick(&window, key);
    QTRY_VERIFY_WITH_TIMEOUT(QString(window.player().words().caption)
                                 .replace(QChar(QChar::Nbsp), QLatin1Char(' '))
                                 .contains("1: 5 (2 votes)   2: 0 (2 votes)"),
        kLimit);
    QTest::keyClick(&window, Qt::Key_PageDown);
    QTRY_VERIFY_WITH_TIMEOUT(!window.player().run().isRunning(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(std::any_of(window.player().story().lines().begin(), window.player().story().lines().end(),
                                 [](const StoryLine& line) { return line.text == "[2,2]"; }),
        kLimit);
}

void PresentationTest::aScreenReaderIsToldEachCaption()
{
    Replay replay;
    MainWindow& window = replay.window;
    auto* caption = window.player().strip().findChild<CaptionLabel*>("caption");
    QSignalSpy announced(caption, &CaptionLabel::announced); // no screen: no accessibility events
    window.timeLine().seek(window.timeLine().newest() / 2);
    replay.frames();
    QCOMPARE(announced.size(), 1);
    QCOMPARE(announced[0][0].toString(), QString("A bucket overflows."));
    QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(caption);
    QVERIFY(heard);
    QCOMPARE(heard->text(QAccessible::Name), QString("A bucket overflows."));
    QCOMPARE(heard->role(), QAccessible::Notification);
    replay.frames(); // announced once
    QCOMPARE(announced.size(), 1);
}

void PresentationTest::looksAreFoundAgain()
{
    QTemporaryDir folder;
    const QString settings = folder.filePath("window.ini");
    {
        MainWindow window(options(settings));
        window.looks().setThemeChoice(MainWindow::ThemeChoice::Dark);
        window.looks().setFontScale(1.3);
        window.actions().get("highContrast")->trigger();
        window.actions().get("reducedMotion")->trigger();
        QVERIFY(window.theme() == Theme(Theme::Kind::Dark, 1.3, true));
    }
    {
        MainWindow window(options(settings));
        QVERIFY(window.theme() == Theme(Theme::Kind::Dark, 1.3, true));
        QVERIFY(window.actions().get("highContrast")->isChecked() && window.canvas().isMotionReduced()
            && window.actions().get("reducedMotion")->isChecked());
        window.actions().get("projector")->trigger();
    }
    {
        MainWindow window(options(settings));
        QVERIFY(window.theme().fontScale() == 1.5 && !window.theme().isDark()
            && window.actions().get("projector")->isChecked());
        window.actions().get("projector")->trigger();
        QVERIFY(window.theme() == Theme(Theme::Kind::Dark, 1.3, true)); // the theme chosen before it
    }
    {
        // The command line has priority.
        MainWindow::Options said = options(settings);
        said.theme = MainWindow::ThemeChoice::Light;
        said.fontScale = 2;
        MainWindow window(said);
        QVERIFY(window.theme().fontScale() == 2 && !window.theme().isDark());
    }
    QFile file(settings);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[looks]\ntheme=mauve\nfontScale=nan\nhighContrast=perhaps\nthickLines=\n[start]\nm=-5\n");
    file.close();
    MainWindow window(options(settings));
    QVERIFY(window.theme().fontScale() == 1 && !window.theme().isHighContrast());
}

void PresentationTest::theProjectorIsAPresetThatGoesAgain()
{
    Replay replay;
    MainWindow& window = replay.window;
    window.looks().setThemeChoice(MainWindow::ThemeChoice::Dark);
    QVERIFY(window.canvas().layers().legend && window.canvas().layers().changes);
    replay.press(Qt::Key_P);
    QCOMPARE(window.theme().fontScale(), 1.5);
    QVERIFY(!window.theme().isDark());
    QVERIFY(window.theme().stroke() > 1.5);
    QVERIFY(!window.canvas().layers().legend && !window.canvas().layers().changes);
    QVERIFY(!window.actions().get("layerDeltas")->isChecked());
    replay.press(Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(window.theme().fontScale(), 1.6);
    replay.press(Qt::Key_P);
    QCOMPARE(window.theme().fontScale(), 1.0);
    QVERIFY(window.theme().isDark() && window.theme().stroke() == 1);
    QVERIFY(window.canvas().layers().legend && window.canvas().layers().changes);
}

// A focus frame of two pixels on all sides, with the contrast that the colour test requires: 3:1 to its surroundings.
void PresentationTest::whateverHasTheFocusShowsIt()
{
    Replay replay;
    MainWindow& window = replay.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 1, 0 });
    replay.frames();
    window.canvas().setFocus();
    std::set<QWidget*> seen;
    const QRgb colour = window.theme().focus.rgb();
    for (QWidget* focus = QApplication::focusWidget(); focus && seen.insert(focus).second && seen.size() < 100;
         focus = QApplication::focusWidget()) {
        const QRect rect = QRect(focus->mapTo(&window, QPoint()), focus->size()).adjusted(-4, -4, 4, 4) & window.rect();
        const QImage image = window.grab(rect).toImage();
        int marked = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                marked += image.pixel(x, y) == colour ? 1 : 0;
        }
        QVERIFY2(marked >= focus->width() + focus->height(),
            qPrintable(QString("%1 %2: %3 pixels of %4 x %5")
                           .arg(focus->metaObject()->className(), focus->objectName())
                           .arg(marked)
                           .arg(focus->width())
                           .arg(focus->height())));
        QTest::keyClick(focus, Qt::Key_Tab);
        QCoreApplication::processEvents();
    }
    QVERIFY2(seen.size() > 12, qPrintable(QString::number(seen.size())));
}

void PresentationTest::aScreenReaderIsNotFlooded()
{
    ListFeed feed;
    feed.known() = fileOf({ 6, 4, 1 });
    Pacer pacer(feed);
    Selection selection;
    ClusterCanvas canvas(pacer, selection);
    canvas.setReducedMotion(true);
    pacer.advance(1.0 / 60);
    QStringList heard;
    QString last = canvas.accessibleDescription();
    // Two seconds in which every frame brings a structural change.
    for (int frame = 0; frame < 120; ++frame) {
        pb::Event event;
        event.mutable_bucket_failed()->set_role(pb::DATA);
        event.mutable_bucket_failed()->set_index(std::uint32_t(frame % 4));
        event.mutable_bucket_failed()->set_process(kFileData + std::uint64_t(frame % 4));
        event.mutable_bucket_failed()->set_reason("for the " + std::to_string(frame) + "th time");
        feed.tell(kFileCoordinator, event);
        pacer.advance(1.0 / 60);
        canvas.refresh(1.0 / 60);
        if (canvas.accessibleDescription() != last)
            heard << (last = canvas.accessibleDescription());
    }
    QVERIFY2(
        heard.size() >= 2 && heard.size() <= 9, qPrintable(QString::number(heard.size()) + ": " + heard.join(" | ")));
}

void PresentationTest::theStartPageExplainsAndRemembers()
{
    QTemporaryDir folder;
    Remembered remembered(folder.filePath("window.ini"));
    StartPage page(QStringLiteral(LHRS_SOURCE_DIR "/scenarios"), startSystems());
    page.setTheme(Theme());
    page.show();
    // Each field describes itself, for mouse and for keyboard users.
    auto* help = page.findChild<QLabel*>("startHelp");
    int fields = 0;
    for (QWidget* field : page.findChildren<QWidget*>()) {
        const bool isField = qobject_cast<QSpinBox*>(field) || qobject_cast<QComboBox*>(field)
            || qobject_cast<QCheckBox*>(field)
            || (qobject_cast<QLineEdit*>(field) && !qobject_cast<QSpinBox*>(field->parentWidget()));
        if (!isField)
            continue;
        ++fields;
        QVERIFY2(field->toolTip().size() > 30 && field->accessibleDescription() == field->toolTip(),
            qPrintable(field->objectName()));
        QVERIFY2(
            !field->accessibleName().isEmpty() || qobject_cast<QCheckBox*>(field), qPrintable(field->objectName()));
        QFocusEvent focus(QEvent::FocusIn, Qt::TabFocusReason);
        QCoreApplication::sendEvent(field, &focus);
        QCOMPARE(help->text(), field->toolTip());
    }
    QVERIFY2(fields >= 17, qPrintable(QString::number(fields)));
    const auto number = [&](const char* id) { return page.findChild<QSpinBox*>(id); };
    auto* start = page.findChild<QPushButton*>("startLocal");
    auto* thresholds = page.findChild<QLineEdit*>("thresholds");
    for (const auto& [words, why] : { std::pair("8, many", "“many”"), std::pair("8, 8", "ascending"),
             std::pair("0", "“0”"), std::pair("1,2,3,4,5,6,7,8", "above 8") }) {
        thresholds->setText(words);
        QVERIFY2(page.objection().contains(why), qPrintable(page.objection()));
        QVERIFY(!start->isEnabled());
    }
    thresholds->setText("8, 32");
    QVERIFY2(page.objection().isEmpty() && start->isEnabled(), qPrintable(page.objection()));
    number("slice")->setValue(500);
    QVERIFY2(page.objection().contains("4 b = 160"), qPrintable(page.objection()));
    number("slice")->setValue(10);
    number("b")->setValue(10'000'000);
    number("recordBytes")->setValue(65'535);
    QVERIFY2(page.objection().contains("When all servers are full"), qPrintable(page.objection()));
    number("b")->setValue(50);
    number("recordBytes")->setValue(100);
    number("m")->setValue(3);
    number("clients")->setValue(2);
    number("loadControl")->setValue(85);
    page.findChild<QComboBox*>("rerank")->setCurrentIndex(1);
    page.findChild<QComboBox*>("split")->setCurrentIndex(1);
    for (const char* id : { "merges", "mixKeys", "pureRs", "slow" })
        page.findChild<QCheckBox*>(id)->setChecked(true);
    QVERIFY(page.localOptions().config.merges() && page.localOptions().config.mix_keys()
        && page.localOptions().config.pure_rs());
    const QString line = page.findChild<QLabel*>("startLine")->text();
    QCOMPARE(line,
        QString("lab.cluster({ m: 3, k: 1, b: 50, field: 16, recordBytes: 100, spares: { data: 9, parity: 5 }, "
                "recovery: 'automatic', slice: 10, rerank: 'keep', loadControl: 0.85, split: 'parallel', merges: true, "
                "mixKeys: true, pureRs: true, timers: 'classroom', thresholds: [8, 32] });"));
    QVERIFY(page.findChild<QLabel*>("startNote")->text().startsWith("17 processes"));
    // The network test runs before any process is started; keys take effect later, and the field says so.
    QVERIFY2(portTrouble(17).empty(), portTrouble(17).c_str());
    QVERIFY2(portTrouble(1'000'000).find("4000000 ports") != std::string::npos, portTrouble(1'000'000).c_str());
    QCOMPARE(page.findChild<QLabel*>("startNote")->text().contains("registry"), !multicastTrouble().empty());
    QVERIFY(page.findChild<QLineEdit*>("keyFile")->isEnabled()
        && page.findChild<QLineEdit*>("keyFile")->placeholderText().contains("if the cluster has keys"));
    page.keep(remembered);
    StartPage next(QStringLiteral(LHRS_SOURCE_DIR "/scenarios"), startSystems());
    next.recall(remembered);
    QCOMPARE(next.findChild<QLabel*>("startLine")->text(), line);
    QCOMPARE(next.clients(), 2u);
    QCOMPARE(next.localOptions().config.thresholds_size(), 2);
    QCOMPARE(next.localOptions().config.thresholds(1).availability(), 3u);
}

// Scrolling over the parameters must not change one of them unnoticed.
void PresentationTest::theWheelOverAFieldIsLeftToThePage()
{
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.startPage().showForm(true);
    for (QPushButton* button : window.startPage().findChildren<QPushButton*>()) {
        if (button->isCheckable())
            button->setChecked(true); // more parameters than fit into the window
    }
    const auto turn = [](QWidget* field) { // true: the field accepted it, and the page will not get it
        const QPointF at = field->rect().center();
        QWheelEvent wheel(
            at, field->mapToGlobal(at), {}, { 0, -120 }, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(field, &wheel);
        return wheel.isAccepted();
    };
    int fields = 0;
    for (QWidget* field : window.startPage().findChildren<QWidget*>()) {
        auto* choice = qobject_cast<QComboBox*>(field);
        auto* number = qobject_cast<QSpinBox*>(field);
        if ((!choice && !number) || !field->isVisible())
            continue;
        ++fields;
        field->clearFocus();
        const int before = choice ? choice->currentIndex() : number->value();
        QVERIFY(!turn(field));
        QCOMPARE(choice ? choice->currentIndex() : number->value(), before);
        QVERIFY(!field->hasFocus());
    }
    QVERIFY(fields > 12);
    auto* m = window.startPage().findChild<QSpinBox*>("m"); // a selected field accepts it
    m->setFocus();
    const int before = m->value();
    QVERIFY(turn(m));
    QVERIFY(m->value() < before);
}

// From a recorded run, in the workspaces that need no running cluster; in high contrast and with thick lines.
void PresentationTest::noTextIsClippedInAnyLook()
{
    Replay replay;
    MainWindow& window = replay.window;
    window.looks().setThemeChoice(MainWindow::ThemeChoice::Dark);
    window.looks().setFontScale(1.5);
    window.looks().setHighContrast(true);
    window.looks().setThickLines(true);
    using W = MainWindow::Workspace;
    for (const W workspace : { W::Lecture, W::Inspect, W::Measure, W::Write, W::SpaceTime }) {
        window.setWorkspace(workspace);
        window.resize(1280, 720);
        replay.frames();
        QCOMPARE(window.size(), QSize(1280, 720));
        QVERIFY2(clipped(window).isEmpty(), qPrintable(QString::number(int(workspace)) + ": " + clipped(window)));
        for (const QString& wrong :
            { window.canvas().isVisible() ? textFault(window.canvas().restingPicture(), window.canvas().size())
                                          : QString(),
                textFault(window.status().picture(), window.status().size()) })
            QVERIFY2(wrong.isEmpty(),
                qPrintable(QString("%1: %2, canvas %3 x %4")
                               .arg(int(workspace))
                               .arg(wrong)
                               .arg(window.canvas().width())
                               .arg(window.canvas().height())));
    }
}

int main(int count, char** arguments) { return runOffscreen<PresentationTest>(count, arguments); }
#include "tst_presentation.moc"

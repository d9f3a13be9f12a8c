// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: its sections with the scenarios of the tree, by mouse and by keyboard, at the supported sizes and
// scales; the recordings that it lists; and that the pictures on its cards equal those of the program.
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/window/main/start_systems.h"
#include "gui/window/start/scenario_pictures.h"
#include "gui/window/show/window_time.h"

#include <QDir>
#include <QImage>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <set>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;
constexpr double kAlike = 3; // of 255, by which each channel of two pictures of the same may differ on average

const QString kTree = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");

QStringList namesIn(const StartPage& page, const char* section)
{
    QStringList names;
    for (const Card* card : page.findChild<CardSection*>(section)->cards())
        names << card->objectName();
    return names;
}

// Average difference of a channel.
double difference(const QImage& a, const QImage& b)
{
    if (a.size() != b.size() || a.isNull())
        return 255;
    double sum = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QColor one = a.pixelColor(x, y), other = b.pixelColor(x, y);
            sum += std::abs(one.red() - other.red()) + std::abs(one.green() - other.green())
                + std::abs(one.blue() - other.blue());
        }
    return sum / (3.0 * a.width() * a.height());
}

QImage shippedPicture(const QString& name, bool isDark)
{
    return cardPicture(name, isDark).toImage().convertToFormat(QImage::Format_RGB32);
}

RecentRecording recordingAt(const QString& path)
{
    return { path, QStringLiteral("2026-11-21T10:42:36.123Z"), QStringLiteral("grow.js"), true };
}

bool makeFile(const QString& path, const QByteArray& text = "x")
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

// A window with the page in front, as a person sees it.
struct PageStage {
    MainWindow window;

    explicit PageStage(const MainWindow::Options& wanted = options(), QSize size = { 1280, 720 }) : window(wanted)
    {
        window.clock().stop();
        window.resize(size);
        window.show();
    }
    StartPage& page() { return window.startPage(); }
    bool isReady() { return QTest::qWaitForWindowActive(&window); }
    // No action may start anything.
    void cutLoose()
    {
        for (const QObject* begins :
            std::initializer_list<const QObject*> { &window.start(), &window.files(), &window.tour() })
            page().disconnect(begins);
        for (QAction* action : window.actions().all())
            page().disconnect(action);
    }
};

} // namespace

class StartPageTest : public QObject {
    Q_OBJECT
private slots:
    void eachScenarioHasACardInItsSection();
    void lecturesStandAtTheirPlaces();
    void exercisesComeWithTheirFiles();
    void exercisesAreShownFromTheirHeading();
    void aCardIsOpenedByMouseAndByKeyboard();
    void theFirstLookIsSimulatedAndNothingElse();
    void theTourIsShownWhenItIsThere();
    void theFormIsReachableAndRemembered();
    void freePlayStartsWhatTheFormHas();
    void theRecordingsAreRemembered();
    void theWindowNotesWhatItOpensAndSaves();
    void whatFailedAndWhatGoesOnIsSeen();
    void nothingIsClipped_data();
    void nothingIsClipped();
    void everythingIsReachedByTheKeyboard();
    void eachScenarioHasAPictureInBothThemes();
    void aPictureIsWhatTheProgramMakes();
};

void StartPageTest::eachScenarioHasACardInItsSection()
{
    const StartPage page(kTree, startSystems());
    const QStringList lectures = namesIn(page, "lectures"), experiments = namesIn(page, "experiments");
    QCOMPARE(lectures.front(), QString("demo"));
    QVERIFY(
        lectures.contains("grow") && !lectures.contains("recovery_tables") && experiments.contains("recovery_tables"));
    QStringList files;
    for (const QString& file : QDir(kTree).entryList({ "*.js" }))
        files << QFileInfo(file).completeBaseName();
    QStringList shown = lectures + experiments;
    shown.sort();
    QCOMPARE(shown, files);
    // The text of a card comes from the file.
    const auto* grow = page.findChild<Card*>("grow");
    QCOMPARE(grow->words().title, QString("A file grows: splits, forwards, parity"));
    const QString facts = QString(grow->words().facts).replace(QChar(QChar::Nbsp), ' ');
    QVERIFY2(facts.contains("5 minutes") && facts.contains("19 processes"), qPrintable(facts));
    const auto* tables = page.findChild<Card*>("recovery_tables");
    QCOMPARE(tables->words().words, QString("E4 E5 E6 E7 E8 E15. Table: bucket_recovery"));
    for (const Card* card : page.findChildren<Card*>())
        QVERIFY2(!card->accessibleName().isEmpty() && !card->accessibleDescription().isEmpty(),
            qPrintable(card->objectName()));
    // A folder without scenarios is reported.
    const QTemporaryDir empty;
    const StartPage bare(empty.path(), startSystems());
    QVERIFY(namesIn(bare, "lectures").isEmpty());
    bool isSaid = false;
    for (const QLabel* label : bare.findChild<CardSection*>("lectures")->findChildren<QLabel*>())
        isSaid = isSaid || label->text().contains("No scenario in " + empty.path());
    QVERIFY(isSaid);
}

void StartPageTest::lecturesStandAtTheirPlaces()
{
    const QTemporaryDir folder;
    for (const auto& [name, tags] : { std::pair("a", ""), std::pair("b", "@lecture 2   @experiment E1"),
             std::pair("c", "@experiment E2"), std::pair("d", "@lecture 1") })
        QVERIFY(
            makeFile(folder.filePath(QString("%1.js").arg(name)), QString("// @title T   %1\n").arg(tags).toUtf8()));
    const StartPage page(folder.path(), startSystems());
    QCOMPARE(namesIn(page, "lectures"), QStringList({ "d", "b", "a" }));
    QCOMPARE(namesIn(page, "experiments"), QStringList({ "c" }));
}

void StartPageTest::exercisesComeWithTheirFiles()
{
    const QTemporaryDir folder;
    StartPage without(folder.path(), startSystems());
    QVERIFY(without.findChild<CardSection*>("exercises")->isHidden()
        && without.findChild<QPushButton*>("toExercises")->isHidden());
    QVERIFY(QDir(folder.path()).mkdir("exercises"));
    QVERIFY(
        makeFile(folder.filePath("exercises/b.js"), "// exercises/b.js   @title Second   @exercise 2   @minutes 4\n"));
    QVERIFY(
        makeFile(folder.filePath("exercises/c.js"), "// exercises/c.js   @title First   @exercise 1   @minutes 3\n"));
    StartPage page(folder.path(), startSystems());
    QCOMPARE(namesIn(page, "exercises"), QStringList({ "c", "b" }));
    QVERIFY(!page.findChild<CardSection*>("exercises")->isHidden()
        && !page.findChild<QPushButton*>("toExercises")->isHidden());
    QSignalSpy wanted(&page, &StartPage::scenarioWanted);
    page.findChild<Card*>("c")->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].toString(), folder.filePath("exercises/c.js"));
    QCOMPARE(wanted[0][1].toBool(), false);
}

void StartPageTest::exercisesAreShownFromTheirHeading()
{
    PageStage stage;
    QVERIFY(stage.isReady());
    auto* section = stage.page().findChild<CardSection*>("exercises");
    auto* area = stage.page().findChild<QScrollArea*>();
    QVERIFY(section && area && section->height() > area->viewport()->height() / 2);
    stage.page().findChild<QPushButton*>("toExercises")->click();
    const int top = section->mapTo(area->viewport(), QPoint()).y();
    QVERIFY2(top >= 0 && top < area->viewport()->height() / 4, qPrintable(QString::number(top)));
    QVERIFY(section->cards().front()->hasFocus());
}

void StartPageTest::aCardIsOpenedByMouseAndByKeyboard()
{
    PageStage stage;
    QVERIFY(stage.isReady());
    stage.cutLoose();
    QSignalSpy wanted(&stage.page(), &StartPage::scenarioWanted);
    auto* demo = stage.page().findChild<Card*>("demo");
    demo->setFocus(Qt::TabFocusReason);
    QTest::mouseClick(demo, Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
    // Arrows move from card to card, Enter and Space open.
    QTest::keyClick(demo, Qt::Key_Right);
    auto* grow = stage.page().findChild<Card*>("grow");
    QVERIFY(grow->hasFocus());
    QTest::keyClick(grow, Qt::Key_Return);
    QTest::keyClick(grow, Qt::Key_Space);
    QCOMPARE(wanted.size(), 3);
    QCOMPARE(wanted[2][0].toString(), kTree + "/grow.js");
    QTest::keyClick(grow, Qt::Key_Left);
    QVERIFY(demo->hasFocus());
    // Down through all sections; the current card is always visible.
    auto* scroll = stage.page().findChild<QScrollArea*>("startScroll");
    std::set<const QObject*> seen;
    for (QWidget* at = demo; seen.insert(at->parentWidget()->parentWidget()).second || true;) {
        QTest::keyClick(at, Qt::Key_Down);
        QWidget* now = QApplication::focusWidget();
        if (now == at)
            break;
        at = now;
        QVERIFY2(!at->visibleRegion().isEmpty(), qPrintable(at->objectName()));
    }
    QVERIFY2(seen.size() >= 3, qPrintable(QString::number(seen.size())));
    QVERIFY(scroll->verticalScrollBar()->value() > 0);
    // Tab returns to the card that the arrows had reached.
    QCOMPARE(grow->focusPolicy(), Qt::ClickFocus);
    grow->setFocus();
    QCOMPARE(grow->focusPolicy(), Qt::StrongFocus);
    QCOMPARE(demo->focusPolicy(), Qt::ClickFocus);
}

void StartPageTest::theFirstLookIsSimulatedAndNothingElse()
{
    const QTemporaryDir folder;
    const auto script = [](const char* simulated) {
        return QByteArray("// @title A\nlab.cluster({ m: 2, k: 0, b: 20, spares: { data: 1, parity: 0 } });\n"
                          "lab.expectEqual(lab.simulated, ")
            + simulated + ", 'where it runs');\nlab.step('a', 'A');\n";
    };
    QVERIFY(makeFile(folder.filePath("demo.js"), script("true")));
    QVERIFY(makeFile(folder.filePath("other.js"), script("false")));
    MainWindow::Options wanted = options();
    wanted.scenarioDirectory = folder.path();
    MainWindow window(wanted);
    window.show();
    const auto play = [&](const char* id) {
        window.startPage().findChild<QAbstractButton*>(id)->click();
        window.player().runToEnd();
        return QTest::qWaitFor([&] { return !window.player().run().isRunning(); }, kLimit);
    };
    QVERIFY(play("neverSeen"));
    QVERIFY2(window.player().run().engine().result().outcome == ScriptOutcome::Held,
        qPrintable(window.player().run().engine().result().sentence()));
    QCOMPARE(window.player().run().engine().result().expectationsHeld, 1);
    QVERIFY(play("other")); // on processes of this computer, as before
    QVERIFY2(window.player().run().engine().result().outcome == ScriptOutcome::Held,
        qPrintable(window.player().run().engine().result().sentence()));
    QCOMPARE(window.player().run().engine().result().expectationsHeld, 1);
}

void StartPageTest::theTourIsShownWhenItIsThere()
{
    StartPage page(kTree, startSystems());
    auto* tour = page.findChild<QPushButton*>("takeTour");
    QVERIFY(tour->isHidden());
    page.setTourThere(true);
    QVERIFY(!tour->isHidden());
    QCOMPARE(tour->text(), QString("Take the tour: eight stops, you do it yourself"));
    page.setTourLeft(4);
    QCOMPARE(tour->text(), QString("Go on with the tour, stop 4 of 8"));
    page.setTourLeft(0);
    QVERIFY(tour->text().startsWith("Take the tour"));
    QSignalSpy wanted(&page, &StartPage::tourWanted);
    tour->click();
    QCOMPARE(wanted.size(), 1);
}

void StartPageTest::theFormIsReachableAndRemembered()
{
    const QTemporaryDir folder;
    MainWindow::Options wanted = options();
    wanted.settingsPath = folder.filePath("window.ini");
    {
        PageStage stage(wanted);
        QVERIFY(stage.isReady());
        stage.cutLoose();
        auto* parameters = stage.page().findChild<QPushButton*>("chooseParameters");
        parameters->setFocus();
        QTest::keyClick(parameters, Qt::Key_Space);
        auto* m = stage.page().findChild<QSpinBox*>("m");
        auto* system = stage.page().findChild<QComboBox*>("system");
        QVERIFY(stage.page().showsForm() && m->isVisible() && system->hasFocus());
        m->setValue(7);
        QTest::keyClick(m, Qt::Key_Escape);
        QVERIFY(!stage.page().showsForm() && parameters->hasFocus());
        QTest::keyClick(parameters, Qt::Key_Return); // as it opens a card
        QVERIFY(stage.page().showsForm());
        QTest::keyClick(m, Qt::Key_Escape);
        QVERIFY(stage.page().findChild<Card*>("playLive")->words().facts.contains("m = 7"));
        Remembered kept(wanted.settingsPath);
        stage.page().keep(kept);
    }
    PageStage next(wanted);
    QCOMPARE(next.page().localOptions().config.m(), 7u);
    QVERIFY(!next.page().showsForm());
}

void StartPageTest::freePlayStartsWhatTheFormHas()
{
    StartPage page(kTree, startSystems());
    page.setTheme(Theme());
    QSignalSpy local(&page, &StartPage::localWanted), simulated(&page, &StartPage::simulatedWanted),
        joined(&page, &StartPage::connectWanted);
    page.findChild<Card*>("playLive")->click();
    page.findChild<Card*>("playSimulated")->click();
    QCOMPARE(std::pair(local.size(), simulated.size()), std::pair(qsizetype(1), qsizetype(1)));
    // Without an address there is nothing to connect to: the page asks for it.
    page.findChild<Card*>("playRunning")->click();
    QVERIFY(joined.isEmpty() && page.showsForm());
    page.findChild<QLineEdit*>("address")->setText("127.0.0.1:4711");
    page.showForm(false);
    QVERIFY(page.findChild<Card*>("playRunning")->words().facts.contains("127.0.0.1:4711"));
    page.findChild<Card*>("playRunning")->click();
    QCOMPARE(joined.size(), 1);
    QCOMPARE(joined[0][0].toString(), QString("127.0.0.1:4711"));
    // A scenario that needs too many processes can be simulated.
    page.findChild<QSpinBox*>("dataServers")->setValue(900);
    page.findChild<Card*>("playLive")->click();
    QVERIFY(local.size() == 1 && page.showsForm());
    page.findChild<Card*>("playSimulated")->click();
    QCOMPARE(simulated.size(), 2);
}

void StartPageTest::theRecordingsAreRemembered()
{
    const QTemporaryDir folder;
    const QString here = folder.filePath("here.lhrun"), gone = folder.filePath("gone.lhrun"),
                  settings = folder.filePath("window.ini");
    QVERIFY(makeFile(here) && makeFile(gone));
    {
        Remembered remembered(settings);
        StartPage page(kTree, startSystems());
        page.noteRecording(recordingAt(here));
        page.noteRecording(recordingAt(gone));
        page.noteRecording(recordingAt(gone)); // again: it is listed once
        page.keep(remembered);
    }
    QVERIFY(QFile::remove(gone));
    const Remembered remembered(settings);
    StartPage page(kTree, startSystems());
    page.setTheme(Theme());
    page.recall(remembered);
    QCOMPARE(namesIn(page, "recordings"), QStringList({ gone, here }));
    const auto* missing = page.findChild<Card*>(gone);
    auto* there = page.findChild<Card*>(here);
    QVERIFY2(missing->isGrey() && !missing->isEnabled() && missing->words().facts.startsWith("missing"),
        qPrintable(missing->words().facts));
    QVERIFY(!there->isGrey() && there->isEnabled());
    QCOMPARE(there->words().title, QString("here.lhrun"));
    QVERIFY2(there->words().words.contains("grow.js") && there->words().facts.contains("2026-11-21")
            && there->words().facts.contains("simulated"),
        qPrintable(there->words().facts));
    QSignalSpy wanted(&page, &StartPage::recordingWanted), changed(&page, &StartPage::recordingsChanged);
    there->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].toString(), here);
    auto* forget = page.findChild<QPushButton*>("forgetMissing");
    QVERIFY(!forget->isHidden());
    forget->click();
    QCOMPARE(changed.size(), 1);
    QCOMPARE(namesIn(page, "recordings"), QStringList({ here }));
    QVERIFY(forget->isHidden());
    // The page lists only the newest.
    for (std::size_t i = 0; i < 2 * RecentRecordings::kMost; ++i)
        page.noteRecording(recordingAt(folder.filePath(QString("%1.lhrun").arg(i))));
    QCOMPARE(namesIn(page, "recordings").size(), qsizetype(RecentRecordings::kMost));
}

void StartPageTest::theWindowNotesWhatItOpensAndSaves()
{
    const QTemporaryDir folder;
    const QString script = folder.filePath("little.js"), saved = folder.filePath("saved.lhrun");
    QVERIFY(makeFile(script,
        "// @title Little\nlab.cluster({ m: 2, k: 0, b: 20, spares: { data: 2, parity: 0 } });\n"
        "lab.client('a').run({ do: 'insert', count: 5 }); lab.settle();\n"));
    MainWindow::Options wanted = options();
    wanted.settingsPath = folder.filePath("window.ini");
    {
        MainWindow window(wanted);
        window.show();
        window.start().preferSimulated(SimulatedOptions {});
        QVERIFY(window.files().openScenario(script, true));
        window.player().runToEnd();
        QVERIFY(QTest::qWaitFor([&] { return !window.player().run().isRunning(); }, kLimit));
        QVERIFY(window.time().save(saved));
        QCOMPARE(namesIn(window.startPage(), "recordings"), QStringList({ saved }));
    }
    MainWindow window(wanted);
    window.show();
    const auto facts = [&] { return window.startPage().recordings().all().at(0); };
    QVERIFY(
        facts().path == saved && facts().isSimulated && facts().scenario == "little.js" && !facts().date().isEmpty());
    const RecentRecording asSaved = facts();
    // An opened file shows the same.
    QCOMPARE(window.files().openRecording(saved), QString());
    QCOMPARE(facts(), asSaved);
    // A file that cannot be opened is not listed.
    QVERIFY(makeFile(folder.filePath("none.lhrun")));
    QVERIFY(!window.files().openRecording(folder.filePath("none.lhrun")).isEmpty());
    QCOMPARE(window.startPage().recordings().all().size(), std::size_t(1));
}

void StartPageTest::whatFailedAndWhatGoesOnIsSeen()
{
    PageStage stage;
    QVERIFY(stage.isReady());
    auto* status = stage.page().findChild<QLabel*>("startStatus");
    auto* scroll = stage.page().findChild<QScrollArea*>("startScroll");
    scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
    for (const bool isForm : { false, true }) { // wherever the page is
        stage.page().showForm(isForm);
        stage.page().setStatus("Nothing answers there.", true);
        QVERIFY(status->isVisible() && status->visibleRegion().boundingRect().height() == status->height());
        QCOMPARE(status->text(), QString("That did not work. Nothing answers there."));
    }
    stage.page().showForm(false);
    stage.page().setBusy(true);
    for (const char* id : { "neverSeen", "grow", "playLive", "startLocal", "connect" })
        QVERIFY2(!stage.page().findChild<QAbstractButton*>(id)->isEnabled(), id);
    stage.page().setBusy(false);
    for (const char* id : { "neverSeen", "grow", "playLive", "startLocal", "connect" })
        QVERIFY2(stage.page().findChild<QAbstractButton*>(id)->isEnabled(), id);
    stage.page().setStatus({}, false);
    QVERIFY(!status->isVisible());
}

void StartPageTest::nothingIsClipped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("fontScale");
    QTest::addColumn<bool>("isDark");
    for (const QSize size : { QSize(1280, 720), QSize(1920, 1080), QSize(640, 400) })
        for (const double scale : { 1.0, 2.0, 2.5 })
            for (const bool isDark : { false, true })
                QTest::addRow("%dx%d %g %s", size.width(), size.height(), scale, isDark ? "dark" : "light")
                    << size << scale << isDark;
}

void StartPageTest::nothingIsClipped()
{
    QFETCH(const QSize, size);
    QFETCH(const double, fontScale);
    QFETCH(const bool, isDark);
    const QTemporaryDir folder;
    MainWindow::Options wanted = options();
    wanted.theme = isDark ? MainWindow::ThemeChoice::Dark : MainWindow::ThemeChoice::Light;
    wanted.fontScale = fontScale;
    PageStage stage(wanted, size);
    QVERIFY(stage.isReady());
    stage.page().setTourThere(true);
    stage.page().setTourLeft(4);
    QVERIFY(makeFile(folder.filePath("a recording with a long name of many words.lhrun")));
    stage.page().noteRecording(recordingAt(folder.filePath("a recording with a long name of many words.lhrun")));
    stage.page().noteRecording(recordingAt(folder.filePath("none.lhrun")));
    stage.page().setStatus("Nothing answers at 127.0.0.1:1. Give the port that its line names.", true);
    auto* scroll = stage.page().findChild<QScrollArea*>("startScroll");
    auto* bar = scroll->verticalScrollBar();
    QCOMPARE(stage.window.size(), size);
    // Nothing extends beyond the right edge once all parts have their sizes.
    QTRY_COMPARE_WITH_TIMEOUT(scroll->widget()->width(), scroll->viewport()->width(), kLimit);
    QVERIFY(bar->maximum() > 0);
    for (int at = 0;; at = std::min(bar->maximum(), at + bar->pageStep())) {
        bar->setValue(at);
        QCoreApplication::processEvents();
        const QString wrong = clipped(stage.window);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("at %1: %2").arg(at).arg(wrong)));
        if (at >= bar->maximum())
            break;
    }
    // Cards are side by side if there is room for two, and below each other otherwise.
    const auto* demo = stage.page().findChild<Card*>("demo");
    const auto* grow = stage.page().findChild<Card*>("grow");
    const bool hasRoom = size.width() > 2 * Theme(Theme::Kind::Light, fontScale).px(268) + 100;
    QCOMPARE(demo->y() == grow->y(), hasRoom);
    QVERIFY(demo->y() == grow->y() ? grow->x() > demo->x() : grow->y() >= demo->y() + demo->height());
    // The picture matches the selected theme.
    const QImage seen = stage.page().findChild<Card*>("demo")->grab().toImage();
    const QImage expected = shippedPicture("demo", isDark);
    const QRect place = demo->findChild<QLabel*>()->geometry(); // the place of the picture
    const QImage drawn = seen.copy(place).scaled(expected.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    QVERIFY2(difference(drawn, expected) < 20, qPrintable(QString::number(difference(drawn, expected))));
    QVERIFY(difference(drawn, shippedPicture("demo", !isDark)) > 50);
    stage.page().showForm(true);
    if (size.width() >= 1280) // the form is as wide as its text
        QTRY_VERIFY2_WITH_TIMEOUT(clipped(stage.window).isEmpty(), qPrintable(clipped(stage.window)), kLimit);
}

void StartPageTest::everythingIsReachedByTheKeyboard()
{
    PageStage stage;
    QVERIFY(stage.isReady());
    stage.page().findChild<QPushButton*>("neverSeen")->setFocus(Qt::TabFocusReason);
    QStringList reached;
    for (int i = 0; i < 40; ++i) {
        QWidget* at = QApplication::focusWidget();
        QVERIFY(at);
        if (!stage.page().isAncestorOf(at) || reached.contains(at->objectName()))
            break;
        reached << at->objectName();
        QTest::keyClick(at, Qt::Key_Tab);
    }
    QCOMPARE(reached,
        QStringList({ "neverSeen", "takeTour", "toExercises", "demo", "01_first_split", "playLive", "chooseParameters",
            namesIn(stage.page(), "experiments").front(), "openARecording" }));
}

void StartPageTest::eachScenarioHasAPictureInBothThemes()
{
    qint64 bytes = 0;
    QStringList names { "free_live", "free_simulated", "free_running" };
    for (const QString& folder : { kTree, kTree + "/exercises" })
        for (const ScenarioFile& file : scenariosIn(folder))
            names << QFileInfo(file.path).completeBaseName();
    for (const QString& name : names) {
        for (const bool isDark : { false, true }) {
            const QImage image = shippedPicture(name, isDark);
            QVERIFY2(!image.isNull(), qPrintable(name + ": lhrs-gui --card-pictures gui/window/resources/cards"));
            QCOMPARE(image.pixelColor(1, 1).lightness() < 128, isDark);
        }
        QVERIFY2(difference(shippedPicture(name, false), shippedPicture(name, true)) > 50, qPrintable(name));
    }
    QVERIFY(names.size() >= 31);
    const QDir pictures(QStringLiteral(LHRS_SOURCE_DIR "/gui/window/resources/cards"));
    for (const QFileInfo& file : pictures.entryInfoList(QDir::Files))
        bytes += file.size();
    QVERIFY2(bytes < 600'000, qPrintable(QString("the pictures have %1 bytes").arg(bytes)));
}

void StartPageTest::aPictureIsWhatTheProgramMakes()
{
    const QTemporaryDir folder;
    QCOMPARE(writeCardPictures(kTree + "/degraded_search.js", folder.path()), QString());
    for (const bool isDark : { false, true }) {
        const QString path = folder.filePath(isDark ? "degraded_search_dark.png" : "degraded_search_light.png");
        const QImage made = QImage(path).convertToFormat(QImage::Format_RGB32);
        const double off = difference(made, shippedPicture("degraded_search", isDark));
        QVERIFY2(off < kAlike, qPrintable(QString("they differ by %1: make it anew").arg(off)));
        for (const char* other : { "recover_k", "grow", "beyond_k" })
            QVERIFY2(difference(made, shippedPicture(other, isDark)) > 2 * kAlike, other);
    }
    // A scenario that fails has no picture, and its card says why.
    QVERIFY(makeFile(folder.filePath("wrong.js"), "lab.expectEqual(1, 2, 'one is two');\n"));
    const QString problem = writeCardPictures(folder.filePath("wrong.js"), folder.path());
    QVERIFY2(problem.contains("wrong.js, line 1"), qPrintable(problem));
    QVERIFY(!QFile::exists(folder.filePath("wrong_light.png")));
}

int main(int count, char** arguments) { return runOffscreen<StartPageTest>(count, arguments); }
#include "tst_start_page.moc"

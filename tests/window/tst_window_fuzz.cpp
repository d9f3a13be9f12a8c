// SPDX-License-Identifier: GPL-3.0-or-later
// Random actions with the recording of a simulated run, in any order: scrub, play, zoom, drag, click, type, resize,
// change themes, fonts and views. After each action the window must show the state of the shown instant. A failure
// prints the seed and the last actions. LHRS_FUZZ_SEEDS=1..500 and LHRS_FUZZ_ACTS=2000 run longer; LHRS_FUZZ_TRACE=1
// prints each action before it is done.
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/lab/sim_recording.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/window/main/main_window.h"
#include "gui/view/panels/lhrs/image_view.h"
#include "gui/view/lhrs/records/record_group_view.h"
#include "gui/view/timeline/space_time_view.h"
#include "node/sim/lhrs/swarm.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>

#include <cstdio>
#include <random>
#include <set>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// These leave the recording or the program, or start processes.
const std::set<QString> kNever { "quit", "startLocal", "startSimulated", "leave", "closeRecording", "tour" };
constexpr std::size_t kKept = 25; // actions printed with a failure

QStringList warnings; // warnings of Qt

void noteWarning(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    // Limits of the offscreen platform are not errors of the window.
    if (type != QtDebugMsg && type != QtInfoMsg && !text.contains(QLatin1String("This plugin does not support"))
        && !text.contains(QLatin1String("XDG_RUNTIME_DIR")))
        warnings << text;
    if (type == QtFatalMsg)
        std::fprintf(stderr, "%s\n", qPrintable(text));
}

MainWindow::Options optionsOfTest()
{
    MainWindow::Options options;
    options.theme = MainWindow::ThemeChoice::Light;
    options.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return options;
}

class FakeUser {
public:
    FakeUser(MainWindow& window, QString recording, std::uint64_t seed)
        : m_window(window), m_recording(std::move(recording)), m_random(seed),
          m_isTold(qEnvironmentVariableIsSet("LHRS_FUZZ_TRACE"))
    {
    }

    void act()
    {
        using Act = void (FakeUser::*)();
        struct Habit {
            int weight;
            Act act;
        };
        static constexpr Habit kHabits[] = { { 6, &FakeUser::scrub }, { 5, &FakeUser::dragTrack },
            { 5, &FakeUser::moveInTime }, { 4, &FakeUser::setSpeed }, { 5, &FakeUser::wheel }, { 4, &FakeUser::drag },
            { 5, &FakeUser::click }, { 3, &FakeUser::select }, { 4, &FakeUser::resize }, { 2, &FakeUser::theme },
            { 2, &FakeUser::font }, { 3, &FakeUser::dock }, { 4, &FakeUser::workspace }, { 6, &FakeUser::actionByKey },
            { 5, &FakeUser::plainKey }, { 2, &FakeUser::findAction }, { 8, &FakeUser::useControl },
            { 5, &FakeUser::letTimePass } };
        int all = 0;
        for (const Habit& habit : kHabits)
            all += habit.weight;
        int drawn = below(all);
        const Habit* habit = std::begin(kHabits);
        for (; drawn >= habit->weight; ++habit)
            drawn -= habit->weight;
        (this->*habit->act)();
        settle();
    }
    // Processes frames and events, as an event loop would; opens the recording again if it was closed.
    void settle()
    {
        m_window.clock().step(0.02);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCoreApplication::processEvents();
        if (!m_window.timeLine().isReplay()) {
            say("opens the recording again");
            m_window.files().openRecording(m_recording);
        }
    }
    QStringList acts() const { return m_acts; }
    int below(int limit) { return limit <= 1 ? 0 : int(m_random() % std::uint64_t(limit)); }

private:
    void say(const QString& words)
    {
        m_acts << words;
        if (std::size_t(m_acts.size()) > kKept)
            m_acts.removeFirst();
        if (m_isTold)
            std::fprintf(stderr, "    %s\n", qPrintable(words));
    }
    QPoint pointIn(const QWidget& widget) { return { below(widget.width()), below(widget.height()) }; }
    ClusterCanvas& canvas() { return m_window.canvas(); }

    // ---- time
    void scrub()
    {
        TimeLine& time = m_window.timeLine();
        const std::int64_t length = time.endNs() - time.beginNs();
        const std::int64_t ns = time.beginNs() - length / 10
            + std::int64_t(m_random() % std::uint64_t(length + length / 5 + 1));
        say(QStringLiteral("seeks %1 ns").arg(ns));
        time.seekTime(ns);
    }
    void dragTrack()
    {
        TimeTrack& track = m_window.timeBar().track();
        if (!track.isVisible())
            return;
        QPoint at = pointIn(track);
        say(QStringLiteral("drags on the track from %1").arg(at.x()));
        QTest::mousePress(&track, Qt::LeftButton, {}, at);
        for (int i = below(4); i > 0; --i) {
            at = QPoint(below(track.width() + 200) - 100, below(track.height()));
            QTest::mouseMove(&track, at);
            m_window.clock().step(0.016);
        }
        QTest::mouseRelease(&track, Qt::LeftButton, {}, at);
    }
    void moveInTime()
    {
        static constexpr const char* kMoves[] = { "playPause", "playPause", "freeze", "follow", "toStart",
            "stepForward", "stepBack", "operationForward", "operationBack", "structureForward", "structureBack" };
        const char* move = kMoves[below(int(std::size(kMoves)))];
        say(move);
        m_window.actions().get(move)->trigger();
    }
    void setSpeed()
    {
        const double speed = std::pow(10.0, below(500) / 100.0 - 3);
        say(QStringLiteral("speed %1").arg(speed));
        m_window.timeLine().setSpeed(speed);
    }
    void letTimePass()
    {
        const double seconds = below(30) / 100.0;
        say(QStringLiteral("%1 s pass").arg(seconds));
        for (int i = 0; i < 3; ++i)
            m_window.clock().step(seconds / 3);
    }

    // ---- the pictures
    QWidget& picture()
    {
        switch (below(6)) {
        case 0: return part<SpaceTimeView>(m_window);
        case 1: return part<RecordGroupView>(m_window);
        case 2: return part<ImageView>(m_window);
        default: return canvas();
        }
    }
    void wheel()
    {
        QWidget& view = picture();
        if (!view.isVisible())
            return;
        const QPoint at = pointIn(view);
        static constexpr Qt::KeyboardModifiers kWith[] = { Qt::NoModifier, Qt::ControlModifier, Qt::ShiftModifier };
        const Qt::KeyboardModifiers with = kWith[below(3)];
        const int turns = (below(2) == 0 ? 120 : -120) * (1 + below(8));
        say(QStringLiteral("wheel %1 over %2").arg(turns).arg(view.objectName()));
        QWheelEvent event(at, view.mapToGlobal(at), {}, QPoint(below(3) == 0 ? turns : 0, turns), Qt::NoButton, with,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&view, &event);
    }
    void drag()
    {
        QWidget& view = picture();
        if (!view.isVisible())
            return;
        QPoint at = pointIn(view);
        say(QStringLiteral("drags in %1 from %2, %3").arg(view.objectName()).arg(at.x()).arg(at.y()));
        QTest::mousePress(&view, Qt::LeftButton, {}, at);
        for (int i = 1 + below(4); i > 0; --i) {
            at += QPoint(below(400) - 200, below(300) - 150);
            QTest::mouseMove(&view, at);
            m_window.clock().step(0.016);
        }
        QTest::mouseRelease(&view, Qt::LeftButton, {}, at);
    }
    void click()
    {
        QWidget& view = picture();
        if (!view.isVisible())
            return;
        const QPoint at = pointIn(view);
        const int how = below(5);
        say(QStringLiteral("%1 at %2, %3 of %4")
                .arg(how == 0      ? "menu"
                        : how == 1 ? "double click"
                        : how == 2 ? "hover"
                                   : "click")
                .arg(at.x())
                .arg(at.y())
                .arg(view.objectName()));
        if (how == 0) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.mapToGlobal(at));
            QCoreApplication::sendEvent(&view, &event);
        } else if (how == 1) {
            QTest::mouseDClick(&view, Qt::LeftButton, {}, at);
        } else if (how == 2) {
            QTest::mouseMove(&view, at);
            m_window.clock().step(0.5); // the hover card, which appears after a delay
        } else {
            QTest::mouseClick(&view, Qt::LeftButton, {}, at);
        }
    }
    // An object that exists, existed, or never existed.
    void select()
    {
        static constexpr ObjectKind kKinds[] = { ObjectKind::None, ObjectKind::Data, ObjectKind::Parity,
            ObjectKind::Group, ObjectKind::Client, ObjectKind::Coordinator, ObjectKind::Spare, ObjectKind::Pool,
            ObjectKind::File, ObjectKind::Dummy, ObjectKind::Displaced, ObjectKind::Fault, ObjectKind::Message };
        ObjectRef object { kKinds[below(int(std::size(kKinds)))], std::uint64_t(below(12)), std::uint64_t(below(3)) };
        const auto& processes = m_window.pacer().state().processes;
        if ((object.kind == ObjectKind::Client || object.kind == ObjectKind::Coordinator
                || object.kind == ObjectKind::Spare)
            && !processes.empty())
            object.a = std::next(processes.begin(), below(int(processes.size())))->first;
        say(QStringLiteral("selects kind %1, %2, %3").arg(int(object.kind)).arg(object.a).arg(object.b));
        m_window.selection().select(object);
        m_window.selection().setPart(std::uint32_t(below(20)));
    }

    // ---- the window
    void resize()
    {
        const QSize size = below(4) == 0 ? QSize(640, 400) : QSize(640 + below(1300), 400 + below(800));
        say(QStringLiteral("resizes to %1 x %2").arg(size.width()).arg(size.height()));
        m_window.resize(size);
    }
    void theme()
    {
        const bool isDark = below(2) == 0;
        say(isDark ? QStringLiteral("dark") : QStringLiteral("light"));
        m_window.looks().setThemeChoice(isDark ? MainWindow::ThemeChoice::Dark : MainWindow::ThemeChoice::Light);
    }
    void font()
    {
        const double scale = 0.8 + below(18) / 10.0;
        say(QStringLiteral("font %1").arg(scale));
        m_window.looks().setFontScale(scale);
    }
    void dock()
    {
        const QList<QDockWidget*> docks = m_window.findChildren<QDockWidget*>();
        QDockWidget* dock = docks[below(int(docks.size()))];
        switch (below(3)) {
        case 0:
            say(QStringLiteral("undocks or docks %1").arg(dock->objectName()));
            dock->setFloating(!dock->isFloating());
            break;
        case 1:
            say(QStringLiteral("shows or hides %1").arg(dock->objectName()));
            dock->setVisible(!dock->isVisible());
            break;
        default:
            say(QStringLiteral("raises and resizes %1").arg(dock->objectName()));
            dock->raise();
            dock->resize(100 + below(900), 80 + below(600));
        }
    }
    void workspace()
    {
        static constexpr const char* kPlaces[] = { "lecture", "inspect", "faultPanel", "measure", "spaceTime", "write",
            "present", "stopPresenting", "reducedMotion", "projector" };
        const char* place = kPlaces[below(int(std::size(kPlaces)))];
        say(place);
        m_window.actions().get(place)->trigger();
    }

    // ---- keys and controls
    QWidget& focus()
    {
        QWidget* focus = QApplication::focusWidget();
        return focus != nullptr && m_window.isAncestorOf(focus) ? *focus : canvas();
    }
    void actionByKey()
    {
        const auto& all = m_window.actions().all();
        const QAction* action = all[std::size_t(below(int(all.size())))];
        if (kNever.contains(action->objectName()) || action->shortcuts().isEmpty())
            return;
        const QKeySequence key = action->shortcuts()[below(int(action->shortcuts().size()))];
        say(QStringLiteral("key of %1").arg(action->objectName()));
        m_window.activateWindow();
        QTest::sendKeyEvent(QTest::Click, &focus(), key[0].key(), QString(), key[0].keyboardModifiers());
    }
    void plainKey()
    {
        static constexpr Qt::Key kKeys[] = { Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Return,
            Qt::Key_Tab, Qt::Key_Escape, Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_PageUp, Qt::Key_PageDown,
            Qt::Key_Home, Qt::Key_End, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_B, Qt::Key_D, Qt::Key_G, Qt::Key_L,
            Qt::Key_Slash, Qt::Key_1, Qt::Key_9, Qt::Key_Menu };
        const Qt::Key key = kKeys[below(int(std::size(kKeys)))];
        QWidget& at = focus();
        say(QStringLiteral("key %1 in %2").arg(QKeySequence(key).toString(), at.objectName()));
        QTest::keyClick(&at, key, below(5) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    }
    void findAction()
    {
        ActionFinder finder(m_window.actions(), &m_window);
        finder.show();
        auto* words = finder.findChild<QLineEdit*>();
        auto* list = finder.findChild<QListWidget*>();
        QString typed;
        for (int i = 1 + below(4); i > 0; --i)
            typed += QChar('a' + below(26));
        words->setText(typed);
        for (int i = below(4); i > 0; --i)
            QTest::keyClick(words, Qt::Key_Down);
        const QListWidgetItem* item = list->currentItem();
        say(QStringLiteral("finds \"%1\": %2").arg(typed, item ? item->text() : QString()));
        for (const QString& id : kNever) {
            if (item != nullptr && item->text().startsWith(m_window.actions().get(qPrintable(id))->text()))
                return;
        }
        QTest::keyClick(words, Qt::Key_Return);
    }
    // Any visible control: changes its value, or clicks.
    void useControl()
    {
        QList<QWidget*> controls;
        for (QWidget* widget : m_window.findChildren<QWidget*>()) {
            if (widget->isVisible() && widget->isEnabled()
                && (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget)
                    || qobject_cast<QSpinBox*>(widget) || qobject_cast<QScrollBar*>(widget)
                    || qobject_cast<QLineEdit*>(widget) || qobject_cast<QTabBar*>(widget)
                    || qobject_cast<QAbstractItemView*>(widget)))
                controls << widget;
        }
        if (controls.isEmpty())
            return;
        QWidget* control = controls[below(int(controls.size()))];
        say(QStringLiteral("uses %1 %2").arg(control->metaObject()->className(), control->objectName()));
        if (auto* button = qobject_cast<QAbstractButton*>(control))
            QTest::mouseClick(button, Qt::LeftButton);
        else if (auto* box = qobject_cast<QComboBox*>(control))
            box->setCurrentIndex(below(box->count()));
        else if (auto* spin = qobject_cast<QSpinBox*>(control))
            spin->setValue(
                spin->minimum() + below(std::min(1'000'000, spin->maximum() - std::max(spin->minimum(), -1'000'000))));
        else if (auto* bar = qobject_cast<QScrollBar*>(control))
            bar->setValue(bar->minimum() + below(bar->maximum() - bar->minimum() + 1));
        else if (auto* line = qobject_cast<QLineEdit*>(control))
            QTest::keyClicks(line, QStringLiteral("data 5 / recovery 77").mid(below(10), 1 + below(8)));
        else if (auto* tabs = qobject_cast<QTabBar*>(control))
            tabs->setCurrentIndex(below(tabs->count()));
        else if (auto* view = qobject_cast<QAbstractItemView*>(control))
            QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, pointIn(*view->viewport()));
    }

    MainWindow& m_window;
    const QString m_recording;
    std::mt19937_64 m_random;
    const bool m_isTold;
    QStringList m_acts;
};

// The conditions that must hold after every action. Empty: they do.
QString wrongness(MainWindow& window, Recording& truth)
{
    if (!warnings.isEmpty())
        return QStringLiteral("Qt warns: ") + warnings.join(QStringLiteral(" | "));
    TimeLine& time = window.timeLine();
    if (!time.isReplay() || !time.trouble().isEmpty())
        return QStringLiteral("the time line says: ") + time.trouble();
    if (time.cursor() > truth.events())
        return QStringLiteral("the cursor stands at %1 of %2").arg(time.cursor()).arg(truth.events());
    if (!window.canvas().restingPicture().texts().isEmpty() != window.canvas().isVisible()
        && window.canvas().isVisible() && window.canvas().width() > 200 && window.canvas().height() > 200)
        return QStringLiteral("an empty picture");
    // At rest the picture equals the state of the instant.
    if (time.mode() == TimeLine::Mode::Play)
        return {};
    for (int i = 0; i < 200 && window.pacer().isBusy(); ++i)
        window.clock().step(0.25);
    window.clock().step(0.25);
    const auto state = truth.stateAt(time.cursor());
    if (!state)
        return QString::fromStdString(state.error().text);
    if (bytesOf(window.pacer().state()) != bytesOf(*state))
        return QStringLiteral("the picture is not the state at event %1").arg(time.cursor());
    return {};
}

} // namespace

class WindowFuzzTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everyViewIsKeptAsAPicture();
    void whateverIsDoneThePictureIsTheShownInstant_data();
    void whateverIsDoneThePictureIsTheShownInstant();

private:
    QTemporaryDir m_folder;
    QString m_path;
};

// A run with failures, recoveries and splits.
void WindowFuzzTest::initTestCase()
{
    m_path = m_folder.filePath(QStringLiteral("run.lhrun"));
    const std::string made = recordCase(drawCase(10'003), m_path);
    QCOMPARE(QString::fromStdString(made), m_path);
}

// For a review of the build: each view of one run, light and dark, in build/dev/test-artefacts.
void WindowFuzzTest::everyViewIsKeptAsAPicture()
{
    const QDir folder(QStringLiteral(LHRS_BIN_DIR "/../test-artefacts"));
    QVERIFY(folder.mkpath(QStringLiteral(".")));
    MainWindow window(optionsOfTest());
    window.clock().stop();
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto keep = [&](const QString& name) {
        window.resize(1280, 720); // the offscreen screen is smaller
        for (int frame = 0; frame < 5; ++frame) {
            window.clock().step(0.25);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // no event loop does it
            QCoreApplication::processEvents();
        }
        const QString path = folder.filePath(name + QStringLiteral(".png"));
        const QImage image = window.grab().toImage();
        if (!image.save(path))
            return path + QStringLiteral(" cannot be written");
        const QRgb first = image.pixel(0, image.height() / 2);
        bool isDrawn = false;
        for (int x = 0; x < image.width() && !isDrawn; ++x)
            isDrawn = image.pixel(x, image.height() / 2) != first;
        return image.size() == window.size() && isDrawn ? QString() : path + QStringLiteral(" is empty");
    };
    for (const auto& [choice, suffix] :
        { std::pair(MainWindow::ThemeChoice::Light, "light"), std::pair(MainWindow::ThemeChoice::Dark, "dark") }) {
        window.looks().setThemeChoice(choice);
        QCOMPARE(keep(QStringLiteral("start_%1").arg(suffix)), QString());
    }
    QCOMPARE(window.files().openRecording(m_path), QString());
    window.timeLine().seek(window.timeLine().newest() * 3 / 4);
    window.selection().select({ ObjectKind::Data, 0, 0 });
    for (const auto& [choice, suffix] :
        { std::pair(MainWindow::ThemeChoice::Light, "light"), std::pair(MainWindow::ThemeChoice::Dark, "dark") }) {
        window.looks().setThemeChoice(choice);
        for (const char* view : { "lecture", "inspect", "faultPanel", "measure", "spaceTime", "write" }) {
            window.actions().get(view)->trigger();
            QCOMPARE(keep(QStringLiteral("%1_%2").arg(view, suffix)), QString());
        }
        window.setWorkspace(MainWindow::Workspace::Lecture);
        window.actions().get("present")->trigger();
        QCOMPARE(keep(QStringLiteral("present_%1").arg(suffix)), QString());
        window.actions().get("stopPresenting")->trigger();
    }
}

void WindowFuzzTest::whateverIsDoneThePictureIsTheShownInstant_data()
{
    QTest::addColumn<quint64>("seed");
    const QString wanted = qEnvironmentVariable("LHRS_FUZZ_SEEDS", QStringLiteral("1..2"));
    const quint64 first = wanted.section(QStringLiteral(".."), 0, 0).toULongLong(),
                  last = wanted.section(QStringLiteral(".."), -1).toULongLong();
    for (quint64 seed = first; seed <= last; ++seed)
        QTest::newRow(qPrintable(QStringLiteral("seed %1").arg(seed))) << seed;
}

void WindowFuzzTest::whateverIsDoneThePictureIsTheShownInstant()
{
    QFETCH(const quint64, seed);
    const int acts = std::max(1, qEnvironmentVariable("LHRS_FUZZ_ACTS", QStringLiteral("60")).toInt());
    auto truth = Recording::open(m_path);
    QVERIFY2(truth, truth ? "" : truth.error().text.c_str());
    MainWindow window(optionsOfTest());
    window.clock().stop(); // the test makes the frames
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QCOMPARE(window.files().openRecording(m_path), QString());
    DialogCloser closer;
    warnings.clear();
    const QtMessageHandler before = qInstallMessageHandler(noteWarning);
    // A model that contradicts itself gives a warning.
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (const QTableView* table : window.findChildren<QTableView*>())
        testers.push_back(std::make_unique<QAbstractItemModelTester>(
            table->model(), QAbstractItemModelTester::FailureReportingMode::Warning));
    testers.push_back(std::make_unique<QAbstractItemModelTester>(
        &window.player().story(), QAbstractItemModelTester::FailureReportingMode::Warning));
    FakeUser user(window, m_path, seed);
    QString wrong;
    for (int act = 0; act < acts && wrong.isEmpty(); ++act) {
        user.act();
        if (act % 10 == 9 || act + 1 == acts)
            wrong = wrongness(window, **truth);
        if (!wrong.isEmpty())
            wrong = QStringLiteral("seed %1, act %2: %3\nlast: %4")
                        .arg(seed)
                        .arg(act)
                        .arg(wrong, user.acts().join(QStringLiteral("\n      ")));
    }
    qInstallMessageHandler(before);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

int main(int count, char** arguments)
{
    if (qEnvironmentVariableIsSet("LHRS_FUZZ_SEEDS") && !qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", "36000000"); // an hour of seeds is no hang
    return runOffscreen<WindowFuzzTest>(count, arguments);
}
#include "tst_window_fuzz.moc"

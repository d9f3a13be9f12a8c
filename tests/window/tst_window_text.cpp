// SPDX-License-Identifier: GPL-3.0-or-later
// The text of the window at the supported sizes and scales: nothing is clipped, nothing stays small.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/lhrs/file_picture.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/main/main_window.h"
#include "gui/view/panels/lhrs/image_view.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QMainWindow>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <array>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;
constexpr double kLargestPixels = 24; // of a widget at 100 %; captions grow with the room
constexpr std::array kWorkspaces { MainWindow::Workspace::Lecture, MainWindow::Workspace::Inspect,
    MainWindow::Workspace::Measure, MainWindow::Workspace::Write, MainWindow::Workspace::SpaceTime,
    MainWindow::Workspace::Faults, MainWindow::Workspace::Invariants, MainWindow::Workspace::Gate };
const QString kScenario = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/grow.js");

// The texts that the scenarios show, as written in them.
QStringList captions()
{
    static const QRegularExpression kSay(QStringLiteral("lab\\.say\\('(.*)'\\);"));
    const QDir folder(QStringLiteral(LHRS_SOURCE_DIR "/scenarios"));
    QStringList found;
    for (const QString& name : folder.entryList({ QStringLiteral("*.js") })) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const QString source = QString::fromUtf8(file.readAll());
        for (auto matches = kSay.globalMatch(source); matches.hasNext();)
            found << matches.next().captured(1);
    }
    return found;
}

bool isInsideArea(const QWidget* part)
{
    while (part && !qobject_cast<const QAbstractScrollArea*>(part))
        part = part->parentWidget();
    return part;
}

} // namespace

class WindowTextTest : public QObject {
    Q_OBJECT
private slots:
    void noTextIsClipped_data();
    void noTextIsClipped();
    void largeTextFitsASmallWindow_data();
    void largeTextFitsASmallWindow();
    void everyCaptionOfTheScenarioFits_data();
    void everyCaptionOfTheScenarioFits();
    void pagesScrollDownOnly_data();
    void pagesScrollDownOnly();
    void allTextGrows_data();
    void allTextGrows();
};

void WindowTextTest::noTextIsClipped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("theme");
    QTest::addColumn<double>("fontScale");
    for (const QSize size : { QSize(1280, 720), QSize(1920, 1080) }) {
        for (const auto theme : { MainWindow::ThemeChoice::Light, MainWindow::ThemeChoice::Dark }) {
            for (const double scale : { 1.0, 1.5 }) {
                const QString name = QString("%1 x %2, %3, %4 %")
                                         .arg(size.width())
                                         .arg(size.height())
                                         .arg(theme == MainWindow::ThemeChoice::Dark ? "dark" : "light")
                                         .arg(100 * scale);
                QTest::newRow(qPrintable(name)) << size << int(theme) << scale;
            }
        }
    }
}

void WindowTextTest::noTextIsClipped()
{
    QFETCH(const QSize, size);
    QFETCH(const int, theme);
    QFETCH(const double, fontScale);
    FakeCluster cluster({ 8, 4, 1 });
    MainWindow::Options chosen = options();
    chosen.theme = MainWindow::ThemeChoice(theme);
    MainWindow window(chosen);
    window.looks().setFontScale(fontScale);
    window.resize(size);
    window.show();
    QVERIFY(window.files().openScenario(kScenario, false));
    QTRY_VERIFY2_WITH_TIMEOUT(clipped(window).isEmpty(), qPrintable("start page: " + clipped(window)), kLimit);
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.canvas().viewOf<FilePicture>().layoutShown().items.size() >= 21 && window.workloads().client() != 0,
        kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("LIVE"), kLimit);
    const auto raise = [&](const char* dock) { window.findChild<QDockWidget*>(dock)->raise(); };
    for (const auto workspace :
        { MainWindow::Workspace::Lecture, MainWindow::Workspace::Inspect, MainWindow::Workspace::Faults }) {
        window.setWorkspace(workspace);
        for (const ObjectRef object : { ObjectRef { ObjectKind::Data, 5, 0 }, ObjectRef { ObjectKind::Parity, 1, 0 },
                 ObjectRef { ObjectKind::Client, kFileClients, 0 } }) {
            window.canvas().choose(object);
            raise(object.kind == ObjectKind::Client ? "imageDock" : "bucketDock");
            raise(object.kind == ObjectKind::Parity ? "storyDock" : "logDock");
            for (int frame = 0; frame < 4; ++frame) { // a list that grew gets its scroll bar
                QCoreApplication::processEvents();
                window.clock().step(0.2);
            }
            QCOMPARE(window.size(), size); // no widget forces the window to grow
            QVERIFY2(window.workloads().height() < 2 * window.workloads().countBox()->height(),
                "the buttons take more than one row");
            if (auto* records = window.findChild<QTableView*>("records");
                workspace == MainWindow::Workspace::Inspect && object.kind == ObjectKind::Data) {
                const int rows = records->viewport()->height() / records->verticalHeader()->defaultSectionSize();
                QVERIFY2(records->isVisible() && rows >= (fontScale > 1 ? 6 : 5),
                    qPrintable(QString("%1 rows of the table are seen").arg(rows)));
            }
            const QString wrong = clipped(window);
            QVERIFY2(wrong.isEmpty(),
                qPrintable(QString(workspace == MainWindow::Workspace::Lecture   ? "lecture: "
                                   : workspace == MainWindow::Workspace::Inspect ? "inspect: "
                                                                                 : "faults: ")
                    + wrong));
            for (const QString& left : { outside(window.canvas().restingPicture(), window.canvas().size()),
                     outside(window.status().picture(), window.status().size()),
                     !part<ImageView>(window).visibleRegion().isEmpty()
                         ? outside(part<ImageView>(window).picture(), part<ImageView>(window).size())
                         : QString() })
                QVERIFY2(left.isEmpty(), qPrintable(left));
            if (workspace != MainWindow::Workspace::Inspect)
                break; // the selection changes the panels of that workspace only
        }
    }
}

void WindowTextTest::largeTextFitsASmallWindow_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("fontScale");
    for (const QSize size : { QSize(1280, 720), QSize(1024, 768) })
        for (const double scale : { 1.0, 1.5, 1.6, 2.0, 2.5 })
            QTest::newRow(qPrintable(QString("%1 x %2, %3 %").arg(size.width()).arg(size.height()).arg(100 * scale)))
                << size << scale;
}

// The window keeps its size: what is around the picture collapses, and each bucket of the picture keeps its number.
void WindowTextTest::largeTextFitsASmallWindow()
{
    QFETCH(const QSize, size);
    QFETCH(const double, fontScale);
    FakeCluster cluster({ 8, 4, 1 });
    MainWindow window(options());
    window.resize(size);
    window.show();
    QVERIFY(window.files().openScenario(kScenario, false));
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.canvas().viewOf<FilePicture>().layoutShown().items.size() >= 21 && window.workloads().client() != 0,
        kLimit);
    const auto settle = [&] {
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            window.clock().step(0.2);
        }
    };
    settle();
    const QSize usual = window.canvas().size();
    for (const bool isHall : { false, true }) {
        window.setPresenting(isHall);
        window.setWindowState(Qt::WindowNoState); // sized by the test, not by the screen
        window.resize(size);
        window.looks().setFontScale(fontScale);
        settle();
        QCOMPARE(window.size(), size);
        QVERIFY2(window.minimumSize().width() <= 1024 && window.minimumSize().height() <= 768
                && window.minimumSize() == QSize(640, 400),
            qPrintable(QString("%1 x %2").arg(window.minimumSize().width()).arg(window.minimumSize().height())));
        for (const QWidget* part : std::initializer_list<const QWidget*> {
                 &window.canvas(), &window.player().strip(), &window.timeBar(), &window.status() })
            QVERIFY2(part->isVisible() && window.rect().contains(QRect(part->mapTo(&window, QPoint()), part->size())),
                qPrintable(part->objectName()));
        const DisplayList& picture = window.canvas().restingPicture();
        QVERIFY2(textFault(picture, window.canvas().size()).isEmpty(),
            qPrintable(textFault(picture, window.canvas().size())
                + QString(", canvas %1 x %2").arg(window.canvas().width()).arg(window.canvas().height())));
        for (std::uint64_t bucket = 0; bucket < 8; ++bucket)
            QVERIFY2(std::any_of(picture.items().begin(), picture.items().end(),
                         [&](const DisplayList::Item& item) {
                             const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
                             return text && item.object == ObjectRef { ObjectKind::Data, bucket, 0 }
                             && text->text.endsWith(QString::number(bucket));
                         }),
                qPrintable(QString("bucket %1, canvas %2 x %3")
                               .arg(bucket)
                               .arg(window.canvas().width())
                               .arg(window.canvas().height())));
        if (fontScale <= 2)
            QVERIFY2(clipped(window).isEmpty(), qPrintable(clipped(window)));
    }
    window.setPresenting(false);
    window.looks().setFontScale(1);
    window.resize(size);
    settle();
    // Smaller text brings everything back.
    QVERIFY(window.canvas().width() == usual.width() && window.canvas().height() >= usual.height());
}

void WindowTextTest::everyCaptionOfTheScenarioFits_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("fontScale");
    QTest::newRow("1280 x 720") << QSize(1280, 720) << 1.0;
    QTest::newRow("1280 x 720, 150 %") << QSize(1280, 720) << 1.5;
    QTest::newRow("1920 x 1080") << QSize(1920, 1080) << 1.0;
}

void WindowTextTest::everyCaptionOfTheScenarioFits()
{
    QFETCH(const QSize, size);
    QFETCH(const double, fontScale);
    MainWindow window(options());
    window.looks().setFontScale(fontScale);
    window.resize(size);
    window.show();
    QVERIFY(window.files().openScenario(kScenario, false));
    QCoreApplication::processEvents();
    auto* caption = window.player().strip().findChild<CaptionLabel*>("caption");
    const QStringList all = captions();
    QVERIFY(all.size() > 10);
    for (const QString& text : all) {
        caption->setText(text);
        QVERIFY2(caption->fits(), qPrintable(text));
    }
    caption->setText(all.join(' '));
    QVERIFY(!caption->fits()); // the check detects it
}

void WindowTextTest::allTextGrows_data()
{
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("then");
    QTest::newRow("small at first") << 1.0 << 2.0;
    QTest::newRow("large from the start") << 2.0 << 2.0;
    QTest::newRow("smaller again") << 2.0 << 1.0;
}

void WindowTextTest::pagesScrollDownOnly_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("fontScale");
    for (const QSize size : { QSize(1280, 720), QSize(1024, 768) })
        for (const double scale : { 1.0, 1.5, 2.0 })
            QTest::newRow(qPrintable(QString("%1 x %2, %3 %").arg(size.width()).arg(size.height()).arg(100 * scale)))
                << size << scale;
}

// A page that is wider than its area is read with two scroll bars.
void WindowTextTest::pagesScrollDownOnly()
{
    QFETCH(const QSize, size);
    QFETCH(const double, fontScale);
    FakeCluster cluster({ 8, 4, 1 });
    MainWindow::Options chosen = options();
    chosen.fontScale = fontScale;
    MainWindow window(chosen);
    for (QMainWindow* inner : window.findChildren<QMainWindow*>())
        inner->setAnimated(false); // docks move to their places at once
    window.resize(size);
    window.show();
    QStringList wrong;
    int seen = 0;
    const auto check = [&](const QString& where) {
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            window.clock().step(0.2);
        }
        QCOMPARE(window.size(), size);
        for (const QWidget* part : window.findChildren<QWidget*>()) {
            const bool isLabelled = qobject_cast<const QAbstractButton*>(part) || qobject_cast<const QComboBox*>(part)
                || qobject_cast<const QLabel*>(part);
            if (!isLabelled || part->visibleRegion().isEmpty() || isInsideArea(part))
                continue;
            if (const int more = part->mapTo(&window, QPoint(part->width(), 0)).x() - window.width(); more > 0)
                wrong << QString("%1: %2 is %3 pixels outside of the window").arg(where, nameOf(part)).arg(more);
            else if (!part->parentWidget()->rect().contains(part->geometry()))
                wrong << QString("%1: %2 is cut by what it stands in").arg(where, nameOf(part));
        }
        for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
            if (!area->isVisible() || !window.rect().intersects(QRect(area->mapTo(&window, QPoint()), area->size())))
                continue; // a tab that is not in front lies outside
            ++seen;
            if (const int more = area->horizontalScrollBar()->maximum(); more > 0)
                wrong << QString("%1: %2 is %3 pixels wider than its room").arg(where, nameOf(area)).arg(more);
        }
    };
    check("start page");
    QVERIFY(seen > 0);
    QVERIFY(window.files().openScenario(kScenario, false));
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.workloads().client() != 0 && window.canvas().isVisible(), kLimit);
    for (const auto workspace : kWorkspaces) {
        window.setWorkspace(workspace);
        check(QString("workspace %1").arg(int(workspace)));
    }
    window.setWorkspace(MainWindow::Workspace::Write);
    part<EditorPanel>(window).openFind();
    check("find bar");
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

// Text must be readable from a distance and with poor eyesight: no text may stay small.
void WindowTextTest::allTextGrows()
{
    QFETCH(const double, first);
    QFETCH(const double, then);
    FakeCluster cluster({ 8, 4, 1 });
    MainWindow::Options chosen = options();
    chosen.fontScale = first;
    MainWindow window(chosen);
    window.resize(1920, 1080);
    window.show();
    const int least = int(then * Theme::kSmallestPixels), most = int(then * kLargestPixels);
    QStringList wrong;
    int seen = 0;
    const auto check = [&](const QString& where) {
        if (then != first)
            window.looks().setFontScale(then);
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            window.clock().step(0.2);
        }
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || !showsText(widget))
                continue;
            ++seen;
            if (const int size = widget->fontInfo().pixelSize(); size < least || size > most)
                wrong << QString("%1: %2 has %3 pixels").arg(where, nameOf(widget)).arg(size);
        }
    };
    check("start page");
    QVERIFY(window.files().openScenario(kScenario, false));
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.canvas().viewOf<FilePicture>().layoutShown().items.size() >= 21 && window.workloads().client() != 0,
        kLimit);
    for (const auto workspace : kWorkspaces) {
        window.setWorkspace(workspace);
        check(QString("workspace %1").arg(int(workspace)));
    }
    QVERIFY(seen > 200);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

int main(int count, char** arguments)
{
    // 25,000 inserts and searches take minutes on a busy machine; each wait has its own limit.
    qputenv("QTEST_FUNCTION_TIMEOUT", "540000");
    return runOffscreen<WindowTextTest>(count, arguments);
}
#include "tst_window_text.moc"

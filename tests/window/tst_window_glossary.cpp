// SPDX-License-Identifier: GPL-3.0-or-later
// "What is this?": the first line of the hover card, the key that explains the pointed or selected object, and the
// sheet of terms.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/lhrs/file_picture.h"
#include "gui/view/lhrs/words/hover_words.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/window/widgets/glossary_sheet.h"
#include "gui/window/lhrs/invariant_panel.h"
#include "gui/view/panels/lhrs/image_view.h"
#include "gui/window/lhrs/image_panel.h"

#include <QAccessible>
#include <QDockWidget>
#include <QListWidget>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSet>
#include <QTextBrowser>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;
constexpr std::size_t kItems = 2 + 1 + 8 + 2 + 10; // clients, coordinator, buckets, parity buckets, spares

// A window that shows the file, with the parts of its glossary that a test needs.
struct Watching {
    FakeCluster cluster { { 8, 4, 1 } };
    MainWindow window;

    explicit Watching(const MainWindow::Options& chosen = options()) : window(chosen)
    {
        window.resize(1280, 720);
        window.show();
        window.start().connectTo(cluster.address());
    }
    bool isReady()
    {
        const auto isThere = [this] {
            return window.showsCluster() && window.canvas().viewOf<FilePicture>().layoutShown().items.size() == kItems
                && !window.canvas().isMoving() && window.workloads().client() != 0
                && window.canvas().restingPicture().texts().contains("20 / 40");
        };
        return QTest::qWaitFor(isThere, kLimit) && QTest::qWaitForWindowActive(&window);
    }
    GlossarySheet* sheet() { return window.findChild<GlossarySheet*>(); }
    QString shown()
    {
        return sheet() && sheet()->isVisible() && sheet()->shown() ? QString(sheet()->shown()->id) : QString();
    }
    QString entry() { return sheet()->findChild<QTextBrowser*>("glossaryEntry")->toPlainText(); }
    QListWidget* terms() { return sheet()->findChild<QListWidget*>("glossaryTerms"); }
    // A key for the window, whatever has the focus in it. Qt also calls a window active if its child is; keys go to
    // that one.
    void ask()
    {
        window.activateWindow();
        QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), &window, kLimit);
        QTest::keyClick(window.focusWidget() ? window.focusWidget() : &window, Qt::Key_F1, Qt::ShiftModifier);
    }
    // Moves the mouse to the place and waits until the card appears.
    void point(QPointF at)
    {
        window.canvas().setAttribute(Qt::WA_UnderMouse);
        QMouseEvent move(
            QEvent::MouseMove, at, window.canvas().mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window.canvas(), &move);
        for (int frame = 0; frame < 4; ++frame)
            window.clock().step(0.2);
    }
    // The middle of the part that this term explains; null: the object has none.
    QPointF partOf(ObjectRef object, std::string_view term)
    {
        const DisplayList& list = window.canvas().restingPicture();
        for (const DisplayList::Part& part : list.parts()) {
            if (part.object == object && part.term == term && list.termAt(part.rect.center()) == term)
                return part.rect.center();
        }
        return {};
    }
    QStringList card() { return window.canvas().movingPicture().texts(); }
};

constexpr ObjectRef kBucket5 { ObjectKind::Data, 5, 0 };
constexpr ObjectRef kFile { ObjectKind::File, 0, 0 };

} // namespace

class WindowGlossaryTest : public QObject {
    Q_OBJECT
private slots:
    void theKeyboardAloneOpensTheSheetAtASelectedBucket();
    void theLevelOfABucketIsExplainedUnderTheMouse();
    void eachPartOfThePictureHasItsTerm();
    void theCardIsNoLargerThanItsDetails_data();
    void theCardIsNoLargerThanItsDetails();
    void theKeyboardWinsUntilTheMouseMoves();
    void aPanelHasItsTerm();
    void theSheetFindsTerms();
    void theExampleFollowsTheCluster();
    void noTextOfTheSheetIsClipped_data();
    void noTextOfTheSheetIsClipped();
    void aScreenReaderHasNamesForAllOfIt();
};

void WindowGlossaryTest::theKeyboardAloneOpensTheSheetAtASelectedBucket()
{
    Watching w;
    QVERIFY(w.isReady());
    ClusterCanvas& canvas = w.window.canvas();
    canvas.setFocus();
    for (int press = 0; press < 12 && w.window.selection().selected() != kBucket5; ++press)
        QTest::keyClick(&canvas, w.window.selection().selected().a == 0 && press > 0 ? Qt::Key_Down : Qt::Key_Right);
    QCOMPARE(w.window.selection().selected(), kBucket5);
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("data-bucket"), kLimit);
    GlossarySheet* sheet = w.sheet();
    QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), sheet, kLimit);
    QVERIFY2(w.entry().contains("Data bucket")
            && w.entry().contains("Here: bucket 5 holds 20 records in process node-6.")
            && w.entry().contains("section 2"),
        qPrintable(w.entry()));
    QCOMPARE(w.terms()->currentItem()->text(), QString("Data bucket"));
    // To the first of the related terms, whose example is in the same bucket.
    auto* related = sheet->findChild<QLabel*>("glossaryRelated");
    for (int press = 0; press < 4 && !related->hasFocus(); ++press)
        QTest::keyClick(sheet->focusWidget(), Qt::Key_Tab);
    QVERIFY(related->hasFocus());
    QTest::keyClick(related, Qt::Key_Tab); // to the first link
    QTest::keyClick(related, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("j"), kLimit);
    QVERIFY2(w.entry().contains("Here: bucket 5 has level j = 3, so it keeps keys whose last 3 bits are 101."),
        qPrintable(w.entry()));
    QTest::keyClick(sheet->focusWidget(), Qt::Key_Escape);
    QVERIFY(!sheet->isVisible());
    // Nothing is selected: the search is ready.
    w.window.selection().select({});
    w.ask();
    QTRY_VERIFY_WITH_TIMEOUT(sheet->isVisible() && sheet->findChild<QLineEdit*>()->hasFocus(), kLimit);
}

void WindowGlossaryTest::theLevelOfABucketIsExplainedUnderTheMouse()
{
    Watching w;
    QVERIFY(w.isReady());
    const QPointF level = w.partOf(kBucket5, "j");
    QVERIFY(!level.isNull());
    w.point(level);
    const QString card = w.card().join(" | ");
    for (const char* words :
        { "Bucket level j: last bits of a key that count", "Bucket 5 of group 1: ", "position 1, level j = 3" })
        QVERIFY2(card.contains(words), qPrintable(card));
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("j"), kLimit);
    QVERIFY2(w.entry().contains("bucket 5 has level j = 3"), qPrintable(w.entry()));
    // Another part of the same card: the card stays, with a new first line; the same sheet explains it.
    w.point(w.partOf(kBucket5, "b"));
    QVERIFY2(w.card().join(" | ").contains("Bucket capacity b: records that fit"), qPrintable(w.card().join(" | ")));
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("b"), kLimit);
    // A record: its own rank.
    const CellGeometry cells = cellGeometry(
        w.window.canvas().theme(), w.window.canvas().rectOf(kBucket5), cellPlanOf(w.window.canvas().state()));
    QVERIFY(cells.isValid());
    w.point(cells.cellOf(7).center());
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("rank"), kLimit);
    QVERIFY2(w.entry().contains("the record with key 705 has rank 7 in bucket 5"), qPrintable(w.entry()));
    // The card of the file, word by word: i is on the left, K on the right.
    const DisplayList& list = w.window.canvas().restingPicture();
    const auto row = std::find_if(list.items().begin(), list.items().end(), [](const DisplayList::Item& item) {
        const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
        return text && item.object == kFile && text->text.contains("K = 1");
    });
    QVERIFY(row != list.items().end());
    const auto& text = std::get<DisplayList::Text>(row->primitive);
    const QRectF words = list.textRect(text);
    QVERIFY(list.termAt(QPointF(words.right() - 4, words.center().y())) == "K");
    QVERIFY(list.termAt(QPointF(words.left() + list.theme().width(text.style, text.text.section("(i", 0, 0) + "(") + 2,
                words.center().y()))
        == "i");
    QVERIFY(list.termAt(QPointF(words.left() + 2, words.center().y())).empty()); // “File” itself
    for (const char* const term : { "i", "n", "M", "K", "load-factor", "m", "b", "galois-field", "j" }) {
        const QPointF part = w.partOf(kFile, term);
        QVERIFY2(!part.isNull(), term);
        w.point(part);
        w.ask();
        QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString(term), kLimit);
    }
}

void WindowGlossaryTest::eachPartOfThePictureHasItsTerm()
{
    ClusterState trouble = fileOf({ 14, 4, 2 });
    trouble.clients[kFileClients].done = 9; // so that there is room for its forwards
    trouble.data[5].isOverflowed = true;
    trouble.data[5].count = 43;
    trouble.groups[0].down[{ pb::DATA, 1 }] = {};
    trouble.groups[0].state = pb::GROUP_DEGRADED;
    trouble.groups[1].state = pb::GROUP_FROZEN;
    trouble.groups[2].state = pb::GROUP_LOST;
    trouble.groups[3].suspected[{ pb::DATA, 0 }] = {};
    trouble.groups[0].recovery.id = 1;
    trouble.groups[0].recovery.isStarted = true;
    trouble.groups[0].recovery.buckets = { 1 };
    QSet<QString> seen;
    for (const ClusterState& state : { fileOf({ 5, 4, 1 }), fileOf({ 8, 4, 2 }), trouble, fileOf({ 40, 4, 1 }) }) {
        const Drawn drawing = drawn(state, QSizeF(1900, 1000));
        for (const DisplayList::Part& part : drawing.list.parts()) {
            QVERIFY2(termOf(part.term), std::string(part.term).c_str());
            QVERIFY2(
                bool(part.object) && part.rect.width() > 0 && part.rect.height() > 0, std::string(part.term).c_str());
            seen << QString::fromLatin1(part.term.data(), qsizetype(part.term.size()));
        }
    }
    for (const char* const term : { "i", "n", "j", "M", "K", "k", "m", "b", "rank", "record-group", "epoch",
             "client-image", "forward", "load-factor", "galois-field", "overflow", "suspect", "degraded-group",
             "frozen-group", "lost-group", "slice", "recovery-manager" })
        QVERIFY2(seen.contains(term), term);
    // A new picture discards the explanations of the former one.
    DisplayList list((Theme()));
    list.setObject(kFile);
    list.add(DisplayList::Box { QRectF(0, 0, 50, 20), Outline::Rectangle, 0, Qt::red, {}, 1, false, false });
    list.explain("n");
    QVERIFY(list.termAt(QPointF(10, 10)) == "n" && list.termAt(QPointF(60, 10)).empty());
    list.clear();
    QVERIFY(list.parts().empty());
}

void WindowGlossaryTest::theCardIsNoLargerThanItsDetails_data()
{
    QTest::addColumn<int>("buckets");
    QTest::addColumn<bool>("isShort"); // the processes have short details
    QTest::newRow("five buckets") << 5 << false;
    QTest::newRow("eight buckets") << 8 << false;
    QTest::newRow("fourteen buckets") << 14 << false;
    QTest::newRow("short details") << 8 << true;
}

// The first line has its term and a short text; what was removed for it is on another line.
void WindowGlossaryTest::theCardIsNoLargerThanItsDetails()
{
    QFETCH(const int, buckets);
    QFETCH(const bool, isShort);
    ClusterState state = fileOf({ std::uint32_t(buckets), 4, 1 });
    for (auto& [id, process] : state.processes) {
        if (!isShort)
            break;
        process.name = "p";
        process.address.clear();
    }
    const Theme theme;
    const Drawn drawing = drawn(state, QSizeF(1280, 620));
    int narrow = 0;
    const auto check = [&](ObjectRef object, std::string_view term) {
        const HoverCard card = hoverCard(state, theme, object, term), details = detailsCard(state, theme, object);
        const QString name = QString("%1 %2: %3")
                                 .arg(fileWords().nameOf(state, object),
                                     QString::fromLatin1(term.data(), qsizetype(term.size())),
                                     QStringList(card.lines.begin(), card.lines.end()).join(" | "));
        QVERIFY2(!card.lines.empty() && card.lines.size() <= details.lines.size()
                && card.size.height() <= details.size.height(),
            qPrintable(name));
        QVERIFY2(card.size.width() * card.size.height() <= details.size.width() * details.size.height() + 1,
            qPrintable(name));
        const auto* explained = termOf(term.empty() ? termIdOf(object) : term);
        const bool isWhole = card.lines[0] == explained->name + ": " + explained->brief;
        narrow += isWhole ? 0 : 1;
        QVERIFY2(isWhole || (isShort && card.lines[0] == explained->name), qPrintable(name));
        for (const QString& line : card.lines)
            QVERIFY2(!line.contains(QChar(0x2026)), qPrintable(name)); // no text is cut off
    };
    for (const ObjectRef object : objectsOf(state)) {
        check(object, {});
        if (QTest::currentTestFailed())
            return;
    }
    for (const DisplayList::Part& part : drawing.list.parts()) {
        check(part.object, part.term);
        if (QTest::currentTestFailed())
            return;
    }
    QCOMPARE(narrow, 0); // even with short details there is room for the short text of the term
    // Errors are never omitted.
    ClusterState trouble = state;
    trouble.processes[kFileClients].hasEnded = true;
    trouble.processes[kFileClients].endReason = "killed on request";
    trouble.processes[kFileData].isPaused = true;
    const auto says = [&](ObjectRef object, const QString& words) {
        const std::vector<QString> lines = hoverCard(trouble, theme, object, {}).lines;
        return std::any_of(lines.begin(), lines.end(), [&](const QString& line) { return line.contains(words); });
    };
    QVERIFY(says({ ObjectKind::Client, kFileClients, 0 }, "ended: killed on request"));
    QVERIFY(says({ ObjectKind::Data, 0, 0 }, ", paused"));
}

void WindowGlossaryTest::theKeyboardWinsUntilTheMouseMoves()
{
    Watching w;
    QVERIFY(w.isReady());
    ClusterCanvas& canvas = w.window.canvas();
    canvas.setFocus();
    w.point(w.partOf(kBucket5, "j"));
    QTest::keyClick(&canvas, Qt::Key_Right); // bucket 0, as nothing is selected
    QCOMPARE(w.window.selection().selected(), (ObjectRef { ObjectKind::Data, 0, 0 }));
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("data-bucket"), kLimit);
    QVERIFY2(w.entry().contains("bucket 0 holds"), qPrintable(w.entry()));
    w.point(w.partOf(kBucket5, "j") + QPointF(1, 0));
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("j"), kLimit);
    QEvent leave(QEvent::Leave);
    canvas.setAttribute(Qt::WA_UnderMouse, false);
    QCoreApplication::sendEvent(&canvas, &leave);
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("data-bucket"), kLimit);
}

void WindowGlossaryTest::aPanelHasItsTerm()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.setWorkspace(MainWindow::Workspace::Invariants);
    part<InvariantPanel>(w.window).list().setFocus();
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("invariant"), kLimit);
    // In the picture of the images: the part under the mouse.
    w.window.setWorkspace(MainWindow::Workspace::Inspect);
    w.window.findChild<QDockWidget*>("imageDock")->raise();
    w.window.clock().step(0.2);
    QVERIFY(QTest::qWaitFor(
        [&] {
            w.window.clock().step(0.2);
            return !part<ImageView>(w.window).picture().parts().empty();
        },
        kLimit));
    for (const DisplayList::Part& part : part<ImageView>(w.window).picture().parts())
        QVERIFY2(termOf(part.term), std::string(part.term).c_str());
    part<ImageView>(w.window).setAttribute(Qt::WA_UnderMouse);
    part<ImagePanel>(w.window).setAttribute(Qt::WA_UnderMouse);
    w.window.canvas().setFocus();
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("client-image"), kLimit);
}

void WindowGlossaryTest::theSheetFindsTerms()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.canvas().setFocus();
    QTest::keyClick(&w.window.canvas(), Qt::Key_F1, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(w.sheet() && w.sheet()->isVisible(), kLimit);
    GlossarySheet* sheet = w.sheet();
    auto* words = sheet->findChild<QLineEdit*>("glossaryWords");
    QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), sheet, kLimit);
    QVERIFY(words->hasFocus());
    QCOMPARE(w.terms()->count(), int(glossary().size()));
    QVERIFY(!w.shown().isEmpty());
    QTest::keyClicks(words, "group");
    QVERIFY(w.terms()->count() >= 5 && w.terms()->count() < int(glossary().size()));
    const QString first = w.shown();
    QCOMPARE(QString(termOf(first.toStdString())->name), w.terms()->item(0)->text());
    QTest::keyClick(words, Qt::Key_Down);
    QVERIFY(words->hasFocus() && w.shown() != first);
    QCOMPARE(termOf(w.shown().toStdString())->name, w.terms()->item(1)->text());
    QTest::keyClick(words, Qt::Key_Return);
    QVERIFY(sheet->isVisible() && sheet->findChild<QTextBrowser*>()->hasFocus()); // Enter closes nothing
    words->setFocus();
    words->selectAll();
    QTest::keyClicks(words, "nonsense");
    QCOMPARE(w.terms()->count(), 0);
    QVERIFY2(w.entry().contains("No term") && sheet->findChild<QLabel*>("glossaryRelated")->text().isEmpty(),
        qPrintable(w.entry()));
    // An earlier search does not get in the way of a new question.
    w.window.selection().select(kBucket5);
    w.ask();
    QTRY_COMPARE_WITH_TIMEOUT(w.shown(), QString("data-bucket"), kLimit);
    QCOMPARE(w.terms()->count(), int(glossary().size()));
    // Typing from an entry goes into the search too.
    QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), sheet, kLimit);
    QTest::keyClicks(sheet->findChild<QTextBrowser*>(), "a");
    QTest::keyClicks(words, "djustm");
    QVERIFY(words->hasFocus());
    QCOMPARE(words->text(), QString("adjustm"));
    QCOMPARE(w.shown(), QString("image-adjustment"));
}

void WindowGlossaryTest::theExampleFollowsTheCluster()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.selection().select(kBucket5);
    w.ask();
    QTRY_VERIFY_WITH_TIMEOUT(w.shown() == "data-bucket" && w.entry().contains("bucket 5 holds 20 records"), kLimit);
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(5);
    auto* record = event.mutable_record_inserted();
    record->set_key(4'701);
    record->set_rank(21);
    record->set_count(21);
    record->set_sequence(21);
    w.cluster.tell(kFileData + 5, event);
    QTRY_VERIFY_WITH_TIMEOUT(w.entry().contains("bucket 5 holds 21 records"), kLimit);
}

void WindowGlossaryTest::noTextOfTheSheetIsClipped_data()
{
    QTest::addColumn<int>("theme");
    QTest::addColumn<double>("fontScale");
    for (const auto theme : { MainWindow::ThemeChoice::Light, MainWindow::ThemeChoice::Dark })
        for (const double scale : { 1.0, 1.5 })
            QTest::newRow(qPrintable(
                QString("%1, %2 %").arg(theme == MainWindow::ThemeChoice::Dark ? "dark" : "light").arg(100 * scale)))
                << int(theme) << scale;
}

void WindowGlossaryTest::noTextOfTheSheetIsClipped()
{
    QFETCH(const int, theme);
    QFETCH(const double, fontScale);
    MainWindow::Options chosen = options();
    chosen.theme = MainWindow::ThemeChoice(theme);
    Watching w(chosen);
    QVERIFY(w.isReady());
    w.window.actions().get("glossary")->trigger(); // before the size is chosen: existing text must grow
    QVERIFY(w.sheet());
    const int before = w.terms()->fontInfo().pixelSize();
    w.sheet()->close();
    w.window.looks().setFontScale(fontScale);
    w.window.actions().get("glossary")->trigger();
    GlossarySheet* sheet = w.sheet();
    QTRY_VERIFY_WITH_TIMEOUT(sheet->isVisible(), kLimit);
    QCOMPARE(w.terms()->fontInfo().pixelSize(), qRound(before * fontScale));
    QVERIFY2(sheet->width() <= w.window.width() && sheet->height() <= w.window.height(),
        qPrintable(QString("%1 x %2").arg(sheet->width()).arg(sheet->height())));
    QVERIFY2(sheet->minimumSizeHint().width() <= sheet->width() && sheet->minimumSizeHint().height() <= sheet->height(),
        qPrintable(
            QString("wants %1 x %2").arg(sheet->minimumSizeHint().width()).arg(sheet->minimumSizeHint().height())));
    auto* entry = sheet->findChild<QTextBrowser*>();
    for (int row = 0; row < w.terms()->count(); ++row) {
        w.terms()->setCurrentRow(row);
        QCoreApplication::processEvents();
        const QString name = w.terms()->item(row)->text();
        QVERIFY2(
            w.terms()->visualItemRect(w.terms()->item(row)).width() >= w.terms()->fontMetrics().horizontalAdvance(name),
            qPrintable(name));
        QVERIFY2(entry->horizontalScrollBar()->maximum() == 0 && entry->verticalScrollBar()->maximum() == 0,
            qPrintable(QString("%1: %2 and %3 pixels more")
                           .arg(name)
                           .arg(entry->horizontalScrollBar()->maximum())
                           .arg(entry->verticalScrollBar()->maximum())));
        QVERIFY2(clipped(*sheet).isEmpty(), qPrintable(name + ": " + clipped(*sheet)));
        QVERIFY(entry->fontInfo().pixelSize() >= int(fontScale * Theme::kSmallestPixels));
    }
    // Text and links contrast with their background, also after the theme has changed.
    w.window.looks().setThemeChoice(
        theme == int(MainWindow::ThemeChoice::Dark) ? MainWindow::ThemeChoice::Light : MainWindow::ThemeChoice::Dark);
    QCoreApplication::processEvents();
    QVERIFY(std::abs(entry->palette().color(QPalette::Text).lightnessF()
                - entry->palette().color(QPalette::Base).lightnessF())
        > 0.5F);
}

void WindowGlossaryTest::aScreenReaderHasNamesForAllOfIt()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.selection().select(kBucket5);
    w.ask();
    QTRY_VERIFY_WITH_TIMEOUT(!w.shown().isEmpty(), kLimit);
    QSet<QString> names;
    for (const char* const part : { "glossaryWords", "glossaryTerms", "glossaryEntry", "glossaryRelated" }) {
        auto* widget = w.sheet()->findChild<QWidget*>(part);
        QVERIFY2(widget && widget->focusPolicy() != Qt::NoFocus, part);
        QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(widget);
        QVERIFY2(heard && !heard->text(QAccessible::Name).isEmpty(), part);
        names << heard->text(QAccessible::Name);
    }
    QCOMPARE(names.size(), 4);
    QVERIFY(!w.sheet()->windowTitle().isEmpty());
}

int main(int count, char** arguments) { return runOffscreen<WindowGlossaryTest>(count, arguments); }
#include "tst_window_glossary.moc"

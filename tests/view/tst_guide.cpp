// SPDX-License-Identifier: GPL-3.0-or-later
// The strip that guides a person through the tour or an exercise: its text, its buttons and their keys, and that all of
// it can be read.
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/window/panels/guide_panel.h"

#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>

using namespace lhrs::gui;

namespace {

constexpr int kLimit = 20'000;

GuideWords someWords()
{
    GuideWords words;
    words.place = "Tour, stop 3 of 8";
    words.title = "Why bucket n splits, and not the bucket that is full";
    words.task = "Bucket 1 is nearly full: the tour has stored 9 records in it. A bucket that overflows does not "
                 "choose what splits.";
    words.goals = { "Select bucket 1: click it, or walk to it with the arrow keys.",
        "Press “Insert here” (Alt+I, or in the menu of the bucket) until bucket 1 has more than 10 records.",
        "Wait until the split is over." };
    words.held = { true };
    words.hint = "The menu of a bucket opens with the right button of the mouse, or with Shift+F10.";
    words.hasHint = true;
    return words;
}

} // namespace

class GuideTest : public QObject {
    Q_OBJECT
private slots:
    void eachWordIsShownAndTold();
    void buttonsAndKeysDoTheSame();
    void nothingIsClipped_data();
    void nothingIsClipped();
    void theLastWordsAreWholeBesideALongerButton();
};

void GuideTest::eachWordIsShownAndTold()
{
    GuidePanel panel;
    panel.setTheme(Theme());
    panel.resize(1200, 100);
    QSignalSpy told(&panel, &GuidePanel::announced);
    GuideWords words = someWords();
    panel.show(words);
    const QStringList lines = panel.text().split('\n');
    QCOMPARE(lines.size(), 6); // no hint until a person asks for it
    QCOMPARE(lines[0], words.place);
    QVERIFY2(
        lines[3].startsWith("✓") && lines[4].startsWith("○") && lines[5].startsWith("○"), qPrintable(panel.text()));
    QCOMPARE(told.size(), 1);
    QVERIFY(told[0][0].toString().contains(words.task));
    panel.show(words);
    QCOMPARE(told.size(), 1); // the same words are not announced twice
    words.held = { true, true };
    panel.show(words);
    QCOMPARE(told.size(), 2);
    QVERIFY(told[1][0].toString().contains("until bucket 1 has more than 10"));
    words.seen = "Bucket 1 overflowed.";
    words.isDone = true;
    QCOMPARE(panel.button(GuidePanel::Next)->text(), QString("Skip"));
    panel.show(words);
    QCOMPARE(panel.button(GuidePanel::Next)->text(), QString("Next   PgDn"));
    QVERIFY(told.size() == 3 && told[2][0].toString().contains(words.seen));
    words.trouble = "The cluster is gone.";
    panel.show(words);
    QVERIFY(told.size() == 4 && told[3][0].toString().contains(words.trouble));
    const int high = panel.height();
    panel.press(GuidePanel::Hint);
    QVERIFY(panel.text().contains(words.hint));
    QVERIFY(panel.height() > high);
    panel.press(GuidePanel::Hint);
    QVERIFY(!panel.text().contains(words.hint));
    QCOMPARE(panel.height(), high); // what the hint took, the picture has again
    panel.press(GuidePanel::Hint);
    words.title = "Another one";
    panel.show(words); // its hint has not been requested
    QVERIFY(!panel.text().contains(words.hint));
}

void GuideTest::buttonsAndKeysDoTheSame()
{
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    GuidePanel& panel = window.guide();
    QVERIFY(!panel.isVisible());
    using Wanted = void (GuidePanel::*)();
    const std::pair<const char*, Wanted> all[] = { { "guideNext", &GuidePanel::nextWanted },
        { "guideBack", &GuidePanel::backWanted }, { "guideHint", &GuidePanel::hintWanted },
        { "guideAgain", &GuidePanel::againWanted }, { "guideLeave", &GuidePanel::leaveWanted } };
    for (const auto& [id, wanted] : all)
        QVERIFY2(!window.actions().get(id)->isEnabled(), id); // no guide is active
    GuideWords words = someWords();
    words.mayGoBack = true;
    panel.show(words);
    for (const auto& [id, wanted] : all) {
        QAction* action = window.actions().get(id);
        QVERIFY2(action->isEnabled(), id);
        QSignalSpy spy(&panel, wanted);
        const QKeyCombination key = action->shortcut()[0];
        QTest::keyClick(&window, key.key(), key.keyboardModifiers());
        QCOMPARE(spy.size(), 1);
        QPushButton* button = panel.findChild<QPushButton*>(QString(id) + "Button");
        QVERIFY2(button->toolTip().contains(action->shortcut().toString()), qPrintable(button->toolTip()));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(spy.size(), 2);
    }
    words.mayGoBack = false;
    panel.show(words);
    QVERIFY(!window.actions().get("guideBack")->isEnabled());
    panel.hide();
    QVERIFY(!window.actions().get("guideNext")->isEnabled());
}

void GuideTest::nothingIsClipped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    for (const QSize size : { QSize(1280, 720), QSize(1920, 1080) })
        for (const double scale : { 1.0, 1.5, 2.0 })
            QTest::addRow("%dx%d, %.1f", size.width(), size.height(), scale) << size << scale;
}

// Where the room does not suffice, the keyboard scrolls to the rest.
void GuideTest::nothingIsClipped()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    MainWindow::Options chosen = options();
    chosen.fontScale = scale;
    MainWindow window(chosen);
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    GuidePanel& panel = window.guide();
    auto* scroll = panel.findChild<QScrollArea*>("guideText");
    GuideWords words = someWords();
    for (int round = 0; round < 3; ++round) {
        if (round == 1)
            words.seen = "Bucket 1 overflowed: it has 11 records, and b = 10. The split pointer n stood at 0, so "
                         "bucket 0 split, and "
                         "4 of its records moved to bucket 2. Bucket 1 keeps its 11 records until n comes to it.";
        if (round == 2)
            words.trouble = "This cluster was replaced by another one. Press “Begin anew” (Ctrl+F2): this stop "
                            "begins on a new cluster.";
        panel.show(words);
        if (round == 0)
            panel.press(GuidePanel::Hint);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QTRY_VERIFY_WITH_TIMEOUT(clipped(panel).isEmpty(), kLimit);
        QCOMPARE(window.size(), size);
        QScrollBar* bar = scroll->verticalScrollBar();
        if (scale <= 1)
            QCOMPARE(bar->maximum(), 0);
        if (bar->maximum() > 0) {
            scroll->setFocus();
            QVERIFY(scroll->hasFocus());
            QTest::keyClick(scroll, Qt::Key_Down);
            QVERIFY(bar->value() > 0);
            bar->setValue(0);
        }
        QVERIFY2(panel.height() <= size.height() * 0.45, qPrintable(QString::number(panel.height())));
    }
}

// The text `seen` appears together with “Next exercise”, which is wider than “Skip”. So the words have less room than
// before, and the first word that no longer fits into its line must still be visible.
void GuideTest::theLastWordsAreWholeBesideALongerButton()
{
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    GuidePanel& panel = window.guide();
    auto* scroll = panel.findChild<QScrollArea*>("guideText");
    auto* seen = panel.findChild<QLabel*>("guideSeen");
    int narrower = 0;
    for (int count = 20; count <= 60; ++count) {
        GuideWords words = someWords();
        words.title = QString("An exercise of %1 words").arg(count);
        words.nextWords = "Skip";
        panel.show(words);
        QTRY_COMPARE_WITH_TIMEOUT(panel.button(GuidePanel::Next)->text(), QString("Skip"), kLimit);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const int before = scroll->viewport()->width();
        words.isDone = true;
        words.held = { true, true, true };
        words.nextWords = "Next exercise";
        words.seen = QString("Solved.") + QString(" moved").repeated(count);
        panel.show(words);
        const auto missing = [&] { // pixels of the last words below the visible area
            return seen->mapTo(scroll->viewport(), QPoint(0, seen->heightForWidth(seen->width()))).y()
                - scroll->viewport()->height();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(missing() <= 0 && scroll->verticalScrollBar()->maximum() == 0,
            qPrintable(QString("%1 words: %2 px").arg(count).arg(missing())), kLimit);
        narrower += scroll->viewport()->width() < before ? 1 : 0;
        QCOMPARE(window.size(), QSize(1280, 720));
    }
    QVERIFY(narrower > 0);
}

QTEST_MAIN(GuideTest)
#include "tst_guide.moc"

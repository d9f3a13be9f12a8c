// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody who is alone with a lecture does in the window: votes with the mouse, leaves in the middle, goes on.
#include "tests/dialog_closer.h"
#include "tests/show_stage.h"
#include "tests/text_check.h"

#include "gui/window/choice_row.h"

#include <QPushButton>
#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;

// A question with these choices, as the words of a list.
QString asking(const QString& choices)
{
    return QStringLiteral("lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 2, parity: 0 } });\n"
                          "const q = lab.predict({ text: 'Which bucket is split?', choices: [%1] });\n"
                          "lab.print(q.votes);\n").arg(choices);
}

} // namespace

class WindowLectureTest : public QObject {
    Q_OBJECT
private slots:
    void choicesAreButtons();
    void choicesWithoutRoomHaveNumbers();
    void choicesCanBeRead_data();
    void choicesCanBeRead();
};

void WindowLectureTest::choicesAreButtons()
{
    ShowStage stage;
    Player& player = stage.window.player();
    auto* row = player.findChild<ChoiceRow*>();
    QVERIFY(row->isHidden());
    QVERIFY(stage.begin(asking("'bucket 0', 'bucket 1 & 2'")));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Director::Await::Question);
    auto* first = row->findChild<QPushButton*>("choice1");
    auto* second = row->findChild<QPushButton*>("choice2");
    QVERIFY(first && second && first->isVisible() && second->isVisible());
    QVERIFY(QTest::qWaitForWindowActive(&stage.window));
    // They say what they are, and which key does the same.
    QCOMPARE(first->text(), QString("1: bucket 0"));
    QCOMPARE(second->text(), QString("2: bucket 1 && 2")); // "&&" is painted as "&"
    QCOMPARE(first->accessibleName(), QString("Vote for 1: bucket 0"));
    QVERIFY2(first->toolTip().contains("key 1") && second->toolTip().contains("key 2"), qPrintable(second->toolTip()));
    // What stands on them is not painted twice; a screen reader and the presenter are told all.
    auto* caption = player.findChild<CaptionLabel*>("caption");
    QCOMPARE(caption->seen(), QString("Which bucket is split?"));
    QVERIFY2(stage.caption().replace(QChar(QChar::Nbsp), QLatin1Char(' ')).contains("1: bucket 0   2: bucket 1 & 2"), qPrintable(stage.caption()));
    // A click and the key are the same.
    const QWidget* focus = stage.window.focusWidget();
    QTest::mouseClick(second, Qt::LeftButton);
    QTest::keyClick(&stage.window, Qt::Key_2);
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(stage.frame());
    QCOMPARE(first->text(), QString("1: bucket 0 (1 vote)"));
    QCOMPARE(second->text(), QString("2: bucket 1 && 2 (2 votes)"));
    QCOMPARE(second->accessibleDescription(), QString("2 votes"));
    QCOMPARE(stage.window.focusWidget(), focus); // the keys stay where they were
    stage.press("nextStep");
    QVERIFY(stage.frame());
    QVERIFY(row->isHidden());
    QVERIFY(stage.until([&] { return stage.texts(ReelEntry::Kind::Print).contains("[1,2]"); }));
}

void WindowLectureTest::choicesWithoutRoomHaveNumbers()
{
    ShowStage stage;
    const QString long1 = QString("the bucket that is full ").repeated(4), long2 = QString("the bucket at n ").repeated(6);
    QVERIFY(stage.begin(asking(QString("'%1', '%2'").arg(long1.trimmed(), long2.trimmed()))));
    QVERIFY(stage.untilStop());
    auto* row = stage.window.player().findChild<ChoiceRow*>();
    auto* first = row->findChild<QPushButton*>("choice1");
    QCOMPARE(first->text(), QString("1"));
    auto* caption = stage.window.player().findChild<CaptionLabel*>("caption");
    QCOMPARE(caption->seen(), stage.caption()); // the words are read in the question
    QCOMPARE(stage.window.size(), QSize(1280, 720));
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(stage.frame());
    QCOMPARE(first->text(), QString("1 (1 vote)"));
    QVERIFY2(caption->seen().contains("(1 vote)"), qPrintable(caption->seen()));
}

void WindowLectureTest::choicesCanBeRead_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("isPresented");
    for (const QSize size : { QSize(1280, 720), QSize(1920, 1080) })
        for (const double scale : { 1.0, 1.5, 2.0 })
            QTest::addRow("%dx%d, %.1f", size.width(), size.height(), scale) << size << scale << false;
    QTest::newRow("presented") << QSize(1280, 720) << 1.0 << true;
}

void WindowLectureTest::choicesCanBeRead()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    QFETCH(const bool, isPresented);
    MainWindow::Options chosen = options();
    chosen.fontScale = scale;
    ShowStage stage(chosen, size);
    QVERIFY(stage.begin(asking("'never', 'once', 'twice', 'seven times'")));
    QVERIFY(stage.untilStop());
    if (isPresented)
        stage.window.setPresenting(true);
    QVERIFY(stage.frame());
    auto* row = stage.window.player().findChild<ChoiceRow*>();
    auto* caption = stage.window.player().findChild<CaptionLabel*>("caption");
    QTRY_VERIFY_WITH_TIMEOUT(row->isVisible() && row->hasWords(), kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(clipped(stage.window.player()).isEmpty(), qPrintable(clipped(stage.window.player())), kLimit);
    QVERIFY(caption->fits());
    QVERIFY(caption->geometry().bottom() < row->geometry().top());
    if (isPresented) {
        const QString small = smallerThan(stage.window.height() / 45, stage.window.player());
        QVERIFY2(small.isEmpty(), qPrintable(small));
    }
    stage.window.setPresenting(false);
}

QTEST_MAIN(WindowLectureTest)
#include "tst_window_lecture.moc"

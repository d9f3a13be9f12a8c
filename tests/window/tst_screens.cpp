// SPDX-License-Identifier: GPL-3.0-or-later
// The screen that a presentation fills, and the place where a window is visible, for lists of screens.
#include "gui/window/widgets/screen_place.h"

#include <QTest>

#include <algorithm>

using namespace lhrs::gui;

class ScreensTest : public QObject {
    Q_OBJECT
private slots:
    void aScreenIsChosenFromThoseThatAreThere();
    void aWindowIsPutWhereItCanBeSeen_data();
    void aWindowIsPutWhereItCanBeSeen();
};

void ScreensTest::aScreenIsChosenFromThoseThatAreThere()
{
    const ScreenFacts laptop { "eDP-1", QRect(0, 0, 2560, 1440), QRect(0, 40, 2560, 1400) }; // 4K at a ratio of 1.5
    const ScreenFacts hall { "HDMI-1", QRect(2560, 0, 1920, 1080), QRect(2560, 0, 1920, 1080) };
    const auto names = [](const QList<ScreenFacts>& screens, bool isChanged) {
        const auto place = placeOfPresentation(screens, isChanged);
        return place ? place->hall.name + ' ' + place->own.name : QString("none");
    };
    QCOMPARE(names({ laptop, hall }, false), QString("HDMI-1 eDP-1"));
    QCOMPARE(names({ laptop, hall }, true), QString("eDP-1 HDMI-1"));
    QCOMPARE(names({ laptop }, false), QString("eDP-1 eDP-1")); // the hall's screen was unplugged
    QCOMPARE(names({ laptop }, true), QString("eDP-1 eDP-1"));
    QCOMPARE(names({ hall }, false), QString("HDMI-1 HDMI-1"));
    QCOMPARE(names({}, false), QString("none"));
    // In the middle of the area that panels leave free.
    QCOMPARE(placeOfPresentation({ laptop, hall }, false)->notes, QRect(512, 320, 1536, 840));
    QVERIFY(hall.available.contains(placeOfPresentation({ laptop, hall }, true)->notes));
}

void ScreensTest::aWindowIsPutWhereItCanBeSeen_data()
{
    QTest::addColumn<QRect>("wanted");
    QTest::addColumn<QList<QRect>>("screens");
    QTest::addColumn<QRect>("fitted");
    const QRect large(0, 0, 2560, 1440), right(2560, 0, 1920, 1080), small(0, 0, 1024, 768), panel(0, 28, 1024, 740);
    QTest::newRow("it fits") << QRect(100, 100, 1280, 720) << QList<QRect> { large } << QRect(100, 100, 1280, 720);
    QTest::newRow("on the second screen")
        << QRect(2700, 100, 1280, 720) << QList<QRect> { large, right } << QRect(2700, 100, 1280, 720);
    QTest::newRow("its screen is gone") << QRect(2700, 100, 1280, 720) << QList<QRect> { large }
                                        << QRect(1280, 100, 1280, 720);
    QTest::newRow("it filled a larger screen that is gone")
        << QRect(2560, 0, 3840, 2160) << QList<QRect> { large } << large;
    QTest::newRow("a small screen") << QRect(0, 0, 1280, 720) << QList<QRect> { small } << QRect(0, 0, 1024, 720);
    QTest::newRow("a small screen with a panel") << QRect(0, 0, 1280, 760) << QList<QRect> { panel } << panel;
    QTest::newRow("between two screens") << QRect(2000, 0, 1280, 720) << QList<QRect> { large, right }
                                         << QRect(2560, 0, 1280, 720);
    QTest::newRow("left and above all") << QRect(-5000, -900, 1280, 720) << QList<QRect> { large }
                                        << QRect(0, 0, 1280, 720);
    QTest::newRow("no screen") << QRect(7, 8, 1280, 720) << QList<QRect> {} << QRect(7, 8, 1280, 720);
}

void ScreensTest::aWindowIsPutWhereItCanBeSeen()
{
    QFETCH(const QRect, wanted);
    QFETCH(const QList<QRect>, screens);
    QFETCH(const QRect, fitted);
    QList<ScreenFacts> facts;
    for (const QRect& screen : screens)
        facts.append({ QString::number(facts.size()), screen, screen });
    QCOMPARE(fitOnScreens(wanted, facts), fitted);
    const QMargins frame(4, 32, 4, 4);
    const QRect framed = fitOnScreens(wanted, facts, frame).marginsAdded(frame);
    QVERIFY(screens.isEmpty()
        || std::any_of(screens.begin(), screens.end(), [&](const QRect& screen) { return screen.contains(framed); }));
}

QTEST_GUILESS_MAIN(ScreensTest)
#include "tst_screens.moc"

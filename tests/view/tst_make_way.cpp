// SPDX-License-Identifier: GPL-3.0-or-later
// A window beside a cluster that needs all processors of the machine: when the window reduces its own work, and that
// frequent painting costs no more than necessary.
#include "gui/view/paint/display_list.h"
#include "gui/view/time/frame_clock.h"
#include "gui/view/time/free_processors.h"
#include "gui/view/time/way_given.h"

#include <QImage>
#include <QPainter>
#include <QTest>
#include <QWidget>

#include <algorithm>
#include <cstdlib>

using namespace lhrs::gui;
using namespace std::chrono_literals;

namespace {

ProcessorTime at(std::uint64_t all, std::uint64_t idle)
{
    ProcessorTime time;
    time.all = all;
    time.idle = idle;
    return time;
}

class MovingView : public FrameView {
public:
    bool refresh(double time) override
    {
        ++asked;
        seconds = time;
        return true;
    }
    int asked = 0;
    double seconds = 0; // of the last frame
};

QImage painted(const DisplayList::Box& box, bool byQt)
{
    QImage image(400, 300, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    if (byQt) {
        painter.setPen(box.stroke.isValid() ? QPen(box.stroke, box.width) : QPen(Qt::NoPen));
        painter.setBrush(box.fill.isValid() ? QBrush(box.fill) : QBrush(Qt::NoBrush));
        const qreal half = int(box.width) % 2 == 1 && box.stroke.isValid() ? 0.5 : 0; // a line covers whole pixels
        painter.drawRoundedRect(box.rect.adjusted(half, half, -half, -half), box.radius - half, box.radius - half);
    } else {
        const Theme theme;
        DisplayList list(theme);
        list.add(box);
        list.paint(painter);
    }
    return image;
}

} // namespace

class TestMakeWay : public QObject {
    Q_OBJECT
private slots:
    void processorTimesAreRead_data();
    void processorTimesAreRead();
    void thisMachineTellsItsTimes();
    void scarceBelowATenthUntilAboveAQuarter();
    void aShortTimeSaysNothing();
    void theClockMakesWay();
    void aFrameThatIsFarAwayIsBroughtForward();
    void aLateFrameRepresentsItsTime();
    void wayIsGivenToAClusterAtWork_data();
    void wayIsGivenToAClusterAtWork();
    void aRoundedBoxLooksAsQtDrawsIt_data();
    void aRoundedBoxLooksAsQtDrawsIt();
};

void TestMakeWay::processorTimesAreRead_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isKnown");
    QTest::addColumn<quint64>("all");
    QTest::addColumn<quint64>("idle");
    QTest::newRow("two processors") << QByteArray("cpu  10 1 5 80 4 0 2 3 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n") << true
                                    << quint64(105) << quint64(84);
    QTest::newRow("eight fields") << QByteArray("cpu 1 1 1 1 1 1 1 1") << true << quint64(8) << quint64(2);
    QTest::newRow("one processor's line")
        << QByteArray("cpu0 10 1 5 80 4 0 2 3 0 0\n") << false << quint64(0) << quint64(0);
    QTest::newRow("too few") << QByteArray("cpu 10 1 5 80\n") << false << quint64(0) << quint64(0);
    QTest::newRow("no number") << QByteArray("cpu 10 1 five 80 4 0 2 3\n") << false << quint64(0) << quint64(0);
    QTest::newRow("nothing") << QByteArray() << false << quint64(0) << quint64(0);
}

void TestMakeWay::processorTimesAreRead()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isKnown);
    const std::optional<ProcessorTime> time = ProcessorTime::read(text);
    QCOMPARE(time.has_value(), isKnown);
    QTEST(time ? quint64(time->all) : quint64(0), "all");
    QTEST(time ? quint64(time->idle) : quint64(0), "idle");
}

void TestMakeWay::thisMachineTellsItsTimes()
{
    const std::optional<ProcessorTime> time = ProcessorTime::now();
    QVERIFY(time.has_value());
    QVERIFY(time->all >= time->idle);
    QVERIFY(time->all > 0);
}

void TestMakeWay::scarceBelowATenthUntilAboveAQuarter()
{
    FreeProcessors processors;
    processors.take(at(1'000, 500));
    QVERIFY(!processors.areScarce()); // nothing is known yet
    processors.take(at(1'100, 511));
    QVERIFY(!processors.areScarce()); // 11 % are free
    processors.take(at(1'200, 520));
    QVERIFY(processors.areScarce()); // 9 %
    processors.take(at(1'300, 544));
    QVERIFY(processors.areScarce()); // 24 %: possibly what the window itself no longer uses
    processors.take(at(1'400, 570));
    QVERIFY(!processors.areScarce());
}

void TestMakeWay::aShortTimeSaysNothing()
{
    FreeProcessors processors;
    processors.take(at(1'000, 500));
    processors.take(at(1'010, 500));
    QVERIFY(!processors.areScarce());
    processors.take(at(1'030, 500)); // counted from the first sample, not from those in between
    QVERIFY(processors.areScarce());
    processors.take(at(900, 100)); // a machine that was suspended, or another one: starts again
    QVERIFY(processors.areScarce());
    processors.take(at(1'000, 200));
    QVERIFY(!processors.areScarce());
}

void TestMakeWay::theClockMakesWay()
{
    QWidget widget;
    widget.show();
    MovingView view;
    FrameClock clock;
    clock.add(&view, &widget);
    clock.step(0.02);
    QCOMPARE(clock.interval(), 16);
    clock.setMakesWay(200ms);
    clock.step(0.02);
    QVERIFY(clock.makesWay());
    QCOMPARE(clock.interval(), 200);
    clock.setMakesWay(0ms);
    clock.step(0.02);
    QVERIFY(!clock.makesWay());
    QCOMPARE(clock.interval(), 16);
}

// A person who presses a key must not wait a second for the picture.
void TestMakeWay::aFrameThatIsFarAwayIsBroughtForward()
{
    QWidget widget;
    widget.show();
    MovingView view;
    FrameClock clock;
    clock.add(&view, &widget);
    clock.start();
    clock.setMakesWay(200ms);
    clock.step(0.02);
    QVERIFY(!clock.hurry()); // soon enough
    QCOMPARE(clock.interval(), 200);
    clock.setMakesWay(60s);
    clock.step(0.02);
    QCOMPARE(clock.interval(), 60'000);
    const int asked = view.asked;
    QVERIFY(clock.hurry());
    QTRY_VERIFY(view.asked > asked);
    QCOMPARE(clock.interval(), 60'000); // one frame only
    clock.stop();
    QVERIFY(!clock.hurry());
}

// What happens between two frames that are far apart is not shown as slow motion.
void TestMakeWay::aLateFrameRepresentsItsTime()
{
    QWidget widget;
    widget.show();
    MovingView view;
    FrameClock clock;
    clock.add(&view, &widget);
    clock.setMakesWay(600ms);
    clock.step(0.02);
    clock.start();
    QTRY_VERIFY(view.asked > 1);
    QVERIFY2(view.seconds > 0.5 && view.seconds < 0.7, qPrintable(QString::number(view.seconds)));
}

void TestMakeWay::wayIsGivenToAClusterAtWork_data()
{
    QTest::addColumn<MachineLoad>("load");
    QTest::addColumn<int>("frame");
    using Load = MachineLoad;
    // isReal, areScarce, eventsPerSecond, clusterProcessors, sinceInput
    QTest::newRow("processors are idle") << Load { true, false, 9'000, 1.8, 60 } << 0;
    QTest::newRow("a simulation") << Load { false, true, 9'000, 1.8, 60 } << 0;
    QTest::newRow("other programs need them") << Load { true, true, 80, 0.1, 60 } << 0;
    QTest::newRow("many events") << Load { true, true, 120, 0.1, 60 } << 200;
    QTest::newRow("searches without events") << Load { true, true, 0, 0.3, 60 } << 200;
    QTest::newRow("full speed") << Load { true, true, 300, 0.8, 60 } << 1'000;
    QTest::newRow("full speed, a person is there") << Load { true, true, 300, 0.8, 2 } << 200;
}

void TestMakeWay::wayIsGivenToAClusterAtWork()
{
    QFETCH(MachineLoad, load);
    QFETCH(int, frame);
    const WayGiven way = wayFor(load);
    QCOMPARE(int(way.frame.count()), frame);
    QCOMPARE(way.gather > WayGiven().gather, frame > 0); // fewer frames, fewer interruptions
}

void TestMakeWay::aRoundedBoxLooksAsQtDrawsIt_data()
{
    QTest::addColumn<QColor>("fill");
    QTest::addColumn<QColor>("stroke");
    QTest::addColumn<qreal>("width");
    QTest::addColumn<qreal>("height");
    const QColor blue(0, 114, 178), dark(20, 20, 20), pale(213, 94, 0, 100);
    QTest::newRow("filled") << blue << QColor() << 1.0 << 200.0;
    QTest::newRow("outlined") << QColor() << dark << 2.0 << 200.0;
    QTest::newRow("thin") << QColor() << dark << 1.0 << 200.0;
    QTest::newRow("both") << blue << dark << 3.0 << 200.0;
    QTest::newRow("half transparent") << QColor() << pale << 4.0 << 200.0;
    QTest::newRow("half transparent, filled") << pale << QColor() << 1.0 << 200.0;
    QTest::newRow("low") << blue << dark << 2.0 << 24.0;
}

// Painted in pieces if it is large: no pixel may differ by more than the smoothing of an edge, and few by that much.
void TestMakeWay::aRoundedBoxLooksAsQtDrawsIt()
{
    QFETCH(QColor, fill);
    QFETCH(QColor, stroke);
    QFETCH(qreal, width);
    QFETCH(qreal, height);
    const DisplayList::Box box { QRectF(40, 30, 300, height), Outline::Rounded, 12, fill, stroke, width, false, false };
    const QImage ours = painted(box, false), qts = painted(box, true);
    int unlike = 0;
    for (int y = 0; y < ours.height(); ++y) {
        for (int x = 0; x < ours.width(); ++x) {
            const QColor a = ours.pixelColor(x, y), b = qts.pixelColor(x, y);
            const int difference = std::max(
                { std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue()) });
            const int aside = std::min(std::abs(x - 40), std::abs(x - 340));
            const int above = std::min(std::abs(y - 30), std::abs(y - 30 - int(height)));
            const bool isAtCorner = aside < 16 && above < 16;
            QVERIFY2(isAtCorner || difference <= 4,
                qPrintable(QStringLiteral("%1,%2 differs by %3").arg(x).arg(y).arg(difference)));
            unlike += difference > 90 ? 1 : 0;
        }
    }
    QVERIFY2(unlike <= 8, qPrintable(QStringLiteral("%1 pixels of the corners are unlike").arg(unlike)));
}

QTEST_MAIN(TestMakeWay)
#include "tst_make_way.moc"

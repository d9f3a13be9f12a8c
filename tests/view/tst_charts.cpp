// SPDX-License-Identifier: GPL-3.0-or-later
// The charts as a person uses them: what is drawn equals what was counted, the instant is shared with the time line,
// nothing is cut off at 1280x720, and files hold what the screen shows.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/show_stage.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/paint/picture_export.h"
#include "gui/view/charts/chart_panel.h"
#include "gui/window/panels/fault_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QFile>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// Two kinds of operations during ten seconds, with a failure from 4 s to 6 s.
RunSeries busyRun()
{
    RunSeries series;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        pb::Event event;
        event.mutable_operation()->set_client(7);
        event.mutable_operation()->set_number(i);
        auto* done = event.mutable_operation_done();
        done->set_kind(i % 2 ? pb::INSERT : pb::SEARCH);
        done->set_time_ns(std::int64_t(100'000 + i * 1'000));
        series.take(7, event, std::int64_t(i) * 10 * kMs);
        if (i == 400 || i == 600) {
            pb::Event failure;
            if (i == 400) {
                failure.mutable_bucket_failed()->set_role(pb::DATA);
                failure.mutable_bucket_failed()->set_index(3);
            } else {
                failure.mutable_recovery_finished()->add_buckets(3);
                failure.mutable_recovery_finished()->set_total_ns(2'000 * kMs);
                failure.mutable_recovery_finished()->set_rebuild_ns(500 * kMs);
                failure.mutable_recovery_finished()->set_process_ns(500 * kMs);
            }
            series.take(1, failure, std::int64_t(i) * 10 * kMs);
        }
    }
    pb::Event file;
    file.mutable_file_created()->mutable_config()->set_b(10);
    series.take(1, file, 0);
    pb::Event record;
    record.mutable_place()->set_role(pb::DATA);
    record.mutable_record_inserted()->set_count(7);
    series.take(2, record, 1'000 * kMs);
    return series;
}

ChartData busyChart(ChartKind kind) { return chartOf(busyRun(), { kind, 0, 10'000 * kMs, 0, 200 }); }

// A view of that chart with a size.
struct Shown {
    ChartView view;
    explicit Shown(ChartKind kind, QSize size = { 1000, 500 })
    {
        view.resize(size);
        view.setTheme(Theme());
        view.show();
        view.setChart(busyChart(kind));
        (void)QTest::qWaitForWindowExposed(&view);
        view.grab(); // painting makes the chart's layout
    }
};

} // namespace

class ChartsTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsDrawnIsWhatWasCounted();
    void aClickChoosesTheInstantBelowIt();
    void theInstantIsDrawnWhereItIs();
    void theoryAndFaultsAreNamedInThePlot();
    void namesInThePlotDoNotOverlap_data();
    void namesInThePlotDoNotOverlap();
    void aSeriesThatIsSwitchedOffHasNoSayInTheAxis();
    void aLogarithmicAxisShowsZerosAtItsFoot();
    void nothingIsDrawnAcrossATimeOfWhichNothingIsKnown();
    void aRecoveryIsABarOfItsPhases();
    void theTableIsAModel();
    void chartsOfARecordingAreReadAndLinked();
    void aPartOfTheRunIsShownByPages();
    void chartsFollowALiveCluster();
    void theLegendSwitchesSeries();
    void anEmptyChartOffersWhatHelps();
    void theChartAndItsRowsAreWritten();
    void aScriptsChartStandsBelowThoseOfTheRun();
    void aChartOfASimulatedClusterSaysSoBeforeItsScriptEnds();
    void aPictureIsTheSameBytesTwice_data();
    void aPictureIsTheSameBytesTwice();
    void nothingIsCutOffAt1280x720_data();
    void nothingIsCutOffAt1280x720();
};

void ChartsTest::whatIsDrawnIsWhatWasCounted()
{
    Shown shown(ChartKind::Operations);
    const ChartData& data = shown.view.shown();
    const auto lines = shown.view.chart()->series();
    QCOMPARE(std::size_t(lines.size()), data.series.size());
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        const auto* line = qobject_cast<QLineSeries*>(lines[qsizetype(i)]);
        QVERIFY(line);
        QCOMPARE(line->name(), data.series[i].name);
        QCOMPARE(std::size_t(line->count()), data.series[i].points.size());
        for (int p = 0; p < line->count(); ++p)
            QCOMPARE(
                line->at(p), QPointF(data.series[i].points[std::size_t(p)].x, data.series[i].points[std::size_t(p)].y));
    }
    // 500 of each kind in ten seconds.
    double inserts = 0;
    for (std::size_t i = 0; i < data.rows.size(); ++i)
        inserts += data.series[0].points[i].y * (data.rows[i][1].toDouble() - data.rows[i][0].toDouble());
    QCOMPARE(inserts, 500.0);
}

void ChartsTest::aClickChoosesTheInstantBelowIt()
{
    Shown shown(ChartKind::Operations);
    QSignalSpy chosen(&shown.view, &ChartView::instantChosen);
    for (const double seconds : { 1.0, 5.0, 9.5 }) {
        const QPointF at = shown.view.positionOf(seconds, 10);
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, at.toPoint());
        QVERIFY(!chosen.isEmpty());
        QVERIFY2(std::abs(chosen.last()[0].toDouble() - seconds) < 0.02,
            qPrintable(QString("%1 for %2").arg(chosen.last()[0].toDouble()).arg(seconds)));
    }
    const auto before = chosen.size();
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, QPoint(4, 4)); // outside the plot
    QCOMPARE(chosen.size(), before);
}

void ChartsTest::theInstantIsDrawnWhereItIs()
{
    Shown shown(ChartKind::Operations);
    const auto focusAt = [&](double seconds) {
        const QImage image = shown.view.grab().toImage();
        const QPoint at = shown.view.positionOf(seconds, 25).toPoint(); // between the grid lines, below the series
        bool isThere = false;
        for (int x = at.x() - 2; x <= at.x() + 2; ++x)
            isThere = isThere || image.pixelColor(x, at.y()) == Theme().focus;
        return isThere;
    };
    shown.view.setInstant(3);
    QVERIFY(focusAt(3));
    QVERIFY(!focusAt(7));
    shown.view.setInstant(7);
    QVERIFY(focusAt(7));
    QVERIFY(!focusAt(3));
}

void ChartsTest::theoryAndFaultsAreNamedInThePlot()
{
    Shown shown(ChartKind::Load);
    QVERIFY2(shown.view.texts().join('|').contains("65-70 %"), qPrintable(shown.view.texts().join('|')));
    QVERIFY(shown.view.texts().contains("data 3 failed"));
    const QImage image = shown.view.grab().toImage();
    const auto colourAt = [&](double x, double y) { return image.pixelColor(shown.view.positionOf(x, y).toPoint()); };
    QVERIFY(colourAt(1.7, 67) != colourAt(1.7, 63)); // the band
    QVERIFY(colourAt(5.2, 31) != colourAt(7.3, 31)); // the failure
}

void ChartsTest::namesInThePlotDoNotOverlap_data()
{
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind < kCharts; ++kind)
        QTest::addRow("%s", qPrintable(chartId(ChartKind(kind)))) << kind;
}

void ChartsTest::namesInThePlotDoNotOverlap()
{
    QFETCH(int, kind);
    for (const double scale : { 1.0, 1.5 }) {
        Shown shown(ChartKind(kind), QSize(900, 420));
        shown.view.setTheme(Theme(Theme::Kind::Light, scale));
        shown.view.grab();
        const auto boxes = shown.view.textBoxes();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            QVERIFY(QRectF(shown.view.viewport()->rect()).adjusted(-1, -1, 1, 1).contains(boxes[i]));
            for (std::size_t j = i + 1; j < boxes.size(); ++j)
                QVERIFY2(
                    !boxes[i].adjusted(1, 1, -1, -1).intersects(boxes[j]), qPrintable(shown.view.texts().join('|')));
        }
    }
}

void ChartsTest::aSeriesThatIsSwitchedOffHasNoSayInTheAxis()
{
    Shown shown(ChartKind::Latency);
    const double before = shown.view.positionOf(0, 0.5).y();
    shown.view.setHiddenSeries({ "max", "p99" });
    shown.view.grab();
    int visible = 0;
    for (const QAbstractSeries* line : shown.view.chart()->series())
        visible += line->isVisible() ? 1 : 0;
    QCOMPARE(visible, 1);
    shown.view.setHiddenSeries({ "p50", "p99", "max" });
    shown.view.setHiddenSeries({});
    shown.view.grab();
    QCOMPARE(shown.view.positionOf(0, 0.5).y(), before);
}

void ChartsTest::aLogarithmicAxisShowsZerosAtItsFoot()
{
    Shown shown(ChartKind::Operations);
    shown.view.setLogarithmic(true);
    shown.view.grab();
    const double foot = shown.view.plotRect().bottom();
    for (const QAbstractSeries* series : shown.view.chart()->series())
        for (const QPointF& point : qobject_cast<const QLineSeries*>(series)->points())
            QVERIFY(point.y() > 0 && shown.view.positionOf(point.x(), point.y()).y() <= foot + 1);
    // A power of ten is always upright.
    const double step = shown.view.positionOf(0, 10).y() - shown.view.positionOf(0, 100).y();
    QVERIFY(step > 10);
}

void ChartsTest::nothingIsDrawnAcrossATimeOfWhichNothingIsKnown()
{
    RunSeries series;
    for (const std::int64_t at : { 100, 110, 120, 130, 4'000, 4'010, 9'000 }) {
        pb::Event event;
        event.mutable_operation_done()->set_kind(pb::SEARCH);
        event.mutable_operation_done()->set_time_ns(5'000);
        series.take(7, event, at * kMs);
    }
    ChartView view;
    view.resize(900, 400);
    view.setTheme(Theme());
    view.setChart(chartOf(series, { ChartKind::Latency, 0, 10'000 * kMs, 0, 200 }));
    view.grab();
    QCOMPARE(view.chart()->series().size(), 9); // three times three pieces
    // The next chart in the same view has its own pieces only.
    view.setChart(chartOf(series, { ChartKind::Latency, 0, 5'000 * kMs, 0, 200 }));
    QCOMPARE(view.chart()->series().size(), 6);
}

void ChartsTest::aRecoveryIsABarOfItsPhases()
{
    Shown shown(ChartKind::Repair);
    const QStringList texts = shown.view.texts();
    QVERIFY2(texts.contains("1500") && texts.contains("500"), qPrintable(texts.join('|')));
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QString& text) { return text.startsWith("2000.0 ms"); }));
    QVERIFY(shown.view.positionOf(1'500, 0).x() > shown.view.positionOf(500, 0).x());
}

void ChartsTest::theTableIsAModel()
{
    ChartTable table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const ChartData chart = busyChart(ChartKind::Latency);
    table.show(chart.header, chart.rows);
    table.show(chart.header, chart.rows); // again: no reset
    QCOMPARE(table.rowCount(), int(chart.rows.size()));
    QCOMPARE(table.columnCount(), int(chart.header.size()));
    QCOMPARE(table.data(table.index(3, 3)).toString(), QString::number(chart.rows[3][3].toDouble(), 'g', 5));
    table.show({}, {});
    QCOMPARE(table.rowCount(), 0);
}

void ChartsTest::chartsOfARecordingAreReadAndLinked()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("measure")->trigger();
    QVERIFY(part<ChartPanel>(window).isVisible());
    QVERIFY(!window.canvas().isVisible());
    window.clock().step(0.5);
    QTRY_VERIFY((window.clock().step(0.3),
        !part<ChartPanel>(window).isReading() && part<ChartPanel>(window).chart().nothing.isEmpty()));
    std::uint64_t done = window.timeLine().recording()->allOf({ pb::Event::kOperationDoneFieldNumber }).size();
    QVERIFY2(part<ChartPanel>(window).chart().note.startsWith(QString::number(done)),
        qPrintable(part<ChartPanel>(window).chart().note));
    // A click in the chart moves the time line, and the time line moves the chart's instant.
    ChartView& view = part<ChartPanel>(window).view();
    view.grab();
    const double middle = view.shown().to / 2;
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.positionOf(middle, view.shown().yMax / 3).toPoint());
    const double seconds = double(window.timeLine().cursorNs() - window.timeLine().beginNs()) / 1e9;
    QVERIFY2(std::abs(seconds - middle) < view.shown().to / 100 + 2e-6,
        qPrintable(QString("%1 for %2").arg(seconds).arg(middle)));
    window.actions().get("lecture")->trigger();
    QVERIFY(window.canvas().isVisible());
    QVERIFY(!part<ChartPanel>(window).isVisible());
}

void ChartsTest::aPartOfTheRunIsShownByPages()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    {
        auto recorder = recorderAt(path);
        recorder->onKeyframe({}, 0);
        Feeder feeder { *recorder };
        feeder.isKept = false;
        for (int i = 0; i < 300; ++i) { // ten per second
            pb::Event event;
            event.mutable_operation_done()->set_kind(pb::SEARCH);
            feeder.event(kClient, event);
            feeder.now += 100 * kMs;
        }
        recorder->finish();
    }
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(path), QString());
    window.actions().get("measure")->trigger();
    QTRY_VERIFY((window.clock().step(0.3), part<ChartPanel>(window).chart().note.startsWith("300 operations")));
    part<ChartPanel>(window).setSpan(10);
    for (const double second : { 24.0, 3.0, 27.0 }) {
        window.timeLine().seekTime(window.timeLine().beginNs() + std::int64_t(second * 1e9));
        const double page = std::floor(second / 10) * 10;
        QTRY_VERIFY((window.clock().step(0.3),
            !part<ChartPanel>(window).isReading() && part<ChartPanel>(window).chart().from == page));
        QCOMPARE(part<ChartPanel>(window).chart().to, page + 10);
        // A slice may extend beyond the edge of the page.
        const int counted = part<ChartPanel>(window).chart().note.section(' ', 0, 0).toInt();
        QVERIFY2(counted >= 99 && counted <= 101, qPrintable(part<ChartPanel>(window).chart().note));
    }
}

void ChartsTest::chartsFollowALiveCluster()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && !window.pacer().state().data.empty(), 15'000);
    window.actions().get("measure")->trigger();
    part<ChartPanel>(window).choose(ChartKind::Load);
    // The values of the snapshots: 4 buckets of 20 records, b = 40.
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.6), part<ChartPanel>(window).chart().nothing.isEmpty()), 15'000);
    QTRY_COMPARE_WITH_TIMEOUT(
        (window.clock().step(0.6), part<ChartPanel>(window).chart().rows.back().last().toDouble()), 50.0, 15'000);
    std::vector<pb::Event> events;
    for (int i = 0; i < 25; ++i) {
        pb::Event event;
        event.mutable_operation()->set_client(kFileClients);
        event.mutable_operation()->set_number(std::uint64_t(i) + 1);
        event.mutable_operation_done()->set_kind(pb::SEARCH);
        event.mutable_operation_done()->set_time_ns(1'000'000);
        events.push_back(event);
    }
    cluster.tell(kFileClients, events);
    part<ChartPanel>(window).choose(ChartKind::Operations);
    QTRY_VERIFY_WITH_TIMEOUT(
        (window.clock().step(0.6), part<ChartPanel>(window).chart().note.startsWith("25 operations")), 15'000);
}

void ChartsTest::theLegendSwitchesSeries()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("measure")->trigger();
    QTRY_VERIFY((window.clock().step(0.3), part<ChartPanel>(window).chart().nothing.isEmpty()));
    auto* button = part<ChartPanel>(window).findChild<QToolButton*>("series_search");
    QVERIFY(button && button->isChecked());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!part<ChartPanel>(window).view().chart()->series()[0]->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(part<ChartPanel>(window).view().chart()->series()[0]->isVisible());
    // The keyboard selects in the list, and each chart has its own axis title.
    auto* list = part<ChartPanel>(window).findChild<QListWidget*>("chartList");
    QTest::keyClick(list, Qt::Key_Down);
    QCOMPARE(part<ChartPanel>(window).kind(), ChartKind::Latency);
    QVERIFY(part<ChartPanel>(window).findChild<QCheckBox*>("chartLog")->isChecked());
    part<ChartPanel>(window).setTableShown(true);
    QCOMPARE(std::size_t(part<ChartPanel>(window).table().rowCount()), part<ChartPanel>(window).chart().rows.size());
}

void ChartsTest::anEmptyChartOffersWhatHelps()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.cluster().link().state() == LinkState::Here, 15'000);
    window.actions().get("measure")->trigger();
    part<ChartPanel>(window).choose(ChartKind::Repair);
    window.clock().step(0.6);
    QVERIFY2(part<ChartPanel>(window).chart().nothing.contains("No recovery measured yet"),
        qPrintable(part<ChartPanel>(window).chart().nothing));
    QCOMPARE(part<ChartPanel>(window).view().texts(), QStringList { part<ChartPanel>(window).chart().nothing });
    auto* button = part<ChartPanel>(window).findChild<QPushButton*>("chartRemedy");
    QVERIFY(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(part<FaultPanel>(window).isVisible());
}

void ChartsTest::theChartAndItsRowsAreWritten()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("measure")->trigger();
    part<ChartPanel>(window).choose(ChartKind::Load);
    QTRY_VERIFY(part<ChartPanel>(window).view().width() > 800); // the canvas made room
    QTRY_VERIFY((window.clock().step(0.3), part<ChartPanel>(window).chart().nothing.isEmpty()));
    part<ChartPanel>(window).view().grab();
    const auto read = [&](const char* name) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const char* name : { "chart.svg", "chart.pdf", "chart.png", "chart.csv" })
        QCOMPARE(window.exports().write(folder.filePath(name)), QString());
    const QString svg = QString::fromUtf8(read("chart.svg"));
    for (const QString& words : { QStringLiteral("RECORDED"), QStringLiteral("65-70 %"), QStringLiteral("Load factor"),
             QStringLiteral("seconds since the run began") })
        QVERIFY2(svg.contains(words), qPrintable(words));
    QVERIFY(read("chart.pdf").startsWith("%PDF"));
    QImage image;
    QVERIFY(image.load(folder.filePath("chart.png")));
    QVERIFY(image.width() > 1'000);
    QCOMPARE(read("chart.csv").count("\r\n"), qsizetype(part<ChartPanel>(window).chart().rows.size()) + 1);
    QVERIFY(window.exports().write(folder.filePath("chart.bmp")).contains(".svg, .pdf or .png"));
    QVERIFY(window.exports().write(folder.filePath("no/such/place.svg")).contains("cannot be written"));
    window.actions().get("lecture")->trigger();
    QCOMPARE(window.exports().write(folder.filePath("canvas.svg")), QString());
    QVERIFY(read("canvas.svg").contains("RECORDED"));
    QVERIFY(window.exports().write(folder.filePath("canvas.csv")).contains("no rows"));
}

void ChartsTest::aScriptsChartStandsBelowThoseOfTheRun()
{
    QTemporaryDir folder;
    QFile script(folder.filePath("mine.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("// @title Mine @minutes 1 @needs 0 processes\n"
                 "for (const window of [1, 16, 64]) for (const kind of ['insert', 'search']) lab.row('times', { kind: "
                 "kind, window: window, ms: 1 + 10 / window });\n"
                 "lab.chart({ table: 'times', x: 'window', y: 'ms', by: ['kind'], title: 'Times by window' });\n"
                 "lab.row('times', { kind: 'update', window: 1, ms: 5 });\n");
    script.close();
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.player().load(script.fileName()));
    window.player().runToEnd();
    QTRY_VERIFY((window.clock().step(0.1), part<ChartPanel>(window).measured() != nullptr));
    QTRY_COMPARE((window.clock().step(0.1), part<ChartPanel>(window).measured()->panels.at(0).series.size()),
        std::size_t(3)); // it has followed
    const auto* list = part<ChartPanel>(window).findChild<QListWidget*>(QStringLiteral("chartList"));
    QCOMPARE(list->count(), kCharts + 1);
    QCOMPARE(list->currentItem()->text(), QString("Times by window"));
    QCOMPARE(part<ChartPanel>(window).table().rowCount(), 7);
    auto* view = part<ChartPanel>(window).findChild<MeasureView*>();
    QVERIFY(!view->isHidden()
        && part<ChartPanel>(window).view().isHidden()); // without a cluster only the start page is visible
    QVERIFY(part<ChartPanel>(window).rect().contains(view->parentWidget()->geometry()));
    QVERIFY(!view->grab().toImage().isNull());
    QVERIFY(view->svg().contains("Times by window"));
    window.looks().setThemeChoice(MainWindow::ThemeChoice::Dark);
    view->grab();
    QVERIFY(view->svg().contains(Theme(Theme::Kind::Dark).card.name().toUtf8()));
    for (const char* name : { "times.svg", "times.png", "times.pdf", "times.csv" }) {
        QCOMPARE(window.exports().write(folder.filePath(name)), QString());
        QVERIFY(QFile(folder.filePath(name)).size() > 200);
    }
    part<ChartPanel>(window).choose(ChartKind::Load); // a chart of the run is one click away
    QVERIFY(!part<ChartPanel>(window).measured() && !part<ChartPanel>(window).view().isHidden());
}

void ChartsTest::aChartOfASimulatedClusterSaysSoBeforeItsScriptEnds()
{
    ShowStage stage;
    QVERIFY(stage.begin("lab.step('a', 'A chart');\n"
                        "lab.cluster({ m: 4, k: 1, spares: { data: 2, parity: 1 } });\n"
                        "lab.row('times', { window: 1, ms: 5 });\n"
                        "lab.chart({ table: 'times', x: 'window', y: 'ms' });\n"
                        "lab.say('So long did it take.');\n"
                        "lab.step('b', 'The end');\n"));
    QVERIFY(stage.untilStop() && stage.goOn());
    QVERIFY(stage.window.player().run().isRunning() && part<ChartPanel>(stage.window).measured());
    auto* view = part<ChartPanel>(stage.window).findChild<MeasureView*>();
    view->grab();
    QVERIFY(view->svg().contains("SIMULATED") && !view->svg().contains("LIVE"));
    QTemporaryDir folder;
    QFile file(folder.filePath("times.svg"));
    QCOMPARE(stage.window.exports().write(file.fileName()), QString());
    QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().contains("SIMULATED"));
}

void ChartsTest::aPictureIsTheSameBytesTwice_data()
{
    QTest::addColumn<QString>("ending");
    for (const char* ending : { "svg", "pdf", "png" })
        QTest::addRow("%s", ending) << QString(ending);
}

void ChartsTest::aPictureIsTheSameBytesTwice()
{
    QFETCH(QString, ending);
    QTemporaryDir folder;
    DisplayList list { Theme() };
    list.text(QRectF(10, 10, 300, 30), QStringLiteral("Data bucket 5"), { TextSize::Title }, Qt::black);
    list.add(DisplayList::Box { QRectF(10, 50, 80, 40), Outline::CutCorners, 8, Qt::white, Qt::black, 1, false, true });
    const PictureOrigin origin { "SIMULATED", "2026-01-01T00:00:00Z", "3 s" };
    std::vector<QByteArray> written;
    for (const char* name : { "a.", "b." }) {
        const QString path = folder.filePath(name + ending);
        QCOMPARE(writePicture(path, list, { 400, 200 }, "a test", origin), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        written.push_back(file.readAll());
    }
    QCOMPARE(written[0].size(), written[1].size());
    QVERIFY(written[0] == written[1]);
    if (ending == "svg")
        QVERIFY(written[0].contains("SIMULATED"));
    if (ending == "pdf") // except its creation time
        QVERIFY(written[0].contains("/CreationDate (D:20000101"));
}

void ChartsTest::nothingIsCutOffAt1280x720_data()
{
    QTest::addColumn<double>("scale");
    QTest::addRow("100 %%") << 1.0;
    QTest::addRow("150 %%") << 1.5;
}

void ChartsTest::nothingIsCutOffAt1280x720()
{
    QFETCH(double, scale);
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.looks().setFontScale(scale);
    window.resize(1280, 720);
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("measure")->trigger();
    for (int kind = 0; kind < kCharts; ++kind) {
        part<ChartPanel>(window).choose(ChartKind(kind));
        window.clock().step(0.5);
        QCoreApplication::processEvents();
        QCOMPARE(window.size(), QSize(1280, 720));
        QVERIFY(part<ChartPanel>(window).view().height() > 200);
        for (const QWidget* child : part<ChartPanel>(window).findChildren<QWidget*>()) {
            if (child->isVisible() && child->parentWidget() == &part<ChartPanel>(window))
                QVERIFY2(part<ChartPanel>(window).rect().contains(child->geometry()), qPrintable(child->objectName()));
        }
    }
}

int main(int count, char** arguments) { return runOffscreen<ChartsTest>(count, arguments); }
#include "tst_charts.moc"

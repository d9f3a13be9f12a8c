// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of measurements: their values, published values beside them, and the file that lhrs-play writes.
#include "tests/rigs/lab/data_dictionary.h"
#include "tests/rigs/lab/lab_stage.h"

#include "gui/lab/tables/chart_svg.h"

#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Cells = std::map<QString, QVariant>;

void add(LabTable& table, const Cells& factors, const Cells& metrics, bool isWarmUp = false)
{
    QStringList f, m;
    for (const auto& [name, value] : factors)
        f << name;
    for (const auto& [name, value] : metrics)
        m << name;
    table.add({ "counts", 1, isWarmUp, 0, factors, metrics }, f, m);
}

// Slices of 25 and 100 ranks by XOR and RS, three repetitions each: 1, 2, 9 times a thousandth of the slice; RS takes
// double.
LabTable recoveries()
{
    LabTable table;
    for (const double slice : { 100.0, 25.0 })
        for (const char* scheme : { "xor", "rs" })
            for (const double times : { 9.0, 1.0, 2.0 })
                add(table, { { "slice", slice }, { "scheme", scheme } },
                    { { "total_s", times * slice / 1000 * (scheme[0] == 'r' ? 2 : 1) }, { "comm_s", 0.5 } });
    add(table, { { "slice", 25.0 }, { "scheme", "xor" } }, { { "total_s", 1000.0 }, { "comm_s", 1000.0 } }, true);
    return table;
}

ChartOrder orderOf(const QString& x, const QStringList& y, const QStringList& by = {})
{
    ChartOrder order;
    order.table = "recoveries";
    order.x = x;
    order.y = y;
    order.by = by;
    return order;
}

MeasureChart drawn(const LabTable& table, const ChartOrder& order)
{
    auto chart = measureChart(table, order);
    if (!chart)
        QTest::qFail(chart.error().text.c_str(), __FILE__, __LINE__);
    return chart ? *chart : MeasureChart();
}

QString problemOf(const LabTable& table, const ChartOrder& order)
{
    const auto chart = measureChart(table, order);
    return chart ? QString() : QString::fromStdString(chart.error().text);
}

// The texts of the picture; fails if it is not XML.
QStringList textsOf(const QByteArray& svg)
{
    QStringList texts;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QLatin1String("text"))
            texts << reader.readElementText();
    }
    if (reader.hasError())
        QTest::qFail(qPrintable(reader.errorString()), __FILE__, __LINE__);
    return texts;
}

CsvTable published()
{
    CsvTable table;
    table.columns = QStringList { "source", "config", "scheme", "slice", "total_s", "note" };
    table.rows = { { "lhrs2003", "2", "xor", "25", "4.6", "" }, { "lhrs2003", "2", "xor", "100", "2.1", "" },
        { "lhrs2003", "2", "xor", "50", "77", "SUSPECT" }, { "lhrs2003", "1", "xor", "25", "99", "" },
        { "lhrs2003", "2", "none", "25", "98", "" }, { "lhrs2003", "2", "rs", "25", "", "" } };
    return table;
}

} // namespace

class MeasureChartTest : public QObject {
    Q_OBJECT
private slots:
    void aLineIsTheMediansWithTheirQuartiles();
    void eachQuantityHasAPanel();
    void manyLinesAreSplitUpByTheFirstColumn();
    void wordsStandOnTheAxisAsTheyCame();
    void whatHasNoLogarithmIsLeftOut();
    void publishedValuesStandBesideThoseThatWeHave();
    void whatDoesNotExistIsNamed();
    void theFileIsWellFormedAndAlwaysTheSame();
    void simulatedTimeIsNotComparedInSilence();
    void aTableOfPublishedValuesIsNotOfTheRun();
    void theFootIsWholeInLargeLetters();
    void aLineBelowAnotherShowsAsARim();
    void aLongTitleFits();
    void manyPointsAreDrawnByTheirExtremes();
    void aScriptsChartFollowsItsTableAndIsWrittenBesideIt();
    void aScriptIsToldWhatIsWrong();
};

void MeasureChartTest::aLineIsTheMediansWithTheirQuartiles()
{
    const MeasureChart chart = drawn(recoveries(), orderOf("slice", { "total_s" }, { "scheme" }));
    QCOMPARE(chart.panels.size(), 1u);
    QCOMPARE(chart.panels[0].series.size(), 2u);
    const auto& rs = chart.panels[0].series[0];
    const auto& byXor = chart.panels[0].series[1];
    QCOMPARE(rs.name, QString("rs"));
    QCOMPARE(byXor.name, QString("xor"));
    QVERIFY(rs.colour != byXor.colour);
    QCOMPARE(byXor.points.size(), 2u); // by x, whatever the order of the rows; without the warm-up
    QCOMPARE(byXor.points[0].x, 25.0);
    QCOMPARE(byXor.points[0].median, 0.05);
    QCOMPARE(byXor.points[0].q1, 0.0375);
    QCOMPARE(byXor.points[0].q3, 0.1375);
    QCOMPARE(byXor.points[0].n, 3);
    QCOMPARE(rs.points[1].median, 0.4);
    QCOMPARE(chart.header, (QStringList { "origin", "scheme", "slice", "quantity", "median", "q1", "q3", "n" }));
    // The other columns are those of its table.
    QCOMPARE(documentedColumns("NAME_chart.csv"), (QStringList { "origin", "quantity", "median", "q1", "q3", "n" }));
    QCOMPARE(chart.rows.size(), 4u);
    QCOMPARE(chart.rows[3], (QVariantList { "here", "xor", 100.0, "total_s", 0.2, 0.15000000000000002, 0.55, 3 }));
    // The chart shows the values of the table's summary.
    for (const LabTable::Summary& s : recoveries().summary())
        for (const auto& series : chart.panels[0].series)
            for (const auto& point : series.points)
                if (s.factors.at("scheme") == series.name && s.factors.at("slice") == point.x)
                    QCOMPARE(point.median, s.metrics.at("total_s").median);
}

void MeasureChartTest::eachQuantityHasAPanel()
{
    const MeasureChart chart = drawn(recoveries(), orderOf("slice", { "total_s", "comm_s" }));
    QCOMPARE(chart.panels.size(), 2u);
    QCOMPARE(chart.columns, 2);
    QCOMPARE(chart.panels[1].title, QString("comm (s)"));
    QCOMPARE(chart.panels[1].series.size(), 1u); // one series: no column distinguishes them
    QCOMPARE(chart.panels[1].series[0].points[0].n, 6);
}

void MeasureChartTest::manyLinesAreSplitUpByTheFirstColumn()
{
    LabTable table;
    for (const int gf : { 16, 8 })
        for (const int failed : { 1, 2, 3 })
            for (const char* scheme : { "xor", "rs" })
                add(table, { { "gf", gf }, { "failed_buckets", failed }, { "scheme", scheme }, { "slice", 5 } },
                    { { "total_s", gf + failed }, { "comm_s", 1 } });
    const MeasureChart chart = drawn(
        table, orderOf("slice", { "total_s", "comm_s" }, { "gf", "failed_buckets", "scheme" }));
    QCOMPARE(chart.panels.size(), 4u);
    QCOMPARE(chart.columns, 2);
    QCOMPARE(chart.panels[0].title, QString("total (s), gf 8"));
    QCOMPARE(chart.panels[3].title, QString("comm (s), gf 16"));
    for (const auto& panel : chart.panels) {
        QCOMPARE(panel.series.size(), 6u);
        QCOMPARE(panel.series[0].name, QString("failed buckets 1, rs"));
        QCOMPARE(panel.series[5].name, QString("failed buckets 3, xor"));
        QCOMPARE(panel.series[5].colour, 5); // the same in each panel
    }
    QCOMPARE(chart.panels[0].series[0].points[0].median, 9.0);
    QCOMPARE(chart.panels[2].series[0].points[0].median, 17.0);
}

// The words are in the order of their appearance, after the numbers, and no line connects them.
void MeasureChartTest::wordsStandOnTheAxisAsTheyCame()
{
    const MeasureChart chart = drawn(recoveries(), orderOf("scheme", { "total_s" }, { "slice" }));
    QCOMPARE(chart.words, (QStringList { "xor", "rs" }));
    QCOMPARE(chart.panels[0].series[1].name, QString("slice 100"));
    QCOMPARE(chart.panels[0].series[1].points[1].x, 1.0);
    QCOMPARE(chart.panels[0].series[1].points[1].median, 0.4);
    const QByteArray picture = chartSvg(chart, {}, chartSize(chart), {});
    QVERIFY(textsOf(picture).contains("xor"));
    QVERIFY(!picture.contains("<polyline"));

    LabTable mixed;
    for (const char* x : { "auto", "16", "none", "2", "auto" })
        add(mixed, { { "x", QVariant(QString(x)) } }, { { "y", 1.0 } });
    QCOMPARE(drawn(mixed, orderOf("x", { "y" })).words, (QStringList { "2", "16", "auto", "none" }));
}

void MeasureChartTest::whatHasNoLogarithmIsLeftOut()
{
    LabTable table;
    for (const double x : { 0.0, 1.0, 1000.0 })
        add(table, { { "x", x } }, { { "y", x * 2 }, { "zero", 0.0 } });
    ChartOrder order = orderOf("x", { "y" });
    QCOMPARE(drawn(table, order).panels[0].series[0].points.size(), 3u);
    order.isLog = true;
    QCOMPARE(drawn(table, order).panels[0].series[0].points.size(), 2u);
    const QStringList texts = textsOf(chartSvg(drawn(table, order), {}, { 960, 540 }, {}));
    QVERIFY2(texts.contains("1000") && texts.contains("1"), qPrintable(texts.join('|')));
    order.y = QStringList { "zero" };
    QVERIFY(drawn(table, order).nothing.contains("logarithmic"));
}

void MeasureChartTest::publishedValuesStandBesideThoseThatWeHave()
{
    ChartOrder order = orderOf("slice", { "total_s", "comm_s" }, { "scheme" });
    order.paper = "bucket_recovery";
    order.published = published();
    order.where["config"] = "2";
    const MeasureChart chart = drawn(recoveries(), order);
    // rs, xor, xor published: there is no published line for a scheme without measurements.
    QCOMPARE(chart.panels[0].series.size(), 3u);
    const auto& printed = chart.panels[0].series[2];
    QVERIFY(printed.isPublished);
    QCOMPARE(printed.name, QString("xor, published"));
    QCOMPARE(printed.colour, chart.panels[0].series[1].colour);
    QCOMPARE(printed.points.size(), 2u); // without the doubtful one
    QCOMPARE(printed.points[0].median, 4.6);
    QCOMPARE(chart.panels[1].series.size(), 2u); // there is no such published column
    QCOMPARE(chart.source, QString("lhrs2003, configuration 2 (1.8 GHz, 1 Gb/s)"));
    const QByteArray svg = chartSvg(chart, {}, chartSize(chart), {});
    QVERIFY(svg.contains("stroke-dasharray"));
    QVERIFY(textsOf(svg).join('|').contains("published, lhrs2003"));
    order.withSuspect = true;
    QCOMPARE(drawn(recoveries(), order).panels[0].series[2].points.size(), 3u);
}

void MeasureChartTest::whatDoesNotExistIsNamed()
{
    QVERIFY(problemOf(recoveries(), orderOf("slise", { "total_s" })).contains("Did you mean slice?"));
    QVERIFY(problemOf(recoveries(), orderOf("slice", { "totals" })).contains("table recoveries has no column totals"));
    QVERIFY(problemOf(recoveries(), orderOf("slice", { "total_s" }, { "gf" })).contains("no column gf"));
    ChartOrder order = orderOf("scheme", { "comm_s" });
    order.paper = "bucket_recovery";
    order.published = published();
    QVERIFY(problemOf(recoveries(), order).contains("published table bucket_recovery has no column comm_s"));
    order.where["konfig"] = "2";
    QVERIFY(problemOf(recoveries(), order).contains("Did you mean config?"));
    LabTable empty;
    add(empty, { { "slice", 1 } }, { { "total_s", 1 } }, true);
    const MeasureChart chart = drawn(empty, orderOf("slice", { "total_s" })); // only a warm-up so far
    QVERIFY(chart.nothing.contains("No row of recoveries yet"));
    QVERIFY(textsOf(chartSvg(chart, {}, chartSize(chart), {})).contains(chart.nothing + "."));
}

void MeasureChartTest::theFileIsWellFormedAndAlwaysTheSame()
{
    ChartOrder order = orderOf("slice", { "total_s", "comm_s" }, { "scheme" });
    order.title = "a < b & \"c\"";
    const MeasureChart chart = drawn(recoveries(), order);
    const RunIdentity identity { "20261122T120000Z-1", false, "m" };
    const QByteArray svg = chartSvg(chart, {}, chartSize(chart), chartOrigin(identity));
    QCOMPARE(svg, chartSvg(chart, {}, chartSize(chart), chartOrigin(identity)));
    const QStringList texts = textsOf(svg);
    for (const char* words : { "a < b & \"c\"", "total (s)", "comm (s)", "slice", "rs", "xor" })
        QVERIFY2(texts.contains(words), words);
    QVERIFY(texts.join('|').contains("LIVE  ·  run 20261122T120000Z-1  ·  medians"));
    // Every item with a position lies inside the picture.
    QXmlStreamReader reader(svg);
    const QSize size = chartSize(chart);
    while (!reader.atEnd()) {
        reader.readNext();
        if (!reader.isStartElement())
            continue;
        for (const auto& [name, most] : { std::pair("x", size.width()), std::pair("cx", size.width()),
                 std::pair("y", size.height()), std::pair("cy", size.height()) })
            if (reader.attributes().hasAttribute(name)) {
                const double at = reader.attributes().value(name).toDouble();
                QVERIFY2(
                    std::isfinite(at) && at >= 0 && at <= most, qPrintable(reader.attributes().value(name).toString()));
            }
    }
}

void MeasureChartTest::simulatedTimeIsNotComparedInSilence()
{
    ChartOrder order = orderOf("slice", { "total_s" }, { "scheme" });
    MeasureChart chart = drawn(recoveries(), order);
    chart.isSimulated = true;
    QVERIFY(!chartSvg(chart, {}, chartSize(chart), {}).contains("SIMULATED TIME"));
    order.paper = "bucket_recovery";
    order.published = published();
    chart = drawn(recoveries(), order);
    chart.isSimulated = true;
    QVERIFY(chartSvg(chart, {}, chartSize(chart), {}).contains("SIMULATED TIME"));
    QVERIFY(chartOrigin({ "r", true, "m" }).startsWith("SIMULATED"));
}

// A table whose rows all name a publication has nothing of this run, and its chart does not say that it has.
void MeasureChartTest::aTableOfPublishedValuesIsNotOfTheRun()
{
    LabTable table;
    const QStringList columns { "source", "slice", "ms" };
    for (const double slice : { 25.0, 100.0 })
        table.add(
            { "row", 1, false, 0, {}, { { "source", "lhrs2003" }, { "slice", slice }, { "ms", 2.0 } } }, {}, columns);
    const RunIdentity run { "r", true, "m" };
    MeasureChart chart = drawn(table, orderOf("slice", { "ms" }));
    chart.isSimulated = true;
    QVERIFY(chart.isOnlyPublished && !chart.panels[0].series[0].isPublished); // drawn as any other line
    QCOMPARE(chart.rows[0].first(), QVariant("published"));
    const QString origin = chartOrigin(run, &chart);
    QCOMPARE(origin, QString::fromUtf8("PUBLISHED  ·  shown by run r"));
    const QStringList texts = textsOf(chartSvg(chart, {}, { 960, 540 }, origin));
    QVERIFY2(texts.join('|').contains("  ·  published, lhrs2003") && !texts.contains("SIMULATED TIME"),
        qPrintable(texts.join('|')));
    // One row of this run, and it is a chart of this run.
    table.add({ "row", 2, false, 0, {}, { { "source", "" }, { "slice", 50.0 }, { "ms", 3.0 } } }, {}, columns);
    const MeasureChart mixed = drawn(table, orderOf("slice", { "ms" }));
    QVERIFY(!mixed.isOnlyPublished);
    QVERIFY(chartOrigin(run, &mixed).startsWith("SIMULATED"));
}

// The foot says whose values are dashed, and is readable in front of a hall too, where letters are large.
void MeasureChartTest::theFootIsWholeInLargeLetters()
{
    LabTable table;
    table.add({ "search", 1, false, 0, {}, { { "n", 1.0 }, { "ms", 2.0 } } }, {}, { "n", "ms" });
    MeasureChart chart = drawn(table, orderOf("n", { "ms" }));
    chart.source = "lhrs2003, configuration 2 (1.8 GHz, 1 Gb/s)";
    const QString origin = "SIMULATED, run 20261126T105413.541Z-vm-5170-1",
                  published = "dashed, hollow marks: published, " + chart.source;
    SvgLook large;
    large.em = 24;
    QVERIFY(textsOf(chartSvg(chart, large, { 3000, 540 }, origin))
                .contains(origin + QString::fromUtf8("  ·  ") + published));
    const QByteArray narrow = chartSvg(chart, large, { 1200, 540 }, origin);
    QVERIFY(textsOf(narrow).contains(origin) && textsOf(narrow).contains(published));
    QSet<QString> heights;
    for (QXmlStreamReader reader(narrow); !reader.atEnd(); reader.readNext())
        if (reader.isStartElement() && reader.attributes().value("fill") == large.muted
            && reader.attributes().value("text-anchor") == QLatin1String("start"))
            heights << reader.attributes().value("y").toString();
    QCOMPARE(heights.size(), 2);
}

// Two series with equal values: the lower one is seen around the upper one.
void MeasureChartTest::aLineBelowAnotherShowsAsARim()
{
    const auto radii = [](double other) {
        LabTable table;
        for (const double n : { 1.0, 2.0 })
            for (const double gf : { 8.0, 16.0 })
                table.add(
                    { "search", 1, false, 0, {}, { { "n", n }, { "gf", gf }, { "ms", gf == 8 ? n : n * other } } }, {},
                    { "n", "gf", "ms" });
        QSet<QString> found;
        for (QXmlStreamReader reader(chartSvg(drawn(table, orderOf("n", { "ms" }, { "gf" })), {}, { 960, 540 }, {}));
             !reader.atEnd(); reader.readNext())
            if (reader.isStartElement() && reader.name() == QLatin1String("circle"))
                found << reader.attributes().value("r").toString();
        return found.size();
    };
    QCOMPARE(radii(1), 2);
    QCOMPARE(radii(3), 1);
}

// The window may be narrow, or the letters large.
void MeasureChartTest::aLongTitleFits()
{
    MeasureChart chart = drawn(recoveries(), orderOf("slice", { "total_s" }));
    const auto size = [&] {
        QXmlStreamReader reader(chartSvg(chart, {}, { 960, 540 }, {}));
        while (reader.readNextStartElement() && reader.name() != QLatin1String("text"))
            if (reader.name() != QLatin1String("svg"))
                reader.skipCurrentElement();
        return reader.attributes().value("font-size").toDouble();
    };
    chart.title = "short";
    const double whole = size();
    chart.title = QString("x").repeated(200);
    QVERIFY(size() > 0 && size() < whole);
    QVERIFY(0.6 * size() * 200 <= 960);
}

void MeasureChartTest::manyPointsAreDrawnByTheirExtremes()
{
    LabTable table;
    for (int i = 0; i < 20'000; ++i)
        table.add({ "counts", 1, false, 0, {}, { { "op", double(i) }, { "ms", i == 12'345 ? 9.0 : 1.0 } } }, {},
            { "op", "ms" });
    const MeasureChart chart = drawn(table, orderOf("op", { "ms" }));
    QCOMPARE(chart.panels[0].series[0].points.size(), 20'000u);
    const QByteArray svg = chartSvg(chart, {}, { 960, 540 }, {});
    QVERIFY(svg.size() < 100'000);
    QVERIFY(!svg.contains("<circle"));
    // The outlier is visible: two heights on the line.
    QXmlStreamReader reader(svg);
    QSet<QString> heights;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QLatin1String("polyline"))
            for (const QString& point : reader.attributes().value("points").toString().split(' '))
                heights << point.section(',', 1);
    }
    QCOMPARE(heights.size(), 2);
}

struct ChartListener : Listener {
    std::vector<std::pair<MeasureChart, bool>> charts;
    void onChart(const MeasureChart& chart, bool isNew) override { charts.emplace_back(chart, isNew); }
};

void MeasureChartTest::aScriptsChartFollowsItsTableAndIsWrittenBesideIt()
{
    Session session;
    ChartListener listener;
    ScriptEngine engine(session, listener);
    ScriptSettings settings;
    settings.paperDirectory = LHRS_SOURCE_DIR "/scenarios/paper";
    engine.start("const one = (slice, s) => lab.row('bucket_recovery', { gf: 16, scheme: 'xor', failed_buckets: 1, "
                 "slice: slice, total_s: s });\n"
                 "one(1250, 0.1);\n"
                 "const file = lab.chart({ table: 'bucket_recovery', x: 'slice', y: 'total_s', by: ['scheme'], paper: "
                 "'bucket_recovery', where: { config: 2, gf: 16, failed_buckets: 1 }, title: 'Ours and 2003' });\n"
                 "lab.expectEqual(file, 'bucket_recovery_chart', 'its file');\n"
                 "one(6250, 0.05);\n"
                 "lab.expectEqual(lab.chart({ table: 'bucket_recovery', x: 'slice', y: ['total_s'], log: true }), "
                 "'bucket_recovery_chart_2', 'another one');",
        "test.js", settings);
    QVERIFY(engine.wait(kLimit));
    QVERIFY2(engine.result().outcome == ScriptOutcome::Held, qPrintable(engine.result().sentence()));
    QCOMPARE(listener.charts.size(), 3u); // new, changed, new
    QVERIFY(listener.charts[0].second && !listener.charts[1].second && listener.charts[2].second);
    QCOMPARE(listener.charts[0].first.panels[0].series[0].points.size(), 1u);
    QCOMPARE(listener.charts[1].first.panels[0].series[0].points.size(), 2u);
    QCOMPARE(listener.charts[1].first.panels[0].series.size(), 2u);
    QCOMPARE(listener.charts[1].first.panels[0].series[1].points.size(), 5u); // the published slices
    const auto pictures = engine.charts().pictures(engine.tables(), engine.identity());
    QCOMPARE(pictures.size(), 2u);
    QCOMPARE(pictures[0].first, QString("bucket_recovery_chart.svg"));
    QCOMPARE(pictures[1].first, QString("bucket_recovery_chart_2.svg"));
    QVERIFY(textsOf(pictures[0].second).contains("Ours and 2003"));
}

void MeasureChartTest::aScriptIsToldWhatIsWrong()
{
    const QString begin = "lab.row('notes', { value: 42 }); ";
    for (const auto& [call, words] :
        { std::pair("lab.chart({ table: 'note', x: 'value', y: 'value' });", "Did you mean notes?"),
            std::pair("lab.chart({ table: 'notes', x: 'value', y: [] });", "option y of lab.chart"),
            std::pair("lab.chart({ table: 'notes', x: 'value', y: [5] });", "option y of lab.chart"),
            std::pair("lab.chart({ table: 'notes', x: 'value', y: 'valve' });", "Did you mean value?"),
            std::pair("lab.chart({ table: 'notes', x: 'value', y: 'value', by: [{}] });", "option by of lab.chart"),
            std::pair(
                "lab.chart({ table: 'notes', x: 'value', y: 'value', paper: 'serch' });", "no published table 'serch'"),
            std::pair("lab.chart({ table: 'notes', y: 'value' });", "needs the option x") }) {
        Stage stage;
        const ScriptResult result = stage.play(begin + call);
        QCOMPARE(result.code, QString("BadArgument"));
        QVERIFY2(result.sentence().contains(words), qPrintable(result.sentence()));
    }
}

QTEST_GUILESS_MAIN(MeasureChartTest)
#include "tst_measure_chart.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The checkers of linearizability compared with a judge that tries every order: on histories that are legal by
// construction, on noisy ones, and on mutated ones. For a longer run: LHRS_HISTORIES=300000 tst_history.
#include "tests/thrash/history_svg.h"
#include "common/check/linearize.h"
#include "common/check/monitors.h"
#include "common/check/zones.h"
#include "tests/common/history_maker.h"

#include <QElapsedTimer>
#include <QTest>
#include <QXmlStreamReader>

using namespace lhrs::check;

namespace {

std::size_t histories()
{
    const int wanted = qEnvironmentVariableIntValue("LHRS_HISTORIES");
    return wanted > 0 ? std::size_t(wanted) : 60'000;
}

QByteArray textOf(const History& history)
{
    std::string text = history.valueBefore() ? "\nbefore " + describeValue(*history.valueBefore()) : "\nabsent before";
    for (const Operation& operation : history.operations())
        text += "\n" + describe(operation);
    return QByteArray::fromStdString(text);
}

Shape smallShape(Dice& dice, bool isForZones)
{
    Shape shape;
    shape.processes = std::uint32_t(2 + dice.below(5));
    shape.operations = 2 + dice.below(8);
    shape.isForZones = isForZones;
    shape.areValuesUnique = isForZones || dice.happens(70);
    shape.durationMax = HistoryTime(2 + dice.below(9));
    shape.pauseMax = HistoryTime(dice.below(5));
    shape.searchPercent = unsigned(25 + dice.below(45));
    shape.hasPuts = dice.happens(40);
    shape.unknownPercent = dice.happens(50) ? 0 : 20 + 40 * unsigned(dice.below(2));
    return shape;
}

Violations monitored(const History& history)
{
    KeyMonitor monitor(history.valueBefore());
    Violations found;
    replay(
        history, [&](const Operation& operation) { monitor.began(operation); },
        [&](const Operation& operation, HistoryTime now) {
            for (const Violation& violation : monitor.ended(operation, now))
                found.push_back(violation);
        });
    return found;
}

Verdict verdictOf(bool isLegal) { return isLegal ? Verdict::Yes : Verdict::No; }

} // namespace

class TestHistory : public QObject {
    Q_OBJECT

private slots:
    void zonesAgreeWithEveryOrder();
    void theSearchAgreesWithEveryOrder();
    void twoUnknownInsertsMayEachExplainADelete();
    void aPutNeedsNothing();
    void losses();
    void tooManyPossibilitiesAreSaid();
    void legalHistoriesPass();
    void zonesAndTheSearchAgreeOnLongHistories();
    void mutationsAreCaught_data();
    void mutationsAreCaught();
    void thePrefixIsIllegalAndNoShorterOneIs();
    void theMonitorSeesWhatTheZonesSee();
    void theMonitorNeverComplainsWithoutReason();
    void theMonitorTellsWhatIsWrong_data();
    void theMonitorTellsWhatIsWrong();
    void theMonitorForgetsWhatIsOverwritten();
    void instantsAreThoseOfSomeOrder();
    void thePictureShowsEachOperation();
    void thePictureOfAViolationShowsItsPrefix();
    void manyClientsOnOneKeyAreDecided();
    void aMillionOperationsAreJudged();
};

// ---- against every order

void TestHistory::zonesAgreeWithEveryOrder()
{
    Dice dice(1);
    std::size_t legal = 0;
    for (std::size_t n = 0; n < histories(); ++n) {
        History history = legalHistory(smallShape(dice, true), dice);
        if (dice.happens(90))
            history = noisy(history, dice);
        const bool isLegal = isExplainedBySomeOrder(history);
        legal += isLegal ? 1 : 0;
        QVERIFY2(judgeByZones(history).verdict == verdictOf(isLegal), textOf(history));
        QVERIFY2(judgeByStates(history).verdict == verdictOf(isLegal), textOf(history));
    }
    qInfo("%zu histories of updates and searches, %zu linearizable", histories(), legal);
    QVERIFY(legal > histories() / 4 && legal < histories() - histories() / 10);
}

void TestHistory::theSearchAgreesWithEveryOrder()
{
    Dice dice(2);
    std::size_t legal = 0;
    for (std::size_t n = 0; n < histories(); ++n) {
        History history = legalHistory(smallShape(dice, false), dice);
        if (dice.happens(90))
            history = noisy(history, dice);
        const bool isLegal = isExplainedBySomeOrder(history);
        legal += isLegal ? 1 : 0;
        QVERIFY2(judgeByStates(history).verdict == verdictOf(isLegal), textOf(history));
    }
    qInfo("%zu histories of all operations, %zu linearizable", histories(), legal);
    QVERIFY(legal > histories() / 4 && legal < histories() - histories() / 10);
}

// ---- by hand

void TestHistory::twoUnknownInsertsMayEachExplainADelete()
{
    const std::uint64_t values[] { fingerprint(1, 1), fingerprint(2, 1) };
    for (const std::uint64_t found : values) {
        History history;
        history.invoke(1, RequestKind::Insert, values[0], 0);
        history.invoke(2, RequestKind::Insert, values[1], 0);
        HistoryTime now = 10;
        const auto done = [&](RequestKind kind, std::uint64_t value) {
            history.answer(history.invoke(3, kind, value, now), Outcome::Ok, now + 1, value);
            now += 10;
        };
        done(RequestKind::Delete, 0);
        done(RequestKind::Search, found); // so the other client's record was there to be deleted
        for (const std::uint64_t value : values) {
            done(RequestKind::Delete, 0);
            done(RequestKind::Insert, value);
            done(RequestKind::Search, value);
        }
        QVERIFY(isExplainedBySomeOrder(history));
        QCOMPARE(judge(history).verdict, Verdict::Yes);
        history.answer(history.invoke(3, RequestKind::Search, 0, now), Outcome::Ok, now, values[0]);
        QVERIFY(!isExplainedBySomeOrder(history));
        QCOMPARE(judge(history).verdict, Verdict::No);
    }
}

// It stores whether the key is there or not, so one of unknown outcome may bring a key back that was deleted since.
void TestHistory::aPutNeedsNothing()
{
    const std::uint64_t first = fingerprint(1, 1), second = fingerprint(2, 1);
    HistoryTime now = 10;
    const auto done = [&now](History& history, RequestKind kind, Outcome outcome, std::uint64_t value = 0) {
        history.answer(history.invoke(3, kind, value, now), outcome, now + 1, value);
        now += 10;
    };
    History history;
    done(history, RequestKind::Put, Outcome::Ok, first);
    done(history, RequestKind::Put, Outcome::Ok, second);
    done(history, RequestKind::Search, Outcome::Ok, second);
    done(history, RequestKind::Delete, Outcome::Ok);
    QCOMPARE(judge(history).verdict, Verdict::Yes);
    History refused = history;
    done(refused, RequestKind::Put, Outcome::NotFound, first);
    QCOMPARE(judge(refused).verdict, Verdict::No);
    QVERIFY(judge(refused).reason.find("NOT_FOUND is no answer to put") != std::string::npos);
    History again = history;
    done(again, RequestKind::Delete, Outcome::Ok); // there was nothing to delete
    QCOMPARE(judge(again).verdict, Verdict::No);
    // Nobody reads it: the deletes alone say that it has brought the key back.
    History late;
    late.invoke(1, RequestKind::Put, first, 0);
    for (const Operation& operation : history.operations())
        late.add(operation);
    done(late, RequestKind::Delete, Outcome::Ok);
    QVERIFY(isExplainedBySomeOrder(late));
    QCOMPARE(judge(late).verdict, Verdict::Yes);
    done(late, RequestKind::Delete, Outcome::Ok);
    QCOMPARE(judge(late).verdict, Verdict::No);
}

// A record is lost between 10 and 20: it exists before, and does not afterwards.
void TestHistory::losses()
{
    const std::uint64_t value = fingerprint(1, 1);
    const auto judged = [value](HistoryTime from, HistoryTime to, Outcome outcome, bool isRecordLost,
                            RequestKind kind = RequestKind::Search) {
        History history(value);
        history.lost({ 10, 20, isRecordLost });
        history.answer(
            history.invoke(1, kind, kind == RequestKind::Search ? 0 : fingerprint(1, 2), from), outcome, to, value);
        const Judgement judgement = judge(history);
        return judgement.verdict == Verdict::Yes ? 0 : judgement.invariant;
    };
    QCOMPARE(judged(5, 6, Outcome::Ok, true), 0);
    QCOMPARE(judged(5, 6, Outcome::Lost, true), 18);
    QCOMPARE(judged(5, 6, Outcome::NotFound, true), 8);
    QCOMPARE(judged(12, 14, Outcome::Lost, true), 0);
    QCOMPARE(judged(12, 14, Outcome::Ok, true), 18);
    QCOMPARE(judged(12, 14, Outcome::NotFound, true), 18);
    QCOMPARE(judged(12, 14, Outcome::Retry, true), 0);
    QCOMPARE(judged(18, 24, Outcome::Lost, true), 0);
    QCOMPARE(judged(22, 24, Outcome::Lost, true), 18);
    QCOMPARE(judged(22, 24, Outcome::NotFound, true), 0);
    QCOMPARE(judged(22, 24, Outcome::Ok, true), 8);
    QCOMPARE(judged(12, 14, Outcome::Ok, false), 0);
    QCOMPARE(judged(22, 24, Outcome::Ok, false), 0);
    QCOMPARE(judged(12, 14, Outcome::NotFound, false), 8);
    QCOMPARE(judged(12, 14, Outcome::Ok, false, RequestKind::Update), 18);
    QCOMPARE(judged(12, 14, Outcome::Lost, false, RequestKind::Update), 0);
}

// Unknown is a verdict of its own, and does not count as a pass.
void TestHistory::tooManyPossibilitiesAreSaid()
{
    History history;
    for (std::uint64_t n = 1; n <= 80; ++n)
        history.invoke(std::uint32_t(n), RequestKind::Insert, fingerprint(n, 1), 0);
    history.answer(history.invoke(99, RequestKind::Search, 0, 1), Outcome::NotFound, 2);
    QCOMPARE(judge(history).verdict, Verdict::Unknown);
    QCOMPARE(checkHistory(1, history).size(), std::size_t(1));

    Dice dice(8);
    Shape shape { .processes = 8, .operations = 200, .areValuesUnique = false, .durationMax = 200 };
    QCOMPARE(judge(legalHistory(shape, dice), { 10 }).verdict, Verdict::Unknown);
}

// ---- legal by construction

void TestHistory::legalHistoriesPass()
{
    Dice dice(3);
    for (int n = 0; n < 600; ++n) {
        Shape shape;
        shape.processes = std::uint32_t(1 + dice.below(20));
        shape.operations = 1 + dice.below(300);
        shape.isForZones = n % 2 == 0;
        shape.areValuesUnique = shape.isForZones || dice.happens(80);
        shape.unknownPercent = unsigned(dice.below(3));
        const History history = legalHistory(shape, dice);
        const Judgement judgement = judge(history);
        QVERIFY2(judgement.verdict == Verdict::Yes, judgement.reason.c_str());
        QCOMPARE(judgeByStates(history).verdict, Verdict::Yes);
    }
}

void TestHistory::zonesAndTheSearchAgreeOnLongHistories()
{
    Dice dice(4);
    std::size_t legal = 0;
    for (int n = 0; n < 3000; ++n) {
        Shape shape;
        shape.processes = std::uint32_t(2 + dice.below(12));
        shape.operations = 20 + dice.below(80);
        shape.isForZones = true;
        shape.unknownPercent = unsigned(dice.below(10));
        const History history = noisy(legalHistory(shape, dice), dice);
        const Judgement byZones = judgeByZones(history);
        QCOMPARE(judgeByStates(history).verdict, byZones.verdict);
        legal += byZones.verdict == Verdict::Yes ? 1 : 0;
    }
    QVERIFY(legal > 300 && legal < 2700);
}

// ---- violations are detected

void TestHistory::mutationsAreCaught_data()
{
    QTest::addColumn<int>("index");
    const auto all = mutations();
    for (std::size_t at = 0; at < all.size(); ++at)
        QTest::newRow(all[at].first) << int(at);
}

void TestHistory::mutationsAreCaught()
{
    QFETCH(int, index);
    const Mutation mutate = mutations()[std::size_t(index)].second;
    Dice dice(100 + std::uint64_t(index));
    int illegal = 0;
    for (int n = 0; n < 3000; ++n) {
        const auto mutated = mutate(legalHistory(smallShape(dice, n % 2 == 0), dice), dice);
        if (!mutated)
            continue;
        const bool isLegal = isExplainedBySomeOrder(*mutated);
        illegal += isLegal ? 0 : 1;
        QVERIFY2(judge(*mutated).verdict == verdictOf(isLegal), textOf(*mutated));
        QVERIFY2(judgeByStates(*mutated).verdict == verdictOf(isLegal), textOf(*mutated));
    }
    QVERIFY2(illegal >= 50, qPrintable(QString::number(illegal)));
}

void TestHistory::thePrefixIsIllegalAndNoShorterOneIs()
{
    Dice dice(5);
    int illegal = 0;
    for (int n = 0; n < 6000; ++n) {
        const History history = noisy(legalHistory(smallShape(dice, n % 2 == 0), dice), dice);
        if (judge(history).verdict == Verdict::Yes)
            continue;
        ++illegal;
        const Prefix prefix = shortestIllegalPrefix(history);
        QVERIFY(!isExplainedBySomeOrder(prefix.history));
        QVERIFY(isExplainedBySomeOrder(prefixOf(history, answersOf(prefix.history) - 1).history));
        const Violations said = checkHistory(7, history);
        QCOMPARE(said.size(), std::size_t(1));
        const Operation& last = prefix.history.operations()[prefix.lastAnswered];
        QVERIFY(said[0].text.find("\n  > " + describe(last)) != std::string::npos);
    }
    QVERIFY(illegal > 1000);
}

// ---- monitors

void TestHistory::theMonitorSeesWhatTheZonesSee()
{
    Dice dice(9);
    int illegal = 0;
    for (int n = 0; n < 10'000; ++n) {
        const History history = noisy(legalHistory(smallShape(dice, true), dice), dice);
        const bool isLegal = judgeByZones(history).verdict == Verdict::Yes;
        illegal += isLegal ? 0 : 1;
        QVERIFY2(monitored(history).empty() == isLegal, textOf(history));
    }
    QVERIFY(illegal > 2000);
}

void TestHistory::theMonitorNeverComplainsWithoutReason()
{
    Dice dice(10);
    int seen = 0;
    for (int n = 0; n < 20'000; ++n) {
        Shape shape = smallShape(dice, false);
        shape.areValuesUnique = true;
        const History history = noisy(legalHistory(shape, dice), dice);
        const Violations found = monitored(history);
        seen += found.empty() ? 0 : 1;
        if (!found.empty())
            QVERIFY2(!isExplainedBySomeOrder(history), textOf(history) + "\n" + found[0].text.c_str());
    }
    QVERIFY(seen > 1000);
    for (int n = 0; n < 200; ++n) {
        Shape shape;
        shape.processes = 12;
        shape.operations = 500;
        shape.unknownPercent = 2;
        const Violations found = monitored(legalHistory(shape, dice));
        QVERIFY2(found.empty(), found.empty() ? "" : found[0].text.c_str());
    }
}

void TestHistory::theMonitorTellsWhatIsWrong_data()
{
    QTest::addColumn<QList<int>>("reads"); // client, what it finds, ...
    QTest::addColumn<QString>("said");
    // Client 1 has written 1.1 and 1.2, client 2 is still writing 2.1, client 3 writes 3.1 for 1,000 units.
    QTest::newRow("all is well") << QList<int> { 4, 12, 4, 21, 5, 21 } << QString();
    QTest::newRow("invented") << QList<int> { 4, 77 } << "nobody wrote that";
    QTest::newRow("forgotten") << QList<int> { 4, 99 } << "or it was overwritten before";
    QTest::newRow("older than acknowledged")
        << QList<int> { 4, 11 } << "goes back behind 1.2, acknowledged to client 1";
    QTest::newRow("back for one client") << QList<int> { 4, 12, 4, 21, 4, 12 }
                                         << "goes back behind 2.1, found by the same";
    QTest::newRow("back for another") << QList<int> { 4, 12, 5, 21, 4, 12 }
                                      << "goes back behind 2.1, found by client 5";
    QTest::newRow("gone") << QList<int> { 4, 0 } << "nobody deleted it";
}

void TestHistory::theMonitorTellsWhatIsWrong()
{
    QFETCH(QList<int>, reads);
    QFETCH(QString, said);
    History history(fingerprint(9, 9));
    history.answer(history.invoke(1, RequestKind::Update, fingerprint(1, 1), 0), Outcome::Ok, 5);
    history.answer(history.invoke(1, RequestKind::Update, fingerprint(1, 2), 10), Outcome::Ok, 15);
    history.answer(history.invoke(2, RequestKind::Update, fingerprint(2, 1), 20), Outcome::Ok, 990);
    history.answer(history.invoke(3, RequestKind::Update, fingerprint(3, 1), 20), Outcome::Ok, 1000);
    HistoryTime now = 100;
    for (int at = 0; at < reads.size(); at += 2, now += 10) {
        const int value = reads[at + 1];
        const std::size_t search = history.invoke(std::uint32_t(reads[at]), RequestKind::Search, 0, now);
        history.answer(search, value == 0 ? Outcome::NotFound : Outcome::Ok, now + 5,
            fingerprint(std::uint64_t(value / 10), std::uint64_t(value % 10)));
    }
    const Violations found = monitored(history);
    QCOMPARE(found.size(), std::size_t(said.isEmpty() ? 0 : 1));
    if (!found.empty())
        QVERIFY2(QString::fromStdString(found[0].text).contains(said), found[0].text.c_str());
}

void TestHistory::theMonitorForgetsWhatIsOverwritten()
{
    Dice dice(11);
    Shape shape { .processes = 10, .operations = 50'000, .durationMax = 50, .unknownPercent = 0 };
    for (const bool isForZones : { true, false }) {
        shape.isForZones = isForZones;
        const History history = legalHistory(shape, dice);
        KeyMonitor monitor(history.valueBefore());
        std::size_t most = 0;
        replay(
            history, [&](const Operation& operation) { monitor.began(operation); },
            [&](const Operation& operation, HistoryTime now) {
                monitor.ended(operation, now);
                most = std::max(most, monitor.remembered());
            });
        QVERIFY2(most < 60, qPrintable(QString::number(most)));
        QCOMPARE(monitor.forgotten(), std::uint64_t(0));
    }
    // A write that may take effect later cannot be forgotten, but the memory for such writes is bounded too; beyond it
    // an unknown value is not judged.
    KeyMonitor monitor(fingerprint(9, 9), 16);
    const Operation stillOpen { .invoked = 0, .value = fingerprint(2, 1), .process = 2, .kind = RequestKind::Update };
    monitor.began(stillOpen);
    for (std::uint64_t n = 1; n < 1000; ++n) {
        const Operation operation {
            .invoked = HistoryTime(n), .value = fingerprint(1, n), .kind = RequestKind::Update
        };
        monitor.began(operation);
        monitor.ended(operation, HistoryTime(n));
        QVERIFY(monitor.remembered() <= 17);
    }
    QVERIFY(monitor.forgotten() > 900);
    const auto isWell = [&monitor](RequestKind kind, std::uint64_t value, HistoryTime now) {
        Operation operation { .invoked = now, .value = value, .process = 3, .kind = kind };
        monitor.began(operation);
        operation.answered = now + 1;
        operation.outcome = Outcome::Ok;
        return monitor.ended(operation, now + 1).empty();
    };
    QVERIFY(isWell(RequestKind::Search, fingerprint(1, 1), 2000));
    QVERIFY(isWell(RequestKind::Search, stillOpen.value, 2010));
    QVERIFY(isWell(RequestKind::Update, fingerprint(3, 1), 2020));
    QVERIFY(!isWell(RequestKind::Search, stillOpen.value, 2030));
}

// ---- the picture

void TestHistory::instantsAreThoseOfSomeOrder()
{
    // 9.1 is found at 8 or later, so 1.1, written during 0..10, comes after that. 1.1 is found until 18, so 2.1,
    // written during 5..20, comes right before it or after that.
    History history(fingerprint(9, 1));
    history.answer(history.invoke(1, RequestKind::Update, fingerprint(1, 1), 0), Outcome::Ok, 10);
    history.answer(history.invoke(2, RequestKind::Update, fingerprint(2, 1), 5), Outcome::Ok, 20);
    history.answer(history.invoke(3, RequestKind::Search, 0, 12), Outcome::Ok, 14, fingerprint(1, 1));
    history.answer(history.invoke(4, RequestKind::Search, 0, 8), Outcome::Ok, 14, fingerprint(9, 1));
    history.answer(history.invoke(4, RequestKind::Search, 0, 18), Outcome::Ok, 22, fingerprint(1, 1));
    history.invoke(5, RequestKind::Update, fingerprint(5, 1), 18);
    history.answer(history.invoke(6, RequestKind::Update, fingerprint(6, 1), 18), Outcome::Retry, 19);
    const auto instants = possibleInstants(history);
    using Times = std::vector<HistoryTime>;
    QCOMPARE(instants[0], (Times { 8 })); // not before the search of 9.1
    QCOMPARE(instants[1], (Times { 8, 18 })); // before 1.1, or after the last search of it
    QCOMPARE(instants[2], (Times { 12 }));
    QCOMPARE(instants[3], (Times { 8 }));
    QCOMPARE(instants[4], (Times { 18 }));
    QCOMPARE(instants[5], (Times { 18 }));
    QVERIFY(instants[6].empty());

    Dice dice(13);
    for (int n = 0; n < 300; ++n) {
        const History legal = legalHistory(smallShape(dice, false), dice);
        const auto found = possibleInstants(legal);
        for (std::size_t at = 0; at < found.size(); ++at)
            if (certaintyOf(legal.operations()[at].outcome) == Certainty::Done)
                QVERIFY2(!found[at].empty(), textOf(legal));
    }
}

void TestHistory::thePictureShowsEachOperation()
{
    History history(fingerprint(9, 1));
    history.invoke(1, RequestKind::Update, fingerprint(1, 1), 0);
    history.answer(history.invoke(1, RequestKind::Update, fingerprint(1, 2), 5), Outcome::Ok, 9);
    const std::size_t wrong = history.invoke(2, RequestKind::Search, 0, 12);
    history.answer(wrong, Outcome::Ok, 15, fingerprint(9, 1));
    const std::string svg = historySvg(history, { .title = "key <7> & \"more\"", .marked = wrong });
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    QStringList texts;
    QStringList lanes; // y of the bars
    int marked = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement())
            continue;
        const QString kind = xml.attributes().value("class").toString();
        if (kind.startsWith(u"bar")) {
            lanes << xml.attributes().value("y").toString();
            marked += kind.contains(u"wrong") ? 1 : 0;
        }
        if (xml.name() == u"text")
            texts << xml.readElementText();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(marked, 1);
    QCOMPARE(lanes.size(), 3);
    QVERIFY(lanes[0] != lanes[1]); // the process goes on beside an operation of unknown outcome
    QVERIFY(lanes[1] != lanes[2]);
    const QStringList wanted { "key <7> & \"more\"", "client 1", "client 1, later", "client 2", "update 1.1 ?",
        "update 1.2", "search 9.1" };
    for (const QString& text : wanted)
        QVERIFY2(texts.contains(text), qPrintable(text + " is not in " + texts.join(", ")));
}

void TestHistory::thePictureOfAViolationShowsItsPrefix()
{
    History history(fingerprint(9, 1));
    history.answer(history.invoke(1, RequestKind::Update, fingerprint(1, 1), 0), Outcome::Ok, 10);
    history.answer(history.invoke(2, RequestKind::Search, 0, 12), Outcome::Ok, 14, fingerprint(9, 1));
    history.answer(history.invoke(2, RequestKind::Search, 0, 16), Outcome::Ok, 18, fingerprint(1, 1));
    const QString svg = QString::fromStdString(violationSvg("key 7", history));
    QVERIFY2(svg.contains("key 7: "), qPrintable(svg));
    QCOMPARE(svg.count("class=\"bar"), 2); // the last search comes after the violation
    QCOMPARE(svg.count(" wrong\""), 1);
    QCOMPARE(svg.count("<circle"), 1); // the update, at 0
    History legal(fingerprint(9, 1));
    legal.answer(legal.invoke(1, RequestKind::Update, fingerprint(1, 1), 0), Outcome::Ok, 10);
    QVERIFY(!QString::fromStdString(violationSvg("key 7", legal)).contains(" wrong\""));
}

// ---- how much

void TestHistory::manyClientsOnOneKeyAreDecided()
{
    Dice dice(6);
    Shape busy { .processes = 20, .operations = 20'000, .durationMax = 200, .pauseMax = 10, .unknownPercent = 0 };
    Shape unsure = busy;
    unsure.operations = 600;
    unsure.unknownPercent = 1;
    Shape changing = busy;
    changing.searchPercent = 10;
    Shape updating = changing;
    updating.isForZones = true;
    Shape putting = unsure;
    putting.hasPuts = true;
    for (const Shape& shape : { busy, unsure, changing, updating, putting }) {
        const History history = legalHistory(shape, dice);
        QElapsedTimer timer;
        timer.start();
        const Judgement judgement = judgeByStates(history);
        qInfo("%u clients, %zu operations on one key: %s, %lld ms", shape.processes, shape.operations,
            nameOf(judgement.verdict), timer.elapsed());
        QCOMPARE(judgement.verdict, Verdict::Yes);
    }
}

void TestHistory::aMillionOperationsAreJudged()
{
    constexpr int kKeys = 10'000;
    for (const bool isForZones : { true, false }) {
        Dice dice(7);
        Shape shape;
        shape.processes = 20;
        shape.operations = 100;
        shape.isForZones = isForZones;
        shape.unknownPercent = 1;
        std::vector<History> all;
        all.reserve(kKeys);
        for (int key = 0; key < kKeys; ++key)
            all.push_back(legalHistory(shape, dice));
        QElapsedTimer timer;
        timer.start();
        int passed = 0;
        for (const History& history : all)
            passed += judge(history).verdict == Verdict::Yes ? 1 : 0;
        qInfo("a million operations on %d keys %s: %lld ms", kKeys, isForZones ? "by zones" : "by the search",
            timer.elapsed());
        QCOMPARE(passed, kKeys);
    }
}

QTEST_APPLESS_MAIN(TestHistory)
#include "tst_history.moc"

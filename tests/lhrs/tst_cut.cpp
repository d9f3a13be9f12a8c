// SPDX-License-Identifier: GPL-3.0-or-later
// The cut on which the survivors of a failure agree, over all states that deliveries can leave behind.
#include "node/lhrs/group/cut.h"

#include <QTest>

#include <bit>

using namespace lhrs;

namespace {

// The Deltas 1..n that one parity bucket has received, as a bit set, and the number up to which it was told that all
// have them.
struct Received {
    std::uint32_t deltas = 0;
    Sequence stable = 0;
};

Sequence appliedOf(std::uint32_t deltas) { return Sequence(std::countr_one(deltas)); }

PositionKnowledge knowledgeOf(const Received& received)
{
    PositionKnowledge knowledge;
    knowledge.applied = appliedOf(received.deltas);
    for (Sequence s = 1; s <= 32; ++s) {
        if (!(received.deltas >> (s - 1) & 1))
            continue;
        if (s > knowledge.applied)
            knowledge.held.insert(s);
        else if (s > received.stable)
            knowledge.logged.insert(s); // the log keeps everything above `stable`
    }
    return knowledge;
}

} // namespace

class TestCut : public QObject {
    Q_OBJECT

private slots:
    void nothingWasEverChanged();
    void theOneThatIsAheadDecides();
    void whatIsHeldExtendsTheCut();
    void whatIsHeldBehindAGapDoesNot();
    void allStatesOfDeliveries_data();
    void allStatesOfDeliveries();
};

void TestCut::nothingWasEverChanged()
{
    std::vector<DeltaTransfer> transfers;
    QCOMPARE(cutOf({}), Sequence(0));
    QCOMPARE(cutOf({ {}, {} }), Sequence(0));
    QVERIFY(planCut({ {}, {} }, 0, transfers).empty());
    QVERIFY(transfers.empty());
}

void TestCut::theOneThatIsAheadDecides()
{
    const std::vector<PositionKnowledge> survivors { { 3, {}, { 2, 3 } }, { 1, {}, { 1 } } };
    std::vector<DeltaTransfer> transfers;
    QCOMPARE(cutOf(survivors), Sequence(3));
    QVERIFY(planCut(survivors, 3, transfers).empty());
    QVERIFY((transfers == std::vector<DeltaTransfer> { { 2, 0, 1 }, { 3, 0, 1 } }));
}

void TestCut::whatIsHeldExtendsTheCut()
{
    // Delta 3 is applied nowhere, but some survivor has it, and some survivor has its predecessor.
    const std::vector<PositionKnowledge> survivors { { 2, {}, { 2 } }, { 1, { 3 }, {} } };
    std::vector<DeltaTransfer> transfers;
    QCOMPARE(cutOf(survivors), Sequence(3));
    QVERIFY(planCut(survivors, 3, transfers).empty());
    QVERIFY((transfers == std::vector<DeltaTransfer> { { 3, 1, 0 }, { 2, 0, 1 } }));
}

void TestCut::whatIsHeldBehindAGapDoesNot()
{
    const std::vector<PositionKnowledge> survivors { { 1, { 3 }, {} }, { 1, { 4 }, {} } };
    QCOMPARE(cutOf(survivors), Sequence(1));
}

void TestCut::allStatesOfDeliveries_data()
{
    QTest::addColumn<std::uint32_t>("deltas");
    QTest::addColumn<std::uint32_t>("k");
    for (std::uint32_t n = 1; n <= 4; ++n) {
        for (std::uint32_t k = 1; k <= (n <= 3 ? 4u : 3u); ++k)
            QTest::addRow("%u Deltas, %u parity buckets", n, k) << n << k;
    }
}

// The data bucket dies with any set of parity buckets that leaves at least one: the cut drops no acknowledged Delta,
// undoes no applied one, and needs none that a log has trimmed.
void TestCut::allStatesOfDeliveries()
{
    QFETCH(const std::uint32_t, deltas);
    QFETCH(const std::uint32_t, k);
    const std::uint32_t sets = 1u << deltas;
    std::uint32_t states = 1;
    for (std::uint32_t p = 0; p < k; ++p)
        states *= sets;
    std::uint64_t checked = 0;
    for (std::uint32_t state = 0; state < states; ++state) {
        std::vector<Received> all(k);
        Sequence acknowledged = deltas; // by all: the client may have been told OK up to this number
        for (std::uint32_t p = 0, rest = state; p < k; ++p, rest /= sets) {
            all[p].deltas = rest % sets;
            acknowledged = std::min(acknowledged, appliedOf(all[p].deltas));
        }
        // A Delta carries the `stable` of its time of sending: at most what all had, and below its own number. In the
        // worst case each parity bucket was told the highest possible value.
        for (Received& received : all) {
            const Sequence newest = received.deltas == 0 ? 0 : Sequence(std::bit_width(received.deltas));
            received.stable = std::min<Sequence>(acknowledged, newest == 0 ? 0 : newest - 1);
        }
        for (std::uint32_t alive = 1; alive < 1u << k; ++alive) {
            std::vector<PositionKnowledge> survivors;
            for (std::uint32_t p = 0; p < k; ++p) {
                if (alive >> p & 1)
                    survivors.push_back(knowledgeOf(all[p]));
            }
            const Sequence cut = cutOf(survivors);
            std::vector<DeltaTransfer> transfers;
            QVERIFY(cut >= acknowledged);
            for (const PositionKnowledge& survivor : survivors)
                QVERIFY(cut >= survivor.applied);
            QVERIFY(planCut(survivors, cut, transfers).empty());
            for (std::size_t to = 0; to < survivors.size(); ++to) {
                Sequence reached = survivors[to].applied;
                while (reached < cut
                    && (survivors[to].held.contains(reached + 1)
                        || std::any_of(transfers.begin(), transfers.end(),
                            [&](const DeltaTransfer& t) { return t.to == to && t.sequence == reached + 1; })))
                    ++reached;
                QCOMPARE(reached, cut);
            }
            ++checked;
        }
    }
    QCOMPARE(checked, std::uint64_t(states) * ((1u << k) - 1));
}

QTEST_APPLESS_MAIN(TestCut)
#include "tst_cut.moc"

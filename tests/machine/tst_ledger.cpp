// SPDX-License-Identifier: GPL-3.0-or-later
// What a client remembers of its keys, and reading all of them back.
#include "tests/rigs/core/workload_rig.h"

#include <QTest>

#include <cstring>
#include <map>
#include <set>

using namespace lhrs;
using namespace lhrs::test;

class TestLedger : public QObject {
    Q_OBJECT

private slots:
    void aValueSaysWhoWroteIt();
    void generatedValuesComeBackRight();
    void everythingReadsBack();
    void wrongAndMissingValuesAreFound();
    void whatIsUncertainIsNotJudged();
    void theLedgerKnowsWhatWasWritten();
    void openOperationsAgreeWithAMapWhateverEnds();
};

void TestLedger::aValueSaysWhoWroteIt()
{
    const std::string value = makeValue(0x1122334455667788, Key(5), 99, 100);
    QCOMPARE(value.size(), std::size_t(100));
    std::uint64_t client = 0, version = 0;
    std::uint32_t length = 0;
    std::memcpy(&client, value.data(), 8);
    std::memcpy(&version, value.data() + 8, 8);
    std::memcpy(&length, value.data() + 16, 4);
    QCOMPARE(client, 0x1122334455667788ULL);
    QCOMPARE(version, 99ULL);
    QCOMPARE(length, 100u);
    QVERIFY(value == makeValue(0x1122334455667788, Key(5), 99, 100));
    QVERIFY(value != makeValue(0x1122334455667788, Key(6), 99, 100));
    QVERIFY(value != makeValue(0x1122334455667788, Key(5), 98, 100));
    for (const std::uint32_t bytes : { 0u, 1u, 23u, 24u, 25u, 65535u })
        QCOMPARE(makeValue(1, Key(1), 1, bytes).size(), std::size_t(bytes));
    QVERIFY(makeValue(1, Key(1), 1, 8) != makeValue(1, Key(2), 1, 8)); // even if the value has no room for the names
}

void TestLedger::generatedValuesComeBackRight()
{
    WorkloadRig rig;
    pb::Command order;
    order.mutable_operate()->set_kind(pb::INSERT);
    order.mutable_operate()->set_key(5);
    order.mutable_operate()->set_generate_value(true);
    order.mutable_operate()->set_length(77);
    rig.take(rig.command(order));
    rig.serve();
    QCOMPARE(rig.records[5].size(), std::size_t(77));
    rig.take(rig.operate(pb::SEARCH, 5));
    QVERIFY(resultOf(rig.serve()).value_is_right());
    rig.records[5][70] = char(rig.records[5][70] ^ 1);
    rig.take(rig.operate(pb::SEARCH, 5));
    const pb::OperationResult result = resultOf(rig.serve());
    QCOMPARE(result.result(), pb::OK);
    QVERIFY(!result.value_is_right());
    rig.take(rig.operate(pb::SEARCH, 4)); // never written by this client
    QVERIFY(!resultOf(rig.serve()).value_is_right());
}

void TestLedger::everythingReadsBack()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 100, 8));
    pb::RunWorkload change = workload(pb::UPDATE, 60, 8);
    change.set_keys(pb::PRESENT);
    change.set_length(11);
    rig.run(change);
    change = workload(pb::DELETE, 20, 1);
    change.set_keys(pb::PRESENT);
    rig.run(change);
    rig.verify();
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.operations(), 80u);
    QCOMPARE(result.results().at("OK"), 80u);
    QCOMPARE(result.wrong() + result.missing() + result.unanswered(), 0u);
}

void TestLedger::wrongAndMissingValuesAreFound()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 50));
    rig.records.erase(7);
    rig.records[8] = rig.records[9];
    rig.records[10].clear();
    rig.verify();
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.missing(), 1u);
    QCOMPARE(result.wrong(), 2u);
}

void TestLedger::whatIsUncertainIsNotJudged()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 3));
    rig.take(rig.operate(pb::DELETE, 1));
    rig.open.clear();
    QCOMPARE(resultOf(rig.driven.pass(6s)).result(), pb::UNKNOWN_OUTCOME);
    rig.location(0);
    rig.records.erase(1); // it was carried out
    rig.verify();
    while (!rig.open.empty() || rig.driven.now() < 20s) {
        rig.take(rig.location(0));
        if (rig.open.empty())
            break;
        const Step step = rig.serve();
        if (!step.replies.empty()) {
            QCOMPARE(step.replies[0].workload().missing(), 0u);
            QCOMPARE(step.replies[0].workload().results().at("NOT_FOUND"), 1u);
        }
    }
    // After another write the key is certain again.
    rig.take(rig.operate(pb::INSERT, 1, "now"));
    rig.serve();
    rig.records.erase(1);
    rig.verify();
    QCOMPARE(rig.serveAll().missing(), 1u);
}

void TestLedger::theLedgerKnowsWhatWasWritten()
{
    Ledger ledger;
    std::set<std::uint64_t> model;
    SeededNumbers numbers(4);
    for (int step = 0; step < 5000; ++step) {
        const std::uint64_t key = numbers.below(40);
        if (numbers.below(2) == 0) {
            ledger.wrote(Key(key), std::uint64_t(step), 5, true);
            model.insert(key);
        } else {
            ledger.erased(Key(key));
            model.erase(key);
        }
        QCOMPARE(ledger.keys().size(), model.size());
        QCOMPARE(ledger.find(Key(key)) != nullptr, model.contains(key));
    }
    std::set<std::uint64_t> keys;
    for (const Key key : ledger.keys())
        keys.insert(key.value);
    QCOMPARE(keys, model);
    ledger.uncertain(Key(99)); // a change of a key that never succeeded before
    QVERIFY(ledger.find(Key(99))->isUncertain);
}

void TestLedger::openOperationsAgreeWithAMapWhateverEnds()
{
    struct Item {
        std::uint64_t number = 0;
        std::string memory;
        void again() { number = 0, memory.clear(); }
    };
    OperationTable<Item> table;
    std::map<std::uint64_t, std::uint64_t> model;
    SeededNumbers numbers(11);
    std::uint64_t last = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (model.empty() || numbers.below(100) < (step / 1'000 % 2 == 0 ? 60u : 40u)) {
            // Requests that are no longer wanted have numbers too.
            last += numbers.below(20) == 0 ? 1 + numbers.below(100) : 1;
            Item& added = table.add(last);
            QCOMPARE(added.number, 0u);
            added.number = last;
            model[last] = last;
        } else {
            auto ends = model.begin(); // mostly an old one
            std::advance(ends,
                long(numbers.below(std::min<std::uint64_t>(model.size(), numbers.below(10) == 0 ? model.size() : 8))));
            table.erase(ends->first);
            QVERIFY(table.find(ends->first) == nullptr);
            model.erase(ends);
        }
        QCOMPARE(table.size(), model.size());
        QCOMPARE(table.empty(), model.empty());
        QVERIFY(model.empty() || table.lowest() == model.begin()->first);
        const std::uint64_t asked = numbers.below(last + 3);
        QCOMPARE(table.find(asked) ? table.find(asked)->number : 0, model.contains(asked) ? asked : 0);
    }
    auto next = model.begin();
    table.forEach([&](const Item& item) { QCOMPARE(item.number, (next++)->first); });
    QVERIFY(next == model.end());
}

QTEST_GUILESS_MAIN(TestLedger)
#include "tst_ledger.moc"

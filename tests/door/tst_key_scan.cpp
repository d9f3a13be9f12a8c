// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of bytes as records, and the cursors with which all of them are found.
#include "node/door/glob_pattern.h"
#include "node/door/key_scan.h"
#include "node/door/stored_key.h"

#include <QTest>

#include <random>

using namespace lhrs;
using namespace std::chrono_literals;

namespace {

using Clock = KeyScan::Clock;

std::string recordOf(const std::string& key, const std::string& value = "v")
{
    std::string record;
    makeRecord(key, value, record);
    return record;
}

// A store of keys, in which each scan sees the present moment.
struct KeyRig {
    explicit KeyRig(std::size_t bytesMax = KeyWindow::kBytesMax) : scan(bytesMax) { }

    void set(const std::string& key) { records[storeKeyOf(key).value] = recordOf(key); }
    void erase(const std::string& key) { records.erase(storeKeyOf(key).value); }
    // Runs the scan that is wanted.
    void runScan()
    {
        auto window = scan.begin();
        QVERIFY(window);
        fill(*window);
        scan.ended(std::move(window), {}, now);
    }
    void fill(KeyWindow& window)
    {
        ++scans;
        std::uint64_t count = 0;
        // Each record comes twice, as if it had moved; the order is not that of the store keys.
        for (int round = 0; round < 2; ++round)
            for (auto at = records.rbegin(); at != records.rend(); ++at)
                count += window.found(Key(at->first), at->second) && round == 0 ? 1 : 0;
        window.setCount(count);
    }
    // The next page of an iteration.
    KeyWindow::Page page(std::uint64_t from, std::uint32_t count)
    {
        scan.askPage(1, from, count);
        for (;;) {
            const auto answers = scan.answers(now);
            if (!answers.empty()) {
                keys.clear();
                for (const std::string_view key : answers[0].page.keys)
                    keys.emplace_back(key);
                return answers[0].page;
            }
            runScan();
        }
    }

    std::map<std::uint64_t, std::string> records;
    KeyScan scan;
    Clock::time_point now = Clock::time_point() + 1h;
    std::vector<std::string> keys; // of the last page
    int scans = 0;
};

std::string keyNumbered(int i) { return "key-" + std::to_string(i); }

} // namespace

class TestKeyScan : public QObject {
    Q_OBJECT

private slots:
    void theHashIsSipHashWithAKeyThatNeverChanges();
    void aRecordHoldsItsKey();
    void patternsMatchAsInRedis_data();
    void patternsMatchAsInRedis();
    void aHostilePatternEnds();
    void aRecordThatNoDoorWroteIsNotThere();
    void pagesCoverAllKeysOnce();
    void aWindowThatIsTooSmallIsFollowedByAnother();
    void aKeyThatExistsAllTheTimeIsReturned();
    void anIterationBeginsWithAScanThatBeginsLater();
    void aCountIsOfTheWholeStore();
    void anErrorGoesToThoseWhoWaitedForThatScan();
    void whoIsGoneGetsNoAnswer();
    void aWindowThatNobodyReadsIsDropped();
};

void TestKeyScan::theHashIsSipHashWithAKeyThatNeverChanges()
{
    // From the reference implementation of SipHash-2-4, with the key 00 .. 0f and the inputs "", 00, 00 01, ...
    QCOMPARE(storeKeyOf("").value, 0x726fdb47dd0e0e31u);
    QCOMPARE(storeKeyOf(std::string(1, '\0')).value, 0x74f839c593dc67fdu);
    QCOMPARE(storeKeyOf(std::string("\0\1", 2)).value, 0x0d6c8009d9a94f5au);
    QCOMPARE(storeKeyOf(std::string("\0\1\2\3\4\5\6\7", 8)).value, 0x93f5f5799a932462u);
}

void TestKeyScan::aRecordHoldsItsKey()
{
    const std::string record = recordOf("key", std::string("v\0w", 3));
    QCOMPARE(record, std::string("\0\3keyv\0w", 8));
    QCOMPARE(keyIn(record), std::optional<std::string_view>("key"));
    QCOMPARE(valueIn(record, "key"), std::optional(std::string_view("v\0w", 3)));
    QVERIFY(!valueIn(record, "kez") && !valueIn(record, "ke") && !valueIn(record, "keyv"));
    QCOMPARE(valueIn(recordOf("key", ""), "key"), std::optional(std::string_view()));
    const std::string longest(kKeyBytesMax, 'k');
    QCOMPARE(valueIn(recordOf(longest, "v"), longest), std::optional<std::string_view>("v"));
    for (const std::string& other : { std::string(), std::string("\0", 1), std::string("\0\0x", 3),
             std::string("\0\4key", 5), recordOf(longest + 'k') })
        QVERIFY(!keyIn(other));
}

void TestKeyScan::patternsMatchAsInRedis_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char* pattern, const char* text, bool matches) {
        QTest::addRow("%s %s", pattern, text) << QString(pattern) << QString(text) << matches;
    };
    row("*", "", true);
    row("", "", true);
    row("", "a", false);
    row("h?llo", "hello", true);
    row("h?llo", "hllo", false);
    row("h*llo", "heeeello", true);
    row("h*l", "hello", false);
    row("*a*b*", "xaxxbx", true);
    row("*a*b*", "xbxxax", false);
    row("h[ae]llo", "hallo", true);
    row("h[ae]llo", "hillo", false);
    row("h[^e]llo", "hallo", true);
    row("h[^e]llo", "hello", false);
    row("h[a-b]llo", "hbllo", true);
    row("h[b-a]llo", "hallo", true);
    row("h[a-b]llo", "hcllo", false);
    row("h\\*llo", "h*llo", true);
    row("h\\*llo", "hxllo", false);
    row("[\\]]", "]", true);
    row("[ab", "a", true);
    row("[", "a", false);
    row("a\\", "a\\", true);
    row("user:*:name", "user:17:name", true);
    row("a**b", "ab", true);
}

void TestKeyScan::patternsMatchAsInRedis()
{
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(bool, matches);
    QCOMPARE(matchesGlob(pattern.toStdString(), text.toStdString()), matches);
    QVERIFY(matchesGlob("SAVE", "save", true) && !matchesGlob("SAVE", "save"));
}

void TestKeyScan::aHostilePatternEnds()
{
    std::string pattern;
    for (int i = 0; i < 300; ++i)
        pattern += "*a";
    QVERIFY(!matchesGlob(pattern + 'b', std::string(4'000, 'a'))); // every star tried would not end
}

void TestKeyScan::aRecordThatNoDoorWroteIsNotThere()
{
    KeyWindow window;
    QVERIFY(window.found(Key(2), recordOf("two")));
    QVERIFY(!window.found(Key(3), "x"));
    QVERIFY(!window.found(Key(4), ""));
    QVERIFY(!window.found(Key(5), std::string("\xff\xffmore", 6)));
    window.close();
    const auto page = window.page(0, 10);
    QCOMPARE(page.keys.size(), 1u);
    QCOMPARE(page.keys[0], std::string_view("two"));
    QCOMPARE(page.next, 0u);
}

void TestKeyScan::pagesCoverAllKeysOnce()
{
    for (const std::uint32_t count : { 1u, 7u, 10u, 100u, 1'000u }) {
        KeyRig rig;
        for (int i = 0; i < 100; ++i)
            rig.set(keyNumbered(i));
        std::multiset<std::string> found;
        std::uint64_t cursor = 0;
        int pages = 0;
        do {
            cursor = rig.page(cursor, count).next;
            QVERIFY(rig.keys.size() <= count);
            found.insert(rig.keys.begin(), rig.keys.end());
            ++pages;
        } while (cursor != 0);
        QCOMPARE(found.size(), 100u);
        QCOMPARE(std::set<std::string>(found.begin(), found.end()).size(), 100u);
        QCOMPARE(pages, int((100 + count - 1) / count));
        QCOMPARE(rig.scans, 1);
    }
    // The smallest and the greatest store key have their page, too.
    KeyWindow window;
    window.found(Key(0), recordOf("low"));
    window.found(Key(~std::uint64_t(0)), recordOf("high"));
    window.close();
    QCOMPARE(window.page(0, 1).next, ~std::uint64_t(0));
    QCOMPARE(window.page(~std::uint64_t(0), 1).keys.at(0), std::string_view("high"));
    QCOMPARE(window.page(~std::uint64_t(0), 1).next, 0u);
}

void TestKeyScan::aWindowThatIsTooSmallIsFollowedByAnother()
{
    KeyRig rig(2'000); // some forty keys
    for (int i = 0; i < 500; ++i)
        rig.set(keyNumbered(i));
    std::multiset<std::string> found;
    std::uint64_t cursor = 0;
    do {
        cursor = rig.page(cursor, 10).next;
        found.insert(rig.keys.begin(), rig.keys.end());
    } while (cursor != 0);
    QCOMPARE(found.size(), 500u);
    QCOMPARE(std::set<std::string>(found.begin(), found.end()).size(), 500u);
    QVERIFY(rig.scans > 5);
}

// The guarantee of SCAN: what exists from the begin to the end of an iteration is returned at least once.
void TestKeyScan::aKeyThatExistsAllTheTimeIsReturned()
{
    std::mt19937 numbers(1);
    for (int run = 0; run < 40; ++run) {
        KeyRig rig(run % 2 == 0 ? KeyWindow::kBytesMax : 1'500);
        for (int i = 0; i < 200; ++i)
            rig.set(keyNumbered(i));
        // Iterations that stop midway leave their windows behind.
        if (run % 3 == 0)
            (void)rig.page(0, 5);
        std::set<std::string> present;
        for (int i = 200; i < 260; ++i)
            rig.set(keyNumbered(i));
        for (const auto& [key, record] : rig.records)
            present.insert(std::string(*keyIn(record)));
        std::set<std::string> found;
        std::uint64_t cursor = 0;
        do {
            cursor = rig.page(cursor, std::uint32_t(1 + numbers() % 20)).next;
            found.insert(rig.keys.begin(), rig.keys.end());
            const std::string changed = keyNumbered(int(numbers() % 300));
            if (numbers() % 2 == 0) {
                rig.erase(changed);
                present.erase(changed);
            } else {
                rig.set(changed);
            }
            rig.now += std::chrono::seconds(numbers() % 40); // windows are dropped at times
            rig.scan.look(rig.now);
        } while (cursor != 0);
        for (const std::string& key : present)
            QVERIFY2(found.contains(key), key.c_str());
    }
}

void TestKeyScan::anIterationBeginsWithAScanThatBeginsLater()
{
    KeyRig rig;
    rig.set("old");
    rig.scan.askPage(1, 0, 10);
    auto running = rig.scan.begin();
    QVERIFY(running && !rig.scan.begin()); // one at a time
    rig.fill(*running);
    // This key is set while the scan runs, and then an iteration begins: that scan may have missed it.
    rig.set("new");
    rig.scan.askPage(2, 0, 10);
    rig.scan.ended(std::move(running), {}, rig.now);
    auto answers = rig.scan.answers(rig.now);
    QCOMPARE(answers.size(), 1u);
    QCOMPARE(answers[0].asker, 1u);
    QCOMPARE(answers[0].page.keys.size(), 1u);
    QVERIFY(rig.scan.isWaiting());
    rig.runScan();
    answers = rig.scan.answers(rig.now);
    QCOMPARE(answers.size(), 1u);
    QCOMPARE(answers[0].asker, 2u);
    QCOMPARE(answers[0].page.keys.size(), 2u);
    QVERIFY(!rig.scan.isWaiting());
}

void TestKeyScan::aCountIsOfTheWholeStore()
{
    KeyRig rig(1'000);
    for (int i = 0; i < 300; ++i)
        rig.set(keyNumbered(i));
    rig.records[17] = "written by somebody else";
    rig.scan.askCount(3);
    rig.runScan();
    auto answers = rig.scan.answers(rig.now);
    QCOMPARE(answers.size(), 1u);
    QVERIFY(answers[0].isCount);
    QCOMPARE(answers[0].count, 300u);
    // The next count is of a new scan.
    rig.erase(keyNumbered(1));
    rig.scan.askCount(3);
    QCOMPARE(rig.scan.answers(rig.now).size(), 0u);
    rig.runScan();
    QCOMPARE(rig.scan.answers(rig.now).at(0).count, 299u);
}

void TestKeyScan::anErrorGoesToThoseWhoWaitedForThatScan()
{
    KeyRig rig;
    rig.set("key");
    rig.scan.askPage(1, 0, 10);
    rig.scan.askCount(2);
    auto running = rig.scan.begin();
    rig.scan.askPage(3, 0, 10);
    rig.scan.ended(std::move(running), "TRYAGAIN later", rig.now);
    const auto failed = rig.scan.answers(rig.now);
    QCOMPARE(failed.size(), 2u);
    QCOMPARE(failed[0].error, std::string("TRYAGAIN later"));
    QCOMPARE(failed[1].error, std::string("TRYAGAIN later"));
    rig.runScan();
    const auto served = rig.scan.answers(rig.now);
    QCOMPARE(served.size(), 1u);
    QCOMPARE(served[0].asker, 3u);
    QVERIFY(served[0].error.empty());
}

void TestKeyScan::whoIsGoneGetsNoAnswer()
{
    KeyRig rig;
    rig.set("key");
    rig.scan.askPage(1, 0, 10);
    rig.scan.askPage(2, 0, 10);
    auto running = rig.scan.begin();
    rig.scan.forget(1);
    rig.fill(*running);
    rig.scan.ended(std::move(running), {}, rig.now);
    rig.scan.forget(2);
    QCOMPARE(rig.scan.answers(rig.now).size(), 0u);
    QVERIFY(!rig.scan.isWaiting());
}

void TestKeyScan::aWindowThatNobodyReadsIsDropped()
{
    KeyRig rig;
    for (int i = 0; i < 30; ++i)
        rig.set(keyNumbered(i));
    const std::uint64_t next = rig.page(0, 5).next;
    rig.now += KeyScan::kKept;
    rig.scan.look(rig.now);
    QCOMPARE(rig.page(next, 5).keys.size(), 5u);
    QCOMPARE(rig.scans, 1);
    rig.now += KeyScan::kKept + 1s;
    rig.scan.look(rig.now);
    QCOMPARE(rig.page(next, 5).keys.size(), 5u); // the cursor stays valid
    QCOMPARE(rig.scans, 2);
}

QTEST_APPLESS_MAIN(TestKeyScan)
#include "tst_key_scan.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Commands of the Redis protocol as operations of a store: what each does, the order of effects and replies, errors,
// and bounds.
#include "tests/door/resp_rig.h"

#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::test;

namespace {

const std::string kOk = "+OK\r\n", kNil = "$-1\r\n";

std::string number(int n) { return ':' + std::to_string(n) + "\r\n"; }

bool isErrorWith(const std::string& reply, const std::string& word)
{
    return reply.starts_with('-') && reply.ends_with("\r\n") && reply.find(word) != std::string::npos
        && reply.find('\n') == reply.size() - 1;
}

} // namespace

class TestRespConversation : public QObject {
    Q_OBJECT

private slots:
    void eachCommandDoesItsWork();
    void aSetInsertsWhatIsNotThere();
    void aSetThatLosesARaceUpdates();
    void aSetThatLosesEveryRaceEnds();
    void anotherKeyWithTheSameHashIsNotTheKey();
    void repliesComeInTheOrderOfRequests();
    void operationsOnOneKeyTakeEffectInOrder();
    void anyOrderOfAnswersGivesTheSameReplies();
    void theWindowIsBounded();
    void longValuesMakeTheWindowSmaller();
    void manyKeysAreServedInTurn();
    void scansWaitForWhatCameBefore();
    void aScanFiltersAndContinues();
    void failuresAreNamed_data();
    void failuresAreNamed();
    void oneFailureIsTheReplyForAllKeys();
    void whatIsWrongIsRefusedBeforeAnyEffect_data();
    void whatIsWrongIsRefusedBeforeAnyEffect();
    void commandsThatAreNotThereSayWhy_data();
    void commandsThatAreNotThereSayWhy();
    void clientsGetWhatTheyAskForAtTheirStart();
    void aProtocolErrorIsToldAndCloses();
    void aWebPageIsRefused();
    void quitAnswersWhatCameBefore();
    void anEndOfTheBytesAnswersWhatCame();
    void aSlowReaderIsNotReadFrom();
    void manyRequestsWithoutRepliesAreNotRead();
    void anAnswerThatIsTooLongIsRefused();
    void itIsKnownWhoseTurnItIs();
    void whoIsGoneLeavesNothingBehind();
};

void TestRespConversation::eachCommandDoesItsWork()
{
    RespRig rig;
    const std::string bytes("a\0\r\n$", 5);
    QCOMPARE(rig.ask({ "GET", "k" }), kNil);
    QCOMPARE(rig.ask({ "SET", "k", bytes }), kOk);
    QCOMPARE(rig.ask({ "get", "k" }), bulkOf(bytes));
    QCOMPARE(rig.ask({ "STRLEN", "k" }), number(5));
    QCOMPARE(rig.ask({ "STRLEN", "none" }), number(0));
    QCOMPARE(rig.ask({ "SET", "empty", "" }), kOk);
    QCOMPARE(rig.ask({ "GET", "empty" }), bulkOf(""));
    QCOMPARE(rig.ask({ "EXISTS", "k", "none", "k", "empty" }), number(3));
    QCOMPARE(rig.ask({ "MSET", "a", "1", "b", "2", "a", "3" }), kOk);
    QCOMPARE(rig.ask({ "MGET", "a", "none", "b", "a" }), "*4\r\n" + bulkOf("3") + kNil + bulkOf("2") + bulkOf("3"));
    QCOMPARE(rig.ask({ "DBSIZE" }), number(4));
    QCOMPARE(rig.ask({ "DEL", "a", "none", "a", "k" }), number(2));
    QCOMPARE(rig.ask({ "MGET", "a", "k" }), "*2\r\n" + kNil + kNil);
    QCOMPARE(rig.ask({ "PING" }), std::string("+PONG\r\n"));
    QCOMPARE(rig.ask({ "PING", "x" }), bulkOf("x"));
    QCOMPARE(rig.ask({ "ECHO", bytes }), bulkOf(bytes));
    QCOMPARE(rig.ask({ "SELECT", "0" }), kOk);
    rig.give("SET inline 'a b'\r\nGET inline\n");
    rig.answerAll();
    QCOMPARE(rig.replies(), kOk + bulkOf("a b"));
    QCOMPARE(rig.store.records.size(), 3u);
    for (const auto& [key, record] : rig.store.records)
        QCOMPARE(storeKeyOf(*keyIn(record)).value, key);
    QVERIFY(!rig.talk.isOver() && !rig.talk.isAwaiting() && !rig.talk.awaitsClient());
    QCOMPARE(rig.counters.errors, 0u);
}

void TestRespConversation::aSetInsertsWhatIsNotThere()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "1" }));
    QCOMPARE(rig.store.open.at(0).kind, pb::UPDATE);
    rig.answer();
    QCOMPARE(rig.store.open.at(0).kind, pb::INSERT);
    QVERIFY(rig.replies().empty());
    rig.answer();
    QCOMPARE(rig.replies(), kOk);
    rig.give(request({ "SET", "k", "2" }));
    QCOMPARE(rig.store.open.at(0).kind, pb::UPDATE);
    rig.answer();
    QCOMPARE(rig.replies(), kOk);
    QVERIFY(rig.store.open.empty());
    QCOMPARE(rig.ask({ "GET", "k" }), bulkOf("2"));
}

void TestRespConversation::aSetThatLosesARaceUpdates()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "mine" }));
    rig.answer();
    makeRecord("k", "theirs", rig.store.records[storeKeyOf("k").value]); // another client inserts it now
    rig.answer();
    QCOMPARE(rig.store.open.at(0).kind, pb::UPDATE);
    rig.answer();
    QCOMPARE(rig.replies(), kOk);
    QCOMPARE(rig.ask({ "GET", "k" }), bulkOf("mine"));
}

void TestRespConversation::aSetThatLosesEveryRaceEnds()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "mine" }) + request({ "GET", "k" }));
    std::uint32_t turns = 0;
    while (rig.store.open.at(0).kind != pb::SEARCH) {
        QVERIFY(++turns < 1'000);
        rig.answerWith(rig.store.open.at(0).kind == pb::UPDATE ? pb::NOT_FOUND : pb::EXISTS);
    }
    QCOMPARE(turns, 2 * RespConversation::kAttemptsMax);
    QVERIFY(isErrorWith(rig.replies(), "TRYAGAIN"));
    rig.answer();
    QCOMPARE(rig.replies(), kNil); // the next one on that key goes on
}

void TestRespConversation::anotherKeyWithTheSameHashIsNotTheKey()
{
    RespRig rig;
    std::string& record = rig.store.records[storeKeyOf("k").value];
    for (const std::string& other : { std::string(), std::string("\xff\xff?", 3), std::string("\0\1q!", 4) }) {
        record = other;
        const std::uint64_t before = rig.counters.collisions;
        QCOMPARE(rig.ask({ "GET", "k" }), kNil);
        QCOMPARE(rig.ask({ "STRLEN", "k" }), number(0));
        QCOMPARE(rig.ask({ "EXISTS", "k" }), number(0));
        QCOMPARE(rig.ask({ "MGET", "k" }), "*1\r\n" + kNil);
        QCOMPARE(rig.ask({ "DEL", "k" }), number(0));
        QCOMPARE(record, other); // not deleted
        QCOMPARE(rig.counters.collisions, before + 5);
    }
    QVERIFY(rig.ask({ "INFO" }).find("key_collisions:15\r\n") != std::string::npos);
    QCOMPARE(rig.ask({ "SET", "k", "v" }), kOk);
    QCOMPARE(rig.ask({ "GET", "k" }), bulkOf("v"));
}

void TestRespConversation::repliesComeInTheOrderOfRequests()
{
    RespRig rig;
    rig.ask({ "MSET", "a", "1", "b", "2", "c", "3" });
    rig.give(request({ "GET", "a" }) + request({ "PING" }) + request({ "GET", "b" }) + request({ "NOTHING" })
        + request({ "STRLEN", "c" }));
    QCOMPARE(rig.store.open.size(), 3u);
    rig.answer(2);
    rig.answer(1);
    QVERIFY(rig.replies().empty());
    rig.answer(0);
    const std::string replies = rig.replies();
    QVERIFY(replies.starts_with(bulkOf("1") + "+PONG\r\n" + bulkOf("2") + "-ERR unknown command 'NOTHING'"));
    QVERIFY(replies.ends_with("\r\n" + number(1)));
}

void TestRespConversation::operationsOnOneKeyTakeEffectInOrder()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "1" }) + request({ "GET", "k" }) + request({ "SET", "other", "x" })
        + request({ "SET", "k", "2" }) + request({ "GET", "k" }) + request({ "DEL", "k", "k" })
        + request({ "GET", "k" }) + request({ "MSET", "k", "3", "k", "4" }) + request({ "MGET", "k", "other", "k" }));
    QCOMPARE(rig.store.open.size(), 2u); // other keys do not wait
    QCOMPARE(rig.store.open.at(1).key, storeKeyOf("other"));
    rig.answerAll();
    QVERIFY(rig.store.keysAreApart);
    QCOMPARE(rig.replies(),
        kOk + bulkOf("1") + kOk + kOk + bulkOf("2") + number(1) + kNil + kOk + "*3\r\n" + bulkOf("4") + bulkOf("x")
            + bulkOf("4"));
}

// Random pipelines with answers in random order, and in any pieces: the replies are those of a store that carries out
// one request after the other.
void TestRespConversation::anyOrderOfAnswersGivesTheSameReplies()
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 numbers(seed);
        const auto below = [&](std::size_t n) { return std::size_t(numbers()) % n; };
        RespRig rig, model;
        std::string bytes, expected;
        for (int i = 0; i < 150; ++i) {
            const auto key = [&] { return "k" + std::to_string(below(6)); };
            std::vector<std::string> words;
            switch (below(9)) {
            case 0:
            case 1: words = { "SET", key(), std::to_string(i) }; break;
            case 2: words = { "DEL", key(), key(), key() }; break;
            case 3: words = { "MSET", key(), "a" + std::to_string(i), key(), "b" + std::to_string(i) }; break;
            case 4: words = { "MGET", key(), key(), key() }; break;
            case 5: words = { "EXISTS", key(), key() }; break;
            case 6: words = { "STRLEN", key() }; break;
            case 7: words = { below(4) == 0 ? "DBSIZE" : "PING" }; break;
            default: words = { "GET", key() }; break;
            }
            bytes += request(words);
            expected += model.ask(words);
        }
        std::string replies;
        for (std::size_t at = 0; at < bytes.size() || !rig.store.open.empty() || rig.store.wantsCount;) {
            if (at < bytes.size() && below(3) == 0) {
                const std::size_t count = std::min(bytes.size() - at, below(200));
                rig.give(std::string_view(bytes).substr(at, count));
                at += count;
            }
            if (!rig.store.open.empty() && below(2) == 0)
                rig.answer(below(rig.store.open.size()));
            if (rig.store.open.empty() && std::exchange(rig.store.wantsCount, false))
                rig.talk.onCount(rig.store.records.size());
            if (below(4) == 0)
                replies += rig.replies();
        }
        replies += rig.replies();
        QVERIFY(rig.store.keysAreApart);
        QVERIFY2(replies == expected, qPrintable(QString("seed %1").arg(seed)));
    }
}

void TestRespConversation::theWindowIsBounded()
{
    RespRig rig;
    std::vector<std::string> words { "MGET" };
    for (int i = 0; i < 1'000; ++i)
        words.push_back("key" + std::to_string(i));
    rig.give(request(words));
    QCOMPARE(rig.store.open.size(), std::size_t(RespConversation::kWindow));
    for (int i = 0; i < 1'000; ++i)
        rig.give(request({ "GET", "more" + std::to_string(i) }));
    rig.answerAll();
    QCOMPARE(rig.store.mostOpen, std::size_t(RespConversation::kWindow));
    std::string expected = "*1000\r\n";
    for (int i = 0; i < 2'000; ++i)
        expected += kNil;
    QCOMPARE(rig.replies(), expected);
}

void TestRespConversation::longValuesMakeTheWindowSmaller()
{
    RespRig rig;
    const std::string value(kDoorValueMax, 'x');
    std::string bytes;
    for (int i = 0; i < 60; ++i)
        bytes += request({ "SET", "key" + std::to_string(i), value });
    rig.give(bytes);
    QVERIFY(rig.store.open.size() < 20);
    QVERIFY((rig.store.open.size() - 1) * value.size() < RespConversation::kWindowBytes);
    rig.answerAll();
    QCOMPARE(rig.store.records.size(), 60u);
    std::string expected;
    for (int i = 0; i < 60; ++i)
        expected += kOk;
    QCOMPARE(rig.replies(), expected);
}

void TestRespConversation::manyKeysAreServedInTurn()
{
    RespRig rig;
    std::vector<std::string> set { "MSET" }, get { "MGET" };
    std::string expected = "*50000\r\n";
    for (int i = 0; i < 50'000; ++i) {
        set.insert(set.end(), { "key" + std::to_string(i), std::to_string(i) });
        get.push_back(set[set.size() - 2]);
        expected += bulkOf(set.back());
    }
    QCOMPARE(rig.ask(set), kOk);
    QCOMPARE(rig.store.records.size(), 50'000u);
    QVERIFY(rig.ask(get) == expected);
}

void TestRespConversation::scansWaitForWhatCameBefore()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "1" }) + request({ "DBSIZE" }) + request({ "DEL", "k" }) + request({ "SCAN", "0" })
        + request({ "PING" }));
    QVERIFY(!rig.store.wantsCount);
    rig.answer();
    rig.answer();
    QVERIFY(rig.store.wantsCount);
    QVERIFY(rig.store.open.empty()); // the DEL waits for the count
    rig.answerAll();
    QCOMPARE(rig.replies(), kOk + number(1) + number(1) + "*2\r\n" + bulkOf("0") + "*0\r\n+PONG\r\n");
}

void TestRespConversation::aScanFiltersAndContinues()
{
    RespRig rig;
    std::set<std::string> expected, found;
    for (int i = 0; i < 40; ++i) {
        rig.ask({ "SET", "a" + std::to_string(i), "1" });
        rig.ask({ "SET", "b" + std::to_string(i), "1" });
        expected.insert("b" + std::to_string(i));
    }
    rig.store.records[1] = "no door wrote this";
    std::string cursor = "0";
    int pages = 0;
    do {
        const std::string reply = rig.ask({ "SCAN", cursor, "match", "b*", "count", "7" });
        QVERIFY(reply.starts_with("*2\r\n$"));
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < reply.size(); at = reply.find('\n', at) + 1)
            lines.push_back(reply.substr(at, reply.find('\r', at) - at));
        cursor = lines[2];
        for (std::size_t i = 5; i < lines.size(); i += 2)
            found.insert(lines[i]);
        QVERIFY(lines.size() <= 4 + 2 * 7);
        ++pages;
    } while (cursor != "0");
    QCOMPARE(found, expected);
    QCOMPARE(pages, 12); // 80 keys in pages of 7
    rig.give(request({ "SCAN", "0", "COUNT", "99999999999" }));
    QCOMPARE(rig.store.page->count, RespConversation::kPageMax);
    rig.answerAll();
    rig.replies();
    rig.give(request({ "SCAN", "18446744073709551615" }) + request({ "PING" }));
    QCOMPARE(rig.store.page->from, ~std::uint64_t(0));
    rig.store.page.reset();
    rig.talk.onScanFailed("TRYAGAIN some servers have not answered");
    QCOMPARE(rig.replies(), std::string("-TRYAGAIN some servers have not answered\r\n+PONG\r\n"));
}

void TestRespConversation::failuresAreNamed_data()
{
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("word");
    QTest::newRow("retry") << int(pb::RETRY) << ""
                           << "-TRYAGAIN "
                           << "has not carried this out";
    QTest::newRow("full") << int(pb::RETRY) << "server 3 is full"
                          << "-TRYAGAIN "
                          << "server 3 is full";
    QTest::newRow("unknown") << int(pb::UNKNOWN_OUTCOME) << ""
                             << "-ERR "
                             << "unknown whether";
    QTest::newRow("lost") << int(pb::LOST) << ""
                          << "-ERR "
                          << "lost";
    QTest::newRow("invalid") << int(pb::INVALID) << "value: too\r\nlong"
                             << "-ERR "
                             << "value: too  long";
}

void TestRespConversation::failuresAreNamed()
{
    QFETCH(int, result);
    QFETCH(QString, text);
    QFETCH(QString, begin);
    QFETCH(QString, word);
    for (const std::vector<std::string>& words : { std::vector<std::string> { "GET", "k" }, { "SET", "k", "v" },
             { "DEL", "k" }, { "EXISTS", "k" }, { "STRLEN", "k" }, { "MGET", "k" }, { "MSET", "k", "v" } }) {
        RespRig rig;
        rig.give(request(words) + request({ "PING" }));
        rig.answerWith(pb::ResultCode(result), text.toStdString());
        const std::string reply = rig.replies();
        QVERIFY2(reply.starts_with(begin.toStdString()), reply.c_str());
        QVERIFY2(reply.find(word.toStdString()) != std::string::npos, reply.c_str());
        QVERIFY(reply.ends_with("\r\n+PONG\r\n"));
        QCOMPARE(rig.counters.errors, 1u);
    }
}

void TestRespConversation::oneFailureIsTheReplyForAllKeys()
{
    RespRig rig;
    rig.ask({ "MSET", "a", "1", "b", "2", "c", "3" });
    rig.give(request({ "MGET", "a", "b", "c" }) + request({ "GET", "a" }));
    rig.answerWith(pb::RETRY, "first");
    rig.answerWith(pb::RETRY, "second");
    rig.answerAll();
    QCOMPARE(rig.replies(), "-TRYAGAIN the store has not carried this out: first\r\n" + bulkOf("1"));
}

void TestRespConversation::whatIsWrongIsRefusedBeforeAnyEffect_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("word");
    const QString longKey(4'097, 'k'), longValue(60'001, 'v');
    QTest::newRow("no key") << QStringList { "GET" } << "wrong number of arguments for 'get'";
    QTest::newRow("two keys") << QStringList { "GET", "a", "b" } << "wrong number of arguments for 'get'";
    QTest::newRow("no value") << QStringList { "SET", "a" } << "wrong number of arguments for 'set'";
    QTest::newRow("half a pair") << QStringList { "MSET", "a", "1", "b" } << "wrong number of arguments for 'mset'";
    QTest::newRow("an empty key") << QStringList { "SET", "", "v" } << "1 to 4,096 bytes";
    QTest::newRow("a long key") << QStringList { "MSET", "a", "1", longKey, "2" } << "1 to 4,096 bytes";
    QTest::newRow("a long key to read") << QStringList { "MGET", "a", longKey } << "1 to 4,096 bytes";
    QTest::newRow("a long value") << QStringList { "SET", "a", longValue } << "at most 60,000 bytes";
    QTest::newRow("a long value of two") << QStringList { "MSET", "a", "1", "b", longValue } << "at most 60,000 bytes";
    for (const char* option : { "EX", "PX", "NX", "XX", "GET", "KEEPTTL", "nonsense" })
        QTest::newRow(option) << QStringList { "SET", "a", "1", option, "5" } << QString("'%1' would need").arg(option);
    QTest::newRow("a cursor") << QStringList { "SCAN", "x" } << "invalid cursor";
    QTest::newRow("a negative cursor") << QStringList { "SCAN", "-1" } << "invalid cursor";
    QTest::newRow("a cursor of 65 bits") << QStringList { "SCAN", "18446744073709551616" } << "invalid cursor";
    QTest::newRow("a count") << QStringList { "SCAN", "0", "COUNT", "0" } << "COUNT";
    QTest::newRow("a count without number") << QStringList { "SCAN", "0", "COUNT" } << "syntax error";
    QTest::newRow("a type") << QStringList { "SCAN", "0", "TYPE", "string" } << "one type";
    QTest::newRow("a long pattern") << QStringList { "SCAN", "0", "MATCH", QString(1'025, '*') } << "1,024 bytes";
    QTest::newRow("another database") << QStringList { "SELECT", "1" } << "out of range";
    QTest::newRow("a password") << QStringList { "AUTH", "user", "secret" } << "--resp-socket";
    QTest::newRow("settings") << QStringList { "CONFIG", "SET", "save", "" } << "CONFIG has GET only";
    QTest::newRow("a list of clients") << QStringList { "CLIENT", "LIST" } << "CLIENT has";
    QTest::newRow("a name with a space") << QStringList { "CLIENT", "SETNAME", "a b" } << "spaces";
    QTest::newRow("version 3") << QStringList { "HELLO", "3" } << "-ERR unknown command 'HELLO'";
    QTest::newRow("version 3 with options")
        << QStringList { "HELLO", "3", "AUTH", "a", "b" } << "-ERR unknown command 'HELLO'";
    QTest::newRow("two words to answer") << QStringList { "PING", "a", "b" } << "wrong number";
    QTest::newRow("very many words") << (QStringList { "COMMAND", "INFO" } + QStringList(100, "get")) << "too many";
}

void TestRespConversation::whatIsWrongIsRefusedBeforeAnyEffect()
{
    QFETCH(QStringList, words);
    QFETCH(QString, word);
    RespRig rig;
    std::vector<std::string> asked;
    for (const QString& w : words)
        asked.push_back(w.toStdString());
    const std::string reply = rig.ask(asked);
    QVERIFY2(isErrorWith(reply, word.toStdString()), reply.c_str());
    QCOMPARE(rig.store.mostOpen, 0u);
    QCOMPARE(rig.counters.errors, 1u);
    QCOMPARE(rig.ask({ "PING" }), std::string("+PONG\r\n")); // the conversation goes on
}

void TestRespConversation::commandsThatAreNotThereSayWhy_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("reason");
    const std::pair<const char*, const char*> rows[] = { { "EXPIRE", "do not expire" }, { "ttl", "do not expire" },
        { "INCR", "reads or writes" }, { "SETNX", "reads or writes" }, { "LPUSH", "values are bytes" },
        { "HSET", "values are bytes" }, { "HMSET", "values are bytes" }, { "ZADD", "values are bytes" },
        { "HGETALL", "values are bytes" }, { "MULTI", "no transactions" }, { "EVAL", "no transactions" },
        { "SUBSCRIBE", "send each other" }, { "KEYS", "use SCAN" }, { "FLUSHALL", "use DEL" }, { "UNLINK", "use DEL" },
        { "SHUTDOWN", "no Redis server" }, { "CLUSTER", "no Redis server" }, { "whatever", "COMMAND lists" } };
    for (const auto& [name, reason] : rows)
        QTest::newRow(name) << QString(name) << QString(reason);
}

void TestRespConversation::commandsThatAreNotThereSayWhy()
{
    QFETCH(QString, name);
    QFETCH(QString, reason);
    RespRig rig;
    const std::string reply = rig.ask({ name.toStdString(), "a", "b" });
    QVERIFY2(reply.starts_with("-ERR unknown command '" + name.toStdString() + "'"), reply.c_str());
    QVERIFY2(isErrorWith(reply, reason.toStdString()), reply.c_str());
    QVERIFY(isErrorWith(rig.ask({ "a\r\nb" + std::string(1'000, 'x') }), "unknown command 'a  bxxx")); // cut
}

void TestRespConversation::clientsGetWhatTheyAskForAtTheirStart()
{
    RespRig rig;
    rig.door.name = "client-1";
    rig.door.port = 4711;
    QCOMPARE(rig.ask({ "CONFIG", "GET", "save" }), "*2\r\n" + bulkOf("save") + bulkOf(""));
    QCOMPARE(rig.ask({ "CONFIG", "GET", "appendonly" }), "*2\r\n" + bulkOf("appendonly") + bulkOf("no"));
    QCOMPARE(rig.ask({ "config", "get", "no-such" }), std::string("*0\r\n"));
    QVERIFY(rig.ask({ "CONFIG", "GET", "*" }).starts_with("*12\r\n"));
    QCOMPARE(rig.ask({ "CLIENT", "GETNAME" }), kNil);
    QCOMPARE(rig.ask({ "CLIENT", "SETNAME", "me" }), kOk);
    QCOMPARE(rig.ask({ "CLIENT", "GETNAME" }), bulkOf("me"));
    QCOMPARE(rig.ask({ "CLIENT", "SETINFO", "LIB-NAME", "redis-py" }), kOk);
    QCOMPARE(rig.ask({ "CLIENT", "ID" }), number(5));
    QVERIFY(rig.ask({ "HELLO", "2" }).starts_with("*8\r\n"));
    const int rows = int(respCommands().size());
    QCOMPARE(rig.ask({ "COMMAND", "COUNT" }), number(rows));
    QVERIFY(rig.ask({ "COMMAND" }).starts_with('*' + std::to_string(rows) + "\r\n*6\r\n" + bulkOf("get") + ":2\r\n"));
    QVERIFY(rig.ask({ "COMMAND", "DOCS" }).starts_with('*' + std::to_string(2 * rows) + "\r\n" + bulkOf("get")));
    QVERIFY(rig.ask({ "COMMAND", "DOCS", "set", "none" }).starts_with("*2\r\n" + bulkOf("set")));
    QVERIFY(rig.ask({ "COMMAND", "INFO", "none", "set" }).starts_with("*2\r\n*-1\r\n*6\r\n" + bulkOf("set")));
    const std::string all = rig.ask({ "INFO" }), stats = rig.ask({ "INFO", "stats" });
    QVERIFY(all.find("# Server\r\n") != std::string::npos && all.find("# Stats\r\n") != std::string::npos);
    QVERIFY(
        all.find("process_name:client-1\r\n") != std::string::npos && all.find("tcp_port:4711") != std::string::npos);
    QVERIFY(stats.find("# Server") == std::string::npos && stats.find("# Stats\r\n") != std::string::npos);
}

void TestRespConversation::aProtocolErrorIsToldAndCloses()
{
    RespRig rig;
    rig.give(request({ "GET", "k" }) + "*1\r\n:5\r\n" + request({ "PING" }));
    QVERIFY(!rig.talk.isOver() && !rig.talk.wantsBytes()); // the GET has no answer
    rig.answerAll();
    QCOMPARE(rig.replies(), kNil + "-ERR Protocol error: expected '$', got ':'\r\n");
    QVERIFY(rig.talk.isOver());
    rig.give(request({ "PING" }));
    QVERIFY(rig.replies().empty());
    QCOMPARE(rig.counters.protocolErrors, 1u);
}

void TestRespConversation::aWebPageIsRefused()
{
    for (const char* begin : { "POST / HTTP/1.1\r\n", "post /x HTTP/1.0\r\n", "GET / HTTP/1.1\r\nHost: localhost:1\r\n",
             "PUT / HTTP/1.1\r\nhost: x\r\n" }) {
        RespRig rig;
        rig.give(std::string(begin) + "Content-Length: 30\r\n\r\nSET k v\r\n");
        const std::string replies = rig.replies();
        QVERIFY2(replies.find("web pages\r\n") != std::string::npos, replies.c_str());
        QVERIFY(rig.talk.isOver());
        QCOMPARE(rig.store.mostOpen, 0u);
        QCOMPARE(rig.counters.refusedWeb, 1u);
    }
}

void TestRespConversation::quitAnswersWhatCameBefore()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "v" }) + request({ "QUIT" }) + request({ "SET", "later", "v" }));
    QVERIFY(!rig.talk.isOver());
    rig.answerAll();
    QCOMPARE(rig.replies(), kOk + kOk);
    QVERIFY(rig.talk.isOver());
    QCOMPARE(rig.store.records.size(), 1u);
}

void TestRespConversation::anEndOfTheBytesAnswersWhatCame()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "v" }) + request({ "GET", "k" }) + request({ "DBSIZE" }) + "*1\r\n$4\r\nPI");
    rig.talk.onEnd();
    QVERIFY(!rig.talk.isOver() && !rig.talk.wantsBytes());
    rig.answerAll();
    QCOMPARE(rig.replies(), kOk + bulkOf("v") + number(1));
    QVERIFY(rig.talk.isOver());
}

void TestRespConversation::aSlowReaderIsNotReadFrom()
{
    RespRig rig;
    const std::string value(50'000, 'v');
    rig.ask({ "SET", "k", value });
    std::size_t given = 0;
    while (rig.talk.wantsBytes()) {
        QVERIFY(++given < 10'000);
        rig.give(request({ "GET", "k" }));
        rig.answerAll();
    }
    QVERIFY(rig.talk.output().size() <= RespConversation::kOutMax + value.size() + 100);
    std::string replies;
    while (!rig.talk.output().empty()) {
        const std::size_t part = std::min<std::size_t>(rig.talk.output().size(), 10'000);
        replies += rig.talk.output().substr(0, part);
        rig.talk.sent(part);
        rig.answerAll();
    }
    QVERIFY(rig.talk.wantsBytes());
    std::string expected;
    for (std::size_t i = 0; i < given; ++i)
        expected += bulkOf(value);
    QVERIFY(replies == expected);
}

void TestRespConversation::manyRequestsWithoutRepliesAreNotRead()
{
    RespRig rig;
    rig.give(request({ "GET", "k" }));
    std::size_t given = 0;
    while (rig.talk.wantsBytes()) {
        QVERIFY(++given < 100'000);
        rig.give(request({ "PING" }));
    }
    QVERIFY(given >= RespConversation::kTurnsMax);
    rig.answerAll();
    std::string expected = kNil;
    for (std::size_t i = 0; i < given; ++i)
        expected += "+PONG\r\n";
    QVERIFY(rig.replies() == expected);
}

void TestRespConversation::anAnswerThatIsTooLongIsRefused()
{
    RespRig rig;
    rig.ask({ "SET", "k", std::string(60'000, 'v') });
    std::vector<std::string> words { "MGET" };
    words.insert(words.end(), 270, "k"); // 16.2 million bytes
    QVERIFY(rig.ask(words).starts_with("*270\r\n$60000\r\n"));
    words.insert(words.end(), 20, "k");
    QVERIFY(isErrorWith(rig.ask(words), "more than 16 MiB"));
    QCOMPARE(rig.ask({ "STRLEN", "k" }), number(60'000));
}

// A client whose turn it is for too long is closed; one that is idle, or waits for the store, is not.
void TestRespConversation::itIsKnownWhoseTurnItIs()
{
    RespRig rig;
    QVERIFY(!rig.talk.awaitsClient());
    rig.give("*2\r\n$3\r\nGE");
    QVERIFY(rig.talk.awaitsClient());
    rig.give("T\r\n$1\r\nk\r\n");
    QVERIFY(!rig.talk.awaitsClient() && rig.talk.isAwaiting());
    rig.answerAll();
    QVERIFY(rig.talk.awaitsClient() && !rig.talk.isAwaiting()); // the reply is to be taken
    rig.talk.sent(rig.talk.output().size());
    QVERIFY(!rig.talk.awaitsClient());
    rig.give("half a line");
    QVERIFY(rig.talk.awaitsClient());
}

void TestRespConversation::whoIsGoneLeavesNothingBehind()
{
    RespRig rig;
    rig.give(request({ "SET", "k", "1" }) + request({ "SET", "k", "2" }) + request({ "MGET", "a", "b" }) + "*3\r\n$3");
    rig.talk.abandon();
    QVERIFY(rig.talk.isAwaiting());
    rig.answerAll();
    QVERIFY(!rig.talk.isAwaiting());
    QCOMPARE(rig.store.records.size(), 1u); // what had begun is carried out
    // In the middle of a request with many keys, and of a scan.
    for (const std::vector<std::string>& words :
        { std::vector<std::string>(200, "MGET"), std::vector<std::string> { "DBSIZE" } }) {
        RespRig other;
        other.give(request(words));
        other.talk.abandon();
        other.store.wantsCount = false;
        other.talk.onCount(3);
        other.answerAll();
        QVERIFY(!other.talk.isAwaiting());
    }
}

QTEST_APPLESS_MAIN(TestRespConversation)
#include "tst_resp_conversation.moc"

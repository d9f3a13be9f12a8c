// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of the Redis protocol from bytes that come in any pieces, and bytes that are none.
#include "node/door/resp_parser.h"

#include <QTest>

using namespace lhrs;

namespace {

using Request = std::vector<std::string>;

struct Read {
    std::vector<Request> requests;
    std::string error; // empty: the bytes ended between or within requests
    bool isInRequest = false;
    bool operator==(const Read&) const = default;
};

// Feeds the bytes in these pieces.
Read readIn(const std::vector<std::string>& pieces)
{
    Read read;
    RespParser parser;
    std::string bytes;
    for (const std::string& piece : pieces) {
        bytes += piece;
        for (;;) {
            const auto outcome = parser.read(bytes);
            if (outcome == RespParser::Outcome::More)
                break;
            if (outcome == RespParser::Outcome::Error) {
                read.error = parser.error();
                return read;
            }
            Request& request = read.requests.emplace_back();
            for (std::size_t i = 0; i < parser.count(); ++i)
                request.emplace_back(parser.argument(bytes, i));
            bytes.erase(0, parser.size());
            parser.reset();
        }
    }
    read.isInRequest = !bytes.empty();
    return read;
}

Read readWhole(const std::string& bytes) { return readIn({ bytes }); }

} // namespace

class TestRespParser : public QObject {
    Q_OBJECT

private slots:
    void everyPieceGivesTheSameRequests_data();
    void everyPieceGivesTheSameRequests();
    void inlineCommandsAreWordsWithQuotes_data();
    void inlineCommandsAreWordsWithQuotes();
    void whatIsNoRequestIsAnError_data();
    void whatIsNoRequestIsAnError();
    void theLongestRequestIsReadAndOneByteMoreIsNot();
    void aLengthAllocatesNothing();
    void aLongInlineCommandIsRefused();
};

void TestRespParser::everyPieceGivesTheSameRequests_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("requests");
    QTest::newRow("one") << QByteArray("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n") << 1;
    QTest::newRow("several") << QByteArray(
        "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\n\r\n*1\r\n*2\r\n$3\r\nGET\r\n"
        "$0\r\n\r\n") << 3;
    QTest::newRow("inline between") << QByteArray("PING\r\n*1\r\n$4\r\nQUIT\r\n set 'a b' \"\\x41\\n\"\n\r\nlast\r\n")
                                    << 5;
    QTest::newRow("nothing asked") << QByteArray("*0\r\n*-1\r\n\r\nPING\r\n") << 4;
    QTest::newRow("an end within") << QByteArray("*2\r\n$4\r\nECHO\r\n$5\r\nabc") << 0;
    QTest::newRow("an error after one") << QByteArray("*1\r\n$4\r\nPING\r\n*1\r\n:4\r\n") << 1;
    QTest::newRow("a bulk that is longer") << QByteArray("*1\r\n$2\r\nabc\r\n") << 0;
}

void TestRespParser::everyPieceGivesTheSameRequests()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, requests);
    const std::string whole = bytes.toStdString();
    const Read expected = readWhole(whole);
    QCOMPARE(int(expected.requests.size()), requests);
    for (std::size_t first = 0; first <= whole.size(); ++first) {
        for (std::size_t second = first; second <= whole.size(); ++second) {
            const Read read = readIn(
                { whole.substr(0, first), whole.substr(first, second - first), whole.substr(second) });
            QVERIFY2(read == expected, qPrintable(QString("cut at %1 and %2").arg(first).arg(second)));
        }
    }
    std::vector<std::string> single;
    for (const char c : whole)
        single.emplace_back(1, c);
    QVERIFY(readIn(single) == expected);
}

void TestRespParser::inlineCommandsAreWordsWithQuotes_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArrayList>("words");
    QTest::newRow("words") << QByteArray("  set  k\tv ") << QByteArrayList { "set", "k", "v" };
    QTest::newRow("quotes") << QByteArray("\"a b\" 'c d' \"\" ''") << QByteArrayList { "a b", "c d", "", "" };
    QTest::newRow("escapes") << QByteArray(R"("\n\r\t\b\a\\\"\q" '\'\n')")
                             << QByteArrayList { "\n\r\t\b\a\\\"q", "'\\n" };
    QTest::newRow("hex") << QByteArray(R"("\x41\xfF\xg0\x4")") << QByteArrayList { "A\xffxg0x4" };
    QTest::newRow("a quote within") << QByteArray("ab\"c d\" e") << QByteArrayList { "abc d", "e" };
}

void TestRespParser::inlineCommandsAreWordsWithQuotes()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArrayList, words);
    for (const char* end : { "\n", "\r\n" }) {
        const Read read = readWhole(line.toStdString() + end);
        QCOMPARE(int(read.requests.size()), 1);
        QByteArrayList found;
        for (const std::string& word : read.requests[0])
            found << QByteArray::fromStdString(word);
        QCOMPARE(found, words);
    }
}

void TestRespParser::whatIsNoRequestIsAnError_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("word");
    QTest::newRow("no number") << QByteArray("*x\r\n") << "multibulk length";
    QTest::newRow("an empty number") << QByteArray("*\r\n") << "multibulk length";
    QTest::newRow("a sign") << QByteArray("*+1\r\n") << "multibulk length";
    QTest::newRow("a space") << QByteArray("* 1\r\n") << "multibulk length";
    QTest::newRow("too many arguments") << QByteArray("*1048577\r\n") << "1,048,576";
    QTest::newRow("a number of 20 digits") << QByteArray("*99999999999999999999\r\n") << "multibulk length";
    QTest::newRow("a line without end") << QByteArray("*1" + QByteArray(40, '1')) << "multibulk length";
    QTest::newRow("only a line feed") << QByteArray("*1\n$4\nPING\n") << "multibulk length";
    QTest::newRow("no bulk") << QByteArray("*1\r\n+OK\r\n") << "expected '$', got '+'";
    QTest::newRow("a negative length") << QByteArray("*1\r\n$-1\r\n") << "bulk length";
    QTest::newRow("a length without number") << QByteArray("*1\r\n$\r\n") << "bulk length";
    QTest::newRow("more than a request") << QByteArray("*1\r\n$16777217\r\n") << "16 MiB";
    QTest::newRow("the largest number") << QByteArray("*1\r\n$9223372036854775807\r\n") << "16 MiB";
    QTest::newRow("no line end after a bulk") << QByteArray("*1\r\n$1\r\nabc") << "CR LF";
    QTest::newRow("an open quote") << QByteArray("set \"a b\r\n") << "unbalanced quotes";
    QTest::newRow("a quote that goes on") << QByteArray("set 'a'b\r\n") << "unbalanced quotes";
    QTest::newRow("an escape at the end") << QByteArray("set \"a\\\n") << "unbalanced quotes";
}

void TestRespParser::whatIsNoRequestIsAnError()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, word);
    const Read read = readWhole(bytes.toStdString());
    QVERIFY(read.error.starts_with("ERR Protocol error: "));
    QVERIFY2(QString::fromStdString(read.error).contains(word), read.error.c_str());
    QVERIFY(read.requests.empty());
}

void TestRespParser::theLongestRequestIsReadAndOneByteMoreIsNot()
{
    const std::string begin = "*2\r\n$4\r\nECHO\r\n$";
    for (const std::size_t more : { 0u, 1u }) {
        // The line of the second length has 8 digits.
        const std::size_t length = RespParser::kRequestMax - begin.size() - 8 - 2 - 2 + more;
        const Read read = readWhole(begin + std::to_string(length) + "\r\n" + std::string(length, 'x') + "\r\n");
        QCOMPARE(read.requests.size(), more == 0 ? 1u : 0u);
        QCOMPARE(read.error.empty(), more == 0);
    }
    // Many arguments, each of which is short.
    std::string many = "*1048576\r\n";
    for (int i = 0; i < 1'048'576; ++i)
        many += "$0\r\n\r\n";
    QCOMPARE(readWhole(many).requests.at(0).size(), 1'048'576u);
}

void TestRespParser::aLengthAllocatesNothing()
{
    // A parser that believed a number before it has seen its arguments would take 8 MiB for this.
    std::string bytes = "*1048576\r\n$16000000\r\n";
    std::vector<RespParser> parsers(20'000);
    for (RespParser& parser : parsers)
        QVERIFY(parser.read(bytes) == RespParser::Outcome::More && parser.count() == 0);
}

void TestRespParser::aLongInlineCommandIsRefused()
{
    QCOMPARE(readWhole(std::string(RespParser::kInlineMax - 1, 'x') + '\n').requests.size(), 1u);
    const Read refused = readWhole(std::string(RespParser::kInlineMax, 'x') + '\n');
    QCOMPARE(refused.error, std::string("ERR Protocol error: too big inline request"));
}

QTEST_APPLESS_MAIN(TestRespParser)
#include "tst_resp_parser.moc"

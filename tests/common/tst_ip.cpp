// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses of IPv4 and IPv6 as values, in words and in messages.
#include "common/network/multicast_group.h"

#include <QTest>

#include <set>

using namespace lhrs;

class IpTest : public QObject {
    Q_OBJECT

private slots:
    void wordsAndValuesAreTheSame_data();
    void wordsAndValuesAreTheSame();
    void otherWordsAreNone_data();
    void otherWordsAreNone();
    void aComputerHasOneName();
    void aPoolsGroupIsOfItsClusterAlone();
};

void IpTest::wordsAndValuesAreTheSame_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("withPort");
    QTest::addColumn<QString>("traits");
    const auto row = [](const char* words, const char* withPort, const char* traits) {
        QTest::newRow(words) << words << withPort << traits;
    };
    row("0.0.0.0", "0.0.0.0:4000", "any");
    row("127.0.0.1", "127.0.0.1:4000", "loopback");
    row("127.255.1.2", "127.255.1.2:4000", "loopback");
    row("10.77.0.8", "10.77.0.8:4000", "");
    row("239.75.1.2", "239.75.1.2:4000", "multicast");
    row("255.255.255.255", "255.255.255.255:4000", "");
    row("::", "[::]:4000", "6 any");
    row("::1", "[::1]:4000", "6 loopback");
    row("::2", "[::2]:4000", "6");
    row("fd77::8", "[fd77::8]:4000", "6");
    row("2001:db8:1:2:3:4:5:6", "[2001:db8:1:2:3:4:5:6]:4000", "6");
    row("fe80::1", "[fe80::1]:4000", "6 link");
    row("febf::1", "[febf::1]:4000", "6 link");
    row("fec0::1", "[fec0::1]:4000", "6");
    row("ff15::4c:fa0", "[ff15::4c:fa0]:4000", "6 multicast");
}

void IpTest::wordsAndValuesAreTheSame()
{
    QFETCH(QString, words);
    QFETCH(QString, withPort);
    QFETCH(QString, traits);
    const auto ip = Ip::parse(words.toStdString());
    QVERIFY(ip);
    QCOMPARE(QString::fromStdString(ip->text()), words);
    QCOMPARE(QString::fromStdString(ip->textWith(4000)), withPort);
    QStringList found;
    for (const auto& [name, is] :
        { std::pair("6", ip->isV6()), std::pair("any", ip->isAny()), std::pair("loopback", ip->isLoopback()),
            std::pair("multicast", ip->isMulticast()), std::pair("link", ip->isLinkLocal()) })
        if (is)
            found << name;
    QCOMPARE(found.join(' '), traits);
    pb::Address sent;
    sent.set_ip(7);
    sent.set_ip6_low(9); // what was there before is gone
    sent.set_udp_port(4000);
    ip->to(sent);
    pb::Address got;
    QVERIFY(got.ParseFromString(sent.SerializeAsString()));
    QVERIFY(Ip::from(got) == *ip || ip->isAny()); // no address is told as 0.0.0.0
    QCOMPARE(QString::fromStdString(udpText(got)), ip->isAny() ? QString("0.0.0.0:4000") : withPort);
}

void IpTest::otherWordsAreNone_data()
{
    QTest::addColumn<QString>("words");
    for (const char* words : { "", "localhost", "127.0.0", "127.0.0.256", "127.0.0.1:4000", "[::1]", "::1%lo",
             ":::", "12345::", "1:2:3:4:5:6:7:8:9", " ::1", "127.0.0.1 " })
        QTest::newRow(words) << words;
}

void IpTest::otherWordsAreNone()
{
    QFETCH(QString, words);
    QVERIFY(!Ip::parse(words.toStdString()));
}

void IpTest::aComputerHasOneName()
{
    QVERIFY(Ip::parse("::ffff:10.0.0.7") == Ip(0x0a000007));
    QVERIFY(Ip::parse("::ffff:7f00:1") == kLoopback);
    QVERIFY(Ip::v6(0, 1) == kLoopback6 && kLoopback6 != kLoopback && Ip(1) != kLoopback6);
    // A map of addresses finds each of them again.
    const std::set<Ip> all { 0, 1, kLoopback, kLoopback6, Ip::v6(1, 0), Ip::v6(0, 0), 0xffffffff };
    QCOMPARE(all.size(), std::size_t(7));
    QVERIFY(all.contains(kLoopback) && all.contains(kLoopback6));
}

void IpTest::aPoolsGroupIsOfItsClusterAlone()
{
    std::set<Endpoint> groups;
    const Ip outside = *Ip::parse("fd77::8");
    for (const Ip ip : { kLoopback, outside })
        for (const std::uint16_t port : { std::uint16_t(4000), std::uint16_t(4001) })
            for (const pb::Role pool : { pb::DATA, pb::PARITY })
                groups.insert(multicastGroup(pool, { ip, port }));
    QCOMPARE(groups.size(), std::size_t(8));
    for (const Endpoint& group : groups)
        QVERIFY(group.ip.isMulticast());
    QCOMPARE(multicastGroup(pb::DATA, { kLoopback, 4000 }).ip.text(), std::string("239.76.15.160"));
    QCOMPARE(multicastGroup(pb::DATA, { kLoopback6, 4000 }).ip.text(), std::string("ff15::4c:fa0"));
    QCOMPARE(multicastGroup(pb::PARITY, { outside, 4000 }).ip.text(), std::string("ff15::4d:fa0"));
}

QTEST_GUILESS_MAIN(IpTest)
#include "tst_ip.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// proto/watch.py, the example of proto/README.md in another language: tested with sockets that behave like a cluster,
// and with a cluster.
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <zmq.hpp>
#include <zmq_addon.hpp>

#include <array>
#include <functional>
#include <memory>
#include <vector>

using namespace lhrs;
using namespace Qt::Literals::StringLiterals;

// A process of the cluster as its watchers see it: an endpoint that publishes events.
class Publisher {
public:
    Publisher(zmq::context_t& context, std::uint64_t process, const std::string& name)
        : m_socket(context, zmq::socket_type::xpub), m_process(process), m_name(name)
    {
        m_socket.set(zmq::sockopt::linger, 0);
        m_socket.bind("tcp://127.0.0.1:*");
    }

    std::string endpoint() const { return m_socket.get(zmq::sockopt::last_endpoint); }
    // An XPUB socket is told of each subscription: from then on nothing is missed.
    bool isSubscribed()
    {
        zmq::message_t subscription;
        if (m_socket.recv(subscription, zmq::recv_flags::dontwait))
            m_isSubscribed = true;
        return m_isSubscribed;
    }
    // A batch whose events begin with this number, one RecordInserted for each key.
    void publish(std::uint64_t sequence, std::initializer_list<std::uint64_t> keys)
    {
        pb::EventHeader header;
        header.set_process(m_process);
        header.set_name(m_name);
        header.set_first_sequence(sequence);
        header.set_count(std::uint32_t(keys.size()));
        pb::EventBatch batch;
        for (const std::uint64_t key : keys) {
            pb::Event& event = *batch.add_events();
            event.set_sequence(sequence++);
            event.set_time_ns(1'500'000'000);
            event.mutable_record_inserted()->set_key(key);
            event.mutable_record_inserted()->set_rank(3);
        }
        const std::array<zmq::const_buffer, 2> frames { zmq::buffer(m_frames[0] = header.SerializeAsString()),
            zmq::buffer(m_frames[1] = batch.SerializeAsString()) };
        zmq::send_multipart(m_socket, frames);
    }

private:
    zmq::socket_t m_socket;
    std::uint64_t m_process;
    std::string m_name;
    bool m_isSubscribed = false;
    std::array<std::string, 2> m_frames;
};

class WatchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();

    void eachEventIsALine();
    void aGapIsSaid();
    void aProcessThatComesLaterIsWatchedToo();
    void withoutACoordinatorItEndsAndSaysSo();
    void whoSleptAsksAgainBeforeItGivesUp();
    void anEntryThatIsNoEndpointIsSaidAndTheOthersAreWatched();
    void wrongUseIsOneSentence();
    void aRealClusterIsWatchedWhileItGrows();
    void theReadmeShowsThisVeryProgram();

private:
    // Starts one of our programs and returns its ready line; empty if there is none.
    QString launch(const QString& name, const QStringList& arguments);
    void start(const QString& endpoint);
    // Answers ListProcesses with the publishers until the condition holds; false after 30 s.
    bool serveUntil(const std::function<bool()>& condition);
    QString output();

    QString m_python;
    zmq::context_t m_context;
    std::unique_ptr<zmq::socket_t> m_control;
    std::vector<std::unique_ptr<Publisher>> m_publishers;
    std::unique_ptr<QProcess> m_watch;
    std::vector<std::unique_ptr<QProcess>> m_cluster;
    QString m_clock; // a program that runs the watcher with another clock; empty: its own clock
    std::string m_strangeEndpoint; // for one additional entry of the directory
    QString m_output;
};

// The Debian packages belong to the system's Python; another Python may come first in PATH and lack them.
void WatchTest::initTestCase()
{
    for (const QString& python : { u"/usr/bin/python3"_s, QStandardPaths::findExecutable(u"python3"_s) })
        if (m_python.isEmpty() && QProcess::execute(python, { u"-c"_s, u"import zmq, google.protobuf"_s }) == 0)
            m_python = python;
    QVERIFY2(!m_python.isEmpty(), "no Python with zmq and protobuf: install python3-zmq and python3-protobuf");
}

void WatchTest::init()
{
    m_control = std::make_unique<zmq::socket_t>(m_context, zmq::socket_type::router);
    m_control->set(zmq::sockopt::linger, 0);
    m_control->bind("tcp://127.0.0.1:*");
    m_publishers.push_back(std::make_unique<Publisher>(m_context, 7, "data-7"));
}

void WatchTest::cleanup()
{
    if (m_watch) {
        m_watch->kill();
        m_watch->waitForFinished();
        m_watch.reset();
    }
    for (const auto& process : m_cluster)
        process->terminate();
    for (const auto& process : m_cluster)
        process->waitForFinished();
    m_cluster.clear();
    m_publishers.clear();
    m_control.reset();
    m_output.clear();
    m_strangeEndpoint.clear();
    m_clock.clear();
}

void WatchTest::start(const QString& endpoint)
{
    m_watch = std::make_unique<QProcess>();
    m_watch->setProcessChannelMode(QProcess::MergedChannels);
    const QStringList before = m_clock.isEmpty() ? QStringList {} : QStringList { u"-c"_s, m_clock };
    m_watch->start(m_python, before + QStringList { QStringLiteral(LHRS_SOURCE_DIR "/proto/watch.py"), endpoint });
    QVERIFY(m_watch->waitForStarted());
}

QString WatchTest::output()
{
    m_output += QString::fromUtf8(m_watch->readAll());
    return m_output;
}

bool WatchTest::serveUntil(const std::function<bool()>& condition)
{
    for (QDeadlineTimer limit(30'000); !condition(); m_watch->waitForReadyRead(10)) {
        if (limit.hasExpired() || m_watch->state() == QProcess::NotRunning)
            return condition();
        std::vector<zmq::message_t> frames;
        if (!zmq::recv_multipart(*m_control, std::back_inserter(frames), zmq::recv_flags::dontwait))
            continue;
        pb::Command command;
        if (frames.size() != 2 || !command.ParseFromArray(frames[1].data(), int(frames[1].size()))
            || !command.has_list_processes())
            return false;
        pb::CommandReply reply;
        reply.set_ticket(command.ticket());
        if (!m_strangeEndpoint.empty())
            reply.mutable_processes()->add_processes()->mutable_process()->set_events_endpoint(m_strangeEndpoint);
        for (const auto& publisher : m_publishers)
            reply.mutable_processes()->add_processes()->mutable_process()->set_events_endpoint(publisher->endpoint());
        m_control->send(frames[0], zmq::send_flags::sndmore);
        m_control->send(zmq::buffer(reply.SerializeAsString()), zmq::send_flags::none);
    }
    return true;
}

void WatchTest::eachEventIsALine()
{
    start(QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint)));
    QVERIFY2(serveUntil([&] { return m_publishers[0]->isSubscribed(); }), qPrintable(output()));
    m_publishers[0]->publish(1, { 11, 12 });
    QVERIFY2(serveUntil([&] { return output().count(u'\n') == 2; }), qPrintable(output()));
    QCOMPARE(output(),
        u"1.500000 data-7 1 record_inserted key: 11 rank: 3\n"
        u"1.500000 data-7 2 record_inserted key: 12 rank: 3\n"_s);
}

void WatchTest::aGapIsSaid()
{
    start(QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint)));
    QVERIFY2(serveUntil([&] { return m_publishers[0]->isSubscribed(); }), qPrintable(output()));
    m_publishers[0]->publish(40, { 11 });
    m_publishers[0]->publish(44, { 12 });
    QVERIFY2(serveUntil([&] { return output().count(u'\n') == 3; }), qPrintable(output()));
    QCOMPARE(output().section(u'\n', 1, 1), u"data-7: 3 events were lost; ask for a snapshot"_s);
}

void WatchTest::aProcessThatComesLaterIsWatchedToo()
{
    start(QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint)));
    QVERIFY2(serveUntil([&] { return m_publishers[0]->isSubscribed(); }), qPrintable(output()));
    m_publishers.push_back(std::make_unique<Publisher>(m_context, 8, "parity-8"));
    QVERIFY2(serveUntil([&] { return m_publishers[1]->isSubscribed(); }), qPrintable(output()));
    m_publishers[1]->publish(1, { 13 });
    QVERIFY2(serveUntil([&] { return output().count(u'\n') == 1; }), qPrintable(output()));
    QCOMPARE(output(), u"1.500000 parity-8 1 record_inserted key: 13 rank: 3\n"_s);
}

void WatchTest::withoutACoordinatorItEndsAndSaysSo()
{
    const QString endpoint = QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint));
    m_control.reset();
    start(endpoint);
    QVERIFY(m_watch->waitForFinished(30'000));
    QCOMPARE(m_watch->exitCode(), 1);
    QCOMPARE(output(), u"the coordinator at %1 does not answer\n"_s.arg(endpoint));
}

// It asks five times, and paused time is not counted: when it continues it asks again and is answered.
void WatchTest::whoSleptAsksAgainBeforeItGivesUp()
{
    QTemporaryDir directory;
    const QString slept = directory.filePath(u"slept"_s);
    m_clock = u"import os, runpy, sys, time\nreal = time.monotonic\n"
              "time.monotonic = lambda: real() + (1000 if os.path.exists(%1) else 0)\n"
              "sys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"_s.arg(u"'%1'"_s.arg(slept));
    start(QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint)));
    QVERIFY2(serveUntil([&] { return m_publishers[0]->isSubscribed(); }), qPrintable(output()));
    QFile file(slept);
    QVERIFY(file.open(QIODevice::WriteOnly)); // now 1,000 s have passed at once
    m_publishers[0]->publish(1, { 11 });
    QVERIFY2(serveUntil([&] { return output().count(u'\n') == 1; }), qPrintable(output()));
    QCOMPARE(output(), u"1.500000 data-7 1 record_inserted key: 11 rank: 3\n"_s);
}

void WatchTest::anEntryThatIsNoEndpointIsSaidAndTheOthersAreWatched()
{
    m_strangeEndpoint = "garbage";
    start(QString::fromStdString(m_control->get(zmq::sockopt::last_endpoint)));
    QVERIFY2(serveUntil([&] { return m_publishers[0]->isSubscribed(); }), qPrintable(output()));
    m_publishers[0]->publish(1, { 11 });
    QVERIFY2(serveUntil([&] { return output().count(u'\n') == 2; }), qPrintable(output()));
    QCOMPARE(output(), u": 'garbage' is not an endpoint\n1.500000 data-7 1 record_inserted key: 11 rank: 3\n"_s);
}

void WatchTest::wrongUseIsOneSentence()
{
    const QStringList program { QStringLiteral(LHRS_SOURCE_DIR "/proto/watch.py") };
    for (const QStringList& arguments :
        { QStringList {}, QStringList { u"tcp://127.0.0.1:1"_s, u"more"_s }, QStringList { u"garbage"_s } }) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(m_python, program + arguments);
        QVERIFY(process.waitForFinished(30'000));
        const QString text = QString::fromUtf8(process.readAll());
        QCOMPARE(process.exitCode(), 1);
        QVERIFY2(text.count(u'\n') == 1 && text.contains(u"tcp://127.0.0.1:4711"), qPrintable(text));
    }
}

QString WatchTest::launch(const QString& name, const QStringList& arguments)
{
    auto& process = m_cluster.emplace_back(std::make_unique<QProcess>());
    process->setStandardErrorFile(QProcess::nullDevice());
    process->start(QStringLiteral(LHRS_BIN_DIR "/") + name, arguments + QStringList { u"--die-with-parent"_s });
    for (QDeadlineTimer limit(30'000); !process->canReadLine(); process->waitForReadyRead(100))
        if (limit.hasExpired() || process->state() == QProcess::NotRunning)
            return {};
    return QString::fromUtf8(process->readLine());
}

// The value after this word in a ready line: "... control=tcp://127.0.0.1:4711 ...".
static QString said(const QString& line, const QString& word)
{
    return QRegularExpression(u"\\b%1=(\\S+)"_s.arg(word)).match(line).captured(1);
}

void WatchTest::aRealClusterIsWatchedWhileItGrows()
{
    const QString coordinator = launch(u"lhrs-coordinator"_s, { u"-b"_s, u"10"_s, u"-m"_s, u"2"_s });
    const QStringList there { u"--coordinator"_s, said(coordinator, u"udp"_s) };
    QStringList ready { coordinator };
    for (const QString& role : { u"data"_s, u"data"_s, u"parity"_s })
        ready << launch(u"lhrs-node"_s, there + QStringList { u"--role"_s, role });
    const QString client = launch(u"lhrs-client"_s, there);
    ready << client;
    start(said(coordinator, u"control"_s));

    // Every process publishes regularly: a process that was seen is subscribed to, so the split will not be missed.
    for (const QString& line : ready) {
        const QString name = line.section(u' ', 1, 1); // "ready NAME udp=..."
        QVERIFY(!name.isEmpty());
        QTRY_VERIFY2_WITH_TIMEOUT(output().contains(u" %1 "_s.arg(name)), qPrintable(output()), 30'000);
    }

    // One insert after the other, as in the README, until the watcher has seen the file grow.
    zmq::socket_t control(m_context, zmq::socket_type::dealer);
    control.set(zmq::sockopt::linger, 0);
    control.set(zmq::sockopt::rcvtimeo, 30'000);
    control.connect(said(client, u"control"_s).toStdString());
    std::uint64_t key = 0;
    const auto isSeen = [this](const char* body) { return output().contains(u" %1 "_s.arg(QLatin1String(body))); };
    const QDeadlineTimer limit(30'000);
    for (; !isSeen("split_finished") && !limit.hasExpired(); m_watch->waitForReadyRead(10)) {
        pb::Command command;
        command.set_ticket(++key);
        command.mutable_operate()->set_kind(pb::INSERT);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value("a value");
        control.send(zmq::buffer(command.SerializeAsString()), zmq::send_flags::none);
        zmq::message_t frame;
        pb::CommandReply reply;
        QVERIFY(control.recv(frame) && reply.ParseFromArray(frame.data(), int(frame.size())));
        QCOMPARE(reply.ticket(), key);
        QCOMPARE(reply.operation().result(), pb::OK);
    }
    for (const char* body :
        { "split_finished", "operation_done", "record_inserted", "delta_applied", "bucket_overflowed" }) {
        while (!isSeen(body) && !limit.hasExpired()) // each process publishes in its own time
            m_watch->waitForReadyRead(10);
        QVERIFY2(isSeen(body), qPrintable(output()));
    }
}

void WatchTest::theReadmeShowsThisVeryProgram()
{
    QFile program(QStringLiteral(LHRS_SOURCE_DIR "/proto/watch.py"));
    QFile readme(QStringLiteral(LHRS_SOURCE_DIR "/proto/README.md"));
    QVERIFY(program.open(QIODevice::ReadOnly) && readme.open(QIODevice::ReadOnly));
    QVERIFY(readme.readAll().contains(program.readAll()));
}

QTEST_GUILESS_MAIN(WatchTest)
#include "tst_watch.moc"

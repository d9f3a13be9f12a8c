// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines, and the start and end of the programs.
#include "node/lhrs/programs/file_options.h"
#include "node/transport/envelope.h"
#include "node/transport/udp_socket.h"
#include "tests/runtime/process_rig.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// A command line as words, for the functions that parse it.
template <class Parse> auto parsed(Parse parse, const QStringList& words)
{
    std::vector<std::string> kept { "program" };
    for (const QString& word : words)
        kept.push_back(word.toStdString());
    std::vector<const char*> pointers;
    for (const std::string& word : kept)
        pointers.push_back(word.c_str());
    return parse(int(pointers.size()), pointers.data());
}

} // namespace

class ProgramsTest : public QObject {
    Q_OBJECT

private slots:
    // command lines
    void aCommandLineIsUnderstood();
    void aConfigurationFileIsReadAndOptionsChangeIt();
    void aWrongCommandLineEndsWithASentence_data();
    void aWrongCommandLineEndsWithASentence();
    void timesAreScaledAndCountsAreNot();

    // programs
    void eachProgramExplainsItself_data();
    void eachProgramExplainsItself();
    void aProgramSaysWhereItListensAndEndsCleanly_data();
    void aProgramSaysWhereItListensAndEndsCleanly();
    void aPortInUseEndsWithASentence_data();
    void aPortInUseEndsWithASentence();
    void aNodeWithoutCoordinatorEndsWithASentence();
    void aCoordinatorOfAnotherVersionIsNamed();
    void aProcessOfAnotherVersionIsToldSoOnce();
    void aClusterOnIPv6ServesOnLoopback();
    void aProgramDiesWithItsParentWhenTold();
    void shutdownIsAnsweredAndEndsTheProcess();
};

// ---- command lines

void ProgramsTest::aCommandLineIsUnderstood()
{
    const auto coordinator = parsed(parseCoordinatorLine,
        { "-m", "8", "--availability", "2", "-b", "50", "--field", "8", "--rerank", "keep", "--recovery", "automatic",
            "--slice", "50", "--threshold", "4:2", "--threshold", "16:3", "--recruiting", "registry", "--galois", "log",
            "--timers", "resend_ms: 7 resends_max: 9", "--time-scale", "2.5", "--listen", "127.0.0.2:4000", "--events",
            "4001", "--control", "4002", "--threads", "2", "--log", "error", "--die-with-parent", "--name", "boss" });
    QVERIFY2(coordinator.line, coordinator.text.c_str());
    const CoordinatorLine& line = *coordinator.line;
    QCOMPARE(line.config.m(), 8u);
    QCOMPARE(line.config.availability(), 2u);
    QCOMPARE(line.config.b(), 50u);
    QCOMPARE(line.config.field(), pb::GF_8);
    QCOMPARE(line.config.rerank(), pb::KEEP);
    QCOMPARE(line.config.recovery(), pb::RECOVERY_AUTOMATIC);
    QCOMPARE(line.config.slice(), 50u);
    QCOMPARE(line.config.galois(), std::string("log"));
    QCOMPARE(line.config.thresholds_size(), 2);
    QCOMPARE(line.config.thresholds(1).buckets(), 16u);
    QCOMPARE(line.config.thresholds(1).availability(), 3u);
    QCOMPARE(line.recruiting, std::string("registry"));
    QCOMPARE(line.timers.resend_ms(), 7u);
    QCOMPARE(line.timeScale, 2.5);
    QVERIFY((line.process.listen == Endpoint { 0x7f000002, 4000 }));
    QCOMPARE(int(line.process.eventsPort), 4001);
    QCOMPARE(int(line.process.controlPort), 4002);
    QCOMPARE(line.process.workingThreads, 2u);
    QVERIFY(line.process.diesWithParent);
    QCOMPARE(line.process.name, std::string("boss"));

    const auto node = parsed(parseNodeLine, { "--coordinator", "localhost:4000", "--role", "parity" });
    QVERIFY(node.line);
    QCOMPARE(node.line->pool, pb::PARITY);
    QVERIFY((node.line->process.coordinator == Endpoint { 0x7f000001, 4000 }));
    QVERIFY(node.line->process.name.starts_with("node-"));
    const auto client = parsed(parseClientLine, { "--coordinator=127.0.0.1:4000" });
    QVERIFY(client.line);
    QCOMPARE(client.line->process.workingThreads, 4u);
    QVERIFY((client.line->process.listen == Endpoint { 0x7f000001, 0 }));
}

void ProgramsTest::aConfigurationFileIsReadAndOptionsChangeIt()
{
    QTemporaryFile file;
    QVERIFY(file.open());
    file.write("# a file of the demo\nm: 2\nb: 40\nfield: GF_8\nthresholds { buckets: 8 availability: 2 }\n");
    file.close();
    const auto line = parsed(parseCoordinatorLine, { "-b", "60", "--config", file.fileName() });
    QVERIFY2(line.line, line.text.c_str());
    QCOMPARE(line.line->config.m(), 2u);
    QCOMPARE(line.line->config.b(), 60u);
    QCOMPARE(line.line->config.field(), pb::GF_8);
    QCOMPARE(line.line->config.availability(), 1u); // the default remains
    QCOMPARE(line.line->config.thresholds(0).buckets(), 8u);

    QVERIFY(file.open());
    file.resize(0);
    file.write("m: 4\nb: 10\nbuckets: 3\n");
    file.close();
    const auto wrong = parsed(parseCoordinatorLine, { "--config", file.fileName() });
    QCOMPARE(wrong.exitCode, kExitUsage);
    QVERIFY(wrong.text.find("line 3, column") != std::string::npos);
    QVERIFY(wrong.text.find("buckets") != std::string::npos);
}

void ProgramsTest::aWrongCommandLineEndsWithASentence_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* words, const char* says) {
        QTest::newRow(words) << QString::fromUtf8(words).split(' ') << QString::fromUtf8(says);
    };
    row("-m 33", "from 1 to 32");
    row("-m 0", "from 1 to 32");
    row("-m four", "\"four\" is not");
    row("-b 0", "from 1 to");
    row("-b 268435457", "from 1 to 268435456"); // no server would accept it, and the file would never be created
    row("-k 9", "from 0 to 8");
    row("--field 12", "use one of: 16, 8");
    row("--galois isa-l", "use simd, gf-complete or log");
    row("--galois simd:sse9", "simd:portable");
    row("--rerank maybe", "use one of: fill, keep");
    row("--recovery maybe", "use one of: off, automatic, alarm, manual");
    row("--slice 0", "16777216");
    row("--recruiting radio", "use one of: auto, multicast, registry");
    row("--threshold 8", "write for instance 8:2");
    row("--threshold 8:2 --threshold 4:3", "must grow");
    row("--threshold 8:2 -k 3", "must grow");
    row("--timers resend:5", "line 1, column");
    row("--time-scale 0", "from 0.01 to 1000");
    row("--threads 0", "from 1 to 64");
    row("--listen 192.168.1.1:4000", "is not a loopback address");
    row("--listen 0.0.0.0", "is no address that others can be told");
    row("--listen ::", ":: is no address that others can be told");
    row("--listen fd77::8", "is not a loopback address");
    row("--listen [fd77::8]:4000", "fd77::8 is not a loopback address");
    row("--listen fe80::1", "is valid at one interface only");
    row("--listen [::1", "is not an address");
    row("--listen [127.0.0.1]:4000", "is not an address");
    row("--listen [::1]4000", "has more than an address");
    row("--listen [::1]:70000", "is not a port");
    row("--listen lab1", "\"lab1\" is not an address; write for instance 127.0.0.1:4000 or [::1]:4000");
    row("--listen 127.0.0.1:70000", "is not a port");
    row("--events -1", "is not a port");
    row("--name a\nb", "letters, digits");
    row("--log loud", "use one of: trace");
    row("--config /nonexistent/file", "cannot be read");
    row("--frobnicate", "--frobnicate");
    row("surplus", "surplus");
}

void ProgramsTest::aWrongCommandLineEndsWithASentence()
{
    QFETCH(QStringList, words);
    QFETCH(QString, says);
    const auto line = parsed(parseCoordinatorLine, words);
    QVERIFY(!line.line);
    QCOMPARE(line.exitCode, kExitUsage);
    QVERIFY2(QString::fromStdString(line.text).contains(says), line.text.c_str());
    QVERIFY(line.text.starts_with("lhrs-coordinator: "));
}

void ProgramsTest::timesAreScaledAndCountsAreNot()
{
    pb::Timers timers;
    timers.set_resend_ms(30);
    timers.set_resends_max(3);
    timers.set_operation_ms(5'000);
    const pb::Timers slow = scaleTimes(timers, 5);
    QCOMPARE(slow.resend_ms(), 150u);
    QCOMPARE(slow.resends_max(), 3u);
    QCOMPARE(slow.operation_ms(), 25'000u);
    QCOMPARE(scaleTimes(timers, 0.01).resend_ms(), 1u);
}

// ---- programs

void ProgramsTest::eachProgramExplainsItself_data()
{
    QTest::addColumn<QString>("program");
    for (const char* program : { "lhrs-coordinator", "lhrs-node", "lhrs-client", "lhrs-sim" })
        QTest::newRow(program) << QString::fromUtf8(program);
}

void ProgramsTest::eachProgramExplainsItself()
{
    QFETCH(QString, program);
    Program help(program, { "--help" });
    QVERIFY(help.waitForEnd());
    QCOMPARE(help.exitCode(), 0);
    QVERIFY(help.output().contains("--control"));
    Program version(program, { "--version" });
    QVERIFY(version.waitForEnd());
    QCOMPARE(version.exitCode(), 0);
    QCOMPARE(version.output(), program + ' ' + LHRS_VERSION + '\n');
    Program open(program, { "--listen", "10.0.0.1", "--coordinator", "127.0.0.1:4000" });
    QVERIFY(open.waitForEnd());
    QCOMPARE(open.exitCode(), kExitUsage);
    QVERIFY(open.errors().contains(program + ':'));
}

void ProgramsTest::aProgramSaysWhereItListensAndEndsCleanly_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("end");
    QTest::newRow("coordinator") << "lhrs-coordinator" << SIGTERM;
    QTest::newRow("node") << "lhrs-node" << SIGTERM;
    QTest::newRow("client") << "lhrs-client" << SIGTERM;
    QTest::newRow("from the keyboard") << "lhrs-coordinator" << SIGINT;
}

void ProgramsTest::aProgramSaysWhereItListensAndEndsCleanly()
{
    QFETCH(QString, program);
    QFETCH(int, end);
    Program coordinator("lhrs-coordinator", {});
    QVERIFY(coordinator.isReady());
    QStringList arguments { "--name", "tested", "--log", "warning" };
    if (program != QStringLiteral("lhrs-coordinator"))
        arguments << "--coordinator" << QString::fromStdString(coordinator.at("udp"));
    Program tested(program, arguments);
    QVERIFY(tested.isReady());
    QCOMPARE(tested.name, QStringLiteral("tested"));
    ControlSocket control(tested.at("control"));
    const auto reply = control.call(who());
    QVERIFY(reply);
    QCOMPARE(reply->process().name(), std::string("tested"));
    QCOMPARE(reply->process().events_endpoint(), tested.at("events"));
    QCOMPARE(udpText(reply->process().address()), tested.at("udp"));
    Watcher watcher(tested.at("events"));
    QVERIFY(watcher.next()); // gauges at least: each process acts or receives a message twice a second
    const auto begin = std::chrono::steady_clock::now();
    QVERIFY(tested.signal(end));
    QVERIFY(watcher.hears([](const pb::Event& event) { return event.has_process_ended(); }));
    QVERIFY(tested.waitForEnd());
    QCOMPARE(tested.exitCode(), 0);
    QVERIFY(std::chrono::steady_clock::now() - begin < 1s);
    QCOMPARE(tested.errors(), QString());
}

void ProgramsTest::aPortInUseEndsWithASentence_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("which");
    QTest::newRow("listen") << "--listen"
                            << "udp";
    QTest::newRow("events") << "--events"
                            << "events";
    QTest::newRow("control") << "--control"
                             << "control";
}

void ProgramsTest::aPortInUseEndsWithASentence()
{
    QFETCH(QString, option);
    QFETCH(QString, which);
    Program first("lhrs-coordinator", {});
    QVERIFY(first.isReady());
    const QString used = QString::fromStdString(first.at(which.toStdString())).section(':', -1);
    Program second("lhrs-coordinator", { option, option == QStringLiteral("--listen") ? "127.0.0.1:" + used : used });
    QVERIFY(second.waitForEnd());
    QCOMPARE(second.exitCode(), kExitFailed);
    const QString said = second.errors();
    QVERIFY2(
        said.contains(used) && said.contains("in use by another program") && said.contains(option), qPrintable(said));
}

void ProgramsTest::aNodeWithoutCoordinatorEndsWithASentence()
{
    const auto silent = UdpSocket::open({ kLoopback, 0 });
    QVERIFY(silent);
    const QString where = QString::fromStdString(textOf(silent->self()));
    Program node("lhrs-node", { "--coordinator", where });
    Program client("lhrs-client", { "--coordinator", where });
    for (Program* program : { &node, &client }) {
        QVERIFY(program->waitForEnd());
        QCOMPARE(program->exitCode(), kExitNoCoordinator);
        const QString said = program->errors();
        QVERIFY2(said.contains(where) && said.contains("--coordinator"), qPrintable(said));
    }
}

namespace {

// A packet as the next version of the protocol may begin; nothing after its type is known to us.
std::string packetOfVersion(std::uint8_t version, std::uint8_t type, std::size_t size)
{
    std::string packet(size, '\x5a');
    packet.replace(0, 4, "LHRS");
    packet[4] = char(version);
    packet[5] = char(type);
    return packet;
}

} // namespace

void ProgramsTest::aCoordinatorOfAnotherVersionIsNamed()
{
    constexpr std::uint8_t kOther = kProtocolVersion + 1, kNotice = 4;
    const auto coordinator = UdpSocket::open({ kLoopback, 0 });
    QVERIFY(coordinator);
    std::jthread answers([&](std::stop_token stop) {
        const std::string notice = packetOfVersion(kOther, kNotice, kEnvelopeBytes);
        DatagramBatch batch;
        while (!stop.stop_requested() && coordinator->receive(batch))
            for (std::size_t i = 0; i < batch.size(); ++i) {
                OutDatagram out { batch.from(i), notice };
                coordinator->send({ &out, 1 });
            }
    });
    const QString where = QString::fromStdString(textOf(coordinator->self()));
    Program node("lhrs-node", { "--coordinator", where });
    const bool isOver = node.waitForEnd();
    answers.request_stop();
    coordinator->interrupt();
    QVERIFY(isOver);
    QCOMPARE(node.exitCode(), kExitNoCoordinator);
    const QString said = node.errors();
    const QString wanted = QString("what is at %1 speaks version %2 of the protocol, and this process version %3")
                               .arg(where)
                               .arg(kOther)
                               .arg(kProtocolVersion);
    QVERIFY2(said.contains(wanted), qPrintable(said));
}

void ProgramsTest::aProcessOfAnotherVersionIsToldSoOnce()
{
    constexpr std::uint8_t kOther = kProtocolVersion + 1, kMessages = 1, kNotice = 4;
    Program coordinator("lhrs-coordinator", {});
    QVERIFY(coordinator.isReady());
    const std::string where = coordinator.at("udp");
    const Endpoint to { kLoopback, std::uint16_t(std::stoi(where.substr(where.find(':') + 1))) };
    const auto quiet = UdpSocket::open({ kLoopback, 0 }), asking = UdpSocket::open({ kLoopback, 0 });
    QVERIFY(quiet && asking);
    const auto send = [&](const UdpSocket& from, const std::string& packet) {
        OutDatagram out { to, packet };
        return from.send({ &out, 1 }) == 0;
    };
    // A notice, and what is shorter than one, are not answered; a message is, with no more bytes and once a second.
    QVERIFY(send(*quiet, packetOfVersion(kOther, kNotice, 200)));
    QVERIFY(send(*quiet, packetOfVersion(kOther, kMessages, kEnvelopeBytes - 1)));
    for (int i = 0; i < 50; ++i)
        QVERIFY(send(*asking, packetOfVersion(kOther, kMessages, kEnvelopeBytes)));
    DatagramBatch batch;
    QVERIFY(asking->receive(batch));
    QCOMPARE(batch.size(), std::size_t(1));
    QCOMPARE(batch[0].size(), kEnvelopeBytes);
    QCOMPARE(QByteArray(batch[0].data(), 6), QByteArray("LHRS\1\4"));
    ControlSocket control(coordinator.at("control"));
    QVERIFY(control.call(who()));
    QCOMPARE(quiet->buffered().bytes + asking->buffered().bytes, std::size_t(0));
    QVERIFY(coordinator.signal(SIGTERM) && coordinator.waitForEnd());
    const QString said = coordinator.errors();
    const QString own = QString::fromStdString(textOf(asking->self()));
    QCOMPARE(said.count(own), 1);
    QVERIFY2(said.contains(QString("what is at %1 speaks version %2 of the protocol, and this process version %3")
                               .arg(own)
                               .arg(kOther)
                               .arg(kProtocolVersion)),
        qPrintable(said));
}

void ProgramsTest::aClusterOnIPv6ServesOnLoopback()
{
    if (!UdpSocket::open({ kLoopback6, 0 }))
        QSKIP("this computer has no IPv6");
    Program coordinator("lhrs-coordinator", { "--new", "--listen", "::1", "-m", "2", "-k", "1", "-b", "20" });
    QVERIFY2(coordinator.isReady(), qPrintable(coordinator.errors()));
    const std::string where = coordinator.at("udp");
    QVERIFY2(where.starts_with("[::1]:") && coordinator.at("control").starts_with("tcp://[::1]:")
            && coordinator.at("events").starts_with("tcp://[::1]:"),
        where.c_str());
    std::vector<std::unique_ptr<Program>> others; // which need no --listen
    for (const char* pool : { "data", "data", "data", "parity", "parity" }) {
        others.push_back(std::make_unique<Program>(
            "lhrs-node", QStringList { "--coordinator", QString::fromStdString(where), "--role", pool }));
        QVERIFY(others.back()->isReady());
    }
    Program client("lhrs-client", { "--coordinator", QString::fromStdString(where), "--name", "alice" });
    QVERIFY(client.isReady());
    QTemporaryDir folder;
    QFile script(folder.filePath("six.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ m: 2, k: 1, b: 20 }); const a = lab.client('alice');\n"
                 "const all = a.run({ do: 'insert', count: 30, window: 4 }); lab.settle();\n"
                 "lab.expectEqual([all.results.ok, a.verify().wrong, a.scan().records], [30, 0, 30], 'all there');\n"
                 "lab.expectEqual(lab.audit().unequal, 0, 'parity equal');\n");
    script.close();
    Program play("lhrs-play",
        { script.fileName(), "--connect", QString::fromStdString(coordinator.at("control")).remove("tcp://") });
    QVERIFY(play.waitForEnd());
    QVERIFY2(play.exitCode() == 0, qPrintable(play.output() + play.errors()));
}

void ProgramsTest::aProgramDiesWithItsParentWhenTold()
{
    QProcess shell;
    shell.start("/bin/sh",
        { "-c", QStringLiteral("%1/lhrs-coordinator --die-with-parent --log off & wait").arg(LHRS_BIN_DIR) });
    while (!shell.canReadLine())
        QVERIFY(shell.waitForReadyRead(int(std::chrono::milliseconds(kPatience).count())));
    const QString line = QString::fromUtf8(shell.readLine());
    ControlSocket control(line.section("control=", 1).section(' ', 0, 0).toStdString());
    const auto reply = control.call(who());
    QVERIFY(reply);
    const auto child = pid_t(reply->process().pid());
    QVERIFY(signalOne(child, 0));
    shell.kill();
    QVERIFY(shell.waitForFinished());
    // Gone, or dead and not yet reaped by its new parent.
    QVERIFY(eventually([child] {
        QFile status(QStringLiteral("/proc/%1/stat").arg(child));
        return !status.open(QIODevice::ReadOnly) || status.readAll().contains(") Z ");
    }));
}

void ProgramsTest::shutdownIsAnsweredAndEndsTheProcess()
{
    Program coordinator("lhrs-coordinator", {});
    QVERIFY(coordinator.isReady());
    ControlSocket control(coordinator.at("control"));
    pb::Command command;
    command.mutable_shutdown();
    QVERIFY(control.call(command));
    QVERIFY(coordinator.waitForEnd());
    QCOMPARE(coordinator.exitCode(), 0);
}

QTEST_GUILESS_MAIN(ProgramsTest)
#include "tst_programs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Real processes are killed: the file's records are recovered, and its group becomes whole again.
#include "tests/rigs/lab/signals.h"

#include "gui/lab/control/lhrs/audit.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"

#include <QTest>

#include <chrono>

using namespace lhrs;
using namespace lhrs::gui;
using namespace std::chrono_literals;

class KillTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void killedBucketsComeBack_data();
    void killedBucketsComeBack();
    void aSearchForAKilledBucketIsAnswered();

private:
    pb::CommandReply ask(ProcessId process, const pb::Command& command);
    // A file of four data buckets and `availability` parity buckets, with this many records.
    void create(
        std::uint32_t availability, std::uint64_t records, std::uint32_t dataServers, std::uint32_t parityServers);
    pb::FileDescription describe();
    void kill(pb::Role role, std::uint32_t index);
    pb::WorkloadResult verify();

    std::unique_ptr<Session> m_session;
    ProcessId m_client = 0;
};

void KillTest::init()
{
    m_session = std::make_unique<Session>();
    m_session->local().setProgramDirectory(LHRS_BIN_DIR);
    m_session->control().setDetail(pb::COUNTS, 0);
}

pb::CommandReply KillTest::ask(ProcessId process, const pb::Command& command)
{
    Answer answer = m_session->control().callAndWait(process, command, 60s);
    // A client that has just started may not have heard of the coordinator yet, and reports so.
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (answer.outcome == Answer::Outcome::Refused && answer.reply.refusal() == pb::REFUSED
        && std::chrono::steady_clock::now() < until)
        answer = m_session->control().callAndWait(process, command, 60s);
    if (!answer)
        qWarning("%s", answer.text.c_str());
    return answer.reply;
}

pb::FileDescription KillTest::describe()
{
    pb::Command command;
    command.mutable_describe_file();
    return ask(m_session->control().coordinator(), command).file();
}

void KillTest::create(
    std::uint32_t availability, std::uint64_t records, std::uint32_t dataServers, std::uint32_t parityServers)
{
    LocalOptions options;
    options.config.set_m(4);
    options.config.set_availability(availability);
    options.config.set_b(std::uint32_t(records * 2 / 5)); // so that the records fit into four buckets
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(200);
    options.slowTimers = true; // a machine that runs many tests: a slow process must not be declared failed
    options.dataServers = dataServers;
    options.parityServers = parityServers;
    const auto started = m_session->local().start(options);
    QVERIFY2(bool(started), started ? "" : started.error().text.c_str());
    QTRY_VERIFY_WITH_TIMEOUT(describe().exists(), 10'000);
    const auto client = m_session->local().startClient("alice");
    QVERIFY2(bool(client), client ? "" : client.error().text.c_str());
    m_client = client->node();
    pb::Command insert;
    auto* workload = insert.mutable_run_workload();
    workload->set_kind(pb::INSERT);
    workload->set_count(records);
    workload->set_length(100);
    workload->set_window(16);
    QCOMPARE(ask(m_client, insert).workload().results().at("OK"), records);
    QTRY_VERIFY_WITH_TIMEOUT(describe().at_rest(), 20'000);
    QCOMPARE(describe().buckets(), 4u);
}

void KillTest::kill(pb::Role role, std::uint32_t index)
{
    pb::Command command;
    command.mutable_list_processes();
    const pb::ProcessList processes = ask(m_session->control().coordinator(), command).processes();
    const pb::FileDescription file = describe();
    for (const pb::Member& member : file.groups(0).view().members()) {
        if (member.role() != role || member.index() != index)
            continue;
        for (const auto& entry : processes.processes()) {
            if (entry.process().node() == member.holder().node())
                QVERIFY(signalOne(entry.process().pid(), SIGKILL)); // a process of this test
        }
    }
}

pb::WorkloadResult KillTest::verify()
{
    pb::Command command;
    command.mutable_verify()->set_window(16);
    return ask(m_client, command).workload();
}

void KillTest::killedBucketsComeBack_data()
{
    QTest::addColumn<std::uint32_t>("data"); // buckets to be killed
    QTest::addColumn<std::uint32_t>("parity");
    QTest::newRow("one data bucket") << 1u << 0u;
    QTest::newRow("two data buckets") << 2u << 0u;
    QTest::newRow("a data and a parity bucket") << 1u << 1u;
    QTest::newRow("two parity buckets") << 0u << 2u;
}

void KillTest::killedBucketsComeBack()
{
    QFETCH(const std::uint32_t, data);
    QFETCH(const std::uint32_t, parity);
    create(2, 5'000, 4 + data, 2 + parity);
    for (std::uint32_t q = 0; q < data; ++q)
        kill(pb::DATA, 2 - q);
    for (std::uint32_t p = 0; p < parity; ++p)
        kill(pb::PARITY, p);
    const auto isWhole = [&] {
        const pb::FileDescription file = describe();
        const pb::View& view = file.groups(0).view();
        return file.at_rest() && view.epoch() > 0 && view.state() == pb::GROUP_UP && view.members_size() == 6
            && std::all_of(
                view.members().begin(), view.members().end(), [](const pb::Member& m) { return m.state() == pb::UP; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(!isWhole(), 10'000); // their absence is noticed
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(), 30'000);
    const pb::WorkloadResult read = verify();
    QCOMPARE(read.results().at("OK"), 5'000u);
    QCOMPARE(read.wrong() + read.missing() + read.unanswered(), 0u);
    const auto audit = auditGroup(m_session->control(), 0, {});
    QVERIFY2(bool(audit), audit ? "" : audit.error().text.c_str());
    QCOMPARE(audit->unequal, 0u);
    QVERIFY(audit->ranks > 0);
}

// Demo paper 4(d): without a spare the bucket does not come back, but its records are still found.
void KillTest::aSearchForAKilledBucketIsAnswered()
{
    create(1, 500, 4, 1);
    kill(pb::DATA, 1);
    const pb::WorkloadResult read = verify();
    QCOMPARE(read.results().at("OK"), 500u);
    QCOMPARE(read.wrong() + read.missing() + read.unanswered(), 0u);
    QCOMPARE(describe().groups(0).view().state(), pb::GROUP_DEGRADED);
    pb::Command search;
    search.mutable_operate()->set_kind(pb::SEARCH);
    search.mutable_operate()->set_key(4 * 1'000'003 + 1); // a key of bucket 1 that is in no key list
    const pb::OperationResult nothing = ask(m_client, search).operation();
    QCOMPARE(nothing.result(), pb::NOT_FOUND);
    QCOMPARE(nothing.path(), pb::RECORD_RECOVERY);
}

QTEST_GUILESS_MAIN(KillTest)
#include "tst_kill.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/played_cluster.h"

#include "tests/bench/insert_teller.h"
#include "tests/rigs/gui/fake_cluster.h"

#include <QCoreApplication>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/prctl.h>

namespace lhrs::gui {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPatience = 20'000; // ms for an answer of the other process
constexpr std::chrono::milliseconds kBatchTime(2); // the interval of the publishers in the real processes
constexpr std::size_t kBatch = 256;

// Publishes inserts until it is stopped; returns the number of events.
std::uint64_t tellInserts(
    FakeCluster& cluster, InsertTeller& inserts, std::uint32_t eventsPerSecond, const std::stop_token& stop)
{
    std::uint64_t told = 0;
    std::mutex pause;
    std::condition_variable_any paused;
    std::map<ProcessId, std::vector<pb::Event>> batches;
    const Clock::time_point begin = Clock::now();
    for (Clock::time_point next = begin; !stop.stop_requested(); next += kBatchTime) {
        std::unique_lock lock(pause);
        (void)paused.wait_until(lock, stop, next, [] { return false; });
        const auto due = std::uint64_t(std::chrono::duration<double>(Clock::now() - begin).count() * eventsPerSecond);
        for (; told < due; told += InsertTeller::kEvents) {
            for (const InsertTeller::PublishedEvent& event : inserts.insert()) {
                std::vector<pb::Event>& batch = batches[event.process];
                batch.push_back(event.event);
                if (batch.size() >= kBatch)
                    cluster.tell(event.process, std::exchange(batch, {}));
            }
        }
        for (auto& [process, batch] : batches) {
            if (!batch.empty())
                cluster.tell(process, std::exchange(batch, {}));
        }
    }
    return told;
}

} // namespace

FileShape benchShape(std::uint32_t buckets)
{
    FileShape shape { buckets, 4, 1 };
    shape.b = 200;
    shape.records = 150;
    return shape;
}

int playCluster(std::uint32_t buckets)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const FileShape shape = benchShape(buckets);
    FakeCluster cluster(shape);
    std::cout << cluster.address().toStdString() << std::endl;
    InsertTeller inserts(shape, buckets - 1);
    std::atomic<std::uint64_t> told { 0 };
    std::jthread teller;
    std::uint32_t marks = 0;
    for (std::string word; std::cin >> word;) {
        if (word == "load") {
            std::uint32_t eventsPerSecond = 0;
            std::cin >> eventsPerSecond;
            teller = std::jthread([&, eventsPerSecond](const std::stop_token& stop) {
                told = tellInserts(cluster, inserts, eventsPerSecond, stop);
            });
        } else if (word == "rest") {
            teller = std::jthread();
            std::cout << told.exchange(0) << std::endl;
        } else if (word == "mark") {
            pb::Event event;
            event.mutable_place()->set_role(pb::DATA);
            event.mutable_place()->set_number(buckets - 1);
            auto* record = event.mutable_record_inserted();
            record->set_rank(++marks % shape.records + 1);
            record->set_count(marks % 2 == 0 ? shape.records : shape.records / 4); // seen at any size of the card
            record->set_sequence(shape.records + marks);
            record->set_key(record->rank() * 100 + buckets - 1);
            cluster.tell(kFileData + buckets - 1, event);
        }
    }
    return 0;
}

PlayedCluster::PlayedCluster(std::uint32_t buckets) : m_shape(benchShape(buckets))
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(
        QCoreApplication::applicationFilePath(), { QStringLiteral("--play-cluster"), QString::number(buckets) });
    m_address = ask({});
}

PlayedCluster::~PlayedCluster()
{
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(kPatience))
        m_process.kill();
}

std::size_t PlayedCluster::processes() const
{
    return m_shape.buckets + (m_shape.buckets + m_shape.m - 1) / m_shape.m * m_shape.k + 1 + m_shape.clients
        + m_shape.dataSpares + m_shape.paritySpares;
}

// Writes the line and waits for the next line of the other process.
QString PlayedCluster::ask(const QByteArray& line)
{
    m_process.write(line);
    while (!m_process.canReadLine()) {
        if (!m_process.waitForReadyRead(kPatience))
            return {};
    }
    return QString::fromLatin1(m_process.readLine()).trimmed();
}

void PlayedCluster::load(std::uint32_t eventsPerSecond)
{
    m_process.write("load " + QByteArray::number(eventsPerSecond) + "\n");
    m_process.waitForBytesWritten(kPatience);
}

std::uint64_t PlayedCluster::rest() { return ask("rest\n").toULongLong(); }

void PlayedCluster::mark()
{
    m_process.write("mark\n");
    m_process.waitForBytesWritten(kPatience);
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_link.h"

#include "common/keys/key_file.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/process/detail_words.h"
#include "gui/show/words/quantity_words.h"

#include <QFile>

#include <iterator>
#include <optional>

namespace lhrs::gui {

namespace {

constexpr int kWatchEvery = 200; // milliseconds
constexpr std::uint32_t kSample = 100;

} // namespace

QString clientNameOf(std::uint32_t number)
{
    static const char* const kNames[] = { "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi" };
    return number < std::size(kNames) ? QString::fromLatin1(kNames[number])
                                      : QStringLiteral("client-%1").arg(number + 1);
}

ClusterLink::ClusterLink(const CommandContext& context) : m_context(context)
{
    connect(&m_watch, &QTimer::timeout, this, &ClusterLink::watch);
    m_watch.start(kWatchEvery);
}

void ClusterLink::set(LinkState state, const QString& trouble)
{
    if (state == m_state && trouble == m_trouble)
        return;
    m_state = state;
    m_trouble = trouble;
    emit changed();
}

void ClusterLink::begin(LinkState state, bool isLocal, const QString& address)
{
    m_isLocal = isLocal;
    m_address = address;
    m_since.start();
    emit clusterChanged();
    set(state);
}

void ClusterLink::start(
    const LocalOptions& options, const QString& line, std::uint32_t recordBytes, std::uint32_t clients)
{
    m_recordBytes = recordBytes;
    emit m_context.report.said(line);
    begin(LinkState::Starting, true, {});
    m_context.worker.post([this, options, line, clients](const std::stop_token& stop) {
        const Result<void> started = m_context.local.start(options, stop);
        for (std::uint32_t client = 0; started && client < clients; ++client)
            (void)m_context.local.startClient(clientNameOf(client).toStdString(), stop);
        const QString trouble = started ? QString() : text(started.error().text);
        QMetaObject::invokeMethod(
            this,
            [this, trouble, line] {
                set(trouble.isEmpty() ? LinkState::Here : LinkState::None, trouble);
                const auto patience = m_context.local.patience();
                QStringList words { QStringLiteral("%1 processes are running after %2")
                                        .arg(m_context.local.processes())
                                        .arg(durationWords(m_since.nsecsElapsed())) };
                if (const std::string late = patience ? patienceWords(*patience) : ""; !late.empty())
                    words << QString::fromStdString(late);
                emit m_context.report.answered(
                    line, trouble.isEmpty() ? words.join(QStringLiteral("; ")) : trouble, trouble.isEmpty());
            },
            Qt::QueuedConnection);
    });
}

void ClusterLink::connectTo(const QString& address, const QString& keyFile)
{
    const auto endpoint = endpointOf(address.toStdString());
    if (!endpoint) {
        set(m_state, text(endpoint.error().text)); // a cluster that is watched stays
        return;
    }
    std::optional<KeyFile> key;
    if (!keyFile.isEmpty()) {
        const auto read = readKeyFile(QFile::encodeName(keyFile).toStdString());
        if (!read) {
            set(m_state, text(read.error().text + "."));
            return;
        }
        key = *read;
    }
    begin(LinkState::Starting, false, address);
    m_context.worker.post([this, coordinator = *endpoint, key](const std::stop_token&) {
        m_context.local.stop();
        m_context.control.leaveCluster();
        m_context.ingest.peerKeys().use(key);
        m_context.control.watchCluster(coordinator);
    });
}

void ClusterLink::leave()
{
    begin(LinkState::None, false, {});
    m_context.worker.post([this](const std::stop_token&) {
        m_context.local.stop();
        m_context.control.leaveCluster();
    });
}

void ClusterLink::setDetail(pb::Detail detail)
{
    m_context.control.setDetail(detail, kSample);
    m_context.report.tell(QStringLiteral("lab.detail('%1');").arg(QString::fromStdString(detailWord(detail))),
        { tr("all processes publish at this detail") });
}

void ClusterLink::setScenarioRuns(bool on)
{
    if (!on)
        watch(); // a short scenario ends between two checks; its cluster stays
    m_scenarioRuns = on;
    emit changed();
}

// Checks the coordinator's state in the session a few times a second, also for changes by a scenario.
void ClusterLink::watch()
{
    const bool answers = m_context.control.coordinatorAnswers();
    if (const auto known = m_context.control.find(m_context.control.coordinator());
        known && !known->info.control_endpoint().empty())
        m_address = text(known->info.control_endpoint()).section(QLatin1Char('/'), -1);
    switch (m_state) {
    case LinkState::None:
        if (m_scenarioRuns && answers) {
            m_isLocal = m_context.local.isRunning();
            set(LinkState::Here);
        }
        return;
    case LinkState::Starting:
        if (!m_isLocal && answers)
            set(LinkState::Here);
        else if (!m_isLocal && m_since.isValid() && m_since.elapsed() > kAnswer.count())
            set(LinkState::None,
                tr("Nothing answers at %1 within %2 s. Is a coordinator running there, and is this its control "
                   "endpoint?")
                    .arg(m_address)
                    .arg(kAnswer.count() / 1000));
        return;
    case LinkState::Here:
        if (!answers)
            set(LinkState::Lost);
        return;
    case LinkState::Lost:
        if (answers)
            set(LinkState::Here);
        return;
    }
}

} // namespace lhrs::gui

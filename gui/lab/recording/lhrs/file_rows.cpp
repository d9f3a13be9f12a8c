// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/file_rows.h"

#include "gui/lab/recording/rows/recorded_cells.h"
#include "gui/lab/series/lhrs/recovery_rows.h"
#include "gui/lab/series/lhrs/split_rows.h"
#include "gui/lab/state/lhrs/place_numbers.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lhrs::gui {

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

template <class Numbers> QString numbersJoined(const Numbers& numbers)
{
    QStringList texts;
    for (const auto number : numbers)
        texts << QString::number(number);
    return texts.join(' ');
}

// The rows of one cluster, folded from its events.
struct ClusterRows {
    struct Failure {
        std::uint32_t group = 0;
        pb::Place place;
        std::uint64_t process = 0;
        std::int64_t suspectedNs = 0, failedNs = 0, restoredNs = 0;
        std::string reason;
    };
    SplitRows splits;
    std::vector<QVariantList> creations;
    std::vector<Failure> failures;
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::int64_t> suspected; // role, group, index -> since when
    QVariant gf; // bits of a symbol
    bool isPureRs = false;

    void take(const pb::Event& event, std::int64_t ns)
    {
        splits.take(event, ns);
        if (event.has_file_created()) {
            gf = event.file_created().config().field() == pb::GF_8 ? 8 : 16;
            isPureRs = event.file_created().config().pure_rs();
        } else if (event.has_parity_bucket_filled() && event.place().role() == pb::PARITY) {
            const pb::ParityBucketFilled& e = event.parity_bucket_filled();
            creations.push_back({ event.place().number(), event.place().column(), gf,
                event.place().column() == 0 && !isPureRs ? "xor" : "rs", e.records(), stored(e.bytes()),
                qlonglong(e.total_ns()), qlonglong(e.process_ns()), qlonglong(e.communication_ns()),
                qlonglong(e.other_ns()), qlonglong(e.transfer_ns()) });
        } else if (event.has_member_suspected()) {
            const pb::MemberSuspected& e = event.member_suspected();
            suspected.try_emplace({ int(e.role()), e.group(), e.index() }, ns);
        } else if (event.has_members_answered()) {
            std::erase_if(
                suspected, [&](const auto& one) { return std::get<1>(one.first) == event.members_answered().group(); });
        } else if (event.has_bucket_failed()) {
            fail(event.bucket_failed(), ns);
        } else if (event.has_recovery_finished()) {
            for (const std::uint32_t bucket : event.recovery_finished().buckets())
                restore(pb::DATA, event.recovery_finished().group(), bucket, ns);
        } else if (event.has_parity_added()) {
            restore(pb::PARITY, event.parity_added().group(), event.parity_added().column(), ns);
        }
    }

    void fail(const pb::BucketFailed& e, std::int64_t ns)
    {
        Failure& failure = failures.emplace_back();
        failure.group = e.group();
        failure.place.set_role(e.role());
        failure.place.set_number(e.role() == pb::PARITY ? e.group() : e.index());
        failure.place.set_column(e.role() == pb::PARITY ? e.index() : 0);
        failure.process = e.process();
        failure.failedNs = ns;
        failure.reason = e.reason();
        if (const auto since = suspected.find({ int(e.role()), e.group(), e.index() }); since != suspected.end()) {
            failure.suspectedNs = since->second;
            suspected.erase(since);
        }
    }

    void restore(pb::Role role, std::uint32_t group, std::uint32_t index, std::int64_t ns)
    {
        for (Failure& failure : failures)
            if (failure.restoredNs == 0 && failure.place.role() == role && failure.group == group
                && (role == pb::PARITY ? failure.place.column() : failure.place.number()) == index)
                failure.restoredNs = ns;
    }
};

class FileRows : public SystemRows {
public:
    void take(int cluster, ProcessId process, const pb::Event& event, std::int64_t ns) override
    {
        m_recoveries.setCluster(std::uint32_t(cluster));
        m_recoveries.take(process, event, ns);
        m_clusters[cluster].take(event, ns);
    }
    void takeEnd(ProcessId process, std::int64_t ns) override { m_recoveries.takeEnd(process, ns); }
    QString write(RecordingConnection& connection, int clusters) override;

private:
    std::map<int, ClusterRows> m_clusters;
    RecoveryRows m_recoveries { kNoLimit, 0 };
};

QString FileRows::write(RecordingConnection& connection, int clusters)
{
    if (clusters > 0)
        m_recoveries.setCluster(std::uint32_t(clusters)); // recoveries of former clusters have ended
    QSqlQuery split(connection.database()), creation(connection.database()), recovery(connection.database()),
        failure(connection.database());
    if (!split.prepare("INSERT INTO split_row VALUES (NULL," + marks(12) + ")")
        || !creation.prepare("INSERT INTO creation_row VALUES (NULL," + marks(12) + ")")
        || !recovery.prepare("INSERT INTO recovery_row VALUES (NULL," + marks(21) + ")")
        || !failure.prepare("INSERT INTO failure_row VALUES (NULL," + marks(8) + ")"))
        return connection.database().lastError().text();
    for (const RecoveryRow& r : m_recoveries.rows()) {
        QStringList survivors;
        for (const pb::Place& place : r.survivors)
            survivors << text(placeName(place));
        const bool is = r.isFinished;
        if (const QString problem = insertRow(recovery,
                { r.cluster, stored(r.recovery), r.group, numbersJoined(r.failedData), numbersJoined(r.failedParity),
                    r.manager, survivors.join("; "), cellIf(is, r.isXor ? "xor" : "rs"), cellIf(r.slice != 0, r.slice),
                    cellIf(is, r.slices), cellIf(is, r.records), cellIf(is, stored(r.bytes)),
                    cellIf(r.isOrdered, qlonglong(r.beginNs)),
                    cellIf(r.detectNs.has_value(), qlonglong(r.detectNs.value_or(0))), cellIf(is, qlonglong(r.totalNs)),
                    cellIf(is, qlonglong(r.processNs)), cellIf(is, qlonglong(r.communicationNs)),
                    cellIf(is, qlonglong(r.otherNs)), cellIf(is, qlonglong(r.transferNs)),
                    cellIf(is, qlonglong(r.wholeNs)),
                    is                ? "finished"
                        : r.isGivenUp ? "given up"
                                      : "under way" });
            !problem.isEmpty())
            return problem;
    }
    for (const auto& [cluster, told] : m_clusters) {
        for (const auto& [id, s] : told.splits.rows()) {
            const std::int64_t locked = told.splits.lockedNs(s);
            if (!s.isOrdered)
                continue;
            if (const QString problem = insertRow(split,
                    { cluster, stored(id), int(s.isMerge), s.bucket, s.other, s.level, cellIf(s.isFinished, s.moved),
                        qlonglong(s.beginNs), cellIf(locked > 0, qlonglong(locked)),
                        cellIf(s.isFinished, qlonglong(s.totalNs)), s.batches,
                        s.outcome.empty() ? QString("under way") : text(s.outcome) });
                !problem.isEmpty())
                return problem;
        }
        for (const QVariantList& c : told.creations)
            if (const QString problem = insertRow(creation, QVariantList { cluster } + c); !problem.isEmpty())
                return problem;
        for (const ClusterRows::Failure& f : told.failures)
            if (const QString problem = insertRow(failure,
                    { cluster, f.group, qlonglong(placeNumber(f.place)), stored(f.process),
                        cellIf(f.suspectedNs != 0, qlonglong(f.suspectedNs)), qlonglong(f.failedNs),
                        cellIf(f.restoredNs != 0, qlonglong(f.restoredNs)), text(f.reason) });
                !problem.isEmpty())
                return problem;
    }
    return {};
}

} // namespace

std::unique_ptr<SystemRows> fileRows() { return std::make_unique<FileRows>(); }

} // namespace lhrs::gui

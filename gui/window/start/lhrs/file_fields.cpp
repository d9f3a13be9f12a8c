// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/lhrs/file_fields.h"

#include "gui/window/commands/lhrs/file_line.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kRecordExtra = 64; // bytes of overhead per record
constexpr int kServersMax = 1'100; // of one pool; this many are possible only in a simulation
constexpr int kSlicesShown = 5; // slices of a full bucket in a small file
constexpr int kSliceMax = 3'125; // ranks; a slice size of the 2003 report

} // namespace

FileFields::FileFields()
    : m_m(numberField(this, "m", 1, 32, 4)), m_k(numberField(this, "k", 0, 8, 1)),
      m_b(numberField(this, "b", 1, 10'000'000, 40)), m_data(numberField(this, "dataServers", 1, kServersMax, 9)),
      m_parity(numberField(this, "parityServers", 0, kServersMax, 5)),
      m_slice(numberField(this, "slice", 0, 1'000'000, 0)), m_loadControl(numberField(this, "loadControl", 0, 100, 0)),
      m_field(choiceField(
          this, "field", { QStringLiteral("GF(2¹⁶)"), QStringLiteral("GF(2⁸)") }, tr("Galois field of the parity"))),
      m_recovery(choiceField(this, "recovery", { tr("automatic"), tr("on an alarm"), tr("off"), tr("by hand") },
          tr("When a bucket that does not answer is recovered"))),
      m_transport(
          choiceField(this, "recoveryTransport", { tr("TCP"), tr("UDP") }, tr("How the slices of a recovery travel"))),
      m_tcp(choiceField(this, "tcp", { tr("passive open"), tr("handshake (SDDS-2000)") },
          tr("How connections for long messages are made"))),
      m_split(choiceField(this, "split", { tr("one after the other"), tr("up to four at once") },
          tr("How many buckets split at once"))),
      m_rerank(choiceField(this, "rerank", { tr("fill the holes"), tr("keep") },
          tr("Ranks of the records that stay when a bucket splits"))),
      m_merges(flagField(this, "merges", tr("merges: a file of few records shrinks"))),
      m_mixKeys(flagField(this, "mixKeys", tr("mixed keys: patterns spread evenly"))),
      m_pureRs(flagField(this, "pureRs", tr("experiment: multiply, never XOR"))), m_thresholds(new QLineEdit(this))
{
    m_slice->setSpecialValueText(tr("a fifth of a bucket"));
    m_loadControl->setSpecialValueText(tr("any"));
    m_loadControl->setSuffix(tr(" %"));
    m_thresholds->setObjectName(QStringLiteral("thresholds"));
    m_thresholds->setPlaceholderText(tr("never, or for example 8, 32"));
    m_thresholds->setAccessibleName(tr("Numbers of data buckets from which K is one higher"));
}

QString FileFields::id() const { return QStringLiteral("lhrs"); }

QString FileFields::name() const { return tr("LH*RS file"); }

QString FileFields::intro() const
{
    return tr("An LH*RS file lives in real processes: a coordinator, servers that become data and parity buckets, and "
              "clients.");
}

std::vector<FormRow> FileFields::firstRows(const GeneralRows& general) const
{
    return {
        { tr("data buckets of a group, m"), m_m,
            tr("The number of data buckets that share their parity. The larger m, the less storage parity takes, and "
               "the more buckets a recovery reads.") },
        { tr("intended availability, K"), m_k,
            tr("The number of parity buckets of each new group: it survives the loss of any K of its buckets. 0: "
               "nothing is recovered.") },
        { tr("capacity of a bucket, b records"), m_b,
            tr("A bucket with more records than that overflows, and the file splits the bucket at the split pointer, "
               "which is usually another one.") },
        general.recordBytes,
        { tr("field"), m_field,
            tr("Parity is computed with symbols of 16 bits, as in the papers, or of 8 bits, whose tables are smaller. "
               "Both give the same protection.") },
        { tr("recovery"), m_recovery,
            tr("automatic: any process that misses a bucket reports it. On an alarm: only one whose request is not "
               "answered, as in 2004. Off: no bucket is declared failed. By hand: “Look after the group”.") },
        { tr("data servers"), m_data,
            tr("Processes that wait to become data buckets. When none is left, the file cannot split until more are "
               "started.") },
        { tr("parity servers"), m_parity,
            tr("Processes that wait to become parity buckets: K for each group, and one for each bucket that is to be "
               "replaced.") },
        general.slow,
    };
}

std::vector<FormRow> FileFields::moreRows(const GeneralRows& general) const
{
    return {
        { tr("slices travel by"), m_transport,
            tr("How the slices of a bucket recovery travel: as streams, or as datagrams that are acknowledged one by "
               "one.") },
        { tr("ranks of a slice"), m_slice,
            tr("A lost bucket is rebuilt in slices of this many ranks, so that its group never waits for all of it at "
               "once.") },
        { tr("TCP connections"), m_tcp,
            tr("Passive open: all processes listen from the start, and connections stay open. Handshake: two "
               "datagrams, then a connection for one message.") },
        { tr("splits"), m_split,
            tr("One after the other, as the papers need it for bulk inserts; or several owed splits are staged at once "
               "and decided in the order of the split pointer.") },
        { tr("ranks after a split"), m_rerank,
            tr("Fill the holes: records with high ranks move into ranks that became free. Keep: ranks stay, and free "
               "ones are given to new records.") },
        { tr("splits above a load of"), m_loadControl,
            tr("An overflowing bucket causes a split only when the file is fuller than this: more records in fewer "
               "buckets. Any: every time.") },
        { tr("K grows at"), m_thresholds,
            tr("Numbers of data buckets, ascending: from each of them on, the intended availability is one higher. "
               "Empty: it stays what it is.") },
        general.gate,
        { {}, m_merges,
            tr("When few records are left, the last bucket goes back into the one that it was split from, and the file "
               "is smaller by one bucket.") },
        { {}, m_mixKeys,
            tr("Clients address by a mix of the key’s bits: keys with a pattern, such as all even ones, spread evenly "
               "too.") },
        { {}, m_pureRs,
            tr("Multiplies also where a coefficient is 1 and XOR would do, to measure what XOR saves. What is stored "
               "is the same.") },
        general.clients,
    };
}

QString FileFields::moreWords() const { return tr("Slices, connections, ranks, growing availability, clients"); }

void FileFields::applyTo(LocalOptions& options) const
{
    options.config.set_m(std::uint32_t(m_m->value()));
    options.config.set_availability(std::uint32_t(m_k->value()));
    options.config.set_b(std::uint32_t(m_b->value()));
    options.config.set_field(m_field->currentIndex() == 1 ? pb::GF_8 : pb::GF_16);
    options.config.set_recovery(m_recovery->currentIndex() == 0 ? pb::RECOVERY_AUTOMATIC
            : m_recovery->currentIndex() == 1                   ? pb::RECOVERY_ON_ALARM
            : m_recovery->currentIndex() == 2                   ? pb::RECOVERY_OFF
                                                                : pb::RECOVERY_MANUAL);
    if (m_recovery->currentIndex() != 2) // a few slices for each bucket, so that they can be seen
        options.config.set_slice(m_slice->value() > 0
                ? std::uint32_t(m_slice->value())
                : std::uint32_t(std::clamp(m_b->value() / kSlicesShown, 1, kSliceMax)));
    options.config.set_recovery_transport(m_transport->currentIndex() == 1 ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
    options.config.set_tcp_mode(m_tcp->currentIndex() == 1 ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
    options.config.set_parallel_splits(m_split->currentIndex() == 1);
    options.config.set_rerank(m_rerank->currentIndex() == 1 ? pb::KEEP : pb::FILL_HOLES);
    options.config.set_load_control(std::uint32_t(m_loadControl->value()) * 10);
    options.config.set_merges(m_merges->isChecked());
    options.config.set_mix_keys(m_mixKeys->isChecked());
    options.config.set_pure_rs(m_pureRs->isChecked());
    std::uint32_t availability = options.config.availability();
    for (const std::uint32_t buckets : thresholds()) {
        pb::Threshold* threshold = options.config.add_thresholds();
        threshold->set_buckets(buckets);
        threshold->set_availability(++availability);
    }
    options.dataServers = std::uint32_t(m_data->value());
    options.parityServers = std::uint32_t(m_parity->value());
}

QString FileFields::line(const LocalOptions& options, std::uint32_t recordBytes) const
{
    return fileLine(options, recordBytes);
}

QString FileFields::parameters() const
{
    return tr("m = %1, K = %2, b = %3").arg(m_m->value()).arg(m_k->value()).arg(m_b->value());
}

// The thresholds, as far as they are numbers; objectionToThresholds() reports the others.
std::vector<std::uint32_t> FileFields::thresholds() const
{
    std::vector<std::uint32_t> found;
    for (const QString& part : m_thresholds->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        if (const std::uint32_t buckets = part.trimmed().toUInt(&isNumber); isNumber && buckets > 0)
            found.push_back(buckets);
    }
    return found;
}

QString FileFields::objectionToThresholds() const
{
    std::uint32_t last = 0;
    int number = 0;
    for (const QString& part : m_thresholds->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const std::uint32_t buckets = part.trimmed().toUInt(&isNumber);
        if (!isNumber || buckets == 0)
            return tr("“K grows at” has “%1”, which is not a number of data buckets. Write, for example, 8, 32.")
                .arg(part.trimmed());
        if (buckets <= last)
            return tr("“K grows at” has %1 after %2. Write the numbers ascending.").arg(buckets).arg(last);
        last = buckets;
        if (m_k->value() + ++number > m_k->maximum())
            return tr("“K grows at” would raise K above %1, its maximum. Leave out numbers, or begin with a lower K.")
                .arg(m_k->maximum());
    }
    return {};
}

QString FileFields::objection() const
{
    if (m_parity->value() < m_k->value())
        return tr("The first group needs K = %1 parity servers, and there are %2. Add parity servers or lower K.")
            .arg(m_k->value())
            .arg(m_parity->value());
    if (m_slice->value() > m_b->value() * 4)
        return tr("A slice of %1 ranks is more than a bucket can ever hold (4 b = %2). Take a shorter slice, or 0.")
            .arg(m_slice->value())
            .arg(4 * m_b->value());
    return objectionToThresholds();
}

// Every data server holds a bucket with b records, and each group has its parity.
FullCluster FileFields::full(std::uint32_t recordBytes) const
{
    const double buckets = m_data->value() + double(m_data->value()) * m_k->value() / m_m->value();
    return { double(m_b->value()) * (recordBytes + kRecordExtra) * buckets / 1e6,
        tr("Lower b, the bytes of a record, or the number of servers.") };
}

QString FileFields::withoutMulticast() const { return tr("spares are recruited one by one, by the registry"); }

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The material for examples of terms.
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"
#include "gui/show/lhrs/bucket_group.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace lhrs::gui::example {

// "1", "1 and 2", "1, 2 and 5"
inline QString listed(const QStringList& parts)
{
    return parts.size() < 2 ? parts.value(0)
                            : QStringList(parts.mid(0, parts.size() - 1)).join(QStringLiteral(", "))
            + QStringLiteral(" and ") + parts.back();
}

inline QString bucketsWords(const std::vector<std::uint32_t>& numbers)
{
    QStringList words;
    for (const std::uint32_t number : numbers)
        words << QString::number(number);
    return (words.size() == 1 ? QStringLiteral("bucket ") : QStringLiteral("buckets ")) + listed(words);
}

// The state, and the preferred object for an example.
struct Subject {
    const ClusterState& state;
    ObjectRef object;
    std::uint32_t rank = 0;

    QString nameOf(ProcessId process) const { return QString::fromStdString(processShown(process, state)); }

    std::optional<std::uint32_t> group() const
    {
        if (object.kind == ObjectKind::Group)
            return std::uint32_t(object.a);
        if (const auto in = bucketGroupOf(object, state.m()))
            return std::uint32_t(*in);
        return std::nullopt;
    }

    // The first object that fits: the object itself, one of its group, or any other.
    template <class Wanted> const DataBucketState* data(Wanted&& wanted) const
    {
        const DataBucketState *beside = nullptr, *any = nullptr;
        for (const auto& [number, bucket] : state.data) {
            if (bucket.isOnlyDeclared || !wanted(bucket))
                continue;
            if (object.kind == ObjectKind::Data && object.a == number)
                return &bucket;
            if (!beside && group() == number / state.m())
                beside = &bucket;
            if (!any)
                any = &bucket;
        }
        return beside ? beside : any;
    }
    const DataBucketState* data() const
    {
        return data([](const DataBucketState&) { return true; });
    }

    template <class Wanted> const GroupState* groupWith(Wanted&& wanted) const
    {
        const GroupState* any = nullptr;
        for (const auto& [number, known] : state.groups) {
            if (!wanted(known))
                continue;
            if (group() == number)
                return &known;
            if (!any)
                any = &known;
        }
        return any;
    }
    const GroupState* anyGroup() const
    {
        return groupWith([](const GroupState&) { return true; });
    }
    const GroupState* groupIn(pb::GroupState wanted) const
    {
        return groupWith([wanted](const GroupState& known) { return known.state == wanted; });
    }

    template <class Wanted> const ClientState* client(Wanted&& wanted) const
    {
        const ClientState* any = nullptr;
        for (const auto& [id, known] : state.clients) {
            if (!wanted(known))
                continue;
            if (object.kind == ObjectKind::Client && object.a == id)
                return &known;
            if (!any)
                any = &known;
        }
        return any;
    }

    const ParityBucketState* parityOf(std::uint32_t number) const
    {
        const auto own = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
        if (object.kind == ObjectKind::Parity && own != state.parity.end() && object.a == number)
            return &own->second;
        const auto first = state.parity.lower_bound({ number, 0 });
        return first != state.parity.end() && first->first.first == number ? &first->second : nullptr;
    }

    // "bucket 5", "parity bucket 1.0"
    QString memberWords(std::uint32_t number, MemberPlace place) const
    {
        return place.role == pb::PARITY ? QStringLiteral("parity bucket %1.%2").arg(number).arg(place.index)
                                        : QStringLiteral("bucket %1").arg(number * state.m() + place.index);
    }
    QStringList downOf(const GroupState& known) const
    {
        QStringList words;
        for (const auto& [place, down] : known.down)
            words << memberWords(known.number, place);
        return words;
    }
};

// Examples about failures and checks: one sentence without its full stop; empty if the state has no example.
QString suspectWords(const Subject& s);
QString epochExample(const Subject& s);
QString frozen(const Subject& s);
QString degraded(const Subject& s);
QString lostWords(const Subject& s);
QString cutWords(const Subject& s);
QString manager(const Subject& s);
QString sliceWords(const Subject& s);
QString spares(const Subject& s);
QString coordinatorExample(const Subject& s);
QString displacedWords(const Subject& s);
QString invariantExample(const Subject& s);

} // namespace lhrs::gui::example

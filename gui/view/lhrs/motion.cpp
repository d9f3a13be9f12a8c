// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/motion.h"

#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::size_t kPulses = 60;
constexpr std::size_t kAdjusted = 2'000; // operations of the past that are remembered

} // namespace

void Motion::clear() { *this = Motion(); }

bool Motion::isMoving(double clock) const
{
    if (m_messages.isMoving() || !m_records.empty() || !m_invitations.empty())
        return true;
    return std::any_of(m_pulses.begin(), m_pulses.end(), [clock](const Pulse& p) { return p.end > clock; });
}

void Motion::take(const Pacer& pacer, double seconds)
{
    const double clock = pacer.clock();
    m_messages.begin(pacer.state());
    m_bundle = pacer.bundle() ? std::optional(*pacer.bundle()) : std::nullopt;
    for (const ShownEvent& event : pacer.scheduled())
        plan(event, clock, pacer.state());
    for (const ShownEvent& event : pacer.shown())
        start(event, pacer);
    const auto isOver = [clock](const auto& thing) { return thing.end <= clock; };
    std::erase_if(m_records, isOver);
    std::erase_if(m_invitations, isOver);
    std::erase_if(m_pulses, isOver);
    m_messages.finish(clock, seconds);
    if (m_adjusted.size() > kAdjusted)
        m_adjusted.clear();
}

// Plans what moves until an event is shown later: the records of a split, or of a recovered slice.
void Motion::plan(const ShownEvent& event, double clock, const ClusterState& state)
{
    if (event.run.isGap())
        return;
    const pb::Event& body = *event.run.event;
    const OperationKey operation { body.operation().client(), body.operation().number() };
    if (body.has_image_adjusted() && !body.image_adjusted().by_coordinator())
        m_adjusted.insert(operation);
    m_messages.plan(body);
    if (body.has_recovery_started())
        m_managers[body.recovery_started().group()] = body.recovery_started().manager();
    if (m_isReduced)
        return;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks; // before, afterwards
    if (body.has_records_moved()) {
        const pb::RecordsMoved& moved = body.records_moved();
        for (int i = 0; i < std::min(moved.old_ranks_size(), moved.new_ranks_size()); ++i)
            ranks.emplace_back(moved.old_ranks(i), moved.new_ranks(i));
        planRecords(
            { ObjectKind::Data, moved.from(), 0 }, { ObjectKind::Data, body.place().number(), 0 }, ranks, event, clock);
    } else if (body.has_slice_stored() && body.place().role() == pb::DATA) {
        const std::uint32_t group = body.place().number() / state.m();
        const auto manager = m_managers.find(group);
        for (const std::uint32_t rank : body.slice_stored().ranks())
            ranks.emplace_back(rank, rank);
        planRecords({ ObjectKind::Parity, group, manager == m_managers.end() ? 0 : manager->second },
            { ObjectKind::Data, body.place().number(), 0 }, ranks, event, clock);
    } else if (body.has_contents_arrived() && body.place().role() == pb::PARITY
        && body.contents_arrived().block() == 0) {
        const pb::ContentsArrived& contents = body.contents_arrived();
        ranks.assign(std::clamp<std::size_t>(contents.records(), 1, kContents), { 0, 0 });
        planRecords({ ObjectKind::Data, std::uint64_t(body.place().number()) * state.m() + contents.position(), 0 },
            { ObjectKind::Parity, body.place().number(), body.place().column() }, ranks, event, clock);
    }
}

void Motion::planRecords(ObjectRef from, ObjectRef to,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranks, const ShownEvent& event, double clock)
{
    const std::size_t count = ranks.size(), drawn = std::min(count, kRecords);
    const double start = std::max(clock, event.at - event.hop), length = std::max(0.6, event.at - start);
    for (std::size_t i = 0; i < drawn; ++i) {
        const auto& [before, afterwards] = ranks[i * count / drawn];
        Record flight { from, to, before, afterwards, 0, 0 };
        // The records lift off one after the other; the last one lands when the new bucket has all of them.
        flight.start = start + length * 0.5 * double(i + 1) / double(drawn);
        flight.end = flight.start + length * 0.5;
        m_records.push_back(flight);
    }
    if (m_records.size() > 4 * kRecords)
        m_records.erase(m_records.begin(), m_records.end() - std::ptrdiff_t(4 * kRecords));
}

void Motion::start(const ShownEvent& event, const Pacer& pacer)
{
    if (event.run.isGap())
        return;
    const pb::Event& body = *event.run.event;
    const double clock = pacer.clock();
    if (pacer.isLive())
        plan(event, clock, pacer.state());
    m_messages.take(event, pacer, [this](const auto& sender, const pb::MessageSent& sent, MessageClass ofKind) {
        return messageLook(sender, sent, ofKind);
    });
    if (body.has_invitation_sent() && !m_isReduced)
        m_invitations.push_back(
            { event.run.process, body.invitation_sent().role(), body.invitation_sent().count(), clock, clock + 1.2 });
    if (!m_isReduced)
        pulse(event, body, clock, pacer.state().m());
}

MessageMotion::Look Motion::messageLook(const ShownEvent& event, const pb::MessageSent& sent, MessageClass ofKind) const
{
    MessageMotion::Look look;
    // The squares of the records represent these messages.
    look.isDrawn = sent.kind() != "move_records" && sent.kind() != "spare_slice";
    const pb::RequestId& id = event.run.event->operation();
    if (ofKind == MessageClass::Reply && m_adjusted.contains({ id.client(), id.number() }))
        look.messageClass = MessageClass::Image;
    return look;
}

void Motion::pulse(const ShownEvent& event, const pb::Event& body, double clock, std::uint32_t m)
{
    const pb::Place& place = body.place();
    Pulse pulse;
    pulse.start = clock;
    pulse.end = clock + 0.8;
    pulse.object = place.role() == pb::DATA ? ObjectRef { ObjectKind::Data, place.number(), 0 }
                                            : ObjectRef { ObjectKind::Parity, place.number(), place.column() };
    bool isImportant = false;
    if (body.has_record_inserted()) {
        pulse.rank = body.record_inserted().rank();
        pulse.colour = QColor::fromRgb(okabe::kGreen);
    } else if (body.has_record_updated()) {
        pulse.rank = body.record_updated().rank();
        pulse.colour = QColor::fromRgb(okabe::kOrange);
    } else if (body.has_record_deleted()) {
        pulse.rank = body.record_deleted().rank();
        pulse.colour = QColor::fromRgb(okabe::kVermillion);
    } else if (body.has_record_read()) {
        pulse.rank = body.record_read().rank();
        pulse.colour = QColor::fromRgb(okabe::kSkyBlue);
    } else if (body.has_delta_applied()) {
        pulse.rank = body.delta_applied().rank();
        pulse.colour = QColor::fromRgb(okabe::kGreen);
    } else if (body.has_records_changed()) {
        return pulseChanges(pulse, body.records_changed().ranks(), body.records_changed().kinds());
    } else if (body.has_deltas_applied()) {
        return pulseChanges(pulse, body.deltas_applied().ranks(), body.deltas_applied().kinds());
    } else if (body.has_bucket_overflowed()) {
        pulse.glyph = Glyph::Warning;
        pulse.colour = QColor::fromRgb(okabe::kOrange);
        pulse.text = QStringLiteral("overflow: %1 records").arg(body.bucket_overflowed().count());
        pulse.end = clock + 3;
        isImportant = true;
    } else if (body.has_split_finished()) {
        pulse.object = { ObjectKind::Data, body.split_finished().new_bucket(), 0 };
        pulse.colour = QColor::fromRgb(okabe::kGreen);
        pulse.text = QStringLiteral("split %1 → %2 finished, %3 records moved")
                         .arg(body.split_finished().bucket())
                         .arg(body.split_finished().new_bucket())
                         .arg(body.split_finished().moved());
        pulse.end = clock + 3;
        isImportant = true;
    } else if (body.has_parity_added()) {
        pulse.object = { ObjectKind::Parity, body.parity_added().group(), body.parity_added().column() };
        pulse.colour = QColor::fromRgb(okabe::kGreen);
        pulse.text = QStringLiteral("group %1: k = %2").arg(body.parity_added().group()).arg(body.parity_added().k());
        pulse.end = clock + 3;
        isImportant = true;
    } else if (body.has_image_adjusted()) {
        const pb::ImageAdjusted& image = body.image_adjusted();
        if (image.before().i() == image.after().i() && image.before().n() == image.after().n())
            return; // an adjustment that changes nothing
        pulse.object = { ObjectKind::Client, event.run.process, 0 };
        pulse.colour = QColor::fromRgb(okabe::kYellow);
        pulse.text = QStringLiteral("image (%1, %2) → (%3, %4)")
                         .arg(image.before().i())
                         .arg(image.before().n())
                         .arg(image.after().i())
                         .arg(image.after().n());
        pulse.end = clock + 3;
        isImportant = true;
    } else if (body.has_operation_forwarded()) {
        pulse.colour = QColor::fromRgb(okabe::kOrange);
        const QString to = QString::number(body.operation_forwarded().to());
        pulse.text = QStringLiteral("not mine: forward to %1").arg(to);
        pulse.shorter = { QStringLiteral("forward to %1").arg(to), QStringLiteral("→ %1").arg(to) };
        pulse.end = clock + 1.6;
        isImportant = true;
    } else if (failurePulse(event, body, m, pulse)) {
        pulse.isOfFailure = true;
        pulse.holds = body.has_member_suspected() || body.has_bucket_failed() ? Holds::WhileDown
            : body.has_recovery_finished()                                    ? Holds::WhenBack
            : body.has_group_lost()                                           ? Holds::Always
                                                                              : Holds::WhileHere;
        pulse.isOfEnd = body.has_recovery_finished();
        pulse.end = clock + 3;
        isImportant = true;
    } else {
        return;
    }
    if (m_pulses.size() >= kPulses && !isImportant)
        return;
    if (!pulse.text.isEmpty())
        dropOlderWords(pulse, body, m);
    m_pulses.push_back(std::move(pulse));
}

// A place shows only its newest words. A group's words about a failure end when the next words about a failure or
// recovery of the group appear.
void Motion::dropOlderWords(const Pulse& pulse, const pb::Event& body, std::uint32_t m)
{
    const auto groupOf = [&]() -> std::optional<std::uint32_t> {
        if (body.has_recovery_finished())
            return body.recovery_finished().group();
        if (body.has_bucket_failed())
            return body.bucket_failed().group();
        if (body.has_recovery_started())
            return body.recovery_started().group();
        return std::nullopt;
    };
    const std::optional<std::uint32_t> group = m > 0 ? groupOf() : std::nullopt;
    const auto isOver = [&](const Pulse& older) {
        if (older.object == pulse.object)
            return true;
        const bool isOfGroup = group
            && ((older.object.kind == ObjectKind::Data && older.object.a / m == *group)
                || (older.object.kind == ObjectKind::Parity && older.object.a == *group));
        return isOfGroup && older.isOfFailure && (body.has_recovery_finished() || older.isOfEnd);
    };
    std::erase_if(m_pulses, [&](const Pulse& older) { return !older.text.isEmpty() && isOver(older); });
}

// The changes in a list arrived together, so they light up together, as many as there is room for.
void Motion::pulseChanges(Pulse pulse, const google::protobuf::RepeatedField<std::uint32_t>& ranks,
    const google::protobuf::RepeatedField<int>& kinds)
{
    for (int i = 0; i < ranks.size() && i < kinds.size() && m_pulses.size() < kPulses; ++i) {
        pulse.rank = ranks[i];
        pulse.colour = QColor::fromRgb(pulse.object.kind == ObjectKind::Parity || kinds[i] == pb::CHANGE_INSERT
                ? okabe::kGreen
                : kinds[i] == pb::CHANGE_UPDATE ? okabe::kOrange
                                                : okabe::kVermillion);
        m_pulses.push_back(pulse);
    }
}

// The pulse for an event of a failed bucket, or of a process that replaces it.
bool Motion::failurePulse(const ShownEvent& event, const pb::Event& body, std::uint32_t m, Pulse& pulse) const
{
    const auto memberOf = [](pb::Role role, std::uint32_t group, std::uint32_t index) {
        return role == pb::DATA ? ObjectRef { ObjectKind::Data, index, 0 }
                                : ObjectRef { ObjectKind::Parity, group, index };
    };
    const auto say = [&pulse](QRgb colour, const QString& text) {
        pulse.colour = QColor::fromRgb(colour);
        pulse.text = text;
        return true;
    };
    if (body.has_message_sent() && body.message_sent().kind() == "alarm" && body.message_sent().tries() == 0) {
        const bool isOfClient = body.place().role() == pb::NO_ROLE;
        pulse.object = isOfClient ? ObjectRef { ObjectKind::Client, event.run.process, 0 } : pulse.object;
        return say(
            okabe::kOrange, isOfClient ? QStringLiteral("asks the coordinator") : QStringLiteral("no answer: alarm"));
    }
    if (body.has_member_suspected()) {
        const pb::MemberSuspected& e = body.member_suspected();
        pulse.object = memberOf(e.role(), e.group(), e.index());
        return say(okabe::kOrange, QStringLiteral("suspected"));
    }
    if (body.has_bucket_failed()) {
        const pb::BucketFailed& e = body.bucket_failed();
        pulse.object = memberOf(e.role(), e.group(), e.index());
        pulse.shorter = { QStringLiteral("failed") };
        return say(okabe::kVermillion, QStringLiteral("declared failed"));
    }
    if (body.has_cut_agreed()) {
        pulse.shorter = { QStringLiteral("cut agreed") };
        return say(okabe::kSkyBlue,
            body.cut_agreed().copied() == 0 ? QStringLiteral("cut agreed: none missing")
                                            : QStringLiteral("cut agreed: %1 copied")
                                                  .arg(countedWords(body.cut_agreed().copied(), "change", "changes")));
    }
    if (body.has_recovery_started()) {
        pulse.object = { ObjectKind::Parity, body.recovery_started().group(), body.recovery_started().manager() };
        pulse.shorter = { QStringLiteral("manager") };
        return say(okabe::kGreen, QStringLiteral("recovery manager"));
    }
    if (body.has_slice_recovered()) {
        const pb::SliceRecovered& e = body.slice_recovered();
        const QString result = QStringLiteral("%1 %2").arg(
            grouped(e.records()), e.is_xor() ? QStringLiteral("by XOR") : QStringLiteral("decoded"));
        pulse.shorter = { result };
        return say(okabe::kGreen,
            QStringLiteral("ranks %1–%2: %3")
                .arg(QString::number(e.rank_from()), QString::number(e.rank_to()), result));
    }
    if (body.has_recovery_finished() && body.recovery_finished().buckets_size() > 0) {
        const pb::RecoveryFinished& e = body.recovery_finished();
        pulse.object = { ObjectKind::Data, e.buckets(0), 0 };
        return say(okabe::kGreen,
            QStringLiteral("%1 back, %2")
                .arg(countedWords(std::uint64_t(e.buckets_size()), "bucket is", "buckets are"),
                    countedWords(e.records(), "record", "records")));
    }
    if (body.has_operation_done() && body.operation_done().result() == pb::LOST) {
        pulse.object = { ObjectKind::Client, event.run.process, 0 };
        const bool isRead = body.operation_done().kind() == pb::SEARCH;
        return say(okabe::kVermillion,
            (isRead ? QStringLiteral("answer: key %1 is lost") : QStringLiteral("answer: key %1 refused, group lost"))
                .arg(body.operation_done().key()));
    }
    if (body.has_record_recovered()) {
        const pb::RecordRecovered& e = body.record_recovered();
        pulse.rank = e.rank();
        return say(okabe::kGreen,
            e.result() == pb::OK ? QStringLiteral("computes key %1").arg(e.key())
                                 : QStringLiteral("key %1 is in no key list").arg(e.key()));
    }
    if (body.has_group_lost()) {
        const pb::GroupLost& e = body.group_lost();
        pulse.object = { ObjectKind::Data, e.buckets_size() > 0 ? e.buckets(0) : e.group() * m, 0 };
        return say(okabe::kBlack, QStringLiteral("group %1 is lost").arg(e.group()));
    }
    return false;
}

} // namespace lhrs::gui

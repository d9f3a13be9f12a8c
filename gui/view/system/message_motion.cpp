// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/message_motion.h"

#include "common/ip.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/show_systems.h"
#include "gui/show/words/quantity_words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::size_t kTransits = 64;
constexpr double kBandMemory = 0.4; // seconds over which a rate is measured

// Two significant digits: the precision that a sentence may claim.
std::uint64_t rounded(double value)
{
    if (value < 10)
        return std::uint64_t(std::max(1.0, std::round(value)));
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 1);
    return std::uint64_t(std::round(value / step) * step);
}

// Messages of key operations: a thousand of them look alike.
bool isOfMany(MessageClass c)
{
    return c == MessageClass::Operation || c == MessageClass::Reply || c == MessageClass::Image || isOfChange(c);
}

} // namespace

double eased(double start, double end, double clock)
{
    const double t = end > start ? std::clamp((clock - start) / (end - start), 0.0, 1.0) : 1.0;
    return t * t * (3 - 2 * t);
}

QPointF onBow(QPointF from, QPointF to, double t)
{
    const QPointF way = to - from;
    const QPointF side(way.y() * 0.1, -way.x() * 0.1);
    const QPointF control = (from + to) / 2 + side;
    return (1 - t) * (1 - t) * from + 2 * t * (1 - t) * control + t * t * to;
}

bool drawLabel(const Theme& theme, QSizeF viewport, QPointF at, const QString& words, QColor fill,
    std::vector<QRectF>& taken, DisplayList& out)
{
    constexpr int kTries = 18; // half a height further each time
    const qreal u = theme.px(1);
    const qreal width = theme.metrics(kSmallBold).horizontalAdvance(words) + 10 * u,
                height = theme.lineHeight(kSmallBold) + 4 * u;
    QRectF box(at.x() - width / 2, at.y() - height / 2, width, height);
    box.moveLeft(std::clamp(box.left(), 2.0, std::max(2.0, viewport.width() - width - 2)));
    box.moveTop(std::clamp(box.top(), 2.0, std::max(2.0, viewport.height() - height - 2)));
    const QRectF view(QPointF(0, 0), viewport);
    const auto isFree = [&](const QRectF& place) {
        return view.contains(place)
            && std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(place); });
    };
    const QRectF wanted = box;
    for (int i = 1; !isFree(box); ++i) {
        if (i > kTries)
            return false;
        box = wanted.translated(0, (i % 2 == 1 ? -1 : 1) * ((i + 1) / 2) * (height / 2 + 1));
    }
    taken.push_back(box);
    out.add(DisplayList::Box { box, Outline::Rounded, 4 * u, fill, theme.outline, 1, false, false });
    out.text(box.adjusted(4 * u, 0, -4 * u, 0), words, kSmallBold, inkOn(fill), Qt::AlignCenter);
    return true;
}

void MessageMotion::begin(const ClusterState& state)
{
    m_notDrawn = 0;
    m_thinned = std::size_t(
        std::count_if(m_flights.begin(), m_flights.end(), [](const Flight& m) { return m.isThinned; }));
    // An event may name a process before its address is known, and the next cluster has as many of them.
    std::size_t known = 0;
    for (const auto& [id, process] : state.processes)
        if (!process.address.empty())
            known = known * 31 + (std::hash<std::string>()(process.address) ^ std::hash<ProcessId>()(id));
    if (m_addresses == known)
        return;
    m_addresses = known;
    m_byAddress.clear();
    for (const auto& [id, process] : state.processes)
        if (!process.address.empty())
            m_byAddress[process.address] = id;
}

ProcessId MessageMotion::receiverOf(const pb::MessageSent& sent) const
{
    if (sent.to() != 0)
        return sent.to();
    const auto found = m_byAddress.find(udpText(sent.address()));
    return found == m_byAddress.end() ? 0 : found->second;
}

void MessageMotion::finish(double clock, double seconds)
{
    std::erase_if(m_flights, [clock](const Flight& flight) { return flight.end <= clock; });
    std::erase_if(m_chains, [clock](const auto& c) { return clock > c.second.last + (c.second.isDone ? 0.0 : 8.0); });
    const double keep = std::exp(-seconds / kBandMemory);
    for (auto& [key, band] : m_bands) {
        band.perSecond = band.perSecond * keep + band.count / kBandMemory;
        band.count = 0;
    }
    std::erase_if(m_bands, [](const auto& entry) { return entry.second.perSecond < 1; });
    m_messagesSeen *= keep;
    m_messagesDrawn *= keep;
    if (m_sent.size() > 20'000)
        m_sent.clear(); // their arrivals are not observed
    if (m_labels.size() > 2'000)
        m_labels.clear();
}

void MessageMotion::plan(const pb::Event& body)
{
    if (!body.has_operation_started())
        return;
    const pb::OperationStarted& started = body.operation_started();
    m_labels[{ body.operation().client(), body.operation().number() }]
        = QStringLiteral("%1 key %2").arg(QString::fromStdString(operationWord(started.kind()))).arg(started.key());
}

void MessageMotion::take(const ShownEvent& event, const Pacer& pacer, const LookOf& lookOf)
{
    const pb::Event& body = *event.run.event;
    const OperationKey operation { body.operation().client(), body.operation().number() };
    if (pacer.isLive() && body.has_operation_started() && m_chains.size() < kChains && !m_isReduced)
        m_chains[operation].last = pacer.clock();
    if (body.has_message_sent()) {
        start(event, body.message_sent(), pacer, lookOf);
    } else if (body.has_message_received()) {
        const auto sent = m_sent.find({ body.message_received().from(), body.message_received().id() });
        if (sent != m_sent.end()) {
            m_transits.push_back(std::max<std::int64_t>(1, event.run.runNs - sent->second));
            if (m_transits.size() > kTransits)
                m_transits.pop_front();
            m_sent.erase(sent);
        }
    } else if (body.has_message_given_up() && !m_isReduced) {
        giveUp(event, body.message_given_up(), pacer.clock());
    }
    if (body.has_operation_done()) {
        if (const auto chain = m_chains.find(operation); chain != m_chains.end())
            chain->second.isDone = true;
        m_labels.erase(operation);
    }
}

void MessageMotion::giveUp(const ShownEvent& event, const pb::MessageGivenUp& message, double clock)
{
    bool isUnderWay = false;
    for (Flight& flight : m_flights) {
        if (flight.from == event.run.process && flight.to == message.to())
            isUnderWay = flight.isLost = true;
    }
    // The message was left out of the picture, or was sent long ago: its end is drawn nevertheless.
    const auto kind = messageClassOf(message.kind());
    if (!isUnderWay && kind && message.to() != 0 && m_flights.size() < kDots + kUnthinned)
        m_flights.push_back({ *kind, event.run.process, message.to(), clock, clock + 1, true, true });
}

void MessageMotion::start(
    const ShownEvent& event, const pb::MessageSent& sent, const Pacer& pacer, const LookOf& lookOf)
{
    const std::optional<MessageClass> ofKind = messageClassOf(sent.kind());
    if (!ofKind)
        return;
    const double clock = pacer.clock();
    const pb::RequestId& id = event.run.event->operation();
    const OperationKey operation { id.client(), id.number() };
    m_sent[{ event.run.process, sent.id() }] = event.run.runNs;
    const ProcessId to = receiverOf(sent);
    const Look look = lookOf && !m_isReduced ? lookOf(event, sent, *ofKind) : Look {};
    if (m_isReduced || to == 0 || !look.isDrawn)
        return;
    const MessageClass messageClass = look.messageClass.value_or(*ofKind);
    // The flight starts when the message was sent, which may be a fraction of a frame ago: its effects are timed from
    // there.
    Flight flight { messageClass, event.run.process, to, event.at, event.at + std::max(0.05, event.hop),
        sent.tries() > 0, false };
    flight.isThinned = id.client() != 0 && sent.tries() == 0 && isOfMany(messageClass);
    const BandKey link { event.run.process, to, messageClass };
    if (flight.isThinned)
        m_messagesSeen += 1;
    if (pacer.isLive()) {
        ++m_bands[link].count;
        if (flight.isThinned) {
            const auto chain = m_chains.find(operation);
            if (chain == m_chains.end())
                return;
            // The receiver may continue only when this message has arrived, as in reality.
            auto& ready = chain->second.ready;
            const auto since = ready.find(event.run.process);
            flight.start = std::max(clock, since != ready.end() ? since->second : clock);
            flight.end = flight.start + 1;
            ready[to] = std::max(ready[to], flight.end);
            chain->second.last = std::max(chain->second.last, flight.end);
        }
    } else if (event.hop >= 0.5) {
        const auto known = m_labels.find(operation);
        flight.label = !look.label.isEmpty() ? look.label
            : known != m_labels.end() && messageClass == MessageClass::Operation
            ? known->second
            : QString::fromStdString(sent.kind()).replace(QLatin1Char('_'), QLatin1Char(' '));
    }
    if (flight.isThinned && m_thinned >= kDots) {
        if (!pacer.isLive())
            ++m_bands[link].count;
        return;
    }
    if (!flight.isThinned && m_flights.size() - m_thinned >= kUnthinned) {
        ++m_notDrawn;
        return;
    }
    m_thinned += flight.isThinned ? 1 : 0;
    m_messagesDrawn += flight.isThinned ? 1 : 0;
    if (event.hop >= 0.5)
        flight.lane = laneOf(flight);
    m_flights.push_back(std::move(flight));
}

int MessageMotion::laneOf(const Flight& flight) const
{
    constexpr double kTogether = 0.3; // hops
    return int(std::count_if(m_flights.begin(), m_flights.end(), [&](const Flight& other) {
        return other.from == flight.from && other.to == flight.to && other.end - other.start >= 0.5
            && std::abs(other.start - flight.start) < kTogether;
    }));
}

QString MessageMotion::footNote(const Pacer& pacer) const
{
    if (m_isReduced)
        return QStringLiteral("reduced motion: messages are not drawn");
    QStringList parts;
    if (m_messagesSeen > 2 && m_messagesSeen > 1.05 * m_messagesDrawn)
        parts << QStringLiteral("dots: 1 of %1 messages")
                     .arg(
                         grouped(std::max<std::uint64_t>(2, rounded(m_messagesSeen / std::max(1.0, m_messagesDrawn)))));
    if (pacer.isHurrying())
        parts << QStringLiteral("much happened: shown faster");
    if (m_notDrawn > 0)
        parts << QStringLiteral("%1 messages not drawn").arg(m_notDrawn);
    if (!m_flights.empty() && !m_transits.empty() && !pacer.isRepeating()) {
        std::vector<std::int64_t> sorted(m_transits.begin(), m_transits.end());
        std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(sorted.size() / 2), sorted.end());
        const double stretch = pacer.hopSeconds() * 1e9 / double(sorted[sorted.size() / 2]);
        parts << (stretch >= 1.5
                ? QStringLiteral("messages drawn %1 × slower than they are").arg(grouped(rounded(stretch)))
                : QStringLiteral("messages drawn at their own speed"));
    }
    return parts.join(QStringLiteral("   ·   "));
}

namespace {

// Bends a path to one side between its ends, by its lane: 1 to one side, 2 to the other, 3 farther out, and so on.
// Lanes are shared when there are more than can be told apart, and short paths stay slender.
void spread(MessageMotion::Points& points, const std::array<double, 3>& shares, int lane, qreal u)
{
    const QPointF way = points.back() - points.front();
    const double length = std::hypot(way.x(), way.y());
    if (lane == 0 || length == 0)
        return;
    constexpr int kLanes = 8; // beside the straight path
    lane = (lane - 1) % kLanes + 1;
    const double apart = std::min(22 * u, length / kLanes);
    const double side = apart * ((lane + 1) / 2) * (lane % 2 == 1 ? 1 : -1);
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] += QPointF(-way.y(), way.x()) / length * side * 4 * shares[i] * (1 - shares[i]);
}

} // namespace

void MessageMotion::draw(const Theme& theme, QSizeF viewport, double clock, bool hasChanges, const Way& way,
    std::vector<QRectF>& taken, DisplayList& out) const
{
    const qreal u = theme.px(1);
    const bool hasLabels = m_flights.size() <= 7;
    for (const Flight& flight : m_flights) {
        if (clock < flight.start)
            continue;
        const bool isChange = isOfChange(flight.messageClass);
        if (!hasChanges && isChange)
            continue;
        const double t = eased(flight.start, flight.end, clock) * (flight.isLost ? 0.6 : 1.0);
        Points tail;
        const std::array<double, 3> shares { std::max(0.0, t - 0.2), std::max(0.0, t - 0.1), t };
        if (!way(flight, shares, tail))
            continue;
        spread(tail, shares, flight.lane, u);
        const QPointF at = tail.back();
        const MessageStyle& style = theme.message(flight.messageClass);
        QColor trail = flight.messageClass == MessageClass::Ack || flight.messageClass == MessageClass::Control
            ? theme.outline
            : style.colour;
        trail.setAlpha(150);
        out.add(DisplayList::Line { { tail.begin(), tail.end() }, trail, 3 * u, flight.isResend, 0, !flight.isResend });
        const qreal radius = (isChange ? 8 : 9) * u;
        const QRectF dot(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius);
        out.add(DisplayList::Box { dot, Outline::Circle, 0, style.colour, theme.outline, 1.2, flight.isResend, false });
        const qreal inset = radius * 0.55;
        out.add(DisplayList::Mark { dot.adjusted(inset, inset, -inset, -inset),
            flight.isLost ? Glyph::Cross : style.glyph, inkOn(style.colour), {} });
        if (hasLabels && !flight.label.isEmpty())
            drawLabel(theme, viewport, at + QPointF(0, -20 * u), flight.label, theme.card, taken, out);
    }
}

// ---- ribbons

RibbonsDrawn keepBusiest(std::vector<Ribbon>& ribbons)
{
    std::stable_sort(
        ribbons.begin(), ribbons.end(), [](const Ribbon& x, const Ribbon& y) { return x.perSecond > y.perSecond; });
    const RibbonsDrawn told { std::min(ribbons.size(), MessageMotion::kRibbons), ribbons.size(),
        ribbons.empty() ? 0 : ribbons.front().perSecond };
    ribbons.resize(told.drawn);
    return told;
}

DisplayList::Line ribbonLine(const Theme& theme, const Ribbon& ribbon, std::vector<QPointF> points)
{
    const bool isQuiet = ribbon.messageClass == MessageClass::Ack || ribbon.messageClass == MessageClass::Control;
    DisplayList::Line line;
    line.points = std::move(points);
    line.colour = isQuiet ? theme.outline : theme.message(ribbon.messageClass).colour;
    line.colour.setAlpha(70);
    line.width = std::clamp(0.6 * std::sqrt(ribbon.perSecond), 1.5, 16.0) * theme.px(1);
    line.isRibbon = true;
    return line;
}

QString ribbonNote(const RibbonsDrawn& ribbons)
{
    if (ribbons.drawn == 0)
        return {};
    const QString width = QStringLiteral("ribbons: width by messages per second, the widest %1")
                              .arg(grouped(std::uint64_t(std::max(1.0, std::round(ribbons.most)))));
    return ribbons.links > ribbons.drawn
        ? QStringLiteral("%1, the %2 busiest of %3 links").arg(width).arg(ribbons.drawn).arg(grouped(ribbons.links))
        : width;
}

} // namespace lhrs::gui

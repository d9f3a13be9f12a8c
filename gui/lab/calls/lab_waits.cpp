// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for events, waits and expectations.
#include "common/kinds.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <deque>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kTryAgain(100); // retry interval of waitUntil without new events

// ---- deep equality, and values in words

bool isEqual(const QJSValue& a, const QJSValue& b, int depth = 0)
{
    if (depth > 100)
        return false;
    if (a.isArray() != b.isArray() || a.isCallable() || b.isCallable())
        return a.strictlyEquals(b);
    if (!a.isObject() || !b.isObject())
        return a.strictlyEquals(b)
            || (a.isNumber() && b.isNumber() && std::isnan(a.toNumber()) && std::isnan(b.toNumber()));
    QStringList names;
    for (QJSValueIterator it(a); it.hasNext();) {
        it.next();
        if (it.name() != "length" || !a.isArray())
            names << it.name();
    }
    int others = 0;
    for (QJSValueIterator it(b); it.hasNext();) {
        it.next();
        others += it.name() != "length" || !b.isArray() ? 1 : 0;
    }
    if (names.size() != others)
        return false;
    return std::all_of(names.begin(), names.end(), [&](const QString& name) {
        return b.hasProperty(name) && isEqual(a.property(name), b.property(name), depth + 1);
    });
}

QString quoted(const LabContext& context, const QJSValue& value)
{
    if (value.isString())
        return "'" + value.toString().left(200) + "'";
    return readable(value, context.engine).left(200);
}

// ---- events

// The filter of a call for events.
struct Filter {
    int kind = 0; // 0: all
    QJSValue where; // null: all
};

// The script's form of the event if it fits, else undefined.
LabResult<QJSValue> match(LabContext& context, const Filter& filter, const RunEvent& event, const ClusterState& names)
{
    if (event.isGap() || (filter.kind != 0 && kindOf(*event.event) != filter.kind))
        return QJSValue();
    QJSValue object = scriptEvent(event, names, context.engine);
    if (filter.where.isCallable()) {
        const auto fits = context.callBack(filter.where, { object });
        if (!fits)
            return fits.error();
        return fits->toBool() ? object : QJSValue();
    }
    if (filter.where.isObject())
        for (QJSValueIterator it(filter.where); it.hasNext();) {
            it.next();
            if (!object.hasProperty(it.name())) {
                QStringList known;
                for (QJSValueIterator field(object); field.hasNext();) {
                    field.next();
                    known << field.name();
                }
                return LabError { LabCode::BadArgument,
                    object.property("kind").toString() + " has no field " + it.name() + ".",
                    "Its fields are " + known.join(", ") + "." };
            }
            if (!isEqual(object.property(it.name()), it.value()))
                return QJSValue();
        }
    return object;
}

// What was observed instead of the awaited event: the number of events of each kind.
QString seenInstead(const std::map<std::string, int>& seen)
{
    std::vector<std::pair<int, std::string>> byCount;
    for (const auto& [kind, count] : seen)
        byCount.emplace_back(count, kind);
    std::sort(byCount.rbegin(), byCount.rend());
    QStringList parts;
    for (std::size_t i = 0; i < byCount.size() && i < 6; ++i)
        parts << QString("%1 %2").arg(byCount[i].first).arg(QString::fromStdString(byCount[i].second));
    return parts.isEmpty() ? "no event was seen" : "seen were " + parts.join(", ");
}

LabResult<QJSValue> waitFor(LabContext& context, const Arguments& arguments)
{
    const auto kind = eventKindOf(arguments.at(0).toString());
    if (!kind)
        return kind.error();
    const Filter filter { *kind, arguments.option("where") };
    auto cursor = cursorOf(context, arguments.option("since"));
    if (!cursor)
        return cursor.error();
    const double timeout = arguments.number("timeout");
    const auto deadline = context.deadlineIn(timeout);
    const std::uint32_t wanted = arguments.integer("count");
    std::vector<QJSValue> found;
    std::map<std::string, int> seen;
    int ofKind = 0;
    const auto isThere = context.waitForEvents(
        *cursor, deadline, *kind, [&](const std::vector<RunEvent>& events) -> LabResult<bool> {
            const ClusterState names = events.empty() ? ClusterState() : context.ingest.state();
            for (const RunEvent& event : events) {
                const auto fits = match(context, filter, event, names);
                if (!fits)
                    return fits.error();
                if (!event.isGap()) {
                    ++seen[kindName(*event.event)];
                    ofKind += kindOf(*event.event) == *kind ? 1 : 0;
                }
                if (fits->isObject())
                    found.push_back(*fits);
                if (found.size() == wanted)
                    return true;
            }
            return false;
        });
    if (!isThere)
        return isThere.error();
    if (!*isThere)
        return LabError { LabCode::Timeout,
            QString("%1 of %2 %3 after %4 s: ")
                    .arg(found.size())
                    .arg(wanted)
                    .arg(arguments.at(0).toString())
                    .arg(timeout)
                + (ofKind > 0 ? QString("%1 of that kind did not fit `where`, ").arg(ofKind - int(found.size()))
                              : QString())
                + seenInstead(seen) + "." };
    if (wanted == 1)
        return found.front();
    QJSValue list = context.engine.newArray(wanted);
    for (std::uint32_t i = 0; i < wanted; ++i)
        list.setProperty(i, found[i]);
    return list;
}

LabResult<QJSValue> waitUntil(LabContext& context, const Arguments& arguments)
{
    const double timeout = arguments.number("timeout");
    const auto deadline = context.deadlineIn(timeout);
    for (;;) {
        const std::uint64_t cursor = context.ingest.committed();
        const auto value = context.callBack(arguments.at(0));
        if (!value || value->toBool())
            return value;
        if (context.now() >= deadline)
            return LabError { LabCode::Timeout,
                QString("The condition of lab.waitUntil did not become true within %1 s; its last value is %2.")
                    .arg(timeout)
                    .arg(quoted(context, *value)) };
        context.waitBeyond(cursor, std::min(deadline, context.now() + kTryAgain));
        if (context.isStopped())
            return context.stopped();
    }
}

QString clientOf(const pb::Event& event, const ClusterState& names)
{
    return QString::fromStdString(processShown(event.operation().client(), names));
}

LabResult<QJSValue> events(LabContext& context, const Arguments& arguments)
{
    Filter filter;
    if (!arguments.option("kind").isNull()) {
        const auto kind = eventKindOf(arguments.text("kind"));
        if (!kind)
            return kind.error();
        filter.kind = *kind;
    }
    const bool isSince = !arguments.option("since").isNull();
    const auto cursor = isSince ? cursorOf(context, arguments.option("since"))
                                : LabResult<std::uint64_t>(std::uint64_t(0));
    if (!cursor)
        return cursor.error();
    if (const auto here = context.catchUp(); !here)
        return here.error();
    const QJSValue place = arguments.option("place"), op = arguments.option("op"), client = arguments.option("client");
    const ClusterState names = context.ingest.state();
    std::deque<QJSValue> found;
    // Only up to now, because events may arrive faster than they are examined.
    for (std::uint64_t at = *cursor, last = context.ingest.newestEvent(); at < last;) {
        const EventPage page = context.ingest.eventsSince(at, kEventsAtOnce);
        if (page.hasMissed(filter.kind) && isSince)
            return LabContext::notKept(page.missed);
        if (page.hasMissed(filter.kind)) // keeps only the newest events, without a gap
            found.clear();
        if (page.events.empty())
            break;
        at = page.next;
        for (const RunEvent& event : page.events) {
            if (event.isGap() || (filter.kind != 0 && kindOf(*event.event) != filter.kind)
                || (!place.isNull() && QString::fromStdString(placeName(event.event->place())) != place.toString())
                || (!op.isNull() && double(event.event->operation().number()) != op.toNumber())
                || (!client.isNull() && clientOf(*event.event, names) != client.toString()))
                continue;
            found.push_back(scriptEvent(event, names, context.engine));
            if (found.size() > arguments.integer("limit"))
                found.pop_front();
        }
        if (context.isStopped())
            return context.stopped();
    }
    QJSValue list = context.engine.newArray(std::uint32_t(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
        list.setProperty(std::uint32_t(i), found[i]);
    return list;
}

} // namespace

// ---- expectations

LabResult<QJSValue> judgeExpectation(LabContext& context, bool isHeld, const QString& text, const QString& detail)
{
    ++(isHeld ? context.expectationsHeld : context.expectationsFailed);
    context.observer.onReel({ .kind = ReelEntry::Kind::Check,
        .at = context.cueNow(),
        .id = isHeld ? QString() : detail,
        .text = text,
        .number = isHeld ? 1 : 0 });
    context.observer.onExpectation({ context.line, text, isHeld, isHeld ? QString() : detail });
    if (isHeld || context.settings.keepGoing)
        return QJSValue(isHeld);
    return LabError { LabCode::ExpectationFailed, text + (detail.isEmpty() ? "" : ": " + detail) };
}

namespace {

LabResult<QJSValue> expectNone(LabContext& context, const Arguments& arguments)
{
    const auto kind = eventKindOf(arguments.at(0).toString());
    if (!kind)
        return kind.error();
    const auto cursor = cursorOf(context, arguments.option("since"));
    if (!cursor)
        return cursor.error();
    if (const auto here = context.catchUp(); !here)
        return here.error();
    const ClusterState names = context.ingest.state();
    const Filter filter { *kind, arguments.option("where") };
    const QString text = "no " + arguments.at(0).toString();
    for (std::uint64_t at = *cursor, last = context.ingest.newestEvent(); at < last;) {
        const EventPage page = context.ingest.eventsSince(at, kEventsAtOnce);
        if (page.hasMissed(*kind))
            return LabContext::notKept(page.missed);
        if (page.events.empty())
            break;
        at = page.next;
        for (const RunEvent& event : page.events) {
            const auto fits = match(context, filter, event, names);
            if (!fits)
                return fits.error();
            if (fits->isObject())
                return judgeExpectation(context, false, text, QString::fromStdString(sentence(event, names)));
        }
    }
    return judgeExpectation(context, true, text, {});
}

LabResult<QJSValue> expectError(LabContext& context, const Arguments& arguments)
{
    const QString code = arguments.at(0).toString();
    if (!LabReference::instance().codes().contains(code)) {
        QStringList known;
        for (const auto& [name, text] : LabReference::instance().codes())
            known << name;
        return LabError { LabCode::BadArgument, "There is no error code " + code + ".",
            "The codes are " + known.join(", ") + "." };
    }
    const int line = context.line;
    const auto value = context.callBack(arguments.at(1));
    context.line = line;
    if (!value && value.error().thrown.isUndefined())
        return value.error(); // stopped
    const QString got = value                              ? "no error"
        : value.error().thrown.property("code").isString() ? value.error().thrown.property("code").toString() + " ("
            + value.error().thrown.property("message").toString() + ")"
                                                           : value.error().thrown.toString();
    const bool isHeld = !value && value.error().thrown.property("code").toString() == code;
    return judgeExpectation(context, isHeld, "an error " + code, "got " + got);
}

} // namespace

void addWaitCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.now", [&](const LabCall&) -> LabResult<QJSValue> { return QJSValue(context.nowSeconds()); });
    lab.handle("lab.here", [&](const LabCall&) -> LabResult<QJSValue> {
        QJSValue here = context.engine.newObject();
        here.setProperty("eventIndex", double(context.ingest.committed()));
        here.setProperty("t_s", context.nowSeconds());
        return here;
    });
    lab.handle("lab.events", [&](const LabCall& c) { return events(context, c.arguments); });
    lab.handle("lab.waitFor", [&](const LabCall& c) { return waitFor(context, c.arguments); });
    lab.handle("lab.waitUntil", [&](const LabCall& c) { return waitUntil(context, c.arguments); });
    lab.handle("lab.expect", [&](const LabCall& c) {
        return judgeExpectation(context, c.arguments.at(0).toBool(), c.arguments.at(1).toString(), {});
    });
    lab.handle("lab.expectEqual", [&](const LabCall& c) {
        const bool isHeld = isEqual(c.arguments.at(0), c.arguments.at(1));
        const QString detail = isHeld
            ? QString()
            : "got " + quoted(context, c.arguments.at(0)) + ", wanted " + quoted(context, c.arguments.at(1));
        return judgeExpectation(context, isHeld, c.arguments.at(2).toString(), detail);
    });
    lab.handle("lab.expectWithin", [&](const LabCall& c) {
        const double got = c.arguments.at(0).toNumber(), low = c.arguments.at(1).toNumber(),
                     high = c.arguments.at(2).toNumber();
        const QString detail = QString("got %1, wanted %2 to %3").arg(got).arg(low).arg(high);
        return judgeExpectation(context, got >= low && got <= high, c.arguments.at(3).toString(), detail);
    });
    lab.handle("lab.expectNone", [&](const LabCall& c) { return expectNone(context, c.arguments); });
    lab.handle("lab.expectError", [&](const LabCall& c) { return expectError(context, c.arguments); });
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_clients.h"
#include "gui/lab/calls/lab_system.h"

#include "gui/lab/calls/lab_values.h"
#include "gui/lab/control/invariant_findings.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kWindowMax = 65'536; // "parallel": more than any client has under way

} // namespace

LabResult<pb::RunWorkload> workloadOrder(const LabContext& context, const Arguments& o)
{
    static const std::map<QString, pb::OperationKind> kKinds { { "insert", pb::INSERT }, { "update", pb::UPDATE },
        { "delete", pb::DELETE }, { "search", pb::SEARCH }, { "mixed", pb::OPERATION_UNKNOWN } };
    pb::RunWorkload order;
    order.set_kind(kKinds.at(o.text("do")));
    if (order.kind() == pb::OPERATION_UNKNOWN) {
        static const QStringList kNames { "insert", "update", "delete", "search" };
        const QJSValue mix = o.option("mix");
        for (const QString& name : kNames)
            order.add_mix(
                mix.property(name).isNumber() ? std::uint32_t(std::lround(mix.property(name).toNumber() * 1000)) : 0);
        for (QJSValueIterator it(mix); it.hasNext();) {
            it.next();
            if (!kNames.contains(it.name()) || !(it.value().toNumber() >= 0))
                return LabError { LabCode::BadArgument,
                    "mix names weights of insert, update, delete and search, e.g. { insert: 1, search: 3 }." };
        }
    }
    const QJSValue keys = o.option("keys");
    if (keys.isArray()) {
        order.set_keys(pb::LISTED);
        for (std::uint32_t i = 0; i < keys.property("length").toUInt(); ++i) {
            const auto key = keyOf(keys.property(i));
            if (!key)
                return key.error();
            order.add_key_list(*key);
        }
    } else {
        const QString word = keys.isNull() ? (order.kind() == pb::INSERT ? "next" : "present") : keys.toString();
        order.set_keys(word == "next" ? pb::NEXT
                : word == "uniform"   ? pb::UNIFORM
                : word == "zipf"      ? pb::ZIPF
                                      : pb::PRESENT);
    }
    if (o.option("count").isNull() && order.keys() != pb::LISTED)
        return LabError { LabCode::BadArgument, "client.run needs the option count, or a list of keys." };
    order.set_count(
        o.option("count").isNull() ? std::uint64_t(order.key_list_size()) : std::uint64_t(o.number("count")));
    order.set_seed(context.settings.seed * 1'000'003 + context.workloads);
    order.set_key_space(std::uint64_t(o.number("keySpace")));
    order.set_length(context.recordBytes);
    const bool hasRate = !o.option("rate").isNull();
    if (hasRate)
        order.set_rate(o.number("rate"));
    order.set_skew(o.number("skew"));
    // If operations have due times, a window would only delay them.
    order.set_window(hasRate && !o.wasGiven("window")
            ? kWindowMax
            : std::uint32_t(std::min(o.number("window"), double(kWindowMax))));
    order.set_batch(o.integer("batch"));
    order.set_unchecked(!o.isOn("check"));
    order.set_record_times_every(o.integer("timesEvery"));
    order.set_without_acknowledgement(!o.isOn("acks"));
    return order;
}

QString fullServers(const pb::WorkloadResult& done)
{
    QStringList names;
    for (const pb::FullServer& full : done.full())
        names += QString::fromStdString(fullWords(full));
    return names.isEmpty()
        ? QString()
        : "the memory of " + names.join(", ") + " is at its limit: the answer is \"try again later\"";
}

QJSValue workloadObject(
    const LabContext& context, const pb::WorkloadResult& done, std::optional<std::uint64_t> messages, bool hasRate)
{
    QJSValue result = context.engine.newObject();
    result.setProperty("operations", scriptNumber(done.operations()));
    QJSValue results = context.engine.newObject();
    for (const auto& [name, count] : done.results()) {
        pb::ResultCode code = pb::RESULT_UNKNOWN;
        const bool isKnown = pb::ResultCode_Parse(name, &code);
        results.setProperty(
            isKnown ? QString::fromStdString(resultWord(code)) : QString::fromStdString(name), scriptNumber(count));
    }
    result.setProperty("results", results);
    result.setProperty("unanswered", scriptNumber(done.unanswered()));
    result.setProperty("refused_full", scriptNumber(done.refused_full()));
    QJSValue full = context.engine.newArray(unsigned(done.full_size()));
    for (int i = 0; i < done.full_size(); ++i)
        full.setProperty(quint32(i), QString::fromStdString(fullWords(done.full(i))));
    result.setProperty("full", full);
    result.setProperty("wrong", scriptNumber(done.wrong()));
    result.setProperty("missing", scriptNumber(done.missing()));
    result.setProperty("forwards", scriptNumber(done.forwards()));
    context.system->addWorkload(done, result);
    result.setProperty("resends", scriptNumber(done.resends()));
    result.setProperty("messages", messages ? scriptNumber(*messages) : QJSValue(QJSValue::NullValue));
    result.setProperty("total_s", secondsOf(done.total_ns()));
    result.setProperty(
        "per_op_ms", done.operations() > 0 ? double(done.total_ns()) / 1e6 / double(done.operations()) : 0.0);
    result.setProperty("p50_ms", double(done.p50_ns()) / 1e6);
    result.setProperty("p99_ms", double(done.p99_ns()) / 1e6);
    result.setProperty("max_ms", double(done.max_ns()) / 1e6);
    if (hasRate)
        result.setProperty("behind_ms", double(done.behind_max_ns()) / 1e6);
    result.setProperty("complete", done.ended_early().empty());
    if (!done.ended_early().empty())
        result.setProperty("why", QString::fromStdString(done.ended_early()));
    // Of a mix; single numbers, so that lab.measure makes a column of each.
    for (const pb::KindTimes& kind : done.kinds()) {
        const QString name = QString::fromStdString(operationWord(kind.kind())) + '_';
        const auto known = [&kind](double value) {
            return kind.operations() > 0 ? QJSValue(value) : QJSValue(QJSValue::NullValue);
        };
        result.setProperty(name + "operations", scriptNumber(kind.operations()));
        result.setProperty(name + "p50_ms", known(double(kind.p50_ns()) / 1e6));
        result.setProperty(name + "p99_ms", known(double(kind.p99_ns()) / 1e6));
        result.setProperty(name + "max_ms", known(double(kind.max_ns()) / 1e6));
    }
    QJSValue times = context.engine.newArray(std::uint32_t(done.times_ns_size()));
    for (int i = 0; i < done.times_ns_size(); ++i)
        times.setProperty(std::uint32_t(i), double(done.times_ns(i)) / 1e6);
    result.setProperty("times_ms", times);
    if (done.sending_ns() > 0) { // an experiment without acknowledgements: its label, and what it cost
        result.setProperty("label", QStringLiteral("without acknowledgements"));
        result.setProperty("lost", scriptNumber(done.lost()));
        QJSValue lost = context.engine.newArray(std::uint32_t(done.lost_keys_size()));
        for (int i = 0; i < done.lost_keys_size(); ++i)
            lost.setProperty(std::uint32_t(i), scriptNumber(done.lost_keys(i)));
        result.setProperty("lostKeys", lost);
        result.setProperty("sending_s", secondsOf(done.sending_ns()));
    }
    return result;
}

LabResult<bool> LabSystem::narrow(LabContext& /*context*/, const QJSValue& /*place*/, pb::Verify& /*order*/) const
{
    return LabError { LabCode::BadArgument,
        QStringLiteral("client.verify cannot be narrowed to a place of %1.").arg(words().cluster),
        "client.verify(); checks all keys" };
}

LabResult<QJSValue> verifyClient(LabContext& context, ProcessId process, const Arguments& o)
{
    pb::Command command;
    pb::Verify& order = *command.mutable_verify();
    order.set_window(o.integer("window"));
    if (const QJSValue place = o.option("place"); !place.isNull())
        if (const auto narrowed = context.system->narrow(context, place, order); !narrowed)
            return narrowed.error();
    const auto reply = context.ask(process, std::move(command), o.number("timeout"));
    if (!reply)
        return reply.error();
    const pb::WorkloadResult& done = reply->workload();
    const auto countOf = [&](const char* name) {
        const auto at = done.results().find(name);
        return at == done.results().end() ? std::uint64_t(0) : at->second;
    };
    if (const auto here = context.catchUp(); !here) // earlier failures must be known before this result is judged
        return here.error();
    context.ingest.judge(findingsOfVerify(done, process, context.ingest.state()));
    QJSValue result = context.engine.newObject();
    result.setProperty("keys", scriptNumber(done.operations()));
    result.setProperty("equal", scriptNumber(countOf("OK") - std::min(countOf("OK"), done.wrong() + done.newer())));
    result.setProperty("newer", scriptNumber(done.newer()));
    result.setProperty("older", scriptNumber(done.older()));
    result.setProperty("missing", scriptNumber(done.missing()));
    result.setProperty("lost", scriptNumber(countOf("LOST")));
    result.setProperty("wrong", scriptNumber(done.wrong() - std::min(done.wrong(), done.older())));
    result.setProperty("unanswered", scriptNumber(done.unanswered()));
    return result;
}

} // namespace lhrs::gui

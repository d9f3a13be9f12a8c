// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for narration: chapters, captions, camera, questions. They take time only in a show.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"

#include <QJSEngine>
#include <QJSValueIterator>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <memory>

namespace lhrs::gui {

namespace {

// The display time of a caption at pace 1, in s, for slow reading: about 15 letters per second.
double readingSeconds(const QString& text) { return 1.5 + double(text.size()) / 15; }

// "data 1, data 2" -> its parts.
QStringList targetNames(const QJSValue& target)
{
    return target.property("labTarget").toString().split(", ", Qt::SkipEmptyParts);
}

bool isClient(const LabContext& context, const QString& name)
{
    const std::vector<KnownProcess> all = context.control.directory();
    return std::any_of(all.begin(), all.end(), [&](const KnownProcess& known) {
        return known.info.kind() == pb::CLIENT && QString::fromStdString(known.info.name()) == name;
    });
}

void tell(LabContext& context, ReelEntry entry)
{
    if (!entry.at.isThere())
        entry.at = context.cueNow();
    context.observer.onReel(entry);
}

// A position given as an event, which the position follows, or as a value of lab.here().
LabResult<Cue> cueOf(const QJSValue& value, const char* option)
{
    const QJSValue index = value.property("eventIndex"), at = value.property("t_s");
    if (!index.isNumber() || !at.isNumber())
        return LabError { LabCode::BadArgument,
            QString("The option %1 must be an event, or what lab.here() gave.").arg(option) };
    return Cue { std::uint64_t(index.toNumber()), std::int64_t(std::llround(at.toNumber() * 1e9)),
        value.property("kind").isString() };
}

LabResult<QJSValue> say(LabContext& context, const LabCall& c)
{
    ReelEntry entry { .kind = ReelEntry::Kind::Caption, .text = c.arguments.at(0).toString() };
    if (const QJSValue at = c.arguments.option("at"); !at.isNull()) {
        const auto cue = cueOf(at, "at");
        if (!cue)
            return cue.error();
        entry.at = *cue;
    }
    if (const QJSValue during = c.arguments.option("during"); during.isObject()) {
        const auto from = cueOf(during.property("from"), "during.from"), to = cueOf(during.property("to"), "during.to");
        if (!from || !to)
            return from ? to.error() : from.error();
        entry.at = *from;
        entry.until = *to;
    }
    tell(context, entry);
    context.observer.onSay(entry.text);
    if (!context.observer.takesTime())
        context.dwell(readingSeconds(entry.text));
    return QJSValue();
}

LabResult<QJSValue> replay(LabContext& context, const Arguments& o)
{
    const auto from = cueOf(o.option("from"), "from"), to = cueOf(o.option("to"), "to");
    if (!from || !to)
        return from ? to.error() : from.error();
    if (to->ns < from->ns)
        return LabError { LabCode::BadArgument, "The option to of lab.replay lies before from." };
    ReelEntry entry { .kind = ReelEntry::Kind::Replay, .until = *to, .from = *from };
    if (const QJSValue speed = o.option("speed"); speed.isNumber())
        entry.slower = 1 / speed.toNumber();
    const QJSValue said = o.option("at");
    for (std::uint32_t i = 0; i < said.property("length").toUInt(); ++i) {
        const QJSValue one = said.property(i);
        const auto cue = cueOf(one.property(0), "at");
        if (!cue)
            return cue.error();
        if (!one.property(1).isString())
            return LabError { LabCode::BadArgument,
                "The option at of lab.replay is a list of pairs: [[event, 'caption'], ...]." };
        entry.captions.push_back({ *cue, one.property(1).toString() });
    }
    tell(context, std::move(entry));
    return QJSValue();
}

LabResult<QJSValue> camera(LabContext& context, const Arguments& o)
{
    const auto textOf = [&](const char* name) { return o.option(name).isNull() ? QString() : o.text(name); };
    CameraWish wish;
    const QJSValue fit = o.option("fit");
    if (fit.isObject() && fit.property("labTarget").isString())
        wish.fit = fit.property("labTarget").toString();
    else if (fit.isObject() && isClient(context, fit.toString()))
        wish.fit = "client " + fit.toString();
    else if (fit.isString() && fit.toString() == "file")
        wish.fit = fit.toString();
    else if (!fit.isNull())
        return LabError { LabCode::BadArgument, "The option fit of lab.camera is 'file', a target or a client." };
    wish.view = textOf("view");
    wish.layout = textOf("layout");
    for (QJSValueIterator it(o.option("layers")); it.hasNext();) {
        it.next();
        if (!it.value().isBool())
            return LabError { LabCode::BadArgument,
                "Layers are switched by true and false: layers: { messages: true }." };
        wish.layers[it.name()] = it.value().toBool();
    }
    if (!o.option("speed").isNull())
        wish.speed = o.number("speed");
    const auto page = context.system->pageOf(o);
    if (!page)
        return page.error();
    wish.page = *page;
    tell(context, { .kind = ReelEntry::Kind::Camera, .camera = wish });
    return QJSValue();
}

struct Asked {
    Question question;
    std::optional<std::vector<int>> votes;
};

LabResult<QJSValue> predict(LabContext& context, const Arguments& o, std::vector<Asked>& asked)
{
    Asked one;
    one.question.id = int(asked.size());
    one.question.text = o.text("text");
    const QJSValue choices = o.option("choices");
    for (std::uint32_t i = 0; i < choices.property("length").toUInt(); ++i)
        one.question.choices << choices.property(i).toString();
    if (one.question.choices.size() < 2)
        return LabError { LabCode::BadArgument, "A question needs two choices at least." };
    tell(context,
        { .kind = ReelEntry::Kind::Question,
            .id = QString::number(one.question.id),
            .text = one.question.text,
            .names = one.question.choices });
    one.votes = context.observer.onQuestion(one.question, context.stopToken());
    if (context.isStopped())
        return context.stopped();
    asked.push_back(std::move(one));
    QJSValue self = context.engine.newObject();
    self.setProperty("id", asked.back().question.id);
    return context.prelude.property("question").call({ self });
}

} // namespace

void addStoryCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.step", [&](const LabCall& c) -> LabResult<QJSValue> {
        const QString id = c.arguments.at(0).toString(), title = c.arguments.at(1).toString();
        tell(context, { .kind = ReelEntry::Kind::Step, .id = id, .text = title });
        context.observer.onStep(id, title);
        return QJSValue();
    });
    lab.handle("lab.say", [&](const LabCall& c) { return say(context, c); });
    lab.handle("lab.replay", [&](const LabCall& c) { return replay(context, c.arguments); });
    lab.handle("lab.note", [&](const LabCall& c) -> LabResult<QJSValue> {
        tell(context, { .kind = ReelEntry::Kind::Note, .text = c.arguments.at(0).toString() });
        context.observer.onNote(c.arguments.at(0).toString());
        return QJSValue();
    });
    lab.handle("lab.print", [&](const LabCall& c) -> LabResult<QJSValue> {
        QStringList words;
        for (std::size_t i = 0; i < c.arguments.count(); ++i)
            words << readable(c.arguments.at(i), context.engine);
        tell(context, { .kind = ReelEntry::Kind::Print, .text = words.join(' ') });
        context.observer.onPrint(words.join(' '));
        return QJSValue();
    });
    lab.handle("lab.camera", [&](const LabCall& c) { return camera(context, c.arguments); });
    lab.handle("lab.highlight", [&](const LabCall& c) -> LabResult<QJSValue> {
        tell(context,
            { .kind = ReelEntry::Kind::Highlight,
                .text = c.arguments.text("text"),
                .names = targetNames(c.arguments.at(0)),
                .seconds = c.arguments.number("for") });
        return QJSValue();
    });
    lab.handle("lab.mark", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.observer.onMark(c.arguments.at(0).toString());
        return QJSValue();
    });
    lab.handle("lab.dwell", [&](const LabCall& c) -> LabResult<QJSValue> {
        tell(context, { .kind = ReelEntry::Kind::Dwell, .seconds = c.arguments.at(0).toNumber() });
        if (!context.observer.takesTime())
            context.dwell(c.arguments.at(0).toNumber());
        return QJSValue();
    });

    const auto asked = std::make_shared<std::vector<Asked>>();
    lab.handle("lab.predict", [&context, asked](const LabCall& c) { return predict(context, c.arguments, *asked); });
    lab.handle("question.reveal", [&context, asked](const LabCall& c) -> LabResult<QJSValue> {
        const Question& question = asked->at(c.self.property("id").toUInt()).question;
        const int index = c.arguments.at(0).toInt();
        if (index >= question.choices.size())
            return LabError { LabCode::BadArgument,
                QString("The question has choices 0 to %1, not %2.").arg(question.choices.size() - 1).arg(index) };
        Cue at;
        if (const QJSValue event = c.arguments.option("at"); !event.isNull()) {
            const auto cue = cueOf(event, "at");
            if (!cue)
                return cue.error();
            at = *cue;
        }
        tell(context,
            { .kind = ReelEntry::Kind::Answer,
                .at = at,
                .id = QString::number(question.id),
                .text = c.arguments.at(1).toString(),
                .names = question.choices,
                .number = index });
        context.observer.onReveal(question, index, c.arguments.at(1).toString());
        return QJSValue();
    });
    lab.handle("question.votes", [&context, asked](const LabCall& c) -> LabResult<QJSValue> {
        const auto& votes = asked->at(c.self.property("id").toUInt()).votes;
        if (!votes)
            return QJSValue(QJSValue::NullValue);
        QJSValue list = context.engine.newArray(std::uint32_t(votes->size()));
        for (std::size_t i = 0; i < votes->size(); ++i)
            list.setProperty(std::uint32_t(i), (*votes)[i]);
        return list;
    });
}

} // namespace lhrs::gui

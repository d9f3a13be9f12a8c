// SPDX-License-Identifier: GPL-3.0-or-later
// Narration: chapters, captions, camera, questions (window.md 4.7). It takes time in a show only.
#include "gui/lab/lab.h"
#include "gui/lab/lab_values.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <memory>

namespace lhrs::gui {

namespace {

// How long a caption stands at pace 1: slow reading, about 15 letters a second.
double readingSeconds(const QString& text) { return 1.5 + double(text.size()) / 15; }

// "data 1, data 2" -> its parts.
QStringList targetNames(const QJSValue& target)
{
    return target.property("labTarget").toString().split(", ", Qt::SkipEmptyParts);
}

bool isClient(const LabContext& context, const QString& name)
{
    const std::vector<KnownProcess> all = context.control.directory();
    return std::any_of(all.begin(), all.end(), [&](const KnownProcess& known) { return known.info.kind() == pb::CLIENT && QString::fromStdString(known.info.name()) == name; });
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
    else if (fit.isString() && (fit.toString() == "file" || fit.toString() == "spares"))
        wish.fit = fit.toString();
    else if (!fit.isNull())
        return LabError { LabCode::BadArgument, "The option fit of lab.camera is 'file', 'spares', a target or a client." };
    wish.view = textOf("view");
    wish.layout = textOf("layout");
    for (QJSValueIterator it(o.option("layers")); it.hasNext();) {
        it.next();
        if (!it.value().isBool())
            return LabError { LabCode::BadArgument,
                "Layers are switched by true and false: layers: { deltas: true }." };
        wish.layers[it.name()] = it.value().toBool();
    }
    if (!o.option("speed").isNull())
        wish.speed = o.number("speed");
    if (const QJSValue record = o.option("record"); record.isObject()) {
        if (!record.property("group").isNumber() || !record.property("rank").isNumber())
            return LabError { LabCode::BadArgument,
                "The option record of lab.camera is { group: number, rank: number }." };
        wish.group = record.property("group").toUInt();
        wish.rank = record.property("rank").toUInt();
    }
    context.observer.onCamera(wish);
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
        context.observer.onStep(c.arguments.at(0).toString(), c.arguments.at(1).toString());
        return QJSValue();
    });
    lab.handle("lab.say", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.observer.onSay(c.arguments.at(0).toString());
        context.dwell(readingSeconds(c.arguments.at(0).toString()));
        return QJSValue();
    });
    lab.handle("lab.note", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.observer.onNote(c.arguments.at(0).toString());
        return QJSValue();
    });
    lab.handle("lab.print", [&](const LabCall& c) -> LabResult<QJSValue> {
        QStringList words;
        for (std::size_t i = 0; i < c.arguments.count(); ++i)
            words << readable(c.arguments.at(i), context.engine);
        context.observer.onPrint(words.join(' '));
        return QJSValue();
    });
    lab.handle("lab.camera", [&](const LabCall& c) { return camera(context, c.arguments); });
    lab.handle("lab.highlight", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.observer.onHighlight(targetNames(c.arguments.at(0)), c.arguments.text("text"),
            c.arguments.number("for"));
        return QJSValue();
    });
    lab.handle("lab.mark", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.observer.onMark(c.arguments.at(0).toString());
        return QJSValue();
    });
    lab.handle("lab.dwell", [&](const LabCall& c) -> LabResult<QJSValue> {
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

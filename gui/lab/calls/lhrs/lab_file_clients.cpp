// SPDX-License-Identifier: GPL-3.0-or-later
// What only clients of a file have: an image of it, and scans.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_clients.h"
#include "gui/lab/calls/lhrs/lab_file.h"

#include <QJSEngine>

#include <algorithm>

namespace lhrs::gui {

namespace {

LabResult<QJSValue> imageOf(LabContext& context, const QString& name)
{
    const auto process = clientProcess(context, name);
    if (!process)
        return process.error();
    const auto client = describeClient(context, *process);
    if (!client)
        return client.error();
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    QJSValue image = context.engine.newObject();
    addImage(client->image(), image);
    image.setProperty("behind", int(file->buckets()) - image.property("M").toInt());
    return image;
}

LabResult<QJSValue> scan(LabContext& context, const LabCall& c)
{
    const auto process = clientProcess(context, c.self.property("name").toString());
    if (!process)
        return process.error();
    const Arguments& o = c.arguments;
    pb::Command command;
    pb::RunScan& order = *command.mutable_run_scan();
    if (!o.option("contains").isNull())
        order.set_contains(o.text("contains").toStdString());
    order.set_probabilistic(o.text("termination") == "probabilistic");
    order.set_timeout_ms(std::max(1u, std::uint32_t(o.number("timeout") * 1000)));
    order.set_keep(o.integer("keep"));
    const auto reply = context.ask(*process, std::move(command), o.number("timeout") + kGraceSeconds);
    if (!reply)
        return reply.error();
    const pb::ScanResult& done = reply->scan();
    if (done.result() == pb::RETRY && !o.isOn("partial")) {
        QStringList missing;
        for (const std::uint32_t bucket : done.missing())
            missing << QString::number(bucket);
        return LabError { LabCode::Timeout,
            "The scan is not complete after " + QString::number(o.number("timeout")) + " s: nothing came from bucket "
                + missing.join(", ") + ".",
            "Give partial: true to get what has come." };
    }
    const auto numbers = [&](const auto& list) {
        return scriptList(list, context.engine, [](std::uint32_t one) { return QJSValue(one); });
    };
    QJSValue result = context.engine.newObject();
    result.setProperty("records", scriptNumber(done.records()));
    result.setProperty("bytes", scriptNumber(done.bytes()));
    result.setProperty("buckets", done.buckets());
    result.setProperty("complete", done.complete());
    result.setProperty("guaranteed", done.guaranteed());
    result.setProperty("missing", numbers(done.missing()));
    result.setProperty("lost", numbers(done.lost()));
    result.setProperty("messages", scriptNumber(done.messages()));
    result.setProperty("resends", done.resends());
    result.setProperty("restarts", done.restarts());
    result.setProperty("time_ms", double(done.total_ns()) / 1e6);
    const auto found = [&](const pb::ScanResult::Record& record) {
        QJSValue row = context.engine.newObject();
        row.setProperty("key", scriptNumber(record.key()));
        const QJSValue text = scriptText(record.value());
        row.setProperty("value", text.isNull() ? QJSValue("0x" + hexOf(record.value())) : text);
        row.setProperty("bucket", record.bucket());
        return row;
    };
    result.setProperty("found", scriptList(done.found(), context.engine, found));
    return result;
}

} // namespace

void addImageCalls(Lab& lab, LabContext& context)
{
    const auto nameOf = [](const LabCall& c) { return c.self.property("name").toString(); };
    lab.handle("client.image", [&context, nameOf](const LabCall& c) { return imageOf(context, nameOf(c)); });
    lab.handle("client.forget", [&context, nameOf](const LabCall& c) -> LabResult<QJSValue> {
        const auto known = context.clients.find(nameOf(c));
        const auto mode = known == context.clients.end() ? pb::ADJUSTING : known->second.mode;
        const auto set = setImage(context, nameOf(c), mode, true);
        return set ? imageOf(context, nameOf(c)) : LabResult<QJSValue>(set.error());
    });
    lab.handle("client.scan", [&context](const LabCall& c) { return scan(context, c); });
}

} // namespace lhrs::gui

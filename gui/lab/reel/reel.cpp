// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/reel/reel.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lhrs::gui {

namespace {

constexpr const char* kReelKinds[] = { "cluster", "step", "caption", "camera", "highlight", "dwell", "chart",
    "question", "answer", "check", "print", "note", "replay", "end", "exercise" };
constexpr qsizetype kListMax = 10'000; // for captions and names; a limit for untrusted files

// 64-bit numbers are text, because JSON numbers are doubles.
QJsonObject objectOf(const Cue& cue)
{
    QJsonObject object { { "event", QString::number(cue.event) }, { "ns", QString::number(cue.ns) } };
    if (cue.isByTime)
        object["by"] = "time";
    return object;
}

Cue cueOf(const QJsonValue& value)
{
    const QJsonObject object = value.toObject();
    return { object["event"].toString().toULongLong(), object["ns"].toString().toLongLong(),
        object["by"].toString() == "time" };
}

QJsonObject objectOf(const CameraWish& camera)
{
    QJsonObject object;
    for (const auto& [name, text] :
        { std::pair("fit", camera.fit), std::pair("view", camera.view), std::pair("layout", camera.layout) })
        if (!text.isEmpty())
            object[name] = text;
    QJsonObject layers;
    for (const auto& [name, isOn] : camera.layers)
        layers[name] = isOn;
    if (!layers.isEmpty())
        object["layers"] = layers;
    if (camera.speed)
        object["speed"] = *camera.speed;
    for (auto word = camera.page.begin(); word != camera.page.end(); ++word)
        object[word.key()] = word.value();
    return object;
}

CameraWish cameraOf(QJsonObject object)
{
    CameraWish camera { object.take("fit").toString(), object.take("view").toString(), object.take("layout").toString(),
        {}, {}, {} };
    const QJsonObject layers = object.take("layers").toObject();
    for (auto layer = layers.begin(); layer != layers.end(); ++layer)
        camera.layers[layer.key()] = layer.value().toBool();
    if (const QJsonValue speed = object.take("speed"); speed.isDouble())
        camera.speed = speed.toDouble();
    camera.page = std::move(object);
    return camera;
}

double secondsOf(const QJsonValue& value)
{
    const double seconds = value.toDouble();
    return std::isfinite(seconds) ? std::clamp(seconds, 0.0, 1e9) : 0;
}

} // namespace

QString kindWord(ReelEntry::Kind kind) { return kReelKinds[std::size_t(kind)]; }

QByteArray jsonOf(const ReelEntry& entry)
{
    QJsonObject object { { "kind", kindWord(entry.kind) }, { "at", objectOf(entry.at) } };
    for (const auto& [name, cue] : { std::pair("until", entry.until), std::pair("from", entry.from) })
        if (cue.isThere())
            object[name] = objectOf(cue);
    for (const auto& [name, text] : { std::pair("id", entry.id), std::pair("text", entry.text) })
        if (!text.isEmpty())
            object[name] = text;
    if (!entry.names.isEmpty())
        object["names"] = QJsonArray::fromStringList(entry.names);
    if (entry.number >= 0)
        object["number"] = entry.number;
    if (entry.seconds > 0)
        object["seconds"] = entry.seconds;
    if (entry.slower > 0)
        object["slower"] = entry.slower;
    if (entry.kind == ReelEntry::Kind::Camera)
        object["camera"] = objectOf(entry.camera);
    if (!entry.captions.empty()) {
        QJsonArray captions;
        for (const ReelEntry::Said& said : entry.captions)
            captions.append(QJsonObject { { "at", objectOf(said.at) }, { "text", said.text } });
        object["captions"] = captions;
    }
    if (entry.exercise)
        object["exercise"] = objectOf(*entry.exercise);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

std::optional<ReelEntry> reelEntryOf(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    const auto kind = std::find(std::begin(kReelKinds), std::end(kReelKinds), object["kind"].toString());
    if (kind == std::end(kReelKinds))
        return std::nullopt;
    ReelEntry entry;
    entry.kind = ReelEntry::Kind(kind - std::begin(kReelKinds));
    entry.at = cueOf(object["at"]);
    entry.until = cueOf(object["until"]);
    entry.from = cueOf(object["from"]);
    entry.id = object["id"].toString();
    entry.text = object["text"].toString();
    const QJsonArray names = object["names"].toArray(), captions = object["captions"].toArray();
    if (names.size() > kListMax || captions.size() > kListMax)
        return std::nullopt;
    for (const QJsonValue& name : names)
        entry.names << name.toString();
    for (const QJsonValue& said : captions)
        entry.captions.push_back({ cueOf(said.toObject()["at"]), said.toObject()["text"].toString() });
    entry.number = object["number"].toInt(-1);
    entry.seconds = secondsOf(object["seconds"]);
    entry.slower = secondsOf(object["slower"]);
    entry.camera = cameraOf(object["camera"].toObject());
    if (entry.kind == ReelEntry::Kind::Exercise)
        entry.exercise = exerciseOf(object["exercise"].toObject());
    return entry;
}

} // namespace lhrs::gui

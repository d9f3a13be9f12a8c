// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/replay/unsaved_store.h"

#include "gui/lab/recording/recording_place.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>
#include <optional>

namespace lhrs::gui {

namespace {

constexpr qint64 kKeptBytesMax = 8 << 20; // size of a 1 MiB text as JSON

QString lockOf(const QString& kept) { return kept + QStringLiteral(".lock"); }

// The file is untrusted: malformed content counts as absent.
std::optional<UnsavedText> readKept(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kKeptBytesMax)
        return std::nullopt;
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    if (!object["text"].isString())
        return std::nullopt;
    UnsavedText text { object["path"].toString(), object["text"].toString(), object["hasCrLf"].toBool(),
        object["hasBom"].toBool(), QByteArray::fromHex(object["digest"].toString().toLatin1()),
        QDateTime::fromString(object["keptAt"].toString(), Qt::ISODate), path };
    return text;
}

} // namespace

UnsavedStore::UnsavedStore(const QString& directory) : m_directory(directory) { }

UnsavedStore::~UnsavedStore() = default;

QString UnsavedStore::usualDirectory() { return stateFolder(QStringLiteral("unsaved")); }

QString UnsavedStore::keep(const UnsavedText& text)
{
    if (m_directory.isEmpty())
        return {};
    const auto problem = [this](const QString& why) {
        return QString("Unsaved text is not kept against a crash: %1 (%2).").arg(why, m_directory);
    };
    if (!m_lock) {
        if (!QDir().mkpath(m_directory))
            return problem("the directory cannot be made");
        // The text is private to its user.
        QFile::setPermissions(m_directory, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_own = m_directory + '/' + QUuid::createUuid().toString(QUuid::WithoutBraces) + ".json";
        m_lock = std::make_unique<QLockFile>(lockOf(m_own));
        m_lock->setStaleLockTime(0);
        if (!m_lock->tryLock(0)) {
            m_lock.reset();
            return problem("nothing can be written there");
        }
    }
    const QJsonObject object { { "path", text.path }, { "text", text.text }, { "hasCrLf", text.hasCrLf },
        { "hasBom", text.hasBom }, { "digest", QString::fromLatin1(text.digest.toHex()) },
        { "keptAt", QDateTime::currentDateTimeUtc().toString(Qt::ISODate) } };
    QSaveFile file(m_own);
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(object).toJson(QJsonDocument::Compact)) < 0
        || !file.commit())
        return problem(file.errorString());
    return {};
}

void UnsavedStore::forget()
{
    if (!m_lock)
        return;
    QFile::remove(m_own);
    m_lock.reset(); // also removes its file
}

const std::vector<UnsavedText>& UnsavedStore::left()
{
    if (m_hasLooked || m_directory.isEmpty())
        return m_left;
    m_hasLooked = true;
    const QDir directory(m_directory);
    for (const QString& name : directory.entryList({ QStringLiteral("*.json") }, QDir::Files)) {
        const QString path = directory.filePath(name);
        auto lock = std::make_unique<QLockFile>(lockOf(path));
        lock->setStaleLockTime(0);
        if (path == m_own || !lock->tryLock(0))
            continue; // the window still runs
        if (auto text = readKept(path)) {
            m_left.push_back(std::move(*text));
            m_adopted.emplace_back(path, std::move(lock));
        }
    }
    std::sort(
        m_left.begin(), m_left.end(), [](const UnsavedText& a, const UnsavedText& b) { return a.keptAt > b.keptAt; });
    return m_left;
}

void UnsavedStore::drop(const UnsavedText& text)
{
    const QString kept = text.kept; // may be one of the entries removed below
    if (!kept.isEmpty())
        QFile::remove(kept);
    std::erase_if(m_adopted, [&](const auto& adopted) { return adopted.first == kept; });
    std::erase_if(m_left, [&](const UnsavedText& one) { return one.kept == kept; });
}

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/scenario_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>

#include <algorithm>
#include <iterator>

namespace lhrs::gui {

namespace {

constexpr qint64 kBytesMax = 1 << 20;

// The scenarios that come with the program; other files beside them belong to the user.
const QStringList kBundled = QStringLiteral(LHRS_SCENARIOS).split('|'); // names in scenarios/, from CMake

Error error(const QString& text) { return { text.toStdString() }; }

QByteArray digestOf(const QByteArray& bytes) { return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256); }

int lineAt(const QByteArray& bytes, qsizetype at) { return int(bytes.left(at).count('\n')) + 1; }

// The position of the first invalid UTF-8 byte; -1: none.
qsizetype firstBad(const QByteArray& bytes)
{
    QStringDecoder whole(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = whole.decode(bytes);
    Q_UNUSED(text)
    if (!whole.hasError())
        return -1;
    // Checked line by line: no UTF-8 character extends over the end of a line.
    for (qsizetype from = 0; from < bytes.size();) {
        const qsizetype end = bytes.indexOf('\n', from);
        const qsizetype until = end < 0 ? bytes.size() : end;
        QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        const QString line = decoder.decode(QByteArrayView(bytes).sliced(from, until - from));
        Q_UNUSED(line)
        if (decoder.hasError())
            return from;
        from = until + 1;
    }
    return 0;
}

} // namespace

Result<ScenarioText> readScenario(const QString& path)
{
    const QFileInfo info(path);
    if (info.isDir())
        return error(QString("%1 is a directory; name a scenario in it.").arg(path));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return error(QString("%1 cannot be read: %2.").arg(path, file.errorString()));
    QByteArray bytes = file.read(kBytesMax + 1);
    while (file.isSequential() && bytes.size() <= kBytesMax) { // a pipe delivers data in parts
        const QByteArray more = file.read(kBytesMax + 1 - bytes.size());
        if (more.isEmpty())
            break;
        bytes += more;
    }
    if (file.error() != QFileDevice::NoError)
        return error(QString("%1 cannot be read: %2.").arg(path, file.errorString()));
    if (bytes.size() > kBytesMax)
        return error(QString("%1 has %2 KiB; a scenario may have 1024 KiB at most.")
                         .arg(path)
                         .arg(std::max(info.size(), qint64(bytes.size())) / 1024));
    if (const qsizetype zero = bytes.indexOf('\0'); zero >= 0)
        return error(QString("%1 is not a text: line %2 has a zero byte.").arg(path).arg(lineAt(bytes, zero)));
    if (const qsizetype bad = firstBad(bytes); bad >= 0)
        return error(QString("%1 is not UTF-8: see line %2. Save it as UTF-8 with the editor that made it.")
                         .arg(path)
                         .arg(lineAt(bytes, bad)));

    ScenarioText result;
    result.digest = digestOf(bytes);
    result.hasBom = bytes.startsWith("\xef\xbb\xbf");
    QString text = QString::fromUtf8(result.hasBom ? bytes.mid(3) : bytes);
    const qsizetype pairs = text.count("\r\n"), feeds = text.count('\n');
    result.hasCrLf = pairs > 0 && 2 * pairs >= feeds;
    if (pairs > 0 && pairs < feeds)
        result.remark = QString("Some lines end as in DOS, some do not; saving ends all of them %1.")
                            .arg(result.hasCrLf ? "as in DOS" : "with a line feed");
    text.replace("\r\n", "\n");
    // An editor treats these as line ends too.
    const auto isOther = [](QChar c) {
        return c == '\r' || c == QChar::LineSeparator || c == QChar::ParagraphSeparator;
    };
    if (std::any_of(text.begin(), text.end(), isOther)) {
        std::replace_if(text.begin(), text.end(), isOther, QChar('\n'));
        result.remark = "The file has line separators that a scenario does not have; here they are line ends.";
    }
    result.text = text;
    return result;
}

QByteArray bytesOf(const QString& text, bool hasCrLf, bool hasBom)
{
    QString lines = text;
    if (hasCrLf)
        lines.replace('\n', "\r\n");
    return (hasBom ? QByteArray("\xef\xbb\xbf") : QByteArray()) + lines.toUtf8();
}

Result<QByteArray> writeScenario(const QString& path, const QString& text, bool hasCrLf, bool hasBom)
{
    const QByteArray bytes = bytesOf(text, hasCrLf, hasBom);
    if (bytes.size() > kBytesMax)
        return error(QString("The text has %1 KiB; a scenario may have 1024 KiB at most. Nothing is written.")
                         .arg(bytes.size() / 1024));
    const QFileInfo info(path);
    if (!QFileInfo(info.absolutePath()).isDir())
        return error(QString("%1 cannot be written: there is no directory %2. Choose another place.")
                         .arg(path, info.absolutePath()));
    if (info.isDir())
        return error(QString("%1 is a directory. Choose a name for the scenario in it.").arg(path));
    // Keeps the file's permissions, and a symbolic link: QSaveFile writes to its target.
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return error(QString("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString()));
    return digestOf(bytes);
}

QByteArray digestOfFile(const QString& path)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return {};
    return digestOf(file.read(kBytesMax + 1));
}

QString whyReadOnly(const QString& path, const QString& scenarioDirectory)
{
    const QFileInfo info(path);
    if (!info.exists())
        return {};
    constexpr QFile::Permissions kAny = QFile::WriteOwner | QFile::WriteGroup | QFile::WriteOther;
    // The permissions are checked too, because root may write any file.
    if (!info.isWritable() || !(info.permissions() & kAny))
        return QString("%1 may not be written").arg(info.fileName());
    const QString name = scenarioDirectory.isEmpty()
        ? QString()
        : QDir(QFileInfo(scenarioDirectory).canonicalFilePath()).relativeFilePath(info.canonicalFilePath());
    if (kBundled.contains(name)) // also in a subfolder: "exercises/01_first_split.js"
        return QString("%1 comes with the program").arg(info.fileName());
    return {};
}

} // namespace lhrs::gui

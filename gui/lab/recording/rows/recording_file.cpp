// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/rows/recording_file.h"

#include <QFileInfo>
#include <QSqlError>
#include <QUrl>

#include <atomic>

namespace lhrs::gui {

namespace {

QString freshName()
{
    static std::atomic<std::uint64_t> last { 0 };
    return "recording-" + QString::number(++last);
}

} // namespace

RecordingConnection::RecordingConnection() : m_name(freshName()) { }

RecordingConnection::~RecordingConnection() { close(); }

QString RecordingConnection::open(const QString& path, Mode mode)
{
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", m_name);
    if (!database.isValid())
        return "Qt's SQLite driver is not installed; on Debian: apt-get install libqt6sql6-sqlite.";
    QString name = path;
    if (mode == Mode::Frozen) {
        QUrl url = QUrl::fromLocalFile(QFileInfo(path).absoluteFilePath());
        url.setQuery("immutable=1");
        name = QString::fromLatin1(url.toEncoded());
    }
    database.setDatabaseName(name);
    if (mode != Mode::Write)
        database.setConnectOptions(
            mode == Mode::Frozen ? "QSQLITE_OPEN_URI;QSQLITE_OPEN_READONLY" : "QSQLITE_OPEN_READONLY");
    if (!database.open())
        return path + " cannot be opened: " + database.lastError().databaseText() + ".";
    return {};
}

void RecordingConnection::close()
{
    if (!QSqlDatabase::contains(m_name))
        return;
    database().close();
    QSqlDatabase::removeDatabase(m_name);
}

bool RecordingConnection::run(const QString& statement)
{
    QSqlQuery query(database());
    if (query.exec(statement))
        return true;
    m_error = query.lastError().databaseText();
    return false;
}

QVariant RecordingConnection::value(const QString& text)
{
    QSqlQuery query(database());
    if (!query.exec(text)) {
        m_error = query.lastError().databaseText();
        return {};
    }
    return query.next() ? query.value(0) : QVariant();
}

} // namespace lhrs::gui

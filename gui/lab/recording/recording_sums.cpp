// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_sums.h"

#include "gui/lab/recording/recording_schema.h"

#include <QCryptographicHash>

#include <algorithm>
#include <optional>

namespace lhrs::gui {

namespace {

constexpr int kRowsPerSum = 256, kKeyframesPerSum = 4; // smaller parts, because a keyframe may be long
// Limit for the bodies and texts of a part; recorded parts are far smaller.
constexpr std::int64_t kSumBytes = 64 << 20;
const QString kSums = QStringLiteral("segment");

struct Columns {
    QString name;
    QStringList columns;
};

std::vector<Columns> tablesOf(std::uint32_t version)
{
    std::vector<Columns> all;
    for (const QString& table : recordingColumns(version))
        if (const QString name = table.section('(', 0, 0); name != kSums)
            all.push_back({ name, table.section('(', 1).chopped(1).split(',') });
    return all;
}

// The text of a cell, identical in every program that reads the file. Fractional numbers have twelve digits, because
// further digits differ between versions of SQLite.
QString cellWords(const QString& column)
{
    return column == "value"
        ? QString("CASE typeof(value) WHEN 'real' THEN printf('%.12e', value) ELSE quote(value) END")
        : "quote(" + column + ")";
}

struct Sum {
    std::int64_t rows = 0;
    QString sum; // null: unreadable
};

Sum sumOfRows(RecordingConnection& connection, const Columns& table, std::int64_t first, std::int64_t last)
{
    QStringList lengths, words;
    for (const QString& column : table.columns) {
        lengths << "ifnull(length(" + column + "), 0)";
        words << cellWords(column);
    }
    const QString where
        = QString(" FROM %1 NOT INDEXED WHERE rowid BETWEEN %2 AND %3").arg(table.name).arg(first).arg(last);
    QSqlQuery query(connection.database());
    query.setForwardOnly(true);
    if (!query.exec("SELECT count(*), sum(" + lengths.join(" + ") + ")" + where) || !query.next())
        return {};
    Sum sum { query.value(0).toLongLong(), {} };
    if (query.value(1).toLongLong() > kSumBytes)
        return sum;
    if (!query.exec("SELECT CAST(group_concat(" + words.join(" || ',' || ") + ", ';') AS BLOB) FROM (SELECT *" + where
            + " ORDER BY rowid)")
        || !query.next())
        return sum;
    sum.sum = QString::fromLatin1(
        QCryptographicHash::hash(query.value(0).toByteArray(), QCryptographicHash::Blake2b_160).toHex());
    return sum;
}

QString indexName(const QString& index) { return index.section('.', 1).section('(', 0, 0); }

// An index has its own copy of the numbers, in its own order.
Sum sumOfIndex(RecordingConnection& connection, const QString& index)
{
    const QString name = indexName(index), table = index.section('.', 0, 0);
    QStringList parts;
    QString product = "1"; // kept small at each step: a sum of large numbers would overflow
    for (const QString& column : index.section('(', 1).chopped(1).split(", ")) {
        parts << "ifnull(sum(" + column + " % 1000003), 0)";
        product = "((" + product + ") * ifnull(" + column + " % 1000003, 7)) % 1000003";
    }
    QSqlQuery query(connection.database());
    query.setForwardOnly(true);
    if (!query.exec("SELECT count(*), " + parts.join(" || ' ' || ") + " || ' ' || ifnull(sum(" + product + "), 0) FROM "
            + table + " INDEXED BY " + name)
        || !query.next())
        return {};
    return { query.value(0).toLongLong(), query.value(1).toString() };
}

int rowsPerSum(const QString& table) { return table == "keyframe" ? kKeyframesPerSum : kRowsPerSum; }

} // namespace

bool writeSums(RecordingConnection& connection)
{
    if (!connection.run("DELETE FROM " + kSums))
        return false;
    QSqlQuery row(connection.database());
    if (!row.prepare("INSERT INTO " + kSums + " VALUES (?, ?, ?, ?, ?)"))
        return false;
    const auto add = [&](const QString& name, std::int64_t first, std::int64_t last, const Sum& sum) {
        row.bindValue(0, name);
        row.bindValue(1, qlonglong(first));
        row.bindValue(2, qlonglong(last));
        row.bindValue(3, qlonglong(sum.rows));
        row.bindValue(4, sum.sum);
        return !sum.sum.isNull() && row.exec();
    };
    for (const Columns& table : tablesOf(kRecordingVersion)) {
        for (std::optional<std::int64_t> after;;) {
            const QString next = QString("(r) FROM (SELECT rowid AS r FROM %1 NOT INDEXED %2 ORDER BY rowid LIMIT %3)")
                                     .arg(table.name, after ? QString("WHERE rowid > %1").arg(*after) : QString())
                                     .arg(rowsPerSum(table.name));
            const QVariant first = connection.value("SELECT min" + next);
            if (first.isNull())
                break;
            const std::int64_t last = connection.value("SELECT max" + next).toLongLong();
            if (!add(table.name, first.toLongLong(), last, sumOfRows(connection, table, first.toLongLong(), last)))
                return false;
            after = last;
        }
    }
    for (const QString& index : recordingIndexContents())
        if (!add(indexName(index), 0, 0, sumOfIndex(connection, index)))
            return false;
    return true;
}

SumFindings checkSums(RecordingConnection& connection, std::uint32_t version)
{
    SumFindings findings;
    struct Said {
        std::int64_t first = 0, last = 0, rows = 0;
        QString sum;
    };
    std::map<QString, std::vector<Said>> said;
    QSqlQuery query(connection.database());
    query.setForwardOnly(true);
    if (query.exec("SELECT name, first, last, rows, sum FROM " + kSums + " NOT INDEXED"))
        while (query.next()) {
            findings.hasSums = true;
            said[query.value(0).toString()].push_back({ query.value(1).toLongLong(), query.value(2).toLongLong(),
                query.value(3).toLongLong(), query.value(4).toString() });
        }
    for (const Columns& table : tablesOf(version)) {
        SumFindings::Table& found = findings.tables[table.name];
        std::int64_t inside = 0;
        for (const Said& part : said[table.name]) {
            found.written += part.rows;
            const Sum now = sumOfRows(connection, table, part.first, part.last);
            inside += now.rows;
            if (now.rows < part.rows)
                found.missing += part.rows - now.rows;
            if (now.rows != part.rows || now.sum != part.sum)
                found.changed.push_back({ part.first, part.last, now.rows });
        }
        const QVariant all = connection.value("SELECT count(*) FROM " + table.name + " NOT INDEXED");
        found.isUnreadable = all.isNull();
        found.foreign = std::max<std::int64_t>(0, all.toLongLong() - inside)
            + std::max<std::int64_t>(0, inside + found.missing - found.written);
    }
    for (const QString& index : recordingIndexContents()) {
        const QString name = indexName(index);
        const Sum now = sumOfIndex(connection, index);
        if (const auto& parts = said[name]; parts.size() != 1 || parts[0].rows != now.rows || parts[0].sum != now.sum)
            findings.indexes.push_back(name);
    }
    return findings;
}

} // namespace lhrs::gui

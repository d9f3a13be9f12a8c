// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of the file: its name and state, its load, and the levels of its buckets.
#include "gui/view/lhrs/cluster_picture.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr TextStyle kFileName { TextSize::Strong, true, false };

QString superscript(std::uint32_t number)
{
    static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString out;
    for (const QChar digit : QString::number(number))
        out += kDigits[digit.digitValue()];
    return out;
}

// There is no file yet.
void drawNoFile(const PictureInput& in, const QRectF& inside, DisplayList& out)
{
    const FileShown& file = in.state.file;
    const QString spare = file.waitsFor.empty()
        ? QString()
        : QStringLiteral("It waits for %1.").arg(QString::fromStdString(file.waitsFor));
    if (in.isRecorded) {
        out.text(inside,
            { QStringLiteral("The recorded run begins: there is no file yet"), QStringLiteral("no file yet") }, kBody,
            in.theme.text, Qt::AlignCenter);
        return;
    }
    out.text(inside,
        { QStringLiteral("No file yet. The coordinator creates it when spares are there. %1").arg(spare),
            QStringLiteral("No file yet. %1").arg(spare), QStringLiteral("No file yet") },
        kBody, in.theme.text, Qt::AlignCenter);
}

// What the records of all buckets add up to.
struct FileSums {
    std::uint64_t records = 0, lost = 0;
    std::uint64_t unknown = 0; // buckets whose contents are not known
    std::uint64_t rebuilt = 0; // buckets whose records are coming back

    explicit FileSums(const ClusterState& state)
    {
        for (const auto& [number, bucket] : state.data) {
            unknown += bucket.isOnlyDeclared ? 1 : 0;
            const DownMember* down = state.downOf(bucket);
            (down && down->isLost ? lost : records) += bucket.count;
        }
        for (const auto& [number, group] : state.groups)
            rebuilt += group.recovery.isUnderWay() ? group.recovery.buckets.size() : 0;
        records += std::uint64_t(state.recordsUnderWay()); // the sum is right even if this is negative
    }
};

void drawFileName(const PictureInput& in, const QRectF& row, DisplayList& out)
{
    const FileShown& file = in.state.file;
    const QString formula = QStringLiteral("M = 2%1 + %2 = %3").arg(superscript(file.i)).arg(file.n).arg(file.buckets);
    const QString shortest
        = QStringLiteral("(%1, %2)  M = %3  K = %4").arg(file.i).arg(file.n).arg(file.buckets).arg(file.availability);
    out.text(row,
        { QStringLiteral("File   (i, n) = (%1, %2)    %3 %4    K = %5")
                .arg(file.i)
                .arg(file.n)
                .arg(formula, file.buckets == 1 ? QStringLiteral("bucket") : QStringLiteral("buckets"))
                .arg(file.availability),
            QStringLiteral("(i, n) = (%1, %2)   %3   K = %4")
                .arg(file.i)
                .arg(file.n)
                .arg(formula)
                .arg(file.availability),
            shortest },
        in.theme.width(kFileName, shortest) <= row.width() ? kFileName : kSmallBold, in.theme.text);
    out.explain({ { QStringLiteral("(i,"), "i" }, { QStringLiteral(" n)"), "n" },
        { QStringLiteral("(%1,").arg(file.i), "i" }, { QStringLiteral(" %1)").arg(file.n), "n" }, { formula, "M" },
        { QStringLiteral("M = %1").arg(file.buckets), "M" },
        { QStringLiteral("K = %1").arg(file.availability), "K" } });
}

// The records, the load factor and the parameters; instead of them what is wrong, if something is.
void drawFileLoad(const PictureInput& in, const QRectF& row, DisplayList& out)
{
    const FileShown& file = in.state.file;
    const qreal u = in.theme.px(1);
    const FileSums sums(in.state);
    const double load = file.config.b() && file.buckets
        ? double(sums.records) / (double(file.config.b()) * file.buckets)
        : 0;
    const QString owed = (sums.unknown > 0 ? QStringLiteral("   without %1 that ended before")
                                                 .arg(countedWords(sums.unknown, "bucket", "buckets"))
                                           : QString())
        + (sums.lost > 0 ? QStringLiteral("   %1 lost").arg(countedWords(sums.lost, "record", "records")) : QString())
        + (file.splitsOwed > 0 ? QStringLiteral("   splits owed: %1").arg(file.splitsOwed) : QString());
    const QString trouble = coordinatorTrouble(in.state);
    if (!trouble.isEmpty() || !file.waitsFor.empty()) {
        const qreal side = row.height() * 0.85;
        const QString waits = QStringLiteral("waits for %1").arg(QString::fromStdString(file.waitsFor));
        out.add(DisplayList::Mark {
            QRectF(row.left(), row.center().y() - side / 2, side, side), Glyph::Warning, in.theme.caution, {} });
        out.text(row.adjusted(side + 4 * u, 0, 0, 0),
            trouble.isEmpty()
                ? QStringList { waits }
                : QStringList { trouble, QStringLiteral("%1 …").arg(trouble.section(QLatin1Char(','), 0, 0)),
                    trouble.section(QLatin1Char(':'), 0, 0) },
            kSmallBold, in.theme.text);
    } else {
        const QString field = file.config.field() == pb::GF_8 ? QStringLiteral("GF(2⁸)") : QStringLiteral("GF(2¹⁶)");
        const QString records = countedWords(sums.records, "record", "records")
            + (sums.rebuilt > 0
                    ? QStringLiteral(", %1 being rebuilt").arg(countedWords(sums.rebuilt, "bucket", "buckets"))
                    : QString());
        out.text(row,
            { QStringLiteral("%1   load factor %2 %   m = %3   b = %4   %5%6")
                    .arg(records)
                    .arg(qRound(load * 100))
                    .arg(file.config.m())
                    .arg(grouped(file.config.b()), field, owed),
                QStringLiteral("%1   load %2 %   b = %3%4")
                    .arg(records)
                    .arg(qRound(load * 100))
                    .arg(grouped(file.config.b()), owed),
                QStringLiteral("%1, load %2 %").arg(records).arg(qRound(load * 100)), records },
            kSmall, in.theme.muted);
        const QString share = QString::number(qRound(load * 100));
        out.explain({ { QStringLiteral("load factor %1 %").arg(share), "load-factor" },
            { QStringLiteral("load %1 %").arg(share), "load-factor" },
            { QStringLiteral("m = %1").arg(file.config.m()), "m" },
            { QStringLiteral("b = %1").arg(grouped(file.config.b())), "b" }, { field, "galois-field" },
            { QStringLiteral("splits owed: %1").arg(file.splitsOwed), "split" } });
    }
}

// The levels as a step line over the bucket numbers, with the split pointer at the step.
void drawLevels(const PictureInput& in, const QRectF& ruler, DisplayList& out)
{
    const FileShown& file = in.state.file;
    const qreal u = in.theme.px(1), small = in.theme.lineHeight(kSmall);
    if (ruler.height() < small + 6 * u || file.buckets == 0)
        return;
    const std::uint64_t round = 1ULL << file.i;
    const struct {
        std::uint64_t from, to;
        std::uint32_t level;
    } parts[] = { { 0, file.n, file.i + 1 }, { file.n, round, file.i }, { round, round + file.n, file.i + 1 } };
    const qreal perBucket = ruler.width() / qreal(file.buckets);
    // Between the levels, as far as the labels have room.
    const qreal step = std::clamp(ruler.height() - 5 * u - small, 0.0, 5 * u);
    for (const auto& part : parts) {
        if (part.from == part.to)
            continue;
        const bool isHigh = part.level > file.i;
        const qreal lower = isHigh ? 0 : step;
        const QRectF block(ruler.left() + qreal(part.from) * perBucket, ruler.top() + lower,
            qreal(part.to - part.from) * perBucket, ruler.height() - 5 * u - lower);
        out.add(DisplayList::Box { block.adjusted(0.5, 0, -0.5, 0), Outline::Rectangle, 0, in.theme.cardHeader,
            in.theme.outline, 1, false, false });
        const QString range = part.to - part.from == 1
            ? QStringLiteral("bucket %1").arg(part.from)
            : QStringLiteral("buckets %1 – %2").arg(part.from).arg(part.to - 1);
        out.text(block.adjusted(3 * u, 0, -3 * u, 0),
            { QStringLiteral("%1: j = %2").arg(range).arg(part.level), QStringLiteral("j = %1").arg(part.level),
                QStringLiteral("%1").arg(part.level) },
            kSmall, in.theme.text, Qt::AlignCenter);
        out.explain(block, "j");
    }
    const QPointF tip(ruler.left() + (qreal(file.n) + 0.5) * perBucket, ruler.bottom() - 6 * u);
    out.add(DisplayList::Line { { tip + QPointF(0, 9 * u), tip }, in.theme.text, 2.5 * u, false, 8 * u });
    out.explain(QRectF(tip.x() - 5 * u, tip.y() - 1 * u, 10 * u, 11 * u), "n");
}

} // namespace

void drawFilePanel(const PictureInput& in, DisplayList& out)
{
    const FileShown& file = in.state.file;
    const ObjectRef object { ObjectKind::File, 0, 0 };
    const qreal u = in.theme.px(1);
    const QRectF frame = in.layout.file.adjusted(0, 2 * u, 0, -1 * u);
    out.setObject(object);
    out.add(DisplayList::Box { frame, Outline::Rounded, 6 * u, in.theme.card,
        in.hovered == object || in.selected == object ? in.theme.selection : in.theme.grid, 1.2, false, false });
    QRectF inside = frame.adjusted(10 * u, 3 * u, -10 * u, -4 * u);
    if (!file.exists) {
        drawNoFile(in, inside, out);
        return;
    }
    const qreal strong = in.theme.lineHeight(kFileName), small = in.theme.lineHeight(kSmall);
    drawFileName(in, QRectF(inside.left(), inside.top(), inside.width(), strong), out);
    const QRectF load(inside.left(), inside.top() + strong, inside.width(), small);
    drawFileLoad(in, load, out);
    drawLevels(
        in, QRectF(inside.left(), load.bottom() + 3 * u, inside.width(), inside.bottom() - load.bottom() - 4 * u), out);
}

} // namespace lhrs::gui

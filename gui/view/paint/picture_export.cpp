// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/picture_export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <cmath>

namespace lhrs::gui {

namespace {

constexpr int kDotsPerInch = 96;
constexpr qreal kPointsPerPixel = 72.0 / kDotsPerInch;
constexpr TextStyle kLine { TextSize::Body, true, false };

// Replaces the date in a PDF: the same picture must give the same bytes.
void forgetDate(QByteArray& pdf)
{
    static const QByteArray kKey("/CreationDate (");
    for (qsizetype at = pdf.indexOf(kKey); at >= 0; at = pdf.indexOf(kKey, at + 1)) {
        const qsizetype begin = at + kKey.size(), end = pdf.indexOf(')', begin);
        const QByteArray fixed = QByteArray("D:20000101000000Z").leftJustified(end - begin, '0', true);
        pdf.replace(begin, end - begin, fixed); // the same length, so that the file's cross-reference table stays valid
    }
}

} // namespace

QString PictureOrigin::line() const
{
    QStringList parts { word };
    if (!run.isEmpty())
        parts << QStringLiteral("run ") + run;
    if (!instant.isEmpty())
        parts << QStringLiteral("at ") + instant;
    return parts.join(QString::fromUtf8("  ·  "));
}

QString writePicture(
    const QString& path, QSize size, qreal scale, const QString& title, const std::function<void(QPainter&)>& paint)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    bool isPainted = false;
    if (ending == QLatin1String("svg")) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(size);
        generator.setViewBox(QRect(QPoint(), size));
        generator.setTitle(title);
        generator.setResolution(kDotsPerInch);
        QPainter painter;
        isPainted = painter.begin(&generator);
        if (isPainted)
            paint(painter);
        isPainted = isPainted && painter.end();
    } else if (ending == QLatin1String("pdf")) {
        {
            QPdfWriter writer(&buffer);
            writer.setResolution(kDotsPerInch);
            writer.setPageSize(QPageSize(QSizeF(size) * kPointsPerPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
            writer.setPageMargins(QMarginsF());
            writer.setTitle(title);
            writer.setCreator(QStringLiteral("LHRS Lab"));
            QPainter painter;
            isPainted = painter.begin(&writer);
            if (isPainted)
                paint(painter);
            isPainted = isPainted && painter.end();
        }
        forgetDate(bytes);
    } else if (ending == QLatin1String("png")) {
        QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        painter.scale(scale, scale);
        paint(painter);
        painter.end();
        isPainted = image.save(&buffer, "PNG");
    } else {
        return QStringLiteral("%1: pictures are written as .svg, .pdf or .png; give the file one of these endings.")
            .arg(path);
    }
    QSaveFile file(path);
    if (!isPainted || !file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
    return {};
}

QString writePicture(
    const QString& path, const DisplayList& list, QSize size, const QString& name, const PictureOrigin& origin)
{
    const Theme& theme = list.theme();
    const int strip = int(std::ceil(theme.lineHeight(kLine) + theme.px(8)));
    DisplayList below(theme);
    below.add(DisplayList::Box {
        QRectF(0, size.height(), size.width(), strip), Outline::Rectangle, 0, theme.cardHeader, {}, 0, false, false });
    below.text(QRectF(theme.px(10), size.height(), size.width() - theme.px(20), strip),
        { name + QString::fromUtf8("  ·  ") + origin.line(), origin.line(), origin.word }, kLine, theme.text);
    const QSize whole(size.width(), size.height() + strip);
    return writePicture(
        path, whole, 2, QStringLiteral("LHRS Lab: %1, %2").arg(name, origin.line()), [&](QPainter& painter) {
            painter.fillRect(QRect(QPoint(), whole), theme.canvas);
            painter.save();
            painter.setClipRect(QRect(QPoint(), size));
            list.paint(painter);
            painter.restore();
            below.paint(painter);
        });
}

} // namespace lhrs::gui

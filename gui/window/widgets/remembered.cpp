// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/remembered.h"

#include <QSettings>
#include <QStandardPaths>

#include <cmath>

namespace lhrs::gui {

namespace {

constexpr qsizetype kTextMax = 1'000;

} // namespace

Remembered::Remembered(const QString& path)
    : m_file(path.isEmpty() ? nullptr : std::make_unique<QSettings>(path, QSettings::IniFormat))
{
}

Remembered::~Remembered() = default;

QString Remembered::usualPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
        + QStringLiteral("/lhrs-lab/window.ini");
}

QString Remembered::text(const QString& key, const QString& otherwise) const
{
    const QString found = m_file ? m_file->value(key).toString() : QString();
    return found.isEmpty() || found.size() > kTextMax ? otherwise : found;
}

bool Remembered::flag(const QString& key, bool otherwise) const
{
    const QString found = text(key, {});
    return found == QLatin1String("true") || (found != QLatin1String("false") && otherwise);
}

double Remembered::number(const QString& key, double low, double high, double otherwise) const
{
    bool isNumber = false;
    const double found = text(key, {}).toDouble(&isNumber);
    return isNumber && std::isfinite(found) && found >= low && found <= high ? found : otherwise;
}

void Remembered::keep(const QString& key, const QVariant& value)
{
    if (m_file && m_file->value(key).toString() != value.toString())
        m_file->setValue(key, value);
}

} // namespace lhrs::gui

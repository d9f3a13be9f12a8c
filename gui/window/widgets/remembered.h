// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

#include <memory>

class QSettings;

namespace lhrs::gui {

// What a person chose, found again the next time: looks of the window, fields of the start page. The file may have been
// written by anybody: what is no sensible value counts as not there.
class Remembered {
public:
    // Without a path nothing is kept.
    explicit Remembered(const QString& path);
    ~Remembered();

    QString text(const QString& key, const QString& otherwise) const;
    bool flag(const QString& key, bool otherwise) const;
    double number(const QString& key, double low, double high, double otherwise) const;
    void keep(const QString& key, const QVariant& value);

    // Where the window keeps it, unless told otherwise.
    static QString usualPath();

private:
    std::unique_ptr<QSettings> m_file;
};

} // namespace lhrs::gui

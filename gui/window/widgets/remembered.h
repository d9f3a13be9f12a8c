// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

#include <memory>

class QSettings;

namespace lhrs::gui {

// A person's choices, restored in the next session: looks of the window, fields of the start page. The file is not
// trusted: a value that makes no sense is treated as missing.
class Remembered {
public:
    // With an empty path, nothing is kept.
    explicit Remembered(const QString& path);
    ~Remembered();

    QString text(const QString& key, const QString& otherwise) const;
    bool flag(const QString& key, bool otherwise) const;
    double number(const QString& key, double low, double high, double otherwise) const;
    void keep(const QString& key, const QVariant& value);

    // The default path of the window.
    static QString usualPath();

private:
    std::unique_ptr<QSettings> m_file;
};

} // namespace lhrs::gui

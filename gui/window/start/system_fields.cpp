// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/system_fields.h"

#include "gui/view/paint/number_box.h"

#include <QCheckBox>
#include <QComboBox>

namespace lhrs::gui {

QSpinBox* numberField(QWidget* parent, const char* id, int low, int high, int value)
{
    auto* box = new WholeBox(parent);
    box->setObjectName(QString::fromLatin1(id));
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

QComboBox* choiceField(QWidget* parent, const char* id, const QStringList& choices, const QString& accessibleName)
{
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(id));
    box->addItems(choices);
    box->setAccessibleName(accessibleName);
    return box;
}

QCheckBox* flagField(QWidget* parent, const char* id, const QString& words)
{
    auto* box = new QCheckBox(words, parent);
    box->setObjectName(QString::fromLatin1(id));
    return box;
}

} // namespace lhrs::gui

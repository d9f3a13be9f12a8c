// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in files, options and between programs have a point, whatever language the person has chosen: every program
// that links the lab has this object.
#include <QCoreApplication>
#include <QLocale>

#include <clocale>

namespace {

// Qt's application object gives the C library the person's language, numbers included: printf and std::to_string would
// write 0,5 and strtod would not read 0.5. Numbers go back to C as soon as that object is made; the other categories
// stay (file names need the character set). Number boxes write as the rest does and read both marks (number_box.h).
void useCNumbers()
{
    std::setlocale(LC_NUMERIC, "C");
    QLocale::setDefault(QLocale::c());
}

} // namespace

Q_COREAPP_STARTUP_FUNCTION(useCNumbers)

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in files, options and between programs have a decimal point in every locale. Every program that links the
// lab contains this object.
#include <QCoreApplication>
#include <QLocale>

#include <clocale>

namespace {

// Qt's application object sets the C library to the user's locale, including numbers: printf and std::to_string would
// write 0,5 and strtod would not read 0.5. Numbers are set back to C as soon as that object exists; the other
// categories stay (file names need the character set). Number boxes write a point too and read both marks
// (number_box.h).
void useCNumbers()
{
    std::setlocale(LC_NUMERIC, "C");
    QLocale::setDefault(QLocale::c());
}

} // namespace

Q_COREAPP_STARTUP_FUNCTION(useCNumbers)

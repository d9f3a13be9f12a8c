// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/main/main_window.h"

#include <QCommandLineParser>
#include <QSize>

namespace lhrs::gui {

// What the command line of lhrs-gui asks for.
class GuiOptions {
public:
    GuiOptions();

    // Reads the program's arguments; --help and --version end it. Returns what is wrong with them as a sentence.
    QString read(const QCoreApplication& application);

    bool isSet(const char* option) const { return m_parser.isSet(QLatin1String(option)); }
    QString value(const char* option) const { return m_parser.value(QLatin1String(option)); }

    MainWindow::Options window; // without the directory of the scenarios
    SimulatedOptions simulated; // with --sim
    std::vector<HostEntry> hosts; // with --hosts
    Workspace workspace = Workspace::Lecture;
    QSize size; // pixels
    FolderUse use = FolderUse::New;

private:
    bool isAnySet(std::initializer_list<const char*> options) const;
    // Each returns what is wrong as a sentence, or an empty string.
    QString readLooks();
    QString readSize();
    QString readCluster();
    QString objectionToRun() const;
    QString objectionToFiles() const;
    QString readWorkspace();

    QCommandLineParser m_parser;
};

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>

#include <memory>
#include <vector>

class QLockFile;

namespace lhrs::gui {

// A text that was edited and is not yet saved in a file.
struct UnsavedText {
    QString path; // of the edited file; empty: a new one
    QString text;
    bool hasCrLf = false, hasBom = false;
    QByteArray digest; // of that file's bytes when it was opened
    QDateTime keptAt;
    QString kept; // file that keeps the text
};

// Keeps the unsaved text of one window in a directory, so that it survives a crash, and finds the texts of ended
// windows. Each text is a locked file; a running window holds the lock of its text.
class UnsavedStore {
public:
    // An empty directory name: nothing is kept and nothing is found.
    explicit UnsavedStore(const QString& directory);
    // The kept text stays.
    ~UnsavedStore();
    UnsavedStore(const UnsavedStore&) = delete;
    UnsavedStore& operator=(const UnsavedStore&) = delete;

    // Replaces the text kept before. Returns an error sentence, or empty if kept.
    QString keep(const UnsavedText& text);
    // Removes the kept text: nothing is unsaved any more.
    void forget();
    // The texts of ended windows, newest first. No other window is offered them while this one exists.
    const std::vector<UnsavedText>& left();
    // Removes a text that was taken over or is not wanted.
    void drop(const UnsavedText& text);

    // The default directory.
    static QString usualDirectory();

private:
    QString m_directory, m_own;
    std::unique_ptr<QLockFile> m_lock;
    bool m_hasLooked = false;
    std::vector<UnsavedText> m_left;
    std::vector<std::pair<QString, std::unique_ptr<QLockFile>>> m_adopted;
};

} // namespace lhrs::gui

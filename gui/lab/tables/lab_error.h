// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJSValue>
#include <QString>

#include <optional>
#include <utility>

namespace lhrs::gui {

// The error codes of `lab`; scripts see the same names.
enum class LabCode {
    BadArgument,
    NoCluster,
    ClusterMismatch,
    NoSpares,
    NotAllowed,
    Refused,
    Unreachable,
    Timeout,
    ExpectationFailed,
    Unsupported,
    Stopped,
};

QString nameOf(LabCode code);

// Why a call of the script failed. Line and call are added when it is thrown into the script.
struct LabError {
    LabCode code = LabCode::Refused;
    QString message;
    QString hint = {};
    QJSValue thrown = {}; // the script's own exception, from one of its functions; it is passed on unchanged
};

// A value, or the LabError for the script.
template <class T> class [[nodiscard]] LabResult {
public:
    LabResult(T value) : m_value(std::move(value)) { }
    LabResult(LabError error) : m_error(std::move(error)) { }
    explicit operator bool() const { return m_value.has_value(); }
    T& operator*() { return *m_value; }
    const T& operator*() const { return *m_value; }
    T* operator->() { return &*m_value; }
    const T* operator->() const { return &*m_value; }
    const LabError& error() const { return m_error; }

private:
    std::optional<T> m_value;
    LabError m_error;
};

} // namespace lhrs::gui

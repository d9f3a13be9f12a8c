// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes for numbers that are typed. They take both decimal marks and the digits of every script, whatever language the
// person has chosen, and say in a sentence what they refuse: 1.234 can be a thousand and more, or little more than one.
#pragma once

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>

#include <functional>
#include <optional>
#include <type_traits>

namespace lhrs::gui {

// What somebody typed: a number, or why it is none.
struct TypedNumber {
    std::optional<double> value;
    QString objection; // a whole sentence; empty where there is a value
};

// `decimals`: digits that may stand after the mark; 0: a whole number.
TypedNumber readTyped(const QString& words, int decimals);

// Whether typing on can make a number of it: digits, marks, spaces, signs.
bool canBecomeNumber(const QString& words);

// The objection to what stands in a box, for the form around it. It stays when the box returns to its former value, until
// the box is entered again or changed: a button beside it must not do what the person did not write.
class NumberEntry : public QObject {
    Q_OBJECT
public:
    explicit NumberEntry(QAbstractSpinBox& box) : QObject(&box), m_box(box) { box.installEventFilter(this); }

    const QString& objection() const { return m_objection; }
    void look(const QString& objection);
    // The box does not take what was typed, and says why below itself.
    void refuse();
    // The first objection of the boxes in a form that are shown; empty: none.
    static QString objectionIn(const QWidget& form);
    // `told` is called whenever an objection in the form comes or goes.
    static void follow(const QWidget& form, QObject* context, const std::function<void()>& told);

    bool eventFilter(QObject* object, QEvent* event) override;

signals:
    void changed();

private:
    QAbstractSpinBox& m_box;
    QString m_objection;
    bool m_isRefused = false; // just now
};

// WholeBox and FractionBox are used where QSpinBox and QDoubleSpinBox would be.
template <class Box, class Value>
class NumberBox : public Box {
public:
    explicit NumberBox(QWidget* parent = nullptr) : Box(parent), m_entry(new NumberEntry(*this))
    {
        QObject::connect(this->lineEdit(), &QLineEdit::textChanged, m_entry, [this](const QString& text) { m_entry->look(read(text).objection); });
        QObject::connect(this, &Box::valueChanged, m_entry, [this] { m_entry->look({}); });
    }

protected:
    QValidator::State validate(QString& text, int&) const override
    {
        if (isSpecial(text) || read(text).value)
            return QValidator::Acceptable;
        return canBecomeNumber(bare(text)) ? QValidator::Intermediate : QValidator::Invalid;
    }
    Value valueFromText(const QString& text) const override
    {
        return isSpecial(text) ? this->minimum() : Value(read(text).value.value_or(this->value()));
    }
    void fixup(QString&) const override { m_entry->refuse(); }

private:
    bool isSpecial(const QString& text) const { return !this->specialValueText().isEmpty() && text == this->specialValueText(); }
    QString bare(QString text) const
    {
        if (text.startsWith(this->prefix()))
            text.remove(0, this->prefix().size());
        if (text.endsWith(this->suffix()))
            text.chop(this->suffix().size());
        return text.trimmed();
    }
    TypedNumber read(const QString& text) const
    {
        if (isSpecial(text))
            return { double(this->minimum()), {} };
        int decimals = 0;
        if constexpr (std::is_same_v<Value, double>)
            decimals = this->decimals();
        TypedNumber typed = readTyped(bare(text), decimals);
        if (typed.value && !(*typed.value >= this->minimum() && *typed.value <= this->maximum()))
            typed = { {}, QObject::tr("“%1” is out of bounds. Write a number from %2 to %3.").arg(bare(text)).arg(this->minimum()).arg(this->maximum()) };
        return typed;
    }

    NumberEntry* const m_entry; // a child of the box
};

using WholeBox = NumberBox<QSpinBox, int>;
using FractionBox = NumberBox<QDoubleSpinBox, double>;

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes for typed numbers. They accept both decimal marks and the digits of every script, whatever language the person
// has chosen. A sentence explains what they refuse: 1.234 can mean more than a thousand, or a little more than one.
#pragma once

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>

#include <functional>
#include <optional>
#include <type_traits>

namespace lhrs::gui {

// What a person typed: a number, or the reason why it is not one.
struct TypedNumber {
    std::optional<double> value;
    QString objection; // a whole sentence; empty where there is a value
};

// `decimals`: the most digits after the decimal mark; 0: a whole number.
TypedNumber readTyped(const QString& words, int decimals);

// Whether further typing can make the text a number: digits, marks, spaces, signs.
bool canBecomeNumber(const QString& words);

// The objection to the text in a box, for the form around it. When the box returns to its former value, the objection
// stays until the box is entered again or changed: a button beside it must not use a value that the person did not
// type.
class NumberEntry : public QObject {
    Q_OBJECT
public:
    explicit NumberEntry(QAbstractSpinBox& box) : QObject(&box), m_box(box) { box.installEventFilter(this); }

    const QString& objection() const { return m_objection; }
    void look(const QString& objection);
    // The box refuses what was typed, and says why below itself.
    void refuse();
    // The first objection among the visible boxes of a form; empty: none.
    static QString objectionIn(const QWidget& form);
    // `told` is called whenever an objection in the form appears or disappears.
    static void follow(const QWidget& form, QObject* context, const std::function<void()>& told);

    bool eventFilter(QObject* object, QEvent* event) override;

signals:
    void changed();

private:
    QAbstractSpinBox& m_box;
    QString m_objection;
    bool m_isRefused = false; // refused, and neither entered again nor changed since
};

// WholeBox and FractionBox replace QSpinBox and QDoubleSpinBox.
template <class Box, class Value> class NumberBox : public Box {
public:
    explicit NumberBox(QWidget* parent = nullptr) : Box(parent), m_entry(new NumberEntry(*this))
    {
        QObject::connect(this->lineEdit(), &QLineEdit::textChanged, m_entry,
            [this](const QString& text) { m_entry->look(read(text).objection); });
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
    bool isSpecial(const QString& text) const
    {
        return !this->specialValueText().isEmpty() && text == this->specialValueText();
    }
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
            typed = { {},
                QObject::tr("“%1” is out of range. Write a number from %2 to %3.")
                    .arg(bare(text))
                    .arg(this->minimum())
                    .arg(this->maximum()) };
        return typed;
    }

    NumberEntry* const m_entry; // a child of the box
};

using WholeBox = NumberBox<QSpinBox, int>;
using FractionBox = NumberBox<QDoubleSpinBox, double>;

} // namespace lhrs::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/random.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lhrs::fuzz {

// Changes inputs a little, by a seed: bytes as bytes, protobuf messages field by field, so that the result still parses
// and reaches deep code.
class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : m_draws(seed, DrawnFor::Workload) { }

    std::uint64_t below(std::uint64_t bound) { return m_draws.below(bound); }

    // One to four changes; parts of `other` may be inserted.
    void bytes(std::string& input, const std::string& other)
    {
        for (std::uint64_t left = 1 + below(4); left > 0; --left) {
            const std::size_t at = input.empty() ? 0 : below(input.size());
            switch (below(7)) {
            case 0:
                if (!input.empty())
                    input[at] = char(input[at] ^ (1 << below(8)));
                break;
            case 1:
                if (!input.empty())
                    input[at] = char(below(256));
                break;
            case 2: input.insert(at, std::string(1 + below(8), char(below(256)))); break;
            case 3: input.erase(at, 1 + below(8)); break;
            case 4: input.resize(at); break;
            case 5: input.insert(at, number()); break;
            default:
                if (!other.empty()) {
                    const std::size_t from = below(other.size());
                    input.replace(at, below(16), other, from, below(64));
                }
                break;
            }
        }
        if (input.size() > kInputMax)
            input.resize(kInputMax);
    }

    // Changes one field of the message, or of a nested message.
    void message(google::protobuf::Message& message)
    {
        const auto* type = message.GetDescriptor();
        const auto* reflection = message.GetReflection();
        if (type->field_count() == 0)
            return;
        std::vector<const google::protobuf::FieldDescriptor*> present;
        reflection->ListFields(message, &present);
        const auto* field = !present.empty() && below(4) > 0
            ? present[below(present.size())]
            : type->field(int(below(std::uint64_t(type->field_count()))));
        if (below(16) == 0)
            reflection->ClearField(&message, field);
        else if (field->is_repeated())
            repeated(message, *field);
        else
            single(message, *field);
    }

private:
    static constexpr std::size_t kInputMax = 4'096;
    using Field = google::protobuf::FieldDescriptor;

    // Numbers at the bounds of types and limits.
    std::uint64_t interesting()
    {
        constexpr std::array<std::uint64_t, 16> kNumbers { 0, 1, 2, 3, 4, 7, 8, 100, 255, 256, 65'535, 65'536,
            0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t(0) };
        const std::uint64_t number = m_draws.oneOf(kNumbers);
        return below(4) == 0 ? number + below(5) - 2 : below(8) == 0 ? m_draws.next() : number;
    }
    // Bytes such as two lengths of 0x80000000, whose sum overflows to 0.
    std::string number()
    {
        const std::uint64_t value = interesting();
        std::string bytes;
        for (std::size_t i = 0; i < (below(2) == 0 ? 4u : 8u); ++i)
            bytes += char(value >> 8 * i);
        return bytes;
    }
    std::string text() { return std::string(below(4) == 0 ? below(300) : below(20), char(below(256))); }

    // One switch for singular and repeated fields: `Set` is called with a value of the field's type.
    template <class Set> void value(const Field& field, Set set)
    {
        switch (field.cpp_type()) {
        case Field::CPPTYPE_INT32: set(std::int32_t(interesting())); break;
        case Field::CPPTYPE_INT64: set(std::int64_t(interesting())); break;
        case Field::CPPTYPE_UINT32: set(std::uint32_t(interesting())); break;
        case Field::CPPTYPE_UINT64: set(std::uint64_t(interesting())); break;
        case Field::CPPTYPE_DOUBLE:
            set(below(4) == 0 ? std::numeric_limits<double>::quiet_NaN() : double(interesting()));
            break;
        case Field::CPPTYPE_FLOAT: set(float(interesting())); break;
        case Field::CPPTYPE_BOOL: set(below(2) == 0); break;
        case Field::CPPTYPE_STRING: set(text()); break;
        case Field::CPPTYPE_ENUM:
        case Field::CPPTYPE_MESSAGE: break; // handled by the callers
        }
    }
    struct SetSingle {
        google::protobuf::Message& message;
        const Field& field;
        const google::protobuf::Reflection& to;
        void operator()(std::int32_t v) const { to.SetInt32(&message, &field, v); }
        void operator()(std::int64_t v) const { to.SetInt64(&message, &field, v); }
        void operator()(std::uint32_t v) const { to.SetUInt32(&message, &field, v); }
        void operator()(std::uint64_t v) const { to.SetUInt64(&message, &field, v); }
        void operator()(double v) const { to.SetDouble(&message, &field, v); }
        void operator()(float v) const { to.SetFloat(&message, &field, v); }
        void operator()(bool v) const { to.SetBool(&message, &field, v); }
        void operator()(const std::string& v) const { to.SetString(&message, &field, v); }
    };
    struct AddOne {
        google::protobuf::Message& message;
        const Field& field;
        const google::protobuf::Reflection& to;
        void operator()(std::int32_t v) const { to.AddInt32(&message, &field, v); }
        void operator()(std::int64_t v) const { to.AddInt64(&message, &field, v); }
        void operator()(std::uint32_t v) const { to.AddUInt32(&message, &field, v); }
        void operator()(std::uint64_t v) const { to.AddUInt64(&message, &field, v); }
        void operator()(double v) const { to.AddDouble(&message, &field, v); }
        void operator()(float v) const { to.AddFloat(&message, &field, v); }
        void operator()(bool v) const { to.AddBool(&message, &field, v); }
        void operator()(const std::string& v) const { to.AddString(&message, &field, v); }
    };

    void single(google::protobuf::Message& in, const Field& field)
    {
        const auto& reflection = *in.GetReflection();
        if (field.cpp_type() == Field::CPPTYPE_MESSAGE) {
            message(*reflection.MutableMessage(&in, &field));
        } else if (field.cpp_type() == Field::CPPTYPE_ENUM) {
            reflection.SetEnumValue(&in, &field, int(below(8)));
        } else if (field.cpp_type() == Field::CPPTYPE_STRING && reflection.HasField(in, &field) && below(2) == 0) {
            std::string changed = reflection.GetString(in, &field);
            bytes(changed, changed);
            reflection.SetString(&in, &field, changed);
        } else {
            value(field, SetSingle { in, field, reflection });
        }
    }

    void repeated(google::protobuf::Message& in, const Field& field)
    {
        const auto& reflection = *in.GetReflection();
        const int size = reflection.FieldSize(in, &field);
        if (size > 0 && below(3) == 0)
            reflection.RemoveLast(&in, &field);
        else if (size > 1 && below(3) == 0)
            reflection.SwapElements(&in, &field, int(below(std::uint64_t(size))), int(below(std::uint64_t(size))));
        else if (field.cpp_type() == Field::CPPTYPE_MESSAGE && size > 0 && below(2) == 0)
            message(*reflection.MutableRepeatedMessage(&in, &field, int(below(std::uint64_t(size)))));
        else if (field.cpp_type() == Field::CPPTYPE_MESSAGE)
            message(*reflection.AddMessage(&in, &field));
        else if (field.cpp_type() == Field::CPPTYPE_ENUM)
            reflection.AddEnumValue(&in, &field, int(below(8)));
        else
            value(field, AddOne { in, field, reflection });
    }

    Generator m_draws;
};

} // namespace lhrs::fuzz

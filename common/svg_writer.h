// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lhrs {

// "12.5": coordinates are written to a tenth of a pixel.
std::string svgNumber(double value);

// Writes the text of an SVG file, element by element; all values and words are escaped.
class SvgWriter {
public:
    struct Attribute {
        Attribute(std::string_view called, std::string text) : name(called), value(std::move(text)) { }
        template <class Number>
        requires std::is_arithmetic_v<Number> Attribute(std::string_view called, Number number)
            : name(called), value(svgNumber(double(number)))
        {
        }
        std::string_view name;
        std::string value; // empty: the attribute is left out
    };
    using Attributes = std::initializer_list<Attribute>;

    // Begins the root element. `size` in pixels.
    SvgWriter(int width, int height, Attributes attributes);

    // <name attributes/>, or <name attributes>words</name>.
    void element(std::string_view name, Attributes attributes, std::string_view words = {});
    void begin(std::string_view name, Attributes attributes = {});
    void end(std::string_view name);
    // The whole text; ends the root element.
    std::string finish();

private:
    void open(std::string_view name, Attributes attributes);
    void add(std::string_view text);

    std::string m_text;
};

} // namespace lhrs

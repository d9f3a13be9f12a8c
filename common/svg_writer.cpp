// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/svg_writer.h"

#include <charconv>
#include <cmath>

namespace lhrs {

std::string svgNumber(double value)
{
    constexpr int kDigits = 8;
    char text[32];
    const auto written = std::to_chars(
        text, text + sizeof text, std::round(value * 10) / 10, std::chars_format::general, kDigits);
    return { text, written.ptr };
}

SvgWriter::SvgWriter(int width, int height, Attributes attributes)
{
    const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(height);
    const std::string corners = "0 0 " + std::to_string(width) + ' ' + std::to_string(height);
    m_text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"" + corners + '"';
    for (const auto& [name, value] : attributes) {
        m_text.append(" ").append(name).append("=\"");
        add(value);
        m_text += '"';
    }
    m_text += ">\n";
}

void SvgWriter::element(std::string_view name, Attributes attributes, std::string_view words)
{
    open(name, attributes);
    if (words.empty()) {
        m_text += "/>\n";
        return;
    }
    m_text += '>';
    add(words);
    m_text.append("</").append(name).append(">\n");
}

void SvgWriter::begin(std::string_view name, Attributes attributes)
{
    open(name, attributes);
    m_text += ">\n";
}

void SvgWriter::end(std::string_view name) { m_text.append("</").append(name).append(">\n"); }

std::string SvgWriter::finish()
{
    m_text += "</svg>\n";
    return std::move(m_text);
}

void SvgWriter::open(std::string_view name, Attributes attributes)
{
    m_text.append("<").append(name);
    for (const auto& [attribute, value] : attributes) {
        if (value.empty())
            continue;
        m_text.append(" ").append(attribute).append("=\"");
        add(value);
        m_text += '"';
    }
}

void SvgWriter::add(std::string_view text)
{
    for (const char c : text) {
        switch (c) {
        case '<': m_text += "&lt;"; break;
        case '>': m_text += "&gt;"; break;
        case '&': m_text += "&amp;"; break;
        case '"': m_text += "&quot;"; break;
        default: m_text += static_cast<unsigned char>(c) < ' ' ? ' ' : c; // XML allows no control characters
        }
    }
}

} // namespace lhrs

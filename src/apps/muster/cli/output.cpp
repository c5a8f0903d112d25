#include "apps/muster/cli/output.h"

#include "apps/command_line/command.h"
#include "base/assert.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

namespace muster::cli {
namespace {

namespace json = boost::json;

// A value in one cell: lists with commas, objects as JSON.
std::string cell(const json::value& value) {
    if (value.is_string()) return json::value_to<std::string>(value);
    if (value.is_null()) return "-";
    if (value.is_double()) return fmt::format("{:g}", value.as_double());
    if (!value.is_array()) return json::serialize(value);
    std::string joined;
    for (const auto& item : value.as_array()) joined += (joined.empty() ? "" : ",") + cell(item);
    return joined;
}

// Data of a server must not move the cursor of the terminal.
std::string replace_control_characters(std::string text) {
    for (auto& letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    }
    return text;
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{:<{}}  ", cells[i], widths[i]);
    while (text.ends_with(' ')) text.pop_back();
    return text + '\n';
}

std::string upper(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

std::string render_rows(const json::array& rows, const std::vector<std::string>& columns) {
    std::vector<std::vector<std::string>> lines(1);
    for (const auto& column : columns) lines.front().push_back(upper(column));
    for (const auto& row : rows) {
        auto& cells = lines.emplace_back();
        for (const auto& column : columns) {
            const auto* value = row.is_object() ? row.as_object().if_contains(column) : nullptr;
            cells.push_back(value == nullptr ? "-" : replace_control_characters(cell(*value)));
        }
    }
    std::vector<std::size_t> widths(columns.size());
    for (const auto& cells : lines) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], cells[i].size());
    }
    std::string text;
    for (const auto& cells : lines) text += line(cells, widths);
    return text;
}

std::string render_members(const json::object& members) {
    std::size_t width = 0;
    for (const auto& member : members) width = std::max(width, member.key().size());
    std::string text;
    for (const auto& member : members)
        fmt::format_to(
            std::back_inserter(text),
            "{:<{}}  {}\n",
            std::string_view(member.key().data(), member.key().size()),
            width,
            replace_control_characters(cell(member.value())));
    return text;
}

// JSON scalars are valid YAML.
void append_yaml(std::string& text, const json::value& value, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    const auto is_block = [](const json::value& candidate) {
        return (candidate.is_object() && !candidate.as_object().empty())
               || (candidate.is_array() && !candidate.as_array().empty());
    };
    const auto append_child = [&](const std::string& start, const json::value& child) {
        text += indent + start;
        if (is_block(child)) {
            text += '\n';
            append_yaml(text, child, depth + 1);
        } else {
            text += ' ' + json::serialize(child) + '\n';
        }
    };
    if (!is_block(value)) {
        text += indent + json::serialize(value) + '\n';
    } else if (value.is_object()) {
        for (const auto& member : value.as_object())
            append_child(json::serialize(member.key()) + ":", member.value());
    } else {
        for (const auto& item : value.as_array()) append_child("-", item);
    }
}

std::string render_table(const json::value& value, const std::vector<std::string>& columns) {
    if (value.is_array()) return render_rows(value.as_array(), columns);
    if (value.is_object()) return render_members(value.as_object());
    return cell(value) + '\n';
}

}  // namespace

void add_output_flag(command_line::command& command, output_format& format) {
    const auto choice = [](std::string word, output_format chosen_format) {
        return std::pair(std::move(word), static_cast<int>(chosen_format));
    };
    command
        .add_choice(
            "-o,--output",
            {choice("table", output_format::table),
             choice("json", output_format::json),
             choice("yaml", output_format::yaml)},
            [&format](int chosen) { format = static_cast<output_format>(chosen); },
            "How to print: table, json or yaml")
        ->type_name("FORMAT");
}

std::string render(
    const json::value& value, output_format format, const std::vector<std::string>& columns) {
    switch (format) {
        case output_format::table:
            return render_table(value, columns);
        case output_format::json:
            return json::serialize(value) + '\n';
        case output_format::yaml: {
            std::string text;
            append_yaml(text, value, 0);
            return text;
        }
    }
    MUSTER_ASSERT(false);
    return {};
}

}  // namespace muster::cli

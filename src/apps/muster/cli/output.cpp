#include "apps/muster/cli/output.h"

#include "apps/command_line/command.h"
#include "apps/muster/cli/table.h"
#include "base/assert.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <ranges>

namespace muster::cli {
namespace {

namespace json = boost::json;

// A value in one cell: lists with commas, objects as NAME=VALUE.
std::string cell(const json::value& value) {
    if (value.is_string()) return json::value_to<std::string>(value);
    if (value.is_null()) return "-";
    if (value.is_double()) return fmt::format("{:g}", value.as_double());
    std::string joined;
    if (const auto* const items = value.if_array()) {
        for (const auto& item : *items) joined += (joined.empty() ? "" : ",") + cell(item);
        return joined;
    }
    const auto* const members = value.if_object();
    if (members == nullptr) return json::serialize(value);
    for (const auto& member : *members)
        joined +=
            (joined.empty() ? "" : " ") + std::string(member.key()) + "=" + cell(member.value());
    return joined;
}

// Data of a server must not move the cursor of the terminal.
std::string replace_control_characters(std::string text) {
    for (auto& letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    }
    return text;
}

std::string upper(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

std::string render_rows(
    const json::array& rows,
    const std::vector<std::string>& columns,
    std::optional<std::size_t> width) {
    std::vector<std::vector<std::string>> lines(1);
    for (const auto& column : columns) lines.front().push_back(upper(column));
    for (const auto& row : rows) {
        auto& cells = lines.emplace_back();
        for (const auto& column : columns) {
            const auto* value = row.is_object() ? row.as_object().if_contains(column) : nullptr;
            cells.push_back(value == nullptr ? "-" : replace_control_characters(cell(*value)));
        }
    }
    return align_columns(lines, width);
}

std::vector<std::string> member_names(const json::array& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        for (const auto& member : row.as_object()) {
            if (std::string name(member.key()); std::ranges::find(names, name) == names.end())
                names.push_back(std::move(name));
        }
    }
    return names;
}

bool is_rows(const json::value& value) {
    const auto* const items = value.if_array();
    return items != nullptr && !items->empty()
           && std::ranges::all_of(*items, [](const json::value& item) { return item.is_object(); });
}

bool is_members(const json::value& value) {
    return value.is_object() && !value.get_object().empty();
}

// One line a member; objects and lists of objects in indented lines below their names.
std::string render_members(const json::object& members, const std::string& indent) {
    std::size_t width = 0;
    for (const auto& member : members) {
        if (!is_rows(member.value()) && !is_members(member.value()))
            width = std::max(width, member.key().size());
    }
    std::string text;
    for (const auto& [key, value] : members) {
        const std::string name = replace_control_characters(std::string(key));
        if (is_members(value)) {
            text += indent + name + "\n" + render_members(value.get_object(), indent + "  ");
        } else if (is_rows(value)) {
            const auto& rows = value.get_array();
            const auto table = render_rows(rows, member_names(rows), std::nullopt);
            text += indent + name + "\n";
            for (const auto line : std::views::split(std::string_view(table), '\n')) {
                if (!line.empty())
                    text += indent + "  " + std::string(line.begin(), line.end()) + "\n";
            }
        } else {
            const auto shown = replace_control_characters(cell(value));
            fmt::format_to(
                std::back_inserter(text),
                "{}{:<{}}  {}\n",
                indent,
                name,
                width,
                shown.empty() ? "-" : shown);
        }
    }
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
    if (value.is_array()) return render_rows(value.as_array(), columns, terminal_width());
    if (value.is_object()) return render_members(value.as_object(), "");
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
            "Output format: table, json or yaml (default table)")
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

#include "core/windows/component.h"

#include <utility>

namespace muster::windows {
namespace {

std::unexpected<error> invalid_line(std::size_t line, const std::string& text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + text);
}

std::string shorten(std::string_view text) {
    constexpr std::size_t length_max = 40;
    return std::string(text.substr(0, length_max));
}

}  // namespace

result<const content_line*> component::find_one(std::string_view property_name) const {
    const auto matches = find_all(property_name);
    if (matches.size() > 1)
        return invalid_line(
            matches[1]->number, "duplicate " + std::string(property_name) + " in one " + name);
    return matches.empty() ? nullptr : matches.front();
}

std::vector<const content_line*> component::find_all(std::string_view property_name) const {
    std::vector<const content_line*> matches;
    for (const auto& property : properties)
        if (property.name == property_name) matches.push_back(&property);
    return matches;
}

result<component> parse_calendar_object(std::string_view text) {
    TRY(auto lines, parse_content(text));
    std::vector<component> open;  // from the outermost inwards
    std::size_t parts = 0;
    for (std::size_t index = 0; index < lines.size(); ++index) {
        auto& line = lines[index];
        if (line.name == "BEGIN") {
            if (open.empty() && line.value != "VCALENDAR")
                return invalid_line(line.number, "expected BEGIN:VCALENDAR");
            if (open.size() == component_limits::depth_max || ++parts > component_limits::parts_max)
                return invalid_line(
                    line.number, "limit of 4000 components or 4 nesting levels exceeded");
            open.push_back(
                {.name = line.value, .line = line.number, .properties = {}, .parts = {}});
            continue;
        }
        if (open.empty()) return invalid_line(line.number, "expected BEGIN:VCALENDAR");
        if (line.name != "END") {
            open.back().properties.push_back(std::move(line));
            continue;
        }
        if (line.value != open.back().name)
            return invalid_line(
                line.number,
                "END:" + shorten(line.value) + " does not close BEGIN:" + shorten(open.back().name)
                    + " of line " + std::to_string(open.back().line));
        auto closed = std::move(open.back());
        open.pop_back();
        if (!open.empty()) {
            open.back().parts.push_back(std::move(closed));
        } else if (index + 1 == lines.size()) {
            return closed;
        } else {
            return invalid_line(lines[index + 1].number, "unexpected content after END:VCALENDAR");
        }
    }
    if (open.empty()) return fail(errc::invalid, "calendar is empty");
    return invalid_line(open.back().line, "BEGIN:" + shorten(open.back().name) + " has no END");
}

}  // namespace muster::windows

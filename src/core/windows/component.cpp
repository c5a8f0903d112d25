#include "core/windows/component.h"

#include <utility>

namespace muster::windows {
namespace {

std::unexpected<error> wrong(std::size_t line, const std::string& text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + text);
}

std::string shown(std::string_view text) {
    constexpr std::size_t shown_max = 40;
    return std::string(text.substr(0, shown_max));
}

}  // namespace

result<const content_line*> component::only(std::string_view desired) const {
    const auto match = all(desired);
    if (match.size() > 1)
        return wrong(match[1]->number, std::string(desired) + " stands twice in one " + name);
    return match.empty() ? nullptr : match.front();
}

std::vector<const content_line*> component::all(std::string_view desired) const {
    std::vector<const content_line*> content_lines;
    for (const auto& property : properties)
        if (property.name == desired) content_lines.push_back(&property);
    return content_lines;
}

result<component> parse_calendar_object(std::string_view text) {
    TRY(auto lines, parse_content(text));
    std::vector<component> open;  // from the outermost inwards
    std::size_t parts = 0;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        auto& line = lines[at];
        if (line.name == "BEGIN") {
            if (open.empty() && line.value != "VCALENDAR")
                return wrong(line.number, "a calendar begins with BEGIN:VCALENDAR");
            if (open.size() == component_limits::depth_max || ++parts > component_limits::parts_max)
                return wrong(line.number, "too many parts: at most 4000, and 4 within each other");
            open.push_back(
                {.name = line.value, .line = line.number, .properties = {}, .parts = {}});
            continue;
        }
        if (open.empty()) return wrong(line.number, "a calendar begins with BEGIN:VCALENDAR");
        if (line.name != "END") {
            open.back().properties.push_back(std::move(line));
            continue;
        }
        if (line.value != open.back().name)
            return wrong(
                line.number,
                "END:" + shown(line.value) + " does not close BEGIN:" + shown(open.back().name)
                    + " of line " + std::to_string(open.back().line));
        auto closed = std::move(open.back());
        open.pop_back();
        if (!open.empty()) {
            open.back().parts.push_back(std::move(closed));
        } else if (at + 1 == lines.size()) {
            return closed;
        } else {
            return wrong(lines[at + 1].number, "something follows after END:VCALENDAR");
        }
    }
    if (open.empty()) return fail(errc::invalid, "the calendar is empty");
    return wrong(open.back().line, "BEGIN:" + shown(open.back().name) + " is never closed");
}

}  // namespace muster::windows

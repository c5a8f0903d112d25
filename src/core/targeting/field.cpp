#include "core/targeting/field.h"

#include <array>
#include <utility>

namespace muster::targeting {
namespace {

constexpr std::array<std::pair<std::string_view, field>, 9> words{
    {{"name", field::name},
     {"tag", field::tag},
     {"group", field::group},
     {"zone", field::zone},
     {"state", field::state},
     {"node", field::node},
     {"fp", field::print},
     {"number", field::number},
     {"machine", field::machine}}};

}  // namespace

std::optional<field> parse_field(std::string_view word) {
    for (const auto& [text, which] : words)
        if (text == word) return which;
    return std::nullopt;
}

std::string_view to_string(field field) {
    for (const auto& [text, each] : words)
        if (each == field) return text;
    return "";
}

std::string field_list() {
    std::string all;
    for (const auto& word : words) {
        if (!all.empty()) all += ", ";
        all += word.first;
    }
    return all;
}

}  // namespace muster::targeting

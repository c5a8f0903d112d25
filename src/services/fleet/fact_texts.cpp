#include "services/fleet/fact_texts.h"

#include "core/targeting/fold.h"
#include "core/targeting/index/fact_index.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;
using targeting::fact;
using targeting::folded;

constexpr std::size_t depth_max = 16;
// Maximum of texts before they are sorted and cut to the limit of a system.
constexpr std::size_t texts_max = 4 * targeting::fact_limits::facts_max;

// Formats a number as Salt does; JSON would give 1.25E1.
std::string to_text(double number) {
    auto text = fmt::format("{}", number);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
}

std::string to_text(const json::value& scalar) {
    if (const auto* const text = scalar.if_string()) return folded({text->data(), text->size()});
    if (scalar.is_null()) return "none";
    if (scalar.is_double()) return to_text(scalar.get_double());
    return folded(json::serialize(scalar));
}

void add(
    const std::string& path,
    const json::value& value,
    std::size_t depth,
    std::vector<fact>& texts) {
    if (depth > depth_max || texts.size() >= texts_max) return;
    if (const auto* const members = value.if_object()) {
        for (const auto& [name, member] : *members) {
            const auto member_name = folded({name.data(), name.size()});
            add(path.empty() ? member_name : path + "." + member_name, member, depth + 1, texts);
        }
    } else if (const auto* const items = value.if_array()) {
        for (const auto& item : *items) add(path, item, depth + 1, texts);
    } else if (!path.empty()) {
        texts.push_back({.path = path, .text = to_text(value)});
    }
}

}  // namespace

std::vector<fact> to_fact_texts(const json::object& facts) {
    std::vector<fact> texts;
    add("", json::value(facts), 0, texts);
    return targeting::searchable(std::move(texts));
}

result<std::vector<fact>> parse_fact_texts(std::string_view document) {
    json::error_code failure;
    json::parse_options options;
    options.max_depth = 2 * depth_max;
    const auto parsed = json::parse({document.data(), document.size()}, failure, {}, options);
    const auto* const facts = failure ? nullptr : parsed.if_object();
    if (facts == nullptr) return fail(errc::corrupt, "facts are not a JSON object");
    return to_fact_texts(*facts);
}

}  // namespace muster::fleet

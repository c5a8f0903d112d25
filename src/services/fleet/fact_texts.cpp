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
// So many are looked at before they are put in order and cut to what a system may have.
constexpr std::size_t texts_max = 4 * targeting::fact_limits::facts_max;

// As people, and Salt, write it: JSON's own way would be 1.25E1.
std::string text_of(double number) {
    auto text = fmt::format("{}", number);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
}

std::string text_of(const json::value& scalar) {
    if (const auto* const text = scalar.if_string()) return folded({text->data(), text->size()});
    if (scalar.is_null()) return "none";
    if (scalar.is_double()) return text_of(scalar.get_double());
    return folded(json::serialize(scalar));
}

void add(
    const std::string& path, const json::value& value, std::size_t depth, std::vector<fact>& into) {
    if (depth > depth_max || into.size() >= texts_max) return;
    if (const auto* const members = value.if_object()) {
        for (const auto& [name, member] : *members) {
            const auto below = folded({name.data(), name.size()});
            add(path.empty() ? below : path + "." + below, member, depth + 1, into);
        }
    } else if (const auto* const items = value.if_array()) {
        for (const auto& item : *items) add(path, item, depth + 1, into);
    } else if (!path.empty()) {
        into.push_back({.path = path, .text = text_of(value)});
    }
}

}  // namespace

std::vector<fact> fact_texts(const json::object& facts) {
    std::vector<fact> texts;
    add("", json::value(facts), 0, texts);
    return targeting::searchable(std::move(texts));
}

result<std::vector<fact>> fact_texts_of(std::string_view document) {
    json::error_code failure;
    json::parse_options bounded;
    bounded.max_depth = 2 * depth_max;
    const auto read = json::parse({document.data(), document.size()}, failure, {}, bounded);
    const auto* const facts = failure ? nullptr : read.if_object();
    if (facts == nullptr) return fail(errc::corrupt, "the facts are no JSON object");
    return fact_texts(*facts);
}

}  // namespace muster::fleet

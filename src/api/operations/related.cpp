#include "api/operations/related.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;
using api::value;

constexpr std::size_t expanded_max = 8;

// The last part of the address of what lies below.
std::string word_of(const registry::entry& below) {
    return below.what.path.substr(below.what.path.rfind('/') + 1);
}

const registry::entry* find(const registry::entry& of, std::string_view word) {
    const auto found = std::ranges::find_if(
        of.related, [&](const registry::entry* each) { return word_of(*each) == word; });
    return found == of.related.end() ? nullptr : *found;
}

std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

}  // namespace

value path_arguments(const api::operation& of, const value& all) {
    value::record taken;
    for (const auto& each : of.takes) {
        const auto* given = all.find(each.name);
        if (each.in == api::place::path && given != nullptr) taken.push_back({each.name, *given});
    }
    return value(std::move(taken));
}

async<reply> with_related(const registry& all, reading of, reply given) {
    if (of.which.related.empty() || !given.content.is_object()) co_return given;
    auto& object = given.content.get_object();
    json::object links;
    for (const auto* each : of.which.related) {
        const auto word = word_of(*each);
        links.emplace(word, of.path + "/" + word);
    }
    object.insert_or_assign("links", std::move(links));
    const auto* wanted = of.arguments.find(expand_parameter);
    if (wanted == nullptr) co_return given;
    const auto words = words_of(*wanted->get<std::string>());
    if (words.size() > expanded_max)
        co_return fail(errc::invalid, fmt::format("`expand` takes {} words at most", expanded_max));
    json::object expanded;
    for (const auto& each : words) {
        const auto* below = find(of.which, each);
        if (below == nullptr)
            co_return fail(errc::invalid, fmt::format("`expand`: there is no link {}", each));
        call asked(below->what, of.who, path_arguments(below->what, of.arguments));
        CO_TRY(auto told, co_await all.perform(*below, std::move(asked)));
        expanded.insert_or_assign(each, std::move(told.content));
    }
    object.insert_or_assign("expanded", std::move(expanded));
    co_return given;
}

}  // namespace muster::api

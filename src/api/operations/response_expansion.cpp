#include "api/operations/response_expansion.h"

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
    const auto it = std::ranges::find_if(
        of.related, [&](const registry::entry* entry) { return word_of(*entry) == word; });
    return it == of.related.end() ? nullptr : *it;
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
    value::record record;
    for (const auto& take : of.takes) {
        const auto* input = all.find(take.name);
        if (take.in == api::place::path && input != nullptr) record.push_back({take.name, *input});
    }
    return value(std::move(record));
}

async<reply> with_related(const registry& all, reading of, reply reply) {
    if (of.which.related.empty() || !reply.content.is_object()) co_return reply;
    auto& object = reply.content.get_object();
    json::object links;
    for (const auto* each : of.which.related) {
        const auto word = word_of(*each);
        links.emplace(word, of.path + "/" + word);
    }
    object.insert_or_assign("links", std::move(links));
    const auto* desired = of.arguments.find(expand_parameter);
    if (desired == nullptr) co_return reply;
    const auto words = words_of(*desired->get<std::string>());
    if (words.size() > expanded_max)
        co_return fail(errc::invalid, fmt::format("`expand` takes {} words at most", expanded_max));
    json::object expanded;
    for (const auto& each : words) {
        const auto* below = find(of.which, each);
        if (below == nullptr)
            co_return fail(errc::invalid, fmt::format("`expand`: there is no link {}", each));
        call call(below->what, of.who, path_arguments(below->what, of.arguments));
        CO_TRY(auto response, co_await all.perform(*below, std::move(call)));
        expanded.insert_or_assign(each, std::move(response.content));
    }
    object.insert_or_assign("expanded", std::move(expanded));
    co_return reply;
}

}  // namespace muster::api

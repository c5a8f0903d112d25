#include "apps/muster/cli/system_verbs.h"

#include "apps/command_line/command.h"
#include "core/model/fingerprint.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t page_max = 1000;

exit_code told(const std::string& command, const api_failure& failure) {
    fmt::print(stderr, "muster {}: {}\n", command, failure.sentence);
    return failure.code;
}

std::string page_path(const std::string& path, const std::string& query, std::size_t limit) {
    auto request =
        fmt::format("{}{}limit={}", path, path.find('?') == std::string::npos ? '?' : '&', limit);
    if (!query.empty()) request += "&q=" + path_segment(query);
    return request;
}

std::int64_t number_of(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const found = members == nullptr ? nullptr : members->if_contains(name);
    if (found == nullptr) return 0;
    if (found->is_int64()) return found->as_int64();
    return found->is_uint64() ? static_cast<std::int64_t>(found->as_uint64()) : 0;
}

// Adds up to `limit` items to what is there; where to go on, empty at the end.
std::expected<std::string, api_failure> add_page(
    const client_context& where, const std::string& path, json::array& into) {
    const auto answered = call_api(where, {.path = path});
    if (!answered) return std::unexpected(answered.error());
    const auto* const members = answered->if_object();
    const auto* const items = members == nullptr ? nullptr : members->if_contains("items");
    const auto* const next = members == nullptr ? nullptr : members->if_contains("next");
    if (items != nullptr && items->is_array())
        for (const auto& each : items->as_array()) into.push_back(each);
    if (next == nullptr || !next->is_string()) return std::string();
    return json::value_to<std::string>(*next);
}

// How many systems a query means, as far as it is worth counting.
std::expected<std::string, api_failure> count_of(
    const client_context& where, const std::string& path, const std::string& query) {
    json::array some;
    std::string after;
    do {
        auto request = page_path(path, query, page_max);
        if (!after.empty()) request += "&after=" + path_segment(after);
        auto next = add_page(where, request, some);
        if (!next) return std::unexpected(next.error());
        after = std::move(*next);
    } while (!after.empty() && some.size() < page_max);
    return after.empty() ? std::to_string(some.size()) : fmt::format("more than {}", some.size());
}

bool agreed(const std::string& question) {
    fmt::print(stderr, "{} [y/N] ", question);
    const int answer = std::getchar();
    return answer == 'y' || answer == 'Y';
}

void show_progress(const json::value& report) {
    fmt::print(
        stderr,
        "\r{} of {} systems, {} failed \x1b[K",
        number_of(report, "done"),
        number_of(report, "total"),
        number_of(report, "failed"));
}

exit_code print_end(const std::string& command, const api_flags& flags, const json::value& end) {
    const auto failed = number_of(end, "failed");
    const auto* const members = end.if_object();
    const auto* const failure = members == nullptr ? nullptr : members->if_contains("error");
    if (flags.format == output_format::table) {
        fmt::print(
            "{} changed, {} unchanged, {} failed\n",
            number_of(end, "changed"),
            number_of(end, "unchanged"),
            failed);
    } else {
        fmt::print("{}", render(end, flags.format, {}));
    }
    if (const auto* const reasons = members == nullptr ? nullptr : members->if_contains("reasons");
        reasons != nullptr && reasons->is_array()) {
        for (const auto& each : reasons->as_array())
            fmt::print(stderr, "muster {}: {}\n", command, json::value_to<std::string>(each));
    }
    if (failure != nullptr && failure->is_string())
        fmt::print(stderr, "muster {}: {}\n", command, json::value_to<std::string>(*failure));
    return failed > 0 || failure != nullptr ? exit_code::failed : exit_code::well;
}

}  // namespace

command_line::command* add_query_options(command_line::command* verb, query_flags& flags) {
    verb->add_option("query", flags.words, "Which: a query or a fingerprint")
        ->required()
        ->type_name("QUERY");
    verb->add_flag("--yes", flags.yes, "Do not ask");
    return verb;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

json::array json_list(const std::vector<std::string>& items) {
    json::array list;
    for (const auto& item : items) list.emplace_back(item);
    return list;
}

exit_code print_list(const api_flags& flags, const listing& listing) {
    const auto where = context_of(flags.client);
    const auto query = joined(listing.words);
    json::array all;
    std::string after;
    do {
        const auto room = std::min(page_max, listing.limit - all.size());
        auto request = page_path(listing.path, query, room);
        if (!after.empty()) request += "&after=" + path_segment(after);
        auto next = add_page(where, request, all);
        if (!next) return told(listing.command, next.error());
        after = std::move(*next);
    } while (!after.empty() && all.size() < listing.limit);
    fmt::print("{}", render(all, flags.format, listing.columns));
    if (!after.empty())
        fmt::print(stderr, "muster {}: there are more; say --limit NUMBER\n", listing.command);
    return exit_code::well;
}

exit_code change_many(const api_flags& flags, bulk_request bulk_request) {
    const auto where = context_of(flags.client);
    const auto text = joined(bulk_request.words);
    const bool value = bulk_request.words.size() == 1 && fingerprint::parse(text).has_value();
    if (value) {
        bulk_request.members["fingerprints"] = json::array{json::value(text)};
    } else {
        bulk_request.members["query"] = text;
    }
    const bool on_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
    if (!value && !bulk_request.confirmed && on_terminal) {
        const auto count = count_of(where, bulk_request.list_path, text);
        if (!count) return told(bulk_request.command, count.error());
        if (*count != "1"
            && !agreed(fmt::format("muster {}: {} systems?", bulk_request.command, *count)))
            return exit_code::failed;
    }
    const auto ended = follow_api(
        where,
        {.method = "POST",
         .path = bulk_request.path,
         .body = json::value(std::move(bulk_request.members))},
        [on_terminal](const json::value& report) {
            if (on_terminal) show_progress(report);
        });
    if (on_terminal) fmt::print(stderr, "\r\x1b[K");
    if (!ended) return told(bulk_request.command, ended.error());
    return print_end(bulk_request.command, flags, *ended);
}

}  // namespace muster::cli

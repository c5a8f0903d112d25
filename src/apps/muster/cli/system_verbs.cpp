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

exit_code print_failure(const std::string& command, const api_failure& failure) {
    fmt::print(stderr, "muster {}: {}\n", command, failure.message);
    return failure.code;
}

std::string page_path(const std::string& path, const std::string& query, std::size_t limit) {
    auto request =
        fmt::format("{}{}limit={}", path, path.find('?') == std::string::npos ? '?' : '&', limit);
    if (!query.empty()) request += "&q=" + path_segment(query);
    return request;
}

std::int64_t number_member(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const member = members == nullptr ? nullptr : members->if_contains(name);
    if (member == nullptr) return 0;
    if (member->is_int64()) return member->as_int64();
    return member->is_uint64() ? static_cast<std::int64_t>(member->as_uint64()) : 0;
}

// Appends a page to the items; returns the next position, empty at the end.
std::expected<std::string, api_failure> add_page(
    const client_context& context, const std::string& path, json::array& items_so_far) {
    const auto response = call_api(context, {.path = path});
    if (!response) return std::unexpected(response.error());
    const auto* const members = response->if_object();
    const auto* const items = members == nullptr ? nullptr : members->if_contains("items");
    const auto* const next = members == nullptr ? nullptr : members->if_contains("next");
    if (items != nullptr && items->is_array())
        for (const auto& item : items->as_array()) items_so_far.push_back(item);
    if (next == nullptr || !next->is_string()) return std::string();
    return json::value_to<std::string>(*next);
}

// The number of systems of a query; counting stops after a page.
std::expected<std::string, api_failure> count_systems(
    const client_context& context, const std::string& path, const std::string& query) {
    json::array items;
    std::string after;
    do {
        auto request = page_path(path, query, page_max);
        if (!after.empty()) request += "&after=" + path_segment(after);
        auto next = add_page(context, request, items);
        if (!next) return std::unexpected(next.error());
        after = std::move(*next);
    } while (!after.empty() && items.size() < page_max);
    return after.empty() ? std::to_string(items.size()) : fmt::format("more than {}", items.size());
}

bool confirm(const std::string& question) {
    fmt::print(stderr, "{} [y/N] ", question);
    const int answer = std::getchar();
    return answer == 'y' || answer == 'Y';
}

void show_progress(const json::value& report) {
    fmt::print(
        stderr,
        "\r{} of {} systems, {} failed \x1b[K",
        number_member(report, "done"),
        number_member(report, "total"),
        number_member(report, "failed"));
}

exit_code print_end(const std::string& command, const api_flags& flags, const json::value& end) {
    const auto failed = number_member(end, "failed");
    const auto* const members = end.if_object();
    const auto* const failure = members == nullptr ? nullptr : members->if_contains("error");
    if (flags.format == output_format::table) {
        fmt::print(
            "{} changed, {} unchanged, {} failed\n",
            number_member(end, "changed"),
            number_member(end, "unchanged"),
            failed);
    } else {
        fmt::print("{}", render(end, flags.format, {}));
    }
    if (const auto* const reasons = members == nullptr ? nullptr : members->if_contains("reasons");
        reasons != nullptr && reasons->is_array()) {
        for (const auto& reason : reasons->as_array())
            fmt::print(stderr, "muster {}: {}\n", command, json::value_to<std::string>(reason));
    }
    if (failure != nullptr && failure->is_string())
        fmt::print(stderr, "muster {}: {}\n", command, json::value_to<std::string>(*failure));
    return failed > 0 || failure != nullptr ? exit_code::failed : exit_code::ok;
}

}  // namespace

command_line::command* add_query_options(command_line::command* verb, query_flags& flags) {
    verb->add_option("query", flags.words, "Query or fingerprint")->required()->type_name("QUERY");
    verb->add_flag("--yes", flags.yes, "Skip the confirmation");
    return verb;
}

std::string join_words(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

json::array json_list(const std::vector<std::string>& items) {
    json::array list;
    for (const auto& item : items) list.emplace_back(item);
    return list;
}

exit_code print_list(const api_flags& flags, const list_request& request) {
    const auto context = resolve_context(flags.client);
    const auto query = join_words(request.words);
    json::array items;
    std::string after;
    do {
        const auto page_size = std::min(page_max, request.limit - items.size());
        auto path = page_path(request.path, query, page_size);
        if (!after.empty()) path += "&after=" + path_segment(after);
        auto next = add_page(context, path, items);
        if (!next) return print_failure(request.command, next.error());
        after = std::move(*next);
    } while (!after.empty() && items.size() < request.limit);
    if (request.prepare != nullptr && flags.format == output_format::table) {
        for (auto& item : items)
            if (item.is_object()) request.prepare(item.get_object());
    }
    fmt::print("{}", render(items, flags.format, request.columns));
    if (!after.empty())
        fmt::print(
            stderr,
            "muster {}: list truncated; use --limit NUMBER to show more\n",
            request.command);
    return exit_code::ok;
}

exit_code run_bulk_change(const api_flags& flags, bulk_request request) {
    const auto context = resolve_context(flags.client);
    const auto text = join_words(request.words);
    const bool is_fingerprint = request.words.size() == 1 && fingerprint::parse(text).has_value();
    if (is_fingerprint) {
        request.members["fingerprints"] = json::array{json::value(text)};
    } else {
        request.members["query"] = text;
    }
    const bool on_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
    if (!is_fingerprint && !request.confirmed && on_terminal) {
        const auto count = count_systems(context, request.list_path, text);
        if (!count) return print_failure(request.command, count.error());
        if (*count != "1"
            && !confirm(fmt::format("muster {}: change {} systems?", request.command, *count)))
            return exit_code::failed;
    }
    const auto result = follow_api(
        context,
        {.method = "POST", .path = request.path, .body = json::value(std::move(request.members))},
        [on_terminal](const json::value& report) {
            if (on_terminal) show_progress(report);
        });
    if (on_terminal) fmt::print(stderr, "\r\x1b[K");
    if (!result) return print_failure(request.command, result.error());
    return print_end(request.command, flags, *result);
}

}  // namespace muster::cli

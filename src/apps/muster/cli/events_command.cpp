#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/events_view.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster events                              events of the last hour\n"
    "  muster events --since -2d --kind 'job.*'   job events of the last two days\n"
    "  muster events --last 20                    the last 20 events, newest first\n"
    "  muster events --follow                     new events, until interrupted\n"
    "  muster events --follow --kind return,job.done -o json\n"
    "                                             every task result, one JSON object per line\n"
    "  muster events --since 812.104233 -o json   all events after a cursor, for scripts\n\n"
    "Kinds: job.*, system.*, node.*, zone.*, window.*, calendar.*, schedule.*, return\n"
    "(docs/reference/events.md). Events of kind return are listed only with --kind return.\n";

constexpr int breaks_max = 60;  // in a row, a second each
constexpr auto pause_ms = 1'000;
constexpr int page_items = 1'000;

struct events_flags {
    client_flags client;
    output_format format = output_format::table;
    bool follow = false;
    std::string since;
    std::vector<std::string> kinds;
    std::string job;
    std::string system;
    std::size_t last = 0;
};

std::string path_of(const events_flags& flags, const std::string& since, int items) {
    auto path = "/api/v1/events?limit=" + std::to_string(items);
    const auto add = [&path](const char* name, const std::string& value) {
        if (!value.empty()) path += fmt::format("&{}={}", name, path_segment(value));
    };
    add("since", since);
    std::string kinds;
    for (const auto& kind : flags.kinds) kinds += (kinds.empty() ? "" : ",") + kind;
    add("kind", kinds);
    add("job", flags.job);
    add("system", flags.system);
    return path;
}

exit_code print_failure(const api_failure& failure) {
    fmt::print(stderr, "muster events: {}\n", failure.message);
    return failure.code;
}

void print(const json::value& event, output_format format) {
    switch (format) {
        case output_format::table:
            fmt::print("{}\n", event_line(event));
            break;
        case output_format::json:
            fmt::print("{}\n", json::serialize(event));
            break;
        case output_format::yaml:
            fmt::print("---\n{}", render(event, output_format::yaml, {}));
            break;
    }
    static_cast<void>(std::fflush(stdout));
}

// Reads page by page, so that neither side holds all events.
exit_code list_events(const events_flags& flags) {
    const auto context = resolve_context(flags.client);
    auto since = flags.since.empty() ? std::string("-1h") : flags.since;
    while (true) {
        const auto page = call_api(context, {.path = path_of(flags, since, page_items)});
        if (!page) return print_failure(page.error());
        const auto* const members = page->if_object();
        if (members == nullptr || !members->contains("items"))
            return print_failure(
                {exit_code::failed,
                 "unexpected response from the server; expected a page of events"});
        for (const auto& event : members->at("items").as_array()) print(event, flags.format);
        since = json::value_to<std::string>(members->at("next"));
        if (!members->at("more").as_bool()) break;
    }
    // For a later call that continues here.
    fmt::print(stderr, "next: --since {}\n", since);
    return exit_code::ok;
}

// The newest events first.
exit_code list_last(const events_flags& flags) {
    const auto context = resolve_context(flags.client);
    std::string before;
    for (auto remaining = flags.last; remaining > 0;) {
        const auto items = static_cast<int>(std::min<std::size_t>(remaining, page_items));
        auto path = path_of(flags, flags.since, items) + "&order=newest";
        if (!before.empty()) path += "&before=" + path_segment(before);
        const auto page = call_api(context, {.path = path});
        if (!page) return print_failure(page.error());
        const auto* const members = page->if_object();
        if (members == nullptr || !members->contains("items"))
            return print_failure(
                {exit_code::failed,
                 "unexpected response from the server; expected a page of events"});
        const auto& events = members->at("items").as_array();
        for (const auto& event : events) print(event, flags.format);
        remaining -= std::min(remaining, events.size());
        before = json::value_to<std::string>(members->at("next"));
        if (!members->at("more").as_bool()) break;
    }
    return exit_code::ok;
}

bool is_retryable(const api_failure& failure) {
    return failure.code == exit_code::unreachable || failure.code == exit_code::timed_out;
}

// Reads the position before the first event, so that no event is missed if the server stops early.
exit_code follow_events(const events_flags& flags) {
    const auto context = resolve_context(flags.client);
    const auto first_page =
        call_api(context, {.path = path_of(flags, flags.since.empty() ? "now" : flags.since, 1)});
    if (!first_page) return print_failure(first_page.error());
    auto since = flags.since;
    if (since.empty() || since == "now") since = cursor_of(*first_page, "next", since);
    for (int breaks = 0; breaks <= breaks_max; ++breaks) {
        const auto stream_end = follow_api(
            context, {.path = path_of(flags, since, page_items)}, [&](const json::value& event) {
                breaks = 0;
                since = cursor_of(event, "cursor", since);
                print(event, flags.format);
            });
        if (!stream_end && !is_retryable(stream_end.error()))
            return print_failure(stream_end.error());
        ::poll(nullptr, 0, pause_ms);
    }
    return print_failure({exit_code::unreachable, "no response from the server"});
}

}  // namespace

void add_events(command_line::command& root, action& chosen) {
    auto* command = root.add_subcommand("events", "List or follow events");
    const auto flags = std::make_shared<events_flags>();
    add_client_flags(*command, flags->client);
    add_output_flag(*command, flags->format);
    command->footer(examples);
    auto* const follow_flag =
        command->add_flag("-f,--follow", flags->follow, "Follow new events until interrupted");
    command->add_option("--last", flags->last, "Number of latest events to list, newest first")
        ->positive()
        ->type_name("NUMBER")
        ->excludes(follow_flag);
    command
        ->add_option(
            "--since",
            flags->since,
            "Start: a cursor, a time such as 2026-11-16T22:00:00Z, an offset such as -2d, or now "
            "(default -1h, with --follow now)")
        ->type_name("START");
    command
        ->add_option(
            "--kind",
            flags->kinds,
            "Event kinds, comma-separated; may be repeated (default: all except return)")
        ->type_name("KIND");
    command->add_option("--job", flags->job, "Only events of this job")->type_name("JOB");
    command->add_option("--system", flags->system, "Only events of this system")
        ->type_name("SYSTEM");
    command->callback([&chosen, flags] {
        chosen = [flags] {
            if (flags->last > 0) return list_last(*flags);
            return flags->follow ? follow_events(*flags) : list_events(*flags);
        };
    });
}

}  // namespace muster::cli

#include "apps/muster/cli/job_follow.h"

#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/job_progress.h"
#include "runtime/clock.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr int breaks_max = 60;  // in a row, a second each
constexpr auto pause_ms = 1'000;
constexpr int output_looks = 50;
constexpr auto output_look_ms = 200;

// What an interrupted watcher is told; made before it can be needed, because a signal handler may
// do hardly anything.
std::array<char, 256> farewell{};
std::size_t farewell_size = 0;

void leave(int /*number*/) {
    static_cast<void>(!::write(STDERR_FILENO, farewell.data(), farewell_size));
    ::_exit(static_cast<int>(exit_code::timed_out));
}

void say_farewell_on_interrupt(const std::string& job) {
    const auto text =
        fmt::format("\nthe job goes on; see it with: muster job {}\n", job.substr(0, 100));
    farewell_size = std::min(text.size(), farewell.size());
    std::copy_n(text.begin(), farewell_size, farewell.begin());
    std::signal(SIGINT, leave);
}

class shown_job {
public:
    shown_job(const client_context& where, const follow_options& options)
        : where_(where),
          options_(options),
          on_terminal_(::isatty(STDERR_FILENO) == 1),
          progress_([this](const std::string& digest) { return payload(digest); }) {}

    void take(const json::value& event) {
        if (const auto output = progress_.take(event)) print(*output);
        if (on_terminal_) fmt::print(stderr, "\r{}\x1b[K", progress_.line());
    }

    // A report is here first and its payload a moment later.
    void wait_for_output() {
        for (int look = 0; look < output_looks && progress_.waits_for_output(); ++look) {
            for (const auto& each : progress_.take_late(job_progress::timeout::wait)) print(each);
            if (progress_.waits_for_output()) ::poll(nullptr, 0, output_look_ms);
        }
        for (const auto& each : progress_.take_late(job_progress::timeout::give_up)) print(each);
    }

    void clear_line() const {
        if (on_terminal_) fmt::print(stderr, "\r\x1b[K");
    }

    const job_progress& progress() const { return progress_; }

private:
    void print(const job_progress::taken& output) const {
        clear_line();
        switch (options_.format) {
            case output_format::table:
                fmt::print("{}", output.text);
                break;
            case output_format::json:
                fmt::print("{}\n", json::serialize(output.event));
                break;
            case output_format::yaml:
                fmt::print("---\n{}", render(output.event, output_format::yaml, {}));
                break;
        }
        static_cast<void>(std::fflush(stdout));
    }

    std::optional<std::string> payload(const std::string& digest) const {
        const auto got = call_api(
            where_, {.path = "/api/v1/jobs/" + path_segment(options_.job) + "/payloads/" + digest});
        if (!got || got->is_null()) return std::nullopt;
        return json::serialize(*got);
    }

    const client_context& where_;
    const follow_options& options_;
    bool on_terminal_;
    job_progress progress_;
};

std::string path_of(const follow_options& options, const std::string& position) {
    auto path = "/api/v1/jobs/" + path_segment(options.job) + "/events?tasks=";
    path += options.show == follow_options::returns::all ? "all" : "failed";
    if (!position.empty()) path += "&from=" + path_segment(position);
    if (!options.timeout.empty()) path += "&for=" + path_segment(options.timeout);
    return path;
}

bool may_pass(const api_failure& failure) {
    return failure.code == exit_code::unreachable || failure.code == exit_code::timed_out;
}

// Nothing: the stream ended as it should.
std::optional<api_failure> watch(
    const client_context& where, const follow_options& options, shown_job& job) {
    for (int breaks = 0;;) {
        const auto before = job.progress().position();
        const auto ended =
            follow_api(where, {.path = path_of(options, before)}, [&job](const json::value& event) {
                job.take(event);
            });
        if (job.progress().over()) return std::nullopt;
        if (ended && !options.timeout.empty()) return std::nullopt;
        if (!ended && !may_pass(ended.error())) return ended.error();
        if (job.progress().position() != before) breaks = 0;
        if (++breaks > breaks_max)
            return ended ? api_failure{exit_code::timed_out, "the server tells nothing more"}
                         : ended.error();
        ::poll(nullptr, 0, pause_ms);
    }
}

}  // namespace

exit_code follow_job(const client_context& where, const follow_options& options) {
    const runtime::system_clock clock;
    const auto began = clock.now();
    say_farewell_on_interrupt(options.job);
    shown_job job(where, options);
    const auto failure = watch(where, options, job);
    job.wait_for_output();
    job.clear_line();
    if (failure) {
        fmt::print(stderr, "muster {}: {}\n", options.command, printable(failure->sentence));
        return failure->code;
    }
    const auto outcome = job.progress().outcome();
    if (options.format != output_format::table) {
        const bool yaml = options.format == output_format::yaml;
        fmt::print("{}{}", yaml ? "---\n" : "", render(job.progress().last(), options.format, {}));
        return outcome;
    }
    fmt::print("{}\n", job.progress().last_line(clock.now() - began));
    if (outcome == exit_code::failed)
        fmt::print(stderr, "see: muster job {} --failed, or --results\n", printable(options.job));
    if (outcome == exit_code::timed_out)
        fmt::print(stderr, "see: muster job {}\n", printable(options.job));
    return outcome;
}

}  // namespace muster::cli

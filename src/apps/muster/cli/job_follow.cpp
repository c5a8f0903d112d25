#include "apps/muster/cli/job_follow.h"

#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/job_progress.h"
#include "apps/muster/cli/output_groups.h"
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
constexpr int output_attempts = 50;
constexpr auto output_pause_ms = 200;

// The message for an interrupted user; prepared in advance, because a signal handler can do little.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::array<char, 256> interrupt_message{};
std::size_t interrupt_message_size = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void exit_on_interrupt(int /*number*/) {
    static_cast<void>(!::write(STDERR_FILENO, interrupt_message.data(), interrupt_message_size));
    ::_exit(static_cast<int>(exit_code::timed_out));
}

void print_hint_on_interrupt(const std::string& job) {
    const auto text = fmt::format(
        "\n"
        "job continues in the cluster; to watch it, run: muster job {0}\n"
        "results so far: muster job {0} --results\n",
        job.substr(0, 100));
    interrupt_message_size = std::min(text.size(), interrupt_message.size());
    std::copy_n(text.begin(), interrupt_message_size, interrupt_message.begin());
    std::signal(SIGINT, exit_on_interrupt);
}

class job_screen {
public:
    job_screen(const client_context& context, const follow_options& options)
        : context_(context),
          options_(options),
          on_terminal_(::isatty(STDERR_FILENO) == 1),
          groups_outputs_(!options.each && ::isatty(STDOUT_FILENO) == 1),
          progress_([this](const std::string& digest) { return payload(digest); }) {}

    void show(const json::value& event) {
        if (const auto task_return = progress_.add_event(event)) print(*task_return);
        if (on_terminal_) fmt::print(stderr, "\r{}\x1b[K", progress_.line());
    }

    // The payload of a return may arrive a moment after its event.
    void wait_for_output() {
        for (int attempt = 0; attempt < output_attempts && progress_.has_pending_output();
             ++attempt) {
            for (const auto& task_return :
                 progress_.take_completed(job_progress::late_policy::wait))
                print(task_return);
            if (progress_.has_pending_output()) ::poll(nullptr, 0, output_pause_ms);
        }
        for (const auto& task_return : progress_.take_completed(job_progress::late_policy::give_up))
            print(task_return);
    }

    // Shows the grouped outputs.
    void print_groups() const {
        clear_line();
        fmt::print("{}", groups_.text());
    }

    void clear_line() const {
        if (on_terminal_) fmt::print(stderr, "\r\x1b[K");
    }

    const job_progress& progress() const { return progress_; }

private:
    void print(const job_progress::task_return& shown_return) {
        clear_line();
        switch (options_.format) {
            case output_format::table:
                print_text(shown_return);
                break;
            case output_format::json:
                fmt::print("{}\n", json::serialize(shown_return.event));
                break;
            case output_format::yaml:
                fmt::print("---\n{}", render(shown_return.event, output_format::yaml, {}));
                break;
        }
        static_cast<void>(std::fflush(stdout));
    }

    void print_text(const job_progress::task_return& shown_return) {
        if (!groups_outputs_) {
            fmt::print("{}", shown_return.text);
        } else if (const auto text = groups_.add(shown_return.event)) {
            fmt::print("{}", *text);
        }
    }

    std::optional<std::string> payload(const std::string& digest) const {
        const auto response = call_api(
            context_,
            {.path = "/api/v1/jobs/" + path_segment(options_.job) + "/payloads/" + digest});
        if (!response || response->is_null()) return std::nullopt;
        return json::serialize(*response);
    }

    const client_context& context_;
    const follow_options& options_;
    bool on_terminal_;
    bool groups_outputs_;
    output_groups groups_;
    job_progress progress_;
};

std::string path_of(const follow_options& options, const std::string& position) {
    auto path = "/api/v1/jobs/" + path_segment(options.job) + "/events?tasks=";
    path += options.show == follow_options::return_filter::all ? "all" : "failed";
    if (!position.empty()) path += "&from=" + path_segment(position);
    if (!options.timeout.empty()) path += "&for=" + path_segment(options.timeout);
    return path;
}

bool is_retryable(const api_failure& failure) {
    return failure.code == exit_code::unreachable || failure.code == exit_code::timed_out;
}

// Nothing: the stream ended normally.
std::optional<api_failure> watch(
    const client_context& context, const follow_options& options, job_screen& job) {
    for (int breaks = 0;;) {
        const auto position_before = job.progress().position();
        const auto stream_end = follow_api(
            context, {.path = path_of(options, position_before)}, [&job](const json::value& event) {
                job.show(event);
            });
        if (job.progress().is_finished()) return std::nullopt;
        if (stream_end && !options.timeout.empty()) return std::nullopt;
        if (!stream_end && !is_retryable(stream_end.error())) return stream_end.error();
        if (job.progress().position() != position_before) breaks = 0;
        if (++breaks > breaks_max)
            return stream_end
                       ? api_failure{exit_code::timed_out, "no further events from the server"}
                       : stream_end.error();
        ::poll(nullptr, 0, pause_ms);
    }
}

}  // namespace

exit_code follow_job(const client_context& context, const follow_options& options) {
    const runtime::system_clock clock;
    const auto began = clock.now();
    print_hint_on_interrupt(options.job);
    job_screen job(context, options);
    const auto failure = watch(context, options, job);
    job.wait_for_output();
    job.print_groups();
    if (failure) {
        fmt::print(stderr, "muster {}: {}\n", options.command, printable(failure->message));
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
        fmt::print(
            stderr, "details: muster job {} --failed, or --results\n", printable(options.job));
    if (outcome == exit_code::timed_out)
        fmt::print(stderr, "details: muster job {}\n", printable(options.job));
    return outcome;
}

}  // namespace muster::cli

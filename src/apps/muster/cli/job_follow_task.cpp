#include "apps/muster/cli/job_follow_task.h"

#include "adapters/pki/base64.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr int breaks_max = 60;  // in a row, a second each
constexpr int pause_ms = 1'000;

std::string text_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

std::int64_t number_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_number()) return 0;
    json::error_code failure;
    const auto number = member->to_number<std::int64_t>(failure);
    return failure ? 0 : number;
}

std::string event_content(const json::object& event) {
    if (event.contains("text")) return text_member(event, "text");
    return pki::from_base64(text_member(event, "base64")).value_or("");
}

void print(const std::string& bytes) {
    static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stdout));
    static_cast<void>(std::fflush(stdout));
}

class task_screen {
public:
    explicit task_screen(output_format format)
        : format_(format),
          task_(
              ::isatty(STDOUT_FILENO) == 1 ? task_follower::reader::terminal
                                           : task_follower::reader::program) {}

    void show(const json::value& event) {
        if (!event.is_object()) return;
        const auto shown = task_.add_event(event.as_object());
        switch (format_) {
            case output_format::table:
                print(shown.output);
                if (!shown.remark.empty()) fmt::print(stderr, "{}", shown.remark);
                break;
            case output_format::json:
                print(json::serialize(event) + "\n");
                break;
            case output_format::yaml:
                print("---\n" + render(event, output_format::yaml, {}));
                break;
        }
    }
    const task_follower& task() const { return task_; }

private:
    output_format format_;
    task_follower task_;
};

bool is_retryable(const api_failure& failure) {
    return failure.code == exit_code::unreachable || failure.code == exit_code::timed_out;
}

}  // namespace

std::string task_follower::to_remark(std::string text) const {
    return (in_line_ ? "\n" : "") + printable(text) + "\n";
}

std::string task_follower::end_line(const json::object& event) const {
    auto line = text_member(event, "state");
    if (const auto reason = text_member(event, "reason"); !reason.empty()) line += ": " + reason;
    if (const auto skipped = number_member(event, "skipped"); skipped > 0)
        line += fmt::format(
            " ({} bytes not shown; run the command again to show stored output)", skipped);
    return line;
}

task_follower::task_output task_follower::add_event(const json::object& event) {
    const auto kind = text_member(event, "kind");
    if (const auto event_position = text_member(event, "at"); !event_position.empty())
        position_ = event_position;
    if (kind == "output") {
        auto content = event_content(event);
        if (reader_ == reader::terminal) content = printable(content);
        if (!content.empty()) in_line_ = !content.ends_with('\n');
        return {.output = std::move(content), .remark = {}};
    }
    if (kind == "gap")
        return {
            .output = {},
            .remark = to_remark(fmt::format("[{} bytes not shown]", number_member(event, "size")))};
    if (kind == "state") {
        auto line = text_member(event, "state");
        if (const auto remark = text_member(event, "remark"); !remark.empty())
            line += ": " + remark;
        return {.output = {}, .remark = to_remark("[" + line + "]")};
    }
    if (kind != "end") return {};
    finished_ = true;
    const auto state = text_member(event, "state");
    outcome_ = state == "completed" ? exit_code::ok
               : state == "failed"  ? exit_code::failed
                                    : exit_code::timed_out;
    return {.output = {}, .remark = to_remark(end_line(event))};
}

exit_code follow_task(const client_context& context, const follow_task_options& options) {
    const auto path = "/api/v1/jobs/" + path_segment(options.job) + "/tasks/"
                      + path_segment(options.system) + "/output";
    task_screen screen(options.format);
    for (int breaks = 0;;) {
        const auto position_before = screen.task().position();
        const auto query = position_before.empty() ? "" : "?from=" + path_segment(position_before);
        const auto stream_end =
            follow_api(context, {.path = path + query}, [&screen](const json::value& event) {
                screen.show(event);
            });
        if (screen.task().is_finished()) return screen.task().outcome();
        if (!stream_end && !is_retryable(stream_end.error())) {
            fmt::print(stderr, "muster job: {}\n", printable(stream_end.error().message));
            return stream_end.error().code;
        }
        if (screen.task().position() != position_before) breaks = 0;
        if (++breaks > breaks_max) {
            const auto reason =
                stream_end ? "no further events from the server" : stream_end.error().message;
            fmt::print(stderr, "muster job: {}\n", printable(reason));
            return stream_end ? exit_code::timed_out : stream_end.error().code;
        }
        ::poll(nullptr, 0, pause_ms);
    }
}

}  // namespace muster::cli

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

std::string text_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    return found != nullptr && found->is_string() ? json::value_to<std::string>(*found) : "";
}

std::int64_t number_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    if (found == nullptr || !found->is_number()) return 0;
    json::error_code failure;
    const auto number = found->to_number<std::int64_t>(failure);
    return failure ? 0 : number;
}

std::string content_of(const json::object& event) {
    if (event.contains("text")) return text_in(event, "text");
    return pki::from_base64(text_in(event, "base64")).value_or("");
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
              ::isatty(STDOUT_FILENO) == 1 ? followed_task::reader::terminal
                                           : followed_task::reader::program) {}

    void show(const json::value& event) {
        if (!event.is_object()) return;
        const auto output = task_.take(event.as_object());
        switch (format_) {
            case output_format::table:
                print(output.output);
                if (!output.remark.empty()) fmt::print(stderr, "{}", output.remark);
                break;
            case output_format::json:
                print(json::serialize(event) + "\n");
                break;
            case output_format::yaml:
                print("---\n" + render(event, output_format::yaml, {}));
                break;
        }
    }
    const followed_task& task() const { return task_; }

private:
    output_format format_;
    followed_task task_;
};

bool may_pass(const api_failure& failure) {
    return failure.code == exit_code::unreachable || failure.code == exit_code::timed_out;
}

}  // namespace

std::string followed_task::remark_of(std::string text) const {
    return (in_line_ ? "\n" : "") + printable(text) + "\n";
}

std::string followed_task::end_line(const json::object& event) const {
    auto line = text_in(event, "state");
    if (const auto reason = text_in(event, "reason"); !reason.empty()) line += ": " + reason;
    if (const auto skipped = number_in(event, "skipped"); skipped > 0)
        line +=
            fmt::format(" ({} bytes were not shown; follow it again for what is kept)", skipped);
    return line;
}

followed_task::shown followed_task::take(const json::object& event) {
    const auto kind = text_in(event, "kind");
    if (const auto at = text_in(event, "at"); !at.empty()) position_ = at;
    if (kind == "output") {
        auto content = content_of(event);
        if (who_ == reader::terminal) content = printable(content);
        if (!content.empty()) in_line_ = !content.ends_with('\n');
        return {.output = std::move(content), .remark = {}};
    }
    if (kind == "gap")
        return {
            .output = {},
            .remark = remark_of(fmt::format("[{} bytes are not shown]", number_in(event, "size")))};
    if (kind == "state") {
        auto line = text_in(event, "state");
        if (const auto remark = text_in(event, "remark"); !remark.empty()) line += ": " + remark;
        return {.output = {}, .remark = remark_of("[" + line + "]")};
    }
    if (kind != "end") return {};
    over_ = true;
    const auto state = text_in(event, "state");
    outcome_ = state == "completed" ? exit_code::well
               : state == "failed"  ? exit_code::failed
                                    : exit_code::timed_out;
    return {.output = {}, .remark = remark_of(end_line(event))};
}

exit_code follow_task(const client_context& where, const follow_task_options& options) {
    const auto path = "/api/v1/jobs/" + path_segment(options.job) + "/tasks/"
                      + path_segment(options.system) + "/output";
    task_screen on(options.format);
    for (int breaks = 0;;) {
        const auto before = on.task().position();
        const auto from = before.empty() ? "" : "?from=" + path_segment(before);
        const auto ended = follow_api(
            where, {.path = path + from}, [&on](const json::value& event) { on.show(event); });
        if (on.task().over()) return on.task().outcome();
        if (!ended && !may_pass(ended.error())) {
            fmt::print(stderr, "muster job: {}\n", printable(ended.error().sentence));
            return ended.error().code;
        }
        if (on.task().position() != before) breaks = 0;
        if (++breaks > breaks_max) {
            const auto why = ended ? "the server tells nothing more" : ended.error().sentence;
            fmt::print(stderr, "muster job: {}\n", printable(why));
            return ended ? exit_code::timed_out : ended.error().code;
        }
        ::poll(nullptr, 0, pause_ms);
    }
}

}  // namespace muster::cli

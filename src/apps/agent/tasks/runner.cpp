#include "apps/agent/tasks/runner.h"

#include "adapters/channel/task_frames.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/tasks/arguments.h"
#include "apps/agent/tasks/functions.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace muster::agent {

using session::task_ending;
using session::task_name;
using session::task_order;
using session::task_outcome;

namespace {

// Programs are looked at on a timer, more often while they write: neither SIGCHLD nor process
// descriptors are there on every Linux, and one is as good as the other for a few programs.
constexpr std::chrono::milliseconds look_soon{1};
constexpr std::chrono::milliseconds look_late{64};
constexpr std::chrono::seconds stop_time{5};
constexpr int last_reads = 4;

task_ending refused(const error& why) {
    return {
        .outcome = task_outcome::refused, .exit_code = -1, .reason = as_utf8(why.detail()).text};
}

// A path names a fact, or all that begin with it and a dot.
bool is_wanted(const std::string& fact, const std::vector<std::string>& paths) {
    return std::ranges::any_of(paths, [&fact](const std::string& each) {
        return fact == each || fact.starts_with(each + ".");
    });
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

runner::runner(
    runner_options how,
    payload_store& payloads,
    clock& time,
    boost::asio::any_io_executor loop,
    callbacks tell)
    : how_(std::move(how)),
      payloads_(payloads),
      time_(time),
      tell_(std::move(tell)),
      tasks_(std::move(loop), [](const std::string&, std::exception_ptr failure) {
          std::rethrow_exception(std::move(failure));
      }) {
    remove_scripts(how_.scripts);
}

runner::~runner() = default;

void runner::run(const task_order& task) {
    const auto what = parse_function(task.function);
    if (!what) {
        const error unknown(
            errc::invalid, fmt::format("this agent has no function {}", task.function));
        return tell_.ended(task.name, refused(unknown));
    }
    switch (*what) {
        case function::ping:
            return tell_.ended(
                task.name, with_payload(task.name, {.outcome = task_outcome::succeeded}, "true"));
        case function::get_facts:
            return tell_.ended(task.name, facts_ending(task));
        case function::run_command:
            return run_program(task, parse_command(task, how_.limits), false);
        case function::run_script:
            return run_program(task, parse_script(task, how_.limits, how_.scripts), false);
        case function::reboot:
            return run_program(task, reboot_order(task), true);
        case function::update_agent:
            return run_program(task, parse_update(task, how_.limits, how_.update), false);
    }
}

result<command> runner::reboot_order(const task_order& task) const {
    TRY(const auto from, arguments::parse(task.arguments));
    CHECK_OK(from.finish());
    const boost::json::object line{{"cmd", how_.reboot_command}};
    auto order = task;
    order.arguments = boost::json::serialize(line);
    return parse_command(order, how_.limits);
}

task_ending runner::facts_ending(const task_order& task) {
    auto from = arguments::parse(task.arguments);
    if (!from) return refused(from.error());
    const auto paths = from->texts("paths");
    if (const auto well = from->finish(); !well) return refused(well.error());
    boost::json::object found;
    for (const auto& [path, value] : tell_.survey()) {
        if (!paths || is_wanted(path, *paths)) found[path] = boost::json::parse(value);
    }
    return with_payload(
        task.name, {.outcome = task_outcome::succeeded}, boost::json::serialize(found));
}

void runner::run_program(const task_order& task, result<command> what, bool reboots) {
    if (!what) return tell_.ended(task.name, refused(what.error()));
    auto child = child_process::start(what->process);
    if (!child) {
        if (!what->script.empty()) ::unlink(what->script.c_str());
        return tell_.ended(task.name, refused(child.error()));
    }
    const auto output_max = what->output_max;
    auto made = std::make_unique<program>(program{
        .what = *std::move(what),
        .child = *std::move(child),
        .captured = captured_output(output_max),
        .reboots = reboots});
    programs_.insert_or_assign(task.name, std::move(made));
    tasks_.spawn(fmt::format("task {}-{}", task.name.job, task.name.attempt), attend(task.name));
}

boost::asio::awaitable<void> runner::attend(task_name task) {
    auto pause = look_soon;
    while (true) {
        const auto found = programs_.find(task);
        if (found == programs_.end()) co_return;
        program& one = *found->second;
        const bool any = collect(task, one);
        if (const auto status = one.child->ended(one.pressed)) {
            finish(task, *status);
            co_return;
        }
        pause = any ? look_soon : std::min(pause * 2, look_late);
        const auto slept = co_await time_.sleep_for(pause);
        if (!slept) co_return;
    }
}

bool runner::collect(task_name task, program& from) {
    return from.child->read([&](child_process::source which, std::string_view bytes) {
        tell_.wrote(task, bytes);
        if (which == child_process::source::output) {
            from.captured.add_output(bytes);
        } else {
            from.captured.add_error(bytes);
        }
    });
}

void runner::finish(task_name task, int status) {
    auto held = std::move(programs_.at(task));
    programs_.erase(task);
    // Somebody it left behind may hold its pipes for ever: what it wrote itself is there now.
    for (int left = last_reads; left > 0 && collect(task, *held); --left) {}
    auto ending = ending_of(*held, status);
    if (!held->what.script.empty()) ::unlink(held->what.script.c_str());
    if (held->reboots && ending.outcome == task_outcome::succeeded) return tell_.awaits_boot(task);
    const auto payload = held->captured.payload(ending.exit_code);
    tell_.ended(task, with_payload(task, std::move(ending), payload));
}

task_ending runner::ending_of(const program& ended, int status) {
    const int code = exit_code_of(status);
    const bool well = WIFEXITED(status) && ended.what.success_codes.contains(code);
    task_ending ending{
        .outcome = well ? task_outcome::succeeded : task_outcome::failed,
        .exit_code = code,
        .truncated = ended.captured.truncated()};
    if (!well) {
        ending.reason = WIFEXITED(status) ? fmt::format("exit code {}", code)
                                          : fmt::format("ended by signal {}", WTERMSIG(status));
    }
    if (stopping_) {
        ending.outcome = task_outcome::interrupted;
        ending.reason = "the agent was stopped while it ran";
        return ending;
    }
    if (!well || ended.what.takes_place_of.empty()) return ending;
    if (const auto installed = install(ended.what); !installed) {
        ending.outcome = task_outcome::failed;
        ending.reason = installed.error().detail();
    }
    return ending;
}

result<void> runner::install(const command& what) {
    std::error_code failure;
    std::filesystem::rename(what.script, what.takes_place_of, failure);
    if (failure)
        return fail(
            errc::unavailable,
            fmt::format("cannot replace {}: {}", what.takes_place_of.string(), failure.message()));
    tell_.updated();
    return {};
}

task_ending runner::with_payload(task_name task, task_ending ending, std::string_view payload) {
    ending.digest = pki::sha256(payload);
    ending.payload_size = payload.size();
    if (payload.size() <= channel::task_limits::inline_payload_bytes_max) {
        ending.inline_payload = payload;
        return ending;
    }
    const auto kept = payloads_.keep(task, payload);
    ending.payload_kept = kept.has_value();
    if (kept) return ending;
    ending.digest.clear();
    ending.payload_size = 0;
    ending.truncated = true;
    ending.reason += fmt::format(
        "{}the payload is lost: {}", ending.reason.empty() ? "" : "; ", kept.error().detail());
    return ending;
}

void runner::end(task_name task, session::end_kind how) {
    const auto found = programs_.find(task);
    if (found == programs_.end()) return;
    found->second->pressed = true;
    found->second->child->signal_group(how == session::end_kind::kill ? SIGKILL : SIGTERM);
}

boost::asio::awaitable<void> runner::stop() {
    stopping_ = true;
    for (const auto& [task, one] : programs_) end(task, session::end_kind::term);
    const auto deadline = time_.now() + stop_time;
    while (!programs_.empty() && time_.now() < deadline) {
        const auto slept = co_await time_.sleep_for(look_late);
        if (!slept) break;
    }
    for (const auto& [task, one] : programs_) end(task, session::end_kind::kill);
    tasks_.cancel();
    co_await tasks_.join();
    programs_.clear();
}

}  // namespace muster::agent

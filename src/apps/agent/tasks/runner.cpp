#include "apps/agent/tasks/runner.h"

#include "adapters/agent_protocol/task_frames.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/tasks/arguments.h"
#include "apps/agent/tasks/file_deployment.h"
#include "apps/agent/tasks/functions.h"
#include "base/assert.h"

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
constexpr std::chrono::seconds kill_after{10};  // of asking a step to end
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

runner::runner(runner_options options, const dependencies& deps, runner_listener& listener)
    : options_(std::move(options)),
      payloads_(deps.payloads),
      inventory_(deps.inventory),
      clock_(deps.clock),
      listener_(listener),
      tasks_(deps.loop, [](const std::string&, std::exception_ptr failure) {
          std::rethrow_exception(std::move(failure));
      }) {
    remove_scripts(options_.scripts);
}

runner::~runner() = default;

void runner::run(const session::run_task& run_task) {
    if (parse_function(run_task.order.function) == function::chain) return run_chain(run_task);
    run_function(run_task.order);
}

void runner::conclude(task_name task, task_ending task_ending, std::string_view payload) {
    if (chains_.contains(task)) return end_step(task, std::move(task_ending), payload);
    if (!payload.empty()) task_ending = with_payload(task, std::move(task_ending), payload);
    listener_.ended(task, std::move(task_ending));
}

void runner::run_function(const task_order& task) {
    const auto what = parse_function(task.function);
    if (!what) {
        const error unknown(
            errc::invalid, fmt::format("this agent has no function {}", task.function));
        return conclude(task.name, refused(unknown), {});
    }
    switch (*what) {
        case function::ping:
            return conclude(task.name, {.outcome = task_outcome::succeeded}, "true");
        case function::get_facts:
            return tell_facts(task);
        case function::run_command:
            return run_program(task, parse_command(task, options_.limits), false);
        case function::run_script:
            return run_program(task, parse_script(task, options_.limits, options_.scripts), false);
        case function::reboot:
            return run_program(task, reboot_order(task), true);
        case function::update_agent:
            return run_program(task, parse_update(task, options_.limits, options_.update), false);
        case function::deploy_files:
            return deploy_files(task);
        case function::change_packages:
            run_program(
                task, parse_package_change(task, options_.limits, options_.packages), false);
            if (programs_.contains(task.name)) change_packages_.insert(task.name);
            return;
        case function::refresh_packages:
            return inventory_.refresh_packages(task.name);
        case function::chain:
            break;  // never a step
    }
    MUSTER_ASSERT(false);
}

result<command> runner::reboot_order(const task_order& task) const {
    TRY(const auto from, arguments::parse(task.arguments));
    CHECK_OK(from.finish());
    const boost::json::object line{{"cmd", options_.reboot_command}};
    auto order = task;
    order.arguments = boost::json::serialize(line);
    return parse_command(order, options_.limits);
}

void runner::tell_facts(const task_order& task) {
    auto from = arguments::parse(task.arguments);
    if (!from) return conclude(task.name, refused(from.error()), {});
    const auto paths = from->texts("paths");
    if (const auto well = from->finish(); !well)
        return conclude(task.name, refused(well.error()), {});
    boost::json::object match;
    for (const auto& [path, value] : inventory_.present_facts()) {
        if (!paths || is_wanted(path, *paths)) match[path] = boost::json::parse(value);
    }
    conclude(task.name, {.outcome = task_outcome::succeeded}, boost::json::serialize(match));
}

void runner::deploy_files(const task_order& task) {
    const auto order = parse_file_order(task.arguments);
    if (!order) return conclude(task.name, refused(order.error()), {});
    const auto came_to = deploy(*order);
    task_ending task_ending{.outcome = task_outcome::succeeded};
    if (came_to.failed > 0)
        task_ending = {.outcome = task_outcome::failed, .exit_code = 1, .reason = came_to.reason};
    conclude(task.name, std::move(task_ending), came_to.payload);
}

void runner::packages_refreshed(task_name task, const result<std::string>& digest) {
    if (stopping_) return;
    if (!digest)
        return conclude(
            task,
            {.outcome = task_outcome::failed,
             .exit_code = 1,
             .reason = as_utf8(digest.error().detail()).text},
            {});
    const boost::json::object response{{"digest", *digest}};
    conclude(task, {.outcome = task_outcome::succeeded}, boost::json::serialize(response));
}

void runner::run_program(const task_order& task, result<command> command, bool reboots) {
    if (!command) return conclude(task.name, refused(command.error()), {});
    auto child = child_process::start(command->process);
    if (!child) {
        if (!command->script.empty()) ::unlink(command->script.c_str());
        return conclude(task.name, refused(child.error()), {});
    }
    listener_.program_started(task.name, (*child)->pid());
    const auto chained = chains_.find(task.name);
    const bool step = chained != chains_.end();
    const auto output_max =
        step ? std::min(command->output_max, output_left(chained->second.progress))
             : command->output_max;
    auto result = std::make_unique<program>(program{
        .what = *std::move(command),
        .child = *std::move(child),
        .captured = captured_output(output_max),
        .reboots = reboots,
        .act_at = std::nullopt});
    if (step) result->act_at = clock_.now() + task.timeout;
    programs_.insert_or_assign(task.name, std::move(result));
    tasks_.spawn(fmt::format("task {}-{}", task.name.job, task.name.attempt), attend(task.name));
}

boost::asio::awaitable<void> runner::attend(task_name task) {
    auto pause = look_soon;
    while (true) {
        const auto it = programs_.find(task);
        if (it == programs_.end()) co_return;
        program& program = *it->second;
        const bool any = collect(task, program);
        if (const auto status = program.child->ended(program.pressed)) {
            finish(task, *status);
            co_return;
        }
        press_late(program);
        pause = any ? look_soon : std::min(pause * 2, look_late);
        const auto slept = co_await clock_.sleep_for(pause);
        if (!slept) co_return;
    }
}

// The time limit of a task is kept by whoever ordered it; that of a step is ours.
void runner::press_late(program& program) {
    if (!program.act_at || clock_.now() < *program.act_at) return;
    program.child->signal_group(program.timed_out ? SIGKILL : SIGTERM);
    program.act_at = clock_.now() + kill_after;
    program.timed_out = true;
    program.pressed = true;
}

bool runner::collect(task_name task, program& from) {
    const auto written = from.child->read();
    if (!written.output.empty()) listener_.wrote(task, written.output);
    if (!written.error.empty()) listener_.wrote(task, written.error);
    from.captured.add_output(written.output);
    from.captured.add_error(written.error);
    return !written.empty();
}

void runner::finish(task_name task, int status) {
    auto held = std::move(programs_.at(task));
    programs_.erase(task);
    // Somebody it left behind may hold its pipes for ever: what it wrote itself is there now.
    for (int left = last_reads; left > 0 && collect(task, *held); --left) {}
    listener_.program_ended(task);
    if (change_packages_.erase(task) > 0) inventory_.packages_changed();
    auto ending = ending_of(*held, status);
    if (!held->what.script.empty()) ::unlink(held->what.script.c_str());
    // An agent that is stopped because the machine goes down has not failed to reboot it.
    if (held->reboots && (ending.outcome == task_outcome::succeeded || stopping_))
        return chains_.contains(task) ? wait_for_boot(task) : listener_.awaits_boot(task);
    const auto payload = payload_of(task, held->captured, ending.exit_code);
    ending.truncated = ending.truncated || payload.truncated;
    conclude(task, std::move(ending), payload.text);
}

// What a node takes, even if it can hardly be compressed.
captured_output::document runner::payload_of(
    task_name task, const captured_output& captured, int exit_code) {
    auto result = captured.payload(exit_code, agent_protocol::task_limits::payload_bytes_max);
    if (result.text.size() <= payload_store::certain_bytes || chains_.contains(task)) return result;
    const auto stored = payloads_.keep(task, result.text);
    if (!stored && stored.error().code() == errc::invalid)
        result = captured.payload(exit_code, payload_store::certain_bytes);
    return result;
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
    if (ended.timed_out) {
        ending.outcome = task_outcome::timed_out;
        ending.reason = "ended after its time limit";
    }
    if (stopping_) {
        ending.outcome = task_outcome::interrupted;
        ending.reason = "the agent was stopped while it ran";
        return ending;
    }
    if (ending.outcome != task_outcome::succeeded || ended.what.takes_place_of.empty())
        return ending;
    if (const auto installed = install(ended.what); !installed) {
        ending.outcome = task_outcome::failed;
        ending.reason = installed.error().detail();
    }
    return ending;
}

result<void> runner::install(const command& command) {
    std::error_code failure;
    std::filesystem::rename(command.script, command.takes_place_of, failure);
    if (failure)
        return fail(
            errc::unavailable,
            fmt::format(
                "cannot replace {}: {}", command.takes_place_of.string(), failure.message()));
    listener_.agent_replaced();
    return {};
}

task_ending runner::with_payload(task_name task, task_ending ending, std::string_view payload) {
    ending.digest = pki::sha256(payload);
    ending.payload_size = payload.size();
    if (payload.size() <= agent_protocol::task_limits::inline_payload_bytes_max) {
        ending.inline_payload = payload;
        return ending;
    }
    const auto stored = payloads_.keep(task, payload);
    ending.payload_kept = stored.has_value();
    if (stored) return ending;
    listener_.problem(
        fmt::format("the output of job {} is not kept: {}", task.job, stored.error().detail()));
    ending.digest.clear();
    ending.payload_size = 0;
    ending.truncated = true;
    ending.reason += fmt::format(
        "{}the payload is lost: {}", ending.reason.empty() ? "" : "; ", stored.error().detail());
    return ending;
}

void runner::end(task_name task, session::end_kind end_kind) {
    if (end_between_steps(task)) return;
    const auto it = programs_.find(task);
    if (it == programs_.end()) return;
    it->second->pressed = true;
    it->second->child->signal_group(end_kind == session::end_kind::kill ? SIGKILL : SIGTERM);
}

boost::asio::awaitable<void> runner::stop() {
    stopping_ = true;
    for (const auto& [task, one] : programs_)
        if (!one->reboots) end(task, session::end_kind::term);
    const auto deadline = clock_.now() + stop_time;
    while (!programs_.empty() && clock_.now() < deadline) {
        const auto slept = co_await clock_.sleep_for(look_late);
        if (!slept) break;
    }
    for (const auto& [task, one] : programs_) end(task, session::end_kind::kill);
    tasks_.cancel();
    co_await tasks_.join();
    programs_.clear();
    chains_.clear();
}

}  // namespace muster::agent

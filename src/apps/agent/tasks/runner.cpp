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

using session::task_name;
using session::task_outcome;
using session::task_request;
using session::task_result;

namespace {

// Programs are polled, more often while they write. Not every Linux has process descriptors, and
// polling a few programs is cheap.
constexpr std::chrono::milliseconds poll_interval_min{1};
constexpr std::chrono::milliseconds poll_interval_max{64};
constexpr std::chrono::seconds stop_time{5};
constexpr std::chrono::seconds kill_after{10};  // of asking a step to end
constexpr int final_reads_max = 4;

task_result refuse_task(const muster::error& error) {
    return {
        .outcome = task_outcome::refused, .exit_code = -1, .reason = to_utf8(error.detail()).text};
}

// True if a path names the fact, or a prefix of it that ends before a dot.
bool matches_any(const std::string& fact, const std::vector<std::string>& paths) {
    return std::ranges::any_of(paths, [&fact](const std::string& path) {
        return fact == path || fact.starts_with(path + ".");
    });
}

int to_exit_code(int status) {
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
    if (parse_function(run_task.request.function) == function::chain) return run_chain(run_task);
    run_function(run_task.request);
}

void runner::conclude(task_name task, task_result result, std::string_view payload) {
    if (chains_.contains(task)) return end_step(task, std::move(result), payload);
    if (!payload.empty()) result = attach_payload(task, std::move(result), payload);
    listener_.ended(task, std::move(result));
}

void runner::run_function(const task_request& task) {
    const auto parsed = parse_function(task.function);
    if (!parsed) {
        const error unknown_function(
            errc::invalid,
            fmt::format("function \"{}\" is not supported by this agent", task.function));
        return conclude(task.name, refuse_task(unknown_function), {});
    }
    switch (*parsed) {
        case function::ping:
            return conclude(task.name, {.outcome = task_outcome::succeeded}, "true");
        case function::get_facts:
            return report_facts(task);
        case function::run_command:
            return run_program(task, parse_command(task, options_.limits), false);
        case function::run_script:
            return run_program(task, parse_script(task, options_.limits, options_.scripts), false);
        case function::reboot:
            return run_program(task, build_reboot_command(task), true);
        case function::update_agent:
            return run_program(task, parse_update(task, options_.limits, options_.update), false);
        case function::deploy_files:
            return deploy_files(task);
        case function::change_packages:
            run_program(
                task, parse_package_change(task, options_.limits, options_.packages), false);
            if (programs_.contains(task.name)) package_changes_.insert(task.name);
            return;
        case function::refresh_packages:
            return inventory_.refresh_packages(task.name);
        case function::chain:
            break;  // never a step
    }
    MUSTER_ASSERT(false);
}

result<command> runner::build_reboot_command(const task_request& task) const {
    TRY(const auto args, arguments::parse(task.arguments));
    CHECK_OK(args.finish());
    const boost::json::object line{{"cmd", options_.reboot_command}};
    auto command_task = task;
    command_task.arguments = boost::json::serialize(line);
    return parse_command(command_task, options_.limits);
}

void runner::report_facts(const task_request& task) {
    auto args = arguments::parse(task.arguments);
    if (!args) return conclude(task.name, refuse_task(args.error()), {});
    const auto paths = args->texts("paths");
    if (const auto finished = args->finish(); !finished)
        return conclude(task.name, refuse_task(finished.error()), {});
    boost::json::object facts;
    for (const auto& [path, value] : inventory_.present_facts()) {
        if (!paths || matches_any(path, *paths)) facts[path] = boost::json::parse(value);
    }
    conclude(task.name, {.outcome = task_outcome::succeeded}, boost::json::serialize(facts));
}

void runner::deploy_files(const task_request& task) {
    const auto request = parse_deployment(task.arguments);
    if (!request) return conclude(task.name, refuse_task(request.error()), {});
    const auto outcome = deploy(*request);
    task_result result{.outcome = task_outcome::succeeded};
    if (outcome.failed > 0)
        result = {.outcome = task_outcome::failed, .exit_code = 1, .reason = outcome.reason};
    conclude(task.name, std::move(result), outcome.payload);
}

void runner::packages_refreshed(task_name task, const result<std::string>& digest) {
    if (stopping_) return;
    if (!digest)
        return conclude(
            task,
            {.outcome = task_outcome::failed,
             .exit_code = 1,
             .reason = to_utf8(digest.error().detail()).text},
            {});
    const boost::json::object response{{"digest", *digest}};
    conclude(task, {.outcome = task_outcome::succeeded}, boost::json::serialize(response));
}

void runner::run_program(const task_request& task, result<command> command, bool reboots) {
    if (!command) return conclude(task.name, refuse_task(command.error()), {});
    auto child = child_process::start(command->process);
    if (!child) {
        if (!command->script.empty()) ::unlink(command->script.c_str());
        return conclude(task.name, refuse_task(child.error()), {});
    }
    listener_.program_started(task.name, (*child)->pid());
    const auto chain_it = chains_.find(task.name);
    const bool is_step = chain_it != chains_.end();
    const auto output_max =
        is_step ? std::min(command->output_max, remaining_output(chain_it->second.progress))
                : command->output_max;
    auto program = std::make_unique<runner::program>(runner::program{
        .command = *std::move(command),
        .child = *std::move(child),
        .captured = captured_output(output_max),
        .reboots = reboots,
        .deadline = std::nullopt});
    if (is_step) program->deadline = clock_.now() + task.timeout;
    programs_.insert_or_assign(task.name, std::move(program));
    tasks_.spawn(
        fmt::format("task {}-{}", task.name.job, task.name.attempt), watch_program(task.name));
}

boost::asio::awaitable<void> runner::watch_program(task_name task) {
    auto pause = poll_interval_min;
    while (true) {
        const auto it = programs_.find(task);
        if (it == programs_.end()) co_return;
        program& program = *it->second;
        const bool has_output = collect(task, program);
        if (const auto status = program.child->poll_end(program.signalled)) {
            finish(task, *status);
            co_return;
        }
        enforce_deadline(program);
        pause = has_output ? poll_interval_min : std::min(pause * 2, poll_interval_max);
        const auto waited = co_await clock_.sleep_for(pause);
        if (!waited) co_return;
    }
}

// The sender of a task enforces its time limit; the runner enforces that of a step.
void runner::enforce_deadline(program& program) {
    if (!program.deadline || clock_.now() < *program.deadline) return;
    program.child->signal_group(program.timed_out ? SIGKILL : SIGTERM);
    program.deadline = clock_.now() + kill_after;
    program.timed_out = true;
    program.signalled = true;
}

bool runner::collect(task_name task, program& program) {
    const auto written = program.child->read();
    if (!written.output.empty()) listener_.output_written(task, written.output);
    if (!written.error.empty()) listener_.output_written(task, written.error);
    program.captured.add_output(written.output);
    program.captured.add_error(written.error);
    return !written.empty();
}

void runner::finish(task_name task, int status) {
    auto program = std::move(programs_.at(task));
    programs_.erase(task);
    // A child process may keep the pipes open for ever, so read only what is there now.
    for (int reads = final_reads_max; reads > 0 && collect(task, *program); --reads) {}
    listener_.program_ended(task);
    if (package_changes_.erase(task) > 0) inventory_.packages_changed();
    auto result = to_result(*program, status);
    if (!program->command.script.empty()) ::unlink(program->command.script.c_str());
    // During a shutdown of the machine the reboot has not failed.
    if (program->reboots && (result.outcome == task_outcome::succeeded || stopping_))
        return chains_.contains(task) ? wait_for_boot(task) : listener_.awaits_boot(task);
    const auto payload = build_payload(task, program->captured, result.exit_code);
    result.truncated = result.truncated || payload.truncated;
    conclude(task, std::move(result), payload.text);
}

// Limits the payload to a size that nodes accept even if it hardly compresses.
captured_output::document runner::build_payload(
    task_name task, const captured_output& captured, int exit_code) {
    auto result = captured.payload(exit_code, agent_protocol::task_limits::payload_bytes_max);
    if (result.text.size() <= payload_store::accepted_bytes || chains_.contains(task))
        return result;
    const auto stored = payloads_.save(task, result.text);
    if (!stored && stored.error().code() == errc::invalid)
        result = captured.payload(exit_code, payload_store::accepted_bytes);
    return result;
}

task_result runner::to_result(const program& program, int status) {
    const int code = to_exit_code(status);
    const bool succeeded = WIFEXITED(status) && program.command.success_codes.contains(code);
    task_result result{
        .outcome = succeeded ? task_outcome::succeeded : task_outcome::failed,
        .exit_code = code,
        .truncated = program.captured.truncated()};
    if (!succeeded) {
        result.reason = WIFEXITED(status)
                            ? fmt::format("exit code {}", code)
                            : fmt::format("terminated by signal {}", WTERMSIG(status));
    }
    if (program.timed_out) {
        result.outcome = task_outcome::timed_out;
        result.reason = "time limit exceeded";
    }
    if (stopping_) {
        result.outcome = task_outcome::interrupted;
        result.reason = "agent stopped while the task was running";
        return result;
    }
    if (result.outcome != task_outcome::succeeded || program.command.replaces.empty())
        return result;
    if (const auto installed = install(program.command); !installed) {
        result.outcome = task_outcome::failed;
        result.reason = installed.error().detail();
    }
    return result;
}

result<void> runner::install(const command& command) {
    std::error_code failure;
    std::filesystem::rename(command.script, command.replaces, failure);
    if (failure)
        return fail(
            errc::unavailable,
            fmt::format("cannot replace {}: {}", command.replaces.string(), failure.message()));
    listener_.agent_replaced();
    return {};
}

task_result runner::attach_payload(task_name task, task_result result, std::string_view payload) {
    result.digest = pki::sha256(payload);
    result.payload_size = payload.size();
    if (payload.size() <= agent_protocol::task_limits::inline_payload_bytes_max) {
        result.inline_payload = payload;
        return result;
    }
    const auto stored = payloads_.save(task, payload);
    result.payload_stored = stored.has_value();
    if (stored) return result;
    listener_.problem(
        fmt::format("output of job {} dropped: {}", task.job, stored.error().detail()));
    result.digest.clear();
    result.payload_size = 0;
    result.truncated = true;
    result.reason += fmt::format(
        "{}output dropped: {}", result.reason.empty() ? "" : "; ", stored.error().detail());
    return result;
}

void runner::end(task_name task, session::end_kind end_kind) {
    if (end_between_steps(task)) return;
    const auto it = programs_.find(task);
    if (it == programs_.end()) return;
    it->second->signalled = true;
    it->second->child->signal_group(end_kind == session::end_kind::kill ? SIGKILL : SIGTERM);
}

boost::asio::awaitable<void> runner::stop() {
    stopping_ = true;
    for (const auto& [task, program] : programs_)
        if (!program->reboots) end(task, session::end_kind::term);
    const auto deadline = clock_.now() + stop_time;
    while (!programs_.empty() && clock_.now() < deadline) {
        const auto waited = co_await clock_.sleep_for(poll_interval_max);
        if (!waited) break;
    }
    for (const auto& [task, program] : programs_) end(task, session::end_kind::kill);
    tasks_.cancel();
    co_await tasks_.join();
    programs_.clear();
    chains_.clear();
}

}  // namespace muster::agent

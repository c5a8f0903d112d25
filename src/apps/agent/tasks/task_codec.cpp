#include "apps/agent/tasks/task_codec.h"

#include "adapters/agent_protocol/task_frames.h"

#include <fmt/format.h>

#include <agent_journal.pb.h>
#include <algorithm>
#include <set>

namespace muster::agent {

using session::journaled_task;

namespace {

std::int64_t to_microseconds(wall_time time) {
    return time.time_since_epoch().count();
}

wall_time to_wall_time(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

void encode_chain(agent_journal::Chain& record, const session::chain_progress& chain) {
    for (const auto step : chain.steps) record.add_steps(static_cast<std::uint32_t>(step));
    for (const auto& step_result : chain.results) {
        auto& ended = *record.add_ended();
        ended.set_outcome(static_cast<std::uint32_t>(step_result.outcome));
        ended.set_exit_code(step_result.exit_code);
        ended.set_reason(step_result.reason);
        ended.set_output(step_result.output);
        ended.set_truncated(step_result.truncated);
        ended.set_took_us(step_result.duration.count());
    }
    record.set_begun(chain.begun);
    record.set_since_us(to_microseconds(chain.since));
}

bool is_step_nature(std::uint32_t number) {
    return number <= static_cast<std::uint32_t>(session::task_nature::reboots);
}

bool is_known(const agent_journal::Chain& record) {
    const bool natures = std::ranges::all_of(record.steps(), is_step_nature);
    const bool outcomes = std::ranges::all_of(record.ended(), [](const auto& ended) {
        return ended.outcome() <= static_cast<std::uint32_t>(session::task_outcome::not_started);
    });
    return natures && outcomes && record.ended_size() <= record.steps_size();
}

session::chain_progress decode_chain(const agent_journal::Chain& record) {
    session::chain_progress chain;
    for (const auto step : record.steps())
        chain.steps.push_back(static_cast<session::task_nature>(step));
    for (const auto& ended : record.ended())
        chain.results.push_back(
            {.outcome = static_cast<session::task_outcome>(ended.outcome()),
             .exit_code = ended.exit_code(),
             .reason = ended.reason(),
             .output = ended.output(),
             .truncated = ended.truncated(),
             .duration = std::chrono::microseconds(ended.took_us())});
    chain.begun = record.begun();
    chain.since = to_wall_time(record.since_us());
    return chain;
}

}  // namespace

std::string record_id(session::task_name task) {
    return fmt::format("{}{}-{}", task_record_prefix, task.job, task.attempt);
}

std::string encode(const journaled_task& task) {
    agent_journal::KeptTask record;
    record.set_stage(static_cast<std::uint32_t>(task.state));
    record.set_task(agent_protocol::to_task(task.request).SerializeAsString());
    record.set_nature(static_cast<std::uint32_t>(task.nature));
    record.set_since_us(to_microseconds(task.since));
    record.set_starts(task.starts);
    record.set_boot(task.boot);
    record.set_started_us(to_microseconds(task.report.started));
    if (task.state == journaled_task::journal_state::reported
        || task.state == journaled_task::journal_state::acknowledged)
        record.set_report(agent_protocol::to_report(task.report).SerializeAsString());
    record.set_payload_kept(task.report.result.payload_stored);
    if (!task.chain.steps.empty()) encode_chain(*record.mutable_chain(), task.chain);
    return record.SerializeAsString();
}

result<journaled_task> decode_task(std::string_view bytes) {
    agent_journal::KeptTask record;
    agent_protocol::Task task;
    agent_protocol::Report report;
    const bool readable = record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))
                          && task.ParseFromString(record.task())
                          && report.ParseFromString(record.report());
    const bool valid =
        record.stage() >= static_cast<std::uint32_t>(journaled_task::journal_state::waiting)
        && record.stage() <= static_cast<std::uint32_t>(journaled_task::journal_state::acknowledged)
        && record.nature() <= static_cast<std::uint32_t>(session::task_nature::chain)
        && is_known(record.chain());
    if (!readable || !valid) return fail(errc::corrupt, "unreadable task in the journal");
    journaled_task stored{
        .state = static_cast<journaled_task::journal_state>(record.stage()),
        .request = agent_protocol::to_task_request(task),
        .nature = static_cast<session::task_nature>(record.nature()),
        .since = to_wall_time(record.since_us()),
        .starts = record.starts(),
        .boot = record.boot(),
        .chain = decode_chain(record.chain()),
        .report = agent_protocol::to_report(report)};
    stored.report.started = to_wall_time(record.started_us());
    stored.report.result.payload_stored = record.payload_kept();
    return stored;
}

journal_tasks read_tasks(const journal& journal) {
    journal_tasks result;
    for (const auto& [id, value] : journal.records()) {
        if (!id.starts_with(task_record_prefix)) continue;
        auto task = decode_task(value);
        if (task) {
            result.tasks.push_back(*std::move(task));
        } else {
            result.damaged.push_back(id);
        }
    }
    return result;
}

result<payload_store> open_payloads(
    const std::filesystem::path& directory, const journal& journal) {
    std::set<session::task_name> with_payload;
    for (const auto& task : read_tasks(journal).tasks)
        if (task.report.result.payload_stored) with_payload.insert(task.request.name);
    return payload_store::open(directory, with_payload);
}

result<void> store(journal& journal, const session::store_tasks& store_tasks) {
    std::vector<journal::change> changes;
    for (const auto& task : store_tasks.put)
        changes.push_back({.id = record_id(task.request.name), .value = encode(task)});
    for (const auto& task : store_tasks.erased)
        changes.push_back({.id = record_id(task), .value = std::nullopt});
    return journal.apply(
        changes, store_tasks.durable ? journal::durability::flushed : journal::durability::written);
}

}  // namespace muster::agent

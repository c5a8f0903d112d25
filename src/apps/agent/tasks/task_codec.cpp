#include "apps/agent/tasks/task_codec.h"

#include "adapters/agent_protocol/task_frames.h"

#include <fmt/format.h>

#include <agent_journal.pb.h>
#include <algorithm>
#include <set>

namespace muster::agent {

using session::journaled_task;

namespace {

std::int64_t microseconds_of(wall_time when) {
    return when.time_since_epoch().count();
}

wall_time wall_of(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

void put(agent_journal::Chain& into, const session::chain_progress& chain) {
    for (const auto step : chain.steps) into.add_steps(static_cast<std::uint32_t>(step));
    for (const auto& each : chain.ended) {
        auto& ended = *into.add_ended();
        ended.set_outcome(static_cast<std::uint32_t>(each.outcome));
        ended.set_exit_code(each.exit_code);
        ended.set_reason(each.reason);
        ended.set_output(each.output);
        ended.set_truncated(each.truncated);
        ended.set_took_us(each.took.count());
    }
    into.set_begun(chain.begun);
    into.set_since_us(microseconds_of(chain.since));
}

bool is_step_nature(std::uint32_t number) {
    return number <= static_cast<std::uint32_t>(session::task_nature::reboots);
}

bool is_known(const agent_journal::Chain& record) {
    const bool natures = std::ranges::all_of(record.steps(), is_step_nature);
    const bool outcomes = std::ranges::all_of(record.ended(), [](const auto& each) {
        return each.outcome() <= static_cast<std::uint32_t>(session::task_outcome::not_started);
    });
    return natures && outcomes && record.ended_size() <= record.steps_size();
}

session::chain_progress chain_of(const agent_journal::Chain& record) {
    session::chain_progress chain;
    for (const auto step : record.steps())
        chain.steps.push_back(static_cast<session::task_nature>(step));
    for (const auto& each : record.ended())
        chain.ended.push_back(
            {.outcome = static_cast<session::task_outcome>(each.outcome()),
             .exit_code = each.exit_code(),
             .reason = each.reason(),
             .output = each.output(),
             .truncated = each.truncated(),
             .took = std::chrono::microseconds(each.took_us())});
    chain.begun = record.begun();
    chain.since = wall_of(record.since_us());
    return chain;
}

}  // namespace

std::string record_id(session::task_name task) {
    return fmt::format("{}{}-{}", task_record_prefix, task.job, task.attempt);
}

std::string encode(const journaled_task& task) {
    agent_journal::KeptTask record;
    record.set_stage(static_cast<std::uint32_t>(task.at));
    record.set_task(agent_protocol::task_of(task.order).SerializeAsString());
    record.set_nature(static_cast<std::uint32_t>(task.nature));
    record.set_since_us(microseconds_of(task.since));
    record.set_starts(task.starts);
    record.set_boot(task.boot);
    record.set_started_us(microseconds_of(task.report.started));
    if (task.at == journaled_task::stage::reported || task.at == journaled_task::stage::taken)
        record.set_report(agent_protocol::report_of(task.report).SerializeAsString());
    record.set_payload_kept(task.report.how.payload_kept);
    if (!task.chain.steps.empty()) put(*record.mutable_chain(), task.chain);
    return record.SerializeAsString();
}

result<journaled_task> decode_task(std::string_view bytes) {
    agent_journal::KeptTask record;
    agent_protocol::Task task;
    agent_protocol::Report report;
    const bool readable = record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))
                          && task.ParseFromString(record.task())
                          && report.ParseFromString(record.report());
    const bool existing =
        record.stage() >= static_cast<std::uint32_t>(journaled_task::stage::waiting)
        && record.stage() <= static_cast<std::uint32_t>(journaled_task::stage::taken)
        && record.nature() <= static_cast<std::uint32_t>(session::task_nature::chain)
        && is_known(record.chain());
    if (!readable || !existing) return fail(errc::corrupt, "a task in the journal cannot be read");
    journaled_task stored{
        .at = static_cast<journaled_task::stage>(record.stage()),
        .order = agent_protocol::order_of(task),
        .nature = static_cast<session::task_nature>(record.nature()),
        .since = wall_of(record.since_us()),
        .starts = record.starts(),
        .boot = record.boot(),
        .chain = chain_of(record.chain()),
        .report = agent_protocol::report_of(report)};
    stored.report.started = wall_of(record.started_us());
    stored.report.how.payload_kept = record.payload_kept();
    return stored;
}

journal_tasks tasks_in(const journal& journal) {
    journal_tasks match;
    for (const auto& [id, value] : journal.records()) {
        if (!id.starts_with(task_record_prefix)) continue;
        auto task = decode_task(value);
        if (task) {
            match.tasks.push_back(*std::move(task));
        } else {
            match.damaged.push_back(id);
        }
    }
    return match;
}

result<payload_store> open_payloads(
    const std::filesystem::path& directory, const journal& journal) {
    std::set<session::task_name> known;
    for (const auto& task : tasks_in(journal).tasks)
        if (task.report.how.payload_kept) known.insert(task.order.name);
    return payload_store::open(directory, known);
}

result<void> store(journal& into, const session::store_tasks& store_tasks) {
    std::vector<journal::change> changes;
    for (const auto& each : store_tasks.put)
        changes.push_back({.id = record_id(each.order.name), .value = encode(each)});
    for (const auto& each : store_tasks.erased)
        changes.push_back({.id = record_id(each), .value = std::nullopt});
    return into.apply(
        changes, store_tasks.durable ? journal::durability::flushed : journal::durability::written);
}

}  // namespace muster::agent

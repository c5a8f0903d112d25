#include "sim/workloads/jobs_agent_journal.h"

#include "sim/engines/codec.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::sim {

void fields(auto& archive, is<session::task_name> auto& what) {
    archive(what.job, what.attempt);
}

void fields(auto& archive, is<session::task_request> auto& what) {
    archive(
        what.name,
        what.function,
        what.arguments,
        what.timeout,
        what.may_run_again,
        what.start_within);
}

void fields(auto& archive, is<session::task_result> auto& what) {
    archive(
        what.outcome,
        what.exit_code,
        what.reason,
        what.digest,
        what.payload_size,
        what.truncated,
        what.inline_payload,
        what.payload_stored);
}

void fields(auto& archive, is<session::task_report> auto& what) {
    archive(what.task, what.result, what.started, what.ended);
}

void fields(auto& archive, is<session::journaled_task> auto& what) {
    archive(what.state, what.request, what.nature, what.since, what.starts, what.boot, what.report);
}

void fields(auto& archive, is<session::store_tasks> auto& what) {
    archive(what.put, what.erased);
}

void agent_journal::apply(const std::vector<session::store_tasks>& batch) {
    for (const auto& each : batch) {
        for (const auto& task : each.put) tasks_.insert_or_assign(task.request.name, task);
        for (const auto& name : each.erased) tasks_.erase(name);
    }
}

std::vector<session::journaled_task> agent_journal::tasks() const {
    std::vector<session::journaled_task> journaled_tasks;
    for (const auto& [name, task] : tasks_) journaled_tasks.push_back(task);
    return journaled_tasks;
}

async<std::vector<session::journaled_task>> agent_journal::open() {
    CO_TRY(const auto match, co_await disk_.open());
    if (match.checkpoint) {
        CO_TRY(const auto stored, decode<std::vector<session::journaled_task>>(*match.checkpoint));
        for (const auto& each : stored) tasks_.insert_or_assign(each.request.name, each);
    }
    for (const auto& record : match.records) {
        CO_TRY(const auto batch, decode<std::vector<session::store_tasks>>(record));
        apply(batch);
    }
    co_return tasks();
}

async<void> agent_journal::store(std::vector<session::store_tasks> batch) {
    const bool durable = std::ranges::any_of(batch, &session::store_tasks::durable);
    auto record = unsynced_;
    std::ranges::copy(batch, std::back_inserter(record));
    const bool careful = injected_bug_ == injected_bug::none;
    const bool many = record.size() > (careful ? unsynced_max : unsynced_of_forgetful_max);
    if (!many && !(durable && careful)) {
        unsynced_ = std::move(record);
        co_return result<void>();
    }
    CO_CHECK_OK(co_await disk_.append(encode(record)));
    unsynced_.clear();
    apply(record);
    if (disk_.record_bytes() < bytes_max) co_return result<void>();
    const auto reserved = co_await disk_.checkpoint(encode(tasks()));
    // A full disk has no room for a checkpoint; the journal as it is serves as well.
    if (!reserved && reserved.error().code() != errc::unavailable)
        co_return fail(errc::corrupt, reserved.error().detail());
    co_return result<void>();
}

}  // namespace muster::sim

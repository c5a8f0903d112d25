#include "sim/workloads/jobs_agent_journal.h"

#include "sim/engines/codec.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::sim {

void fields(auto& archive, is<session::task_name> auto& what) {
    archive(what.job, what.attempt);
}

void fields(auto& archive, is<session::task_order> auto& what) {
    archive(
        what.name,
        what.function,
        what.arguments,
        what.timeout,
        what.may_run_again,
        what.start_within);
}

void fields(auto& archive, is<session::task_ending> auto& what) {
    archive(
        what.outcome,
        what.exit_code,
        what.reason,
        what.digest,
        what.payload_size,
        what.truncated,
        what.inline_payload,
        what.payload_kept);
}

void fields(auto& archive, is<session::task_report> auto& what) {
    archive(what.task, what.how, what.started, what.ended);
}

void fields(auto& archive, is<session::journaled_task> auto& what) {
    archive(what.at, what.order, what.nature, what.since, what.starts, what.boot, what.report);
}

void fields(auto& archive, is<session::store_tasks> auto& what) {
    archive(what.put, what.erased);
}

void agent_journal::apply(const std::vector<session::store_tasks>& some) {
    for (const auto& each : some) {
        for (const auto& task : each.put) tasks_.insert_or_assign(task.order.name, task);
        for (const auto& name : each.erased) tasks_.erase(name);
    }
}

std::vector<session::journaled_task> agent_journal::all() const {
    std::vector<session::journaled_task> journaled_tasks;
    for (const auto& [name, task] : tasks_) journaled_tasks.push_back(task);
    return journaled_tasks;
}

async<std::vector<session::journaled_task>> agent_journal::open() {
    CO_TRY(const auto match, co_await disk_.open());
    if (match.checkpoint) {
        CO_TRY(const auto stored, decode<std::vector<session::journaled_task>>(*match.checkpoint));
        for (const auto& each : stored) tasks_.insert_or_assign(each.order.name, each);
    }
    for (const auto& record : match.records) {
        CO_TRY(const auto some, decode<std::vector<session::store_tasks>>(record));
        apply(some);
    }
    co_return all();
}

async<void> agent_journal::store(std::vector<session::store_tasks> some) {
    const bool durable = std::ranges::any_of(some, &session::store_tasks::durable);
    auto record = unsynced_;
    std::ranges::copy(some, std::back_inserter(record));
    const bool careful = options_ == habit::careful;
    const bool many = record.size() > (careful ? unsynced_max : unsynced_of_forgetful_max);
    if (!many && !(durable && careful)) {
        unsynced_ = std::move(record);
        co_return result<void>();
    }
    CO_CHECK_OK(co_await disk_.append(encode(record)));
    unsynced_.clear();
    apply(record);
    if (disk_.record_bytes() < bytes_max) co_return result<void>();
    const auto reserved = co_await disk_.checkpoint(encode(all()));
    // A full disk has no room for a checkpoint; the journal as it is serves as well.
    if (!reserved && reserved.error().code() != errc::unavailable)
        co_return fail(errc::corrupt, reserved.error().detail());
    co_return result<void>();
}

}  // namespace muster::sim

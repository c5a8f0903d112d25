#include "roles/node/dispatch/task_result_writer.h"

#include "services/jobs/job_tables.h"
#include "services/jobs/task_row.h"

#include <string>

namespace muster::dispatch {
namespace {

constexpr std::size_t row_bytes = 200;  // without texts

std::size_t bytes_of(const task_record& row) {
    return row_bytes + row.reason.size() + row.digest.size() + row.inline_payload.size();
}

}  // namespace

bool task_result_writer::submit(task_record row) {
    const task_key key(row.job, row.system);
    const auto bytes = bytes_of(row);
    const auto it = pending_.find(key);
    if (it != pending_.end()) {
        if (rank_of(row) <= rank_of(it->second)) return true;
        pending_bytes_ += bytes;
        pending_bytes_ -= bytes_of(it->second);
        it->second = std::move(row);
        return true;
    }
    if (pending_.size() >= options_.pending_max
        || pending_bytes_ + bytes > options_.pending_bytes_max) {
        ++refused_;
        return false;
    }
    pending_bytes_ += bytes;
    pending_.emplace(key, std::move(row));
    wakeup_.notify();
    return true;
}

std::vector<task_record> task_result_writer::pop_batch() {
    std::vector<task_record> batch;
    std::size_t bytes = 0;
    while (!pending_.empty() && batch.size() < options_.batch_rows_max
           && bytes < options_.batch_bytes_max) {
        auto first = pending_.extract(pending_.begin());
        bytes += bytes_of(first.mapped());
        batch.push_back(std::move(first.mapped()));
    }
    pending_bytes_ -= bytes;
    return batch;
}

// A small rollout, whose tasks wait for each other, must not wait for rows that never come.
bool task_result_writer::should_gather(std::size_t written) const {
    return written >= options_.gather_min && pending_.size() < options_.batch_rows_max;
}

// Ignores the limits: these rows were accepted before.
void task_result_writer::requeue(std::vector<task_record> batch) {
    for (auto& row : batch) {
        const task_key key(row.job, row.system);
        const auto newer = pending_.find(key);
        if (newer != pending_.end() && rank_of(newer->second) >= rank_of(row)) continue;
        if (newer != pending_.end()) pending_bytes_ -= bytes_of(newer->second);
        pending_bytes_ += bytes_of(row);
        pending_.insert_or_assign(key, std::move(row));
    }
}

async<task_result_writer::write_outcome> task_result_writer::write(
    const std::vector<task_record>* batch) {
    table::write rows{
        .table = std::string(jobs::tasks_table),
        .rows = {},
        .existing = table::replace_if_grows{"rank"}};
    rows.rows.reserve(batch->size());
    for (const auto& row : *batch) rows.rows.push_back(jobs::encode_task(row));
    table::batch ledger_batch;
    ledger_batch.writes.push_back(std::move(rows));
    CO_TRY(const auto written, co_await deps_.ledger.write(std::move(ledger_batch)));
    co_return written.changed == batch->size() ? write_outcome::as_written
                                               : write_outcome::partly_superseded;
}

// One row is invalid; write the others.
boost::asio::awaitable<void> task_result_writer::write_one_by_one(std::vector<task_record> batch) {
    for (auto& row : batch) {
        std::vector<task_record> tasks;
        tasks.push_back(std::move(row));
        const auto outcome = co_await write(&tasks);
        if (outcome) {
            ++written_;
            deps_.listener.on_recorded(std::move(tasks), *outcome);
            continue;
        }
        if (outcome.error().code() != errc::invalid) {
            requeue(std::move(tasks));
            continue;
        }
        deps_.log.error(
            "task result rejected by the ledger",
            {{"job", to_string(tasks.front().job)},
             {"system", tasks.front().system},
             {"error", to_string(outcome.error())}});
    }
}

boost::asio::awaitable<void> task_result_writer::run() {
    while (true) {
        if (pending_.empty()) {
            const auto woken = co_await wakeup_.wait();
            if (!woken) co_return;
            continue;
        }
        const auto began = deps_.clock.now();
        auto batch = pop_batch();
        const auto outcome = co_await write(&batch);
        if (outcome) {
            const auto rows = batch.size();
            written_ += rows;
            if (std::exchange(failing_, false))
                deps_.log.info("task writes resumed", {{"pending", pending_.size()}});
            deps_.listener.on_recorded(std::move(batch), *outcome);
            if (!should_gather(rows)) continue;
            const auto gathered = co_await deps_.clock.sleep_until(began + options_.gather_time);
            if (!gathered) co_return;
            continue;
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        if (outcome.error().code() == errc::invalid) {
            co_await write_one_by_one(std::move(batch));
            continue;
        }
        requeue(std::move(batch));
        if (!std::exchange(failing_, true))
            deps_.log.warning(
                "task write failed",
                {{"error", to_string(outcome.error())}, {"pending", pending_.size()}});
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

}  // namespace muster::dispatch

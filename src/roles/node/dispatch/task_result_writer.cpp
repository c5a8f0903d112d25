#include "roles/node/dispatch/task_result_writer.h"

#include "services/jobs/job_tables.h"
#include "services/jobs/task_row.h"

#include <string>

namespace muster::dispatch {
namespace {

constexpr std::size_t row_bytes = 200;  // besides texts

std::size_t bytes_of(const task_record& row) {
    return row_bytes + row.reason.size() + row.digest.size() + row.inline_payload.size();
}

}  // namespace

bool task_result_writer::submit(task_record row) {
    const task_key key(row.job, row.system);
    const auto bytes = bytes_of(row);
    const auto it = waiting_.find(key);
    if (it != waiting_.end()) {
        if (rank_of(row) <= rank_of(it->second)) return true;
        waiting_bytes_ += bytes;
        waiting_bytes_ -= bytes_of(it->second);
        it->second = std::move(row);
        return true;
    }
    if (waiting_.size() >= options_.waiting_max
        || waiting_bytes_ + bytes > options_.waiting_bytes_max) {
        ++refused_;
        return false;
    }
    waiting_bytes_ += bytes;
    waiting_.emplace(key, std::move(row));
    more_.ring();
    return true;
}

std::vector<task_record> task_result_writer::take_batch() {
    std::vector<task_record> batch;
    std::size_t bytes = 0;
    while (!waiting_.empty() && batch.size() < options_.batch_rows_max
           && bytes < options_.batch_bytes_max) {
        auto first = waiting_.extract(waiting_.begin());
        bytes += bytes_of(first.mapped());
        batch.push_back(std::move(first.mapped()));
    }
    waiting_bytes_ -= bytes;
    return batch;
}

// A narrow rollout, whose tasks wait for each other, must not wait for others that never come.
bool task_result_writer::more_to_come(std::size_t written) const {
    return written >= options_.gather_from && waiting_.size() < options_.batch_rows_max;
}

// Beyond the limits, too: they were taken once.
void task_result_writer::put_back(std::vector<task_record> batch) {
    for (auto& each : batch) {
        const task_key key(each.job, each.system);
        const auto meanwhile = waiting_.find(key);
        if (meanwhile != waiting_.end() && rank_of(meanwhile->second) >= rank_of(each)) continue;
        if (meanwhile != waiting_.end()) waiting_bytes_ -= bytes_of(meanwhile->second);
        waiting_bytes_ += bytes_of(each);
        waiting_.insert_or_assign(key, std::move(each));
    }
}

async<task_result_writer::write_outcome> task_result_writer::write(
    const std::vector<task_record>* batch) {
    table::write rows{
        .table = std::string(jobs::tasks_table),
        .rows = {},
        .existing = table::replace_if_grows{"rank"}};
    rows.rows.reserve(batch->size());
    for (const auto& each : *batch) rows.rows.push_back(jobs::encode_task(each));
    table::batch change;
    change.writes.push_back(std::move(rows));
    CO_TRY(const auto written, co_await deps_.ledger.write(std::move(change)));
    co_return written.changed == batch->size() ? write_outcome::as_written
                                               : write_outcome::others_too;
}

// One of them cannot be written as it is: the others must not suffer for it.
boost::asio::awaitable<void> task_result_writer::write_each(std::vector<task_record> batch) {
    for (auto& each : batch) {
        std::vector<task_record> tasks;
        tasks.push_back(std::move(each));
        const auto done = co_await write(&tasks);
        if (done) {
            ++written_;
            deps_.listener.recorded(std::move(tasks), *done);
            continue;
        }
        if (done.error().code() != errc::invalid) {
            put_back(std::move(tasks));
            continue;
        }
        deps_.log.error(
            "a task cannot be brought on record",
            {{"job", to_string(tasks.front().job)},
             {"system", tasks.front().system},
             {"reason", to_string(done.error())}});
    }
}

boost::asio::awaitable<void> task_result_writer::run() {
    while (true) {
        if (waiting_.empty()) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto began = deps_.clock.now();
        auto batch = take_batch();
        const auto done = co_await write(&batch);
        if (done) {
            const auto rows = batch.size();
            written_ += rows;
            if (std::exchange(failing_, false)) deps_.log.info("tasks are brought on record again");
            deps_.listener.recorded(std::move(batch), *done);
            if (!more_to_come(rows)) continue;
            const auto gathered = co_await deps_.clock.sleep_until(began + options_.gather_time);
            if (!gathered) co_return;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (done.error().code() == errc::invalid) {
            co_await write_each(std::move(batch));
            continue;
        }
        put_back(std::move(batch));
        if (!std::exchange(failing_, true))
            deps_.log.warning(
                "tasks cannot be brought on record", {{"reason", to_string(done.error())}});
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

}  // namespace muster::dispatch

#include "adapters/ledger/sqlite/writer.h"

#include <utility>

namespace muster::ledger_sqlite {
namespace {

constexpr std::chrono::milliseconds idle_wait = std::chrono::hours(1);

error refused_error() {
    return {errc::unavailable, "ledger is closing or its write queue is full"};
}

}  // namespace

writer::writer(
    sqlite::database db, const options& settings, ledger_sql::sequence_notifier& notifier)
    : db_(std::move(db)),
      group_writer_(db_),
      group_limits_{.rows_max = settings.group_rows_max, .bytes_max = settings.group_bytes_max},
      notifier_(notifier),
      queue_(settings.queue_requests_max),
      bytes_(settings.queue_bytes_max),
      thread_([this] { run(); }) {}

writer::~writer() {
    for (auto& item : queue_.close()) refuse_work(item);
    thread_.join();
}

void writer::submit(write_request request) {
    if (!bytes_.try_reserve(request.size.bytes)) return request.done(fail(refused_error()));
    work work = std::move(request);
    if (!queue_.try_push(work)) refuse_work(work);
}

void writer::submit(writer_job job) {
    work work = std::move(job);
    if (!queue_.try_push(work)) refuse_work(work);
}

void writer::refuse_work(work& work) {
    if (auto* request = std::get_if<write_request>(&work))
        return complete(*request, fail(refused_error()));
    std::get<writer_job>(work)(nullptr);
}

void writer::complete(write_request& request, result<table::summary> outcome) {
    bytes_.release(request.size.bytes);
    request.done(std::move(outcome));
}

void writer::run() {
    while (!queue_.is_closed()) {
        ledger_sql::group_size size(group_limits_);
        perform(queue_.pop_group(idle_wait, [&size](const work& item) {
            const auto* request = std::get_if<write_request>(&item);
            const auto weight =
                request == nullptr ? ledger_sql::group_weight{.rows = 1} : request->size;
            if (!size.fits(weight)) return false;
            size.add(weight);
            return true;
        }));
    }
}

void writer::perform(std::vector<work> items) {
    std::vector<write_request*> group;
    for (auto& item : items) {
        auto* request = std::get_if<write_request>(&item);
        // A group shares one catalog: a migration between two requests ends the group.
        const bool joins =
            request != nullptr && (group.empty() || group.front()->tables == request->tables);
        if (!joins) commit(group);
        if (request != nullptr) {
            group.push_back(request);
            continue;
        }
        group_writer_.clear_cache();
        std::get<writer_job>(item)(&db_);
    }
    commit(group);
}

void writer::commit(std::vector<write_request*>& group) {
    if (group.empty()) return;
    std::vector<const table::batch*> batches;
    batches.reserve(group.size());
    for (const auto* request : group) batches.push_back(&request->change);
    const auto outcomes = group_writer_.commit(batches, *group.front()->tables);
    notifier_.notify();
    for (std::size_t index = 0; index < group.size(); ++index)
        complete(*group[index], outcomes[index]);
    group.clear();
}

}  // namespace muster::ledger_sqlite

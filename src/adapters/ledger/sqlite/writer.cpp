#include "adapters/ledger/sqlite/writer.h"

#include <utility>

namespace muster::ledger_sqlite {
namespace {

constexpr std::chrono::milliseconds idle_wait = std::chrono::hours(1);

error refusal() {
    return {errc::unavailable, "the ledger is closing or too many writes wait"};
}

}  // namespace

writer::writer(
    sqlite::database on, const options& settings, ledger_sql::sequence_notifier& notifier)
    : on_(std::move(on)),
      group_writer_(on_),
      group_limits_{.rows_max = settings.group_rows_max, .bytes_max = settings.group_bytes_max},
      notifier_(notifier),
      queue_(settings.queue_requests_max),
      bytes_(settings.queue_bytes_max),
      thread_([this] { run(); }) {}

writer::~writer() {
    for (auto& each : queue_.close()) refuse(each);
    thread_.join();
}

void writer::submit(write_request write_request) {
    if (!bytes_.try_take(write_request.size.bytes)) return write_request.done(fail(refusal()));
    work work = std::move(write_request);
    if (!queue_.try_push(work)) refuse(work);
}

void writer::submit(chore chore) {
    work work = std::move(chore);
    if (!queue_.try_push(work)) refuse(work);
}

void writer::refuse(work& work) {
    if (auto* request = std::get_if<write_request>(&work)) return settle(*request, fail(refusal()));
    std::get<chore>(work)(nullptr);
}

void writer::settle(write_request& write_request, result<table::summary> outcome) {
    bytes_.release_memory(write_request.size.bytes);
    write_request.done(std::move(outcome));
}

void writer::run() {
    while (!queue_.closed()) {
        ledger_sql::group_size size(group_limits_);
        perform(queue_.pop_group(idle_wait, [&size](const work& next) {
            const auto* request = std::get_if<write_request>(&next);
            const auto more = request == nullptr ? ledger_sql::weight{.rows = 1} : request->size;
            if (!size.has_room_for(more)) return false;
            size.add(more);
            return true;
        }));
    }
}

void writer::perform(std::vector<work> works) {
    std::vector<write_request*> group;
    for (auto& each : works) {
        auto* request = std::get_if<write_request>(&each);
        // A group shares one catalog: a migration between two requests ends the first one's group.
        const bool joins =
            request != nullptr && (group.empty() || group.front()->tables == request->tables);
        if (!joins) commit(group);
        if (request != nullptr) {
            group.push_back(request);
            continue;
        }
        group_writer_.forget();
        std::get<chore>(each)(&on_);
    }
    commit(group);
}

void writer::commit(std::vector<write_request*>& group) {
    if (group.empty()) return;
    std::vector<const table::batch*> batches;
    batches.reserve(group.size());
    for (const auto* each : group) batches.push_back(&each->change);
    const auto outcomes = group_writer_.commit(batches, *group.front()->tables);
    notifier_.ring();
    for (std::size_t at = 0; at < group.size(); ++at) settle(*group[at], outcomes[at]);
    group.clear();
}

}  // namespace muster::ledger_sqlite

#include "adapters/ledger/sqlite/writer.h"

#include <utility>

namespace muster::ledger_sqlite {
namespace {

constexpr std::chrono::milliseconds idle_wait = std::chrono::hours(1);

struct refuse {
    void operator()(write_request& what) const {
        what.done(fail(errc::unavailable, "the ledger is closing or too many writes wait"));
    }
    void operator()(chore& what) const { what(nullptr); }
};

}  // namespace

writer::writer(sqlite::database on, const options& settings, std::function<void()> after_commit)
    : on_(std::move(on)),
      group_writer_(on_),
      group_rows_max_(settings.group_rows_max),
      after_commit_(std::move(after_commit)),
      queue_(settings.queue_requests_max),
      thread_([this] { run(); }) {}

writer::~writer() {
    for (auto& each : queue_.close()) std::visit(refuse{}, each);
    thread_.join();
}

void writer::submit(write_request what) {
    push(std::move(what));
}

void writer::submit(chore what) {
    push(std::move(what));
}

void writer::push(work what) {
    if (!queue_.try_push(what)) std::visit(refuse{}, what);
}

void writer::run() {
    while (!queue_.closed()) {
        std::size_t rows = 0;
        perform(queue_.pop_group(idle_wait, [&](const work& next) {
            const auto* request = std::get_if<write_request>(&next);
            const std::size_t more = request == nullptr ? 1 : table::row_count(request->change);
            if (rows > 0 && rows + more > group_rows_max_) return false;
            rows += more;
            return true;
        }));
    }
}

void writer::perform(std::vector<work> taken) {
    std::vector<write_request*> group;
    for (auto& each : taken) {
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
    after_commit_();
    for (std::size_t at = 0; at < group.size(); ++at) group[at]->done(outcomes[at]);
    group.clear();
}

}  // namespace muster::ledger_sqlite

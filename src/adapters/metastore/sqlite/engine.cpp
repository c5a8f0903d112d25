#include "adapters/metastore/sqlite/engine.h"

#include "runtime/clock.h"

#include <algorithm>
#include <utility>

namespace muster::metastore_sqlite {
namespace {

queue_limits limits_of(const sqlite_metastore_options& options) {
    return {
        .requests_max = options.queue_requests_max,
        .bytes_max = options.queue_bytes_max,
        .group_requests_max = options.group_requests_max,
        .group_bytes_max = options.group_bytes_max};
}

void refuse_all(const request_queue::group& group, const error& reason) {
    for (const auto& request : group) request->refuse(reason);
}

}  // namespace

result<std::shared_ptr<engine>> engine::open(
    std::filesystem::path file, sqlite_metastore_options options) {
    TRY(auto opened, store_file::open(file, options.lock_wait));
    const auto content = opened.load();
    if (!content) return fail(content.error().with_context(file.string()));
    auto store = kv::store::restore(*content, options.store, runtime::monotonic_now());
    if (!store) return fail(store.error().with_context(file.string()));
    return std::make_shared<engine>(std::move(file), options, std::move(opened), *std::move(store));
}

engine::engine(
    std::filesystem::path path, sqlite_metastore_options options, store_file file, kv::store store)
    : path_(std::move(path)),
      options_(options),
      queue_(limits_of(options)),
      watches_(options.watches_max),
      file_(std::move(file)),
      store_(std::move(store)),
      thread_([this] { run(); }) {}

engine::~engine() {
    stop();
}

void engine::stop() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

void engine::run() {
    while (true) {
        auto popped = queue_.pop(time_to_next_task());
        for (const auto watch : popped.closed_watches) watches_.close_watch(watch);
        if (popped.closed) {
            const error closed(errc::unavailable, "metastore is closed");
            refuse_all(popped.requests, closed);
            watches_.refuse_all(closed);
            // A group is limited, so more requests may wait; a closed queue gets no new ones.
            if (popped.requests.empty()) break;
            continue;
        }
        serve(std::move(popped.requests));
    }
    file_.reset();
}

std::optional<monotonic::duration> engine::time_to_next_task() const {
    std::optional<instant> task_at = store_.next_deadline();
    if (const auto* const paused = std::get_if<read_only>(&state_)) task_at = paused->retry_at;
    if (const auto* const paused = std::get_if<down>(&state_)) task_at = paused->retry_at;
    if (!task_at) return std::nullopt;
    return std::max(*task_at - runtime::monotonic_now(), monotonic::duration::zero());
}

void engine::serve(request_queue::group group) {
    const instant now = runtime::monotonic_now();
    retry_if_due(now);
    if (const auto* const down_state = std::get_if<down>(&state_)) {
        refuse_all(group, down_state->reason);
        return;
    }
    delta changes;
    metastore_sqlite::evaluation evaluation{.store = store_, .changes = changes, .now = now};
    if (std::holds_alternative<serving>(state_)) expire_leases(evaluation);
    group = evaluate(std::move(group), evaluation);
    if (!changes.empty()) {
        if (const auto written = write(changes); !written) {
            handle_failed_write(group, written.error(), now);
            return;
        }
    }
    for (const auto& request : group) request->complete();
    watches_.deliver(store_);
}

void engine::retry_if_due(instant now) {
    const auto* const paused = std::get_if<read_only>(&state_);
    if (paused != nullptr && now >= paused->retry_at) state_ = serving{};
    auto* const down_state = std::get_if<down>(&state_);
    if (down_state == nullptr || now < down_state->retry_at) return;
    if (const auto reloaded = reload(now); reloaded) {
        state_ = serving{};
    } else {
        const error reason(errc::unavailable, reloaded.error().detail());
        *down_state = {.retry_at = now + options_.write_retry, .reason = reason};
    }
}

void engine::expire_leases(metastore_sqlite::evaluation& evaluation) {
    for (const auto& ended : store_.expire(evaluation.now)) evaluation.changes.add(ended);
}

// Returns the evaluated requests. Refuses writes while the file is read-only.
request_queue::group engine::evaluate(
    request_queue::group group, metastore_sqlite::evaluation& evaluation) const {
    const auto* const paused = std::get_if<read_only>(&state_);
    request_queue::group evaluated;
    evaluated.reserve(group.size());
    for (auto& request : group) {
        if (paused != nullptr && request->kind() == access::write) {
            request->refuse(paused->reason);
            continue;
        }
        request->evaluate(evaluation);
        evaluated.push_back(std::move(request));
    }
    return evaluated;
}

result<void> engine::write(const delta& changes) {
    const file_head next{
        .at = store_.at(), .last_lease = store_.last_lease(), .groups = file_->head().groups + 1};
    CHECK_OK(file_->write(changes, next));
    ++file_commits_;
    return {};
}

void engine::handle_failed_write(
    const request_queue::group& group, const error& reason, instant now) {
    ++file_failures_;
    const auto failed_group = file_->head().groups + 1;
    const instant retry_at = now + options_.write_retry;
    const error refusal(errc::unavailable, path_.string() + ": " + reason.detail());
    const error unknown(errc::timed_out, refusal.detail() + "; the change may have been written");
    const auto reloaded = reload(now);
    if (reloaded) {
        state_ = read_only{.retry_at = retry_at, .reason = refusal};
        watches_.deliver(store_);
    } else {
        state_ = down{
            .retry_at = retry_at, .reason = error(errc::unavailable, reloaded.error().detail())};
    }
    // A commit whose fsync failed may be in the file all the same.
    const bool certain = reloaded && file_->head().groups != failed_group;
    for (const auto& request : group) {
        request->refuse(certain || request->kind() == access::read ? refusal : unknown);
    }
}

result<void> engine::reload(instant now) {
    file_.reset();  // first: two connections of one process exclude each other, too
    TRY(auto file, store_file::open(path_, options_.lock_wait));
    TRY(kv::snapshot content, file.load());
    // Memory has the history of everything in the file, so watches can continue.
    for (const kv::change& change : store_.history_changes()) {
        if (kv::revision_of(change) <= content.at) content.history.push_back(change);
    }
    content.oldest = std::min(store_.oldest(), content.at.next());
    TRY(store_, kv::store::restore(content, options_.store, now));
    file_ = std::move(file);
    return {};
}

sqlite_metastore_statistics engine::statistics() const {
    return {
        .transactions = transactions_,
        .file_commits = file_commits_,
        .file_failures = file_failures_};
}

}  // namespace muster::metastore_sqlite

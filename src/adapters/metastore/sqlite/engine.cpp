#include "adapters/metastore/sqlite/engine.h"

#include "runtime/clock.h"

#include <algorithm>
#include <utility>

namespace muster::metastore_sqlite {
namespace {

inbox_limits limits_of(const sqlite_metastore_options& options) {
    return {
        .requests_max = options.queue_requests_max,
        .bytes_max = options.queue_bytes_max,
        .group_requests_max = options.group_requests_max,
        .group_bytes_max = options.group_bytes_max};
}

void refuse_all(const inbox::group& group, const error& why) {
    for (const auto& one : group) one->refuse(why);
}

}  // namespace

result<std::shared_ptr<engine>> engine::open(
    std::filesystem::path file, sqlite_metastore_options options) {
    TRY(auto opened, store_file::open(file, options.lock_wait));
    const auto content = opened.load();
    if (!content) return fail(content.error().within(file.string()));
    auto store = kv::store::restore(*content, options.store, runtime::monotonic_now());
    if (!store) return fail(store.error().within(file.string()));
    return std::make_shared<engine>(std::move(file), options, std::move(opened), *std::move(store));
}

engine::engine(
    std::filesystem::path path, sqlite_metastore_options options, store_file file, kv::store store)
    : path_(std::move(path)),
      options_(options),
      inbox_(limits_of(options)),
      board_(options.watches_max),
      file_(std::move(file)),
      store_(std::move(store)),
      thread_([this] { run(); }) {}

engine::~engine() {
    stop();
}

void engine::stop() {
    inbox_.close();
    if (thread_.joinable()) thread_.join();
}

void engine::run() {
    while (true) {
        auto reserved = inbox_.take(time_to_next_duty());
        for (const auto watch : reserved.forgotten_watches) board_.forget(watch);
        if (reserved.closed) {
            const error closed(errc::unavailable, "the metastore is closed");
            refuse_all(reserved.requests, closed);
            board_.refuse_all(closed);
            // A group has limits, so more may wait; once closed nothing is added.
            if (reserved.requests.empty()) break;
            continue;
        }
        serve(std::move(reserved.requests));
    }
    file_.reset();
}

std::optional<monotonic::duration> engine::time_to_next_duty() const {
    std::optional<instant> duty = store_.next_deadline();
    if (const auto* const waiting = std::get_if<read_only>(&state_)) duty = waiting->until;
    if (const auto* const waiting = std::get_if<down>(&state_)) duty = waiting->until;
    if (!duty) return std::nullopt;
    return std::max(*duty - runtime::monotonic_now(), monotonic::duration::zero());
}

void engine::serve(inbox::group group) {
    const instant now = runtime::monotonic_now();
    retry_what_is_due(now);
    if (const auto* const broken = std::get_if<down>(&state_)) {
        refuse_all(group, broken->why);
        return;
    }
    delta changes;
    evaluation in{.store = store_, .changes = changes, .now = now};
    if (std::holds_alternative<serving>(state_)) expire_leases(in);
    group = evaluate(std::move(group), in);
    if (!changes.empty()) {
        if (const auto written = write(changes); !written) {
            survive_failed_write(group, written.error(), now);
            return;
        }
    }
    for (const auto& one : group) one->answer();
    board_.deliver(store_);
}

void engine::retry_what_is_due(instant now) {
    const auto* const waiting = std::get_if<read_only>(&state_);
    if (waiting != nullptr && now >= waiting->until) state_ = serving{};
    auto* const broken = std::get_if<down>(&state_);
    if (broken == nullptr || now < broken->until) return;
    if (const auto read = reload(now); read) {
        state_ = serving{};
    } else {
        const error why(errc::unavailable, read.error().detail());
        *broken = {.until = now + options_.write_retry, .why = why};
    }
}

void engine::expire_leases(evaluation& in) {
    for (const auto& ended : store_.expire(in.now)) in.changes.add(ended);
}

// Gives back those that were evaluated; writes are refused while the file cannot take them.
inbox::group engine::evaluate(inbox::group group, evaluation& in) const {
    const auto* const no_writes = std::get_if<read_only>(&state_);
    inbox::group evaluated;
    evaluated.reserve(group.size());
    for (auto& one : group) {
        if (no_writes != nullptr && one->kind() == access::write) {
            one->refuse(no_writes->why);
            continue;
        }
        one->evaluate(in);
        evaluated.push_back(std::move(one));
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

void engine::survive_failed_write(const inbox::group& group, const error& why, instant now) {
    ++file_failures_;
    const auto attempted = file_->head().groups + 1;
    const instant until = now + options_.write_retry;
    const error refusal(errc::unavailable, path_.string() + ": " + why.detail());
    const error unknown(errc::timed_out, refusal.detail() + "; it may have been written");
    const auto read = reload(now);
    if (read) {
        state_ = read_only{.until = until, .why = refusal};
        board_.deliver(store_);
    } else {
        state_ = down{.until = until, .why = error(errc::unavailable, read.error().detail())};
    }
    // A commit whose fsync failed may stand in the file all the same.
    const bool certain = read && file_->head().groups != attempted;
    for (const auto& one : group) {
        one->refuse(certain || one->kind() == access::read ? refusal : unknown);
    }
}

result<void> engine::reload(instant now) {
    file_.reset();  // first: two connections of one process exclude each other too
    TRY(auto opened, store_file::open(path_, options_.lock_wait));
    TRY(kv::snapshot content, opened.load());
    // Memory knows all that the file knows and how it came about, so watches need not start anew.
    for (const kv::change& change : store_.history_kept()) {
        if (kv::revision_of(change) <= content.at) content.history.push_back(change);
    }
    content.oldest = std::min(store_.oldest(), content.at.next());
    TRY(store_, kv::store::restore(content, options_.store, now));
    file_ = std::move(opened);
    return {};
}

sqlite_metastore_figures engine::figures() const {
    return {
        .transactions = transactions_,
        .file_commits = file_commits_,
        .file_failures = file_failures_};
}

}  // namespace muster::metastore_sqlite

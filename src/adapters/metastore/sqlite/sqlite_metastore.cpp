#include "adapters/metastore/sqlite/sqlite_metastore.h"

#include "adapters/metastore/sqlite/engine.h"
#include "core/kv/validate.h"

#include <utility>

namespace muster {
namespace {

using metastore_sqlite::access;
using metastore_sqlite::engine;
using metastore_sqlite::evaluation;
using metastore_sqlite::request;
using metastore_sqlite::request_of;
using metastore_sqlite::watch_registry;

constexpr std::size_t small_request_bytes = 64;

// Runs a request on the store thread and waits for its outcome.
template <class T, class Evaluate>
async<T> run_on_store(
    std::shared_ptr<metastore_sqlite::engine> engine,
    access kind,
    std::size_t bytes,
    Evaluate evaluate) {
    return await_callback<T>(
        [engine = std::move(engine), kind, bytes, evaluate = std::move(evaluate)](
            completion<T> done) mutable {
            engine->push(std::make_unique<request_of<T, Evaluate>>(
                kind, bytes, std::move(evaluate), std::move(done)));
        });
}

// Exists as long as its watch.
struct watch_token {};

// Adds a wait to the watch_registry, on the store thread.
class watch_request final : public request {
public:
    watch_request(
        metastore_sqlite::engine& engine,
        std::weak_ptr<watch_token> token,
        watch_registry::wait wait)
        : request(access::read, small_request_bytes),
          engine_(engine),
          token_(std::move(token)),
          wait_(std::move(wait)) {}

    void evaluate(evaluation& /*evaluation*/) override {}
    void complete() override {
        // close_watch() bypasses the queue: a wait added after it would never be removed.
        if (token_.expired()) return refuse(error(errc::cancelled, "watch is closed"));
        engine_.add_wait(std::move(wait_));
    }
    void refuse(const error& reason) override { wait_.done(fail(reason)); }

private:
    engine& engine_;
    std::weak_ptr<watch_token> token_;
    watch_registry::wait wait_;
};

class sqlite_watch final : public metastore_watch {
public:
    sqlite_watch(
        std::shared_ptr<metastore_sqlite::engine> engine, std::string prefix, kv::revision from)
        : engine_(std::move(engine)),
          number_(engine_->next_watch()),
          prefix_(std::move(prefix)),
          from_(from) {}
    sqlite_watch(const sqlite_watch&) = delete;
    sqlite_watch& operator=(const sqlite_watch&) = delete;
    ~sqlite_watch() override {
        token_.reset();  // first: a request that finds it there is answered before forgetting
        engine_->close_watch(number_);
    }

    async<kv::watch_event> next() override {
        auto event = co_await await_callback<kv::watch_event>(
            [this](completion<kv::watch_event> done) { wait(std::move(done)); });
        if (!event) co_return event;
        const auto* const batch = std::get_if<kv::change_batch>(&*event);
        if (batch != nullptr) from_ = batch->up_to.next();
        co_return event;
    }

private:
    void wait(completion<kv::watch_event> done) {
        watch_registry::wait wait_entry{
            .watch = number_, .prefix = prefix_, .from = from_, .done = std::move(done)};
        engine_->push(std::make_unique<watch_request>(*engine_, token_, std::move(wait_entry)));
    }

    std::shared_ptr<engine> engine_;
    std::shared_ptr<watch_token> token_ = std::make_shared<watch_token>();
    watch_registry::number number_;
    std::string prefix_;
    kv::revision from_;
};

}  // namespace

class sqlite_metastore::engine_owner {
public:
    explicit engine_owner(std::shared_ptr<metastore_sqlite::engine> engine)
        : engine_(std::move(engine)) {}
    engine_owner(const engine_owner&) = delete;
    engine_owner& operator=(const engine_owner&) = delete;
    // Watches may hold the engine longer; its thread ends here.
    ~engine_owner() { engine_->stop(); }

    const std::shared_ptr<engine>& get() const { return engine_; }

private:
    std::shared_ptr<engine> engine_;
};

result<std::unique_ptr<sqlite_metastore>> sqlite_metastore::open(
    std::filesystem::path file, sqlite_metastore_options options) {
    TRY(auto opened, engine::open(std::move(file), options));
    auto owner = std::make_unique<engine_owner>(std::move(opened));
    return std::unique_ptr<sqlite_metastore>(new sqlite_metastore(std::move(owner)));
}

sqlite_metastore::sqlite_metastore(std::unique_ptr<engine_owner> owner)
    : owner_(std::move(owner)) {}

sqlite_metastore::~sqlite_metastore() = default;

async<kv::lookup> sqlite_metastore::get(std::string key) {
    const auto bytes = key.size();
    return run_on_store<kv::lookup>(
        owner_->get(),
        access::read,
        bytes,
        [key = std::move(key)](metastore_sqlite::evaluation& evaluation) {
            return evaluation.store.get(key);
        });
}

async<kv::page> sqlite_metastore::range(kv::range_request request) {
    const auto bytes = request.prefix.size() + request.after.size();
    return run_on_store<kv::page>(
        owner_->get(),
        access::read,
        bytes,
        [request = std::move(request)](metastore_sqlite::evaluation& evaluation) {
            return evaluation.store.range(request);
        });
}

async<kv::commit_result> sqlite_metastore::commit(kv::transaction change) {
    const auto bytes = kv::bytes_of(change);
    return run_on_store<kv::commit_result>(
        owner_->get(),
        access::write,
        bytes,
        [change = std::move(change), engine = owner_->get().get()](
            metastore_sqlite::evaluation& evaluation) -> result<kv::commit_result> {
            engine->count_transaction();
            TRY(auto outcome, evaluation.store.commit(change));
            evaluation.changes.add(outcome.changes);
            return std::move(outcome.result);
        });
}

async<kv::lease_id> sqlite_metastore::grant(std::chrono::seconds ttl) {
    return run_on_store<kv::lease_id>(
        owner_->get(),
        access::write,
        small_request_bytes,
        [ttl](metastore_sqlite::evaluation& evaluation) -> result<kv::lease_id> {
            TRY(const auto lease, evaluation.store.grant(ttl, evaluation.now));
            evaluation.changes.leases[lease] = ttl;
            return lease;
        });
}

async<void> sqlite_metastore::keep_alive(kv::lease_id lease) {
    // Not in the file: deadlines start anew when it is opened.
    return run_on_store<void>(
        owner_->get(),
        access::read,
        small_request_bytes,
        [lease](metastore_sqlite::evaluation& evaluation) {
            return evaluation.store.keep_alive(lease, evaluation.now);
        });
}

async<void> sqlite_metastore::revoke(kv::lease_id lease) {
    return run_on_store<void>(
        owner_->get(),
        access::write,
        small_request_bytes,
        [lease](metastore_sqlite::evaluation& evaluation) -> result<void> {
            TRY(const auto ended, evaluation.store.revoke(lease));
            evaluation.changes.add(ended);
            return {};
        });
}

std::unique_ptr<metastore_watch> sqlite_metastore::watch(std::string prefix, kv::revision from) {
    return std::make_unique<sqlite_watch>(owner_->get(), std::move(prefix), from);
}

async<void> sqlite_metastore::compact(kv::revision oldest) {
    return run_on_store<void>(
        owner_->get(),
        access::read,
        small_request_bytes,
        [oldest](metastore_sqlite::evaluation& evaluation) {
            return evaluation.store.compact(oldest);
        });
}

limit_hits sqlite_metastore::hits() const {
    return owner_->get()->hits();
}

sqlite_metastore_statistics sqlite_metastore::statistics() const {
    return owner_->get()->statistics();
}

}  // namespace muster

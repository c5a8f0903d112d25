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

// Hands a request to the store thread and waits for what came of it.
template <class T, class Evaluate>
async<T> ask(std::shared_ptr<engine> of, access kind, std::size_t bytes, Evaluate evaluate) {
    return completed<T>([of = std::move(of), kind, bytes, evaluate = std::move(evaluate)](
                            completion<T> done) mutable {
        of->push(std::make_unique<request_of<T, Evaluate>>(
            kind, bytes, std::move(evaluate), std::move(done)));
    });
}

// There as long as a watch is.
struct watch_life {};

// Answered on the store thread by taking its place among those who wait.
class watch_request final : public request {
public:
    watch_request(engine& at, std::weak_ptr<watch_life> of, watch_registry::wait wait)
        : request(access::read, small_request_bytes),
          at_(at),
          of_(std::move(of)),
          wait_(std::move(wait)) {}

    void evaluate(evaluation& /*in*/) override {}
    void answer() override {
        // That the watch is gone is told past the queue: nobody would take its place away again.
        if (of_.expired()) return refuse(error(errc::cancelled, "the watch is gone"));
        at_.expect(std::move(wait_));
    }
    void refuse(const error& why) override { wait_.done(fail(why)); }

private:
    engine& at_;
    std::weak_ptr<watch_life> of_;
    watch_registry::wait wait_;
};

class sqlite_watch final : public metastore_watch {
public:
    sqlite_watch(std::shared_ptr<engine> of, std::string prefix, kv::revision from)
        : of_(std::move(of)), number_(of_->next_watch()), prefix_(std::move(prefix)), from_(from) {}
    sqlite_watch(const sqlite_watch&) = delete;
    sqlite_watch& operator=(const sqlite_watch&) = delete;
    ~sqlite_watch() override {
        life_.reset();  // first: a request that finds it there is answered before forgetting
        of_->forget(number_);
    }

    async<kv::watch_event> next() override {
        auto event = co_await completed<kv::watch_event>(
            [this](completion<kv::watch_event> done) { wait(std::move(done)); });
        if (!event) co_return event;
        const auto* const batch = std::get_if<kv::change_batch>(&*event);
        if (batch != nullptr) from_ = batch->up_to.next();
        co_return event;
    }

private:
    void wait(completion<kv::watch_event> done) {
        watch_registry::wait place{
            .watch = number_, .prefix = prefix_, .from = from_, .done = std::move(done)};
        of_->push(std::make_unique<watch_request>(*of_, life_, std::move(place)));
    }

    std::shared_ptr<engine> of_;
    std::shared_ptr<watch_life> life_ = std::make_shared<watch_life>();
    watch_registry::number number_;
    std::string prefix_;
    kv::revision from_;
};

}  // namespace

class sqlite_metastore::engine_owner {
public:
    explicit engine_owner(std::shared_ptr<engine> owned) : owned_(std::move(owned)) {}
    engine_owner(const engine_owner&) = delete;
    engine_owner& operator=(const engine_owner&) = delete;
    // Watches may hold the engine longer; its thread ends here.
    ~engine_owner() { owned_->stop(); }

    const std::shared_ptr<engine>& get() const { return owned_; }

private:
    std::shared_ptr<engine> owned_;
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
    return ask<kv::lookup>(
        owner_->get(), access::read, bytes, [key = std::move(key)](evaluation& in) {
            return in.store.get(key);
        });
}

async<kv::page> sqlite_metastore::range(kv::range_request request) {
    const auto bytes = request.prefix.size() + request.after.size();
    return ask<kv::page>(
        owner_->get(), access::read, bytes, [request = std::move(request)](evaluation& in) {
            return in.store.range(request);
        });
}

async<kv::verdict> sqlite_metastore::commit(kv::transaction change) {
    const auto bytes = kv::bytes_of(change);
    return ask<kv::verdict>(
        owner_->get(),
        access::write,
        bytes,
        [change = std::move(change),
         of = owner_->get().get()](evaluation& in) -> result<kv::verdict> {
            of->count_transaction();
            TRY(auto outcome, in.store.commit(change));
            in.changes.add(outcome.changes);
            return std::move(outcome.answer);
        });
}

async<kv::lease_id> sqlite_metastore::grant(std::chrono::seconds ttl) {
    return ask<kv::lease_id>(
        owner_->get(),
        access::write,
        small_request_bytes,
        [ttl](evaluation& in) -> result<kv::lease_id> {
            TRY(const auto lease, in.store.grant(ttl, in.now));
            in.changes.leases[lease] = ttl;
            return lease;
        });
}

async<void> sqlite_metastore::keep_alive(kv::lease_id lease) {
    // Not in the file: deadlines start anew when it is opened.
    return ask<void>(owner_->get(), access::read, small_request_bytes, [lease](evaluation& in) {
        return in.store.keep_alive(lease, in.now);
    });
}

async<void> sqlite_metastore::revoke(kv::lease_id lease) {
    return ask<void>(
        owner_->get(), access::write, small_request_bytes, [lease](evaluation& in) -> result<void> {
            TRY(const auto ended, in.store.revoke(lease));
            in.changes.add(ended);
            return {};
        });
}

std::unique_ptr<metastore_watch> sqlite_metastore::watch(std::string prefix, kv::revision from) {
    return std::make_unique<sqlite_watch>(owner_->get(), std::move(prefix), from);
}

async<void> sqlite_metastore::compact(kv::revision oldest) {
    return ask<void>(owner_->get(), access::read, small_request_bytes, [oldest](evaluation& in) {
        return in.store.compact(oldest);
    });
}

limit_hits sqlite_metastore::hits() const {
    return owner_->get()->hits();
}

sqlite_metastore_figures sqlite_metastore::figures() const {
    return owner_->get()->figures();
}

}  // namespace muster

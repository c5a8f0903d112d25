#include "sim/engines/metastore.h"

#include "sim/engines/metastore_machine.h"

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

// How long the engine holds a watch that has nothing to tell. Short, because the answer may be
// lost on the way and is asked for again only after this.
constexpr auto watch_hold = 500ms;

class watch final : public metastore_watch {
public:
    watch(std::weak_ptr<caller> through, std::string prefix, kv::revision from)
        : through_(std::move(through)), prefix_(std::move(prefix)), next_(from) {}

    async<kv::watch_event> next() override {
        while (true) {
            const kv_request request = kv_watch{prefix_, next_};
            auto observed = co_await ask<std::optional<kv::watch_event>>(
                through_, request, in_doubt::ask_again, watch_hold);
            if (!observed && observed.error().code() == errc::unavailable)
                continue;  // it comes back
            if (!observed) co_return fail(observed.error());
            if (!*observed) continue;
            if (const auto* batch = std::get_if<kv::change_batch>(&**observed)) {
                next_ = batch->up_to.next();
                if (batch->changes.empty()) continue;
            }
            co_return **std::move(observed);
        }
    }

private:
    std::weak_ptr<caller> through_;
    std::string prefix_;
    kv::revision next_;
};

class client final : public metastore {
public:
    explicit client(std::weak_ptr<caller> through) : through_(std::move(through)) {}

    async<kv::lookup> get(std::string key) override {
        return ask<kv::lookup>(through_, kv_request(kv_get{std::move(key)}), in_doubt::ask_again);
    }
    async<kv::page> range(kv::range_request request) override {
        return ask<kv::page>(
            through_, kv_request(kv_range{std::move(request)}), in_doubt::ask_again);
    }
    async<kv::verdict> commit(kv::transaction change) override {
        return ask<kv::verdict>(through_, kv_request(kv_commit{std::move(change)}), in_doubt::tell);
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override {
        return ask<kv::lease_id>(through_, kv_request(kv_grant{ttl}), in_doubt::tell);
    }
    async<void> keep_alive(kv::lease_id lease) override {
        return ask<void>(through_, kv_request(kv_keep_alive{lease}), in_doubt::ask_again);
    }
    async<void> revoke(kv::lease_id lease) override {
        return ask<void>(through_, kv_request(kv_revoke{lease}), in_doubt::ask_again_then_tell);
    }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return std::make_unique<sim::watch>(through_, std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override {
        return ask<void>(through_, kv_request(kv_compact{oldest}), in_doubt::ask_again);
    }

private:
    std::weak_ptr<caller> through_;
};

}  // namespace

process& add_metastore_engine(cluster& stage, std::string name, metastore_engine_options options) {
    process_options host{.name = name, .clock = stage.draw_clock(name), .disk = {}};
    return stage.add(std::move(host), [&stage, options](process& self) {
        kv::store_options limits;
        limits.history.changes_max = options.watch_history_max;
        auto what = std::make_unique<metastore_machine>(stage.world, limits);
        const auto serving = self.own<engine>(stage, self, std::move(what), options.serving);
        self.spawn("serve", serving->serve());
    });
}

std::shared_ptr<metastore> open_metastore(
    cluster& stage, process& host, const std::string& engine, caller_options options) {
    return std::make_shared<client>(host.own<caller>(stage, host, engine, options));
}

}  // namespace muster::sim

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
    watch(std::weak_ptr<engine_client> client, std::string prefix, kv::revision from)
        : client_(std::move(client)), prefix_(std::move(prefix)), next_(from) {}

    async<kv::watch_event> next() override {
        while (true) {
            const kv_request request = kv_watch{prefix_, next_};
            auto observed = co_await send_request<std::optional<kv::watch_event>>(
                client_, request, retry_mode::repeat, watch_hold);
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
    std::weak_ptr<engine_client> client_;
    std::string prefix_;
    kv::revision next_;
};

class client final : public metastore {
public:
    explicit client(std::weak_ptr<engine_client> client) : client_(std::move(client)) {}

    async<kv::lookup> get(std::string key) override {
        return send_request<kv::lookup>(
            client_, kv_request(kv_get{std::move(key)}), retry_mode::repeat);
    }
    async<kv::page> range(kv::range_request request) override {
        return send_request<kv::page>(
            client_, kv_request(kv_range{std::move(request)}), retry_mode::repeat);
    }
    async<kv::commit_result> commit(kv::transaction change) override {
        return send_request<kv::commit_result>(
            client_, kv_request(kv_commit{std::move(change)}), retry_mode::report);
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override {
        return send_request<kv::lease_id>(client_, kv_request(kv_grant{ttl}), retry_mode::report);
    }
    async<void> keep_alive(kv::lease_id lease) override {
        return send_request<void>(client_, kv_request(kv_keep_alive{lease}), retry_mode::repeat);
    }
    async<void> revoke(kv::lease_id lease) override {
        return send_request<void>(
            client_, kv_request(kv_revoke{lease}), retry_mode::repeat_then_report);
    }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return std::make_unique<sim::watch>(client_, std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override {
        return send_request<void>(client_, kv_request(kv_compact{oldest}), retry_mode::repeat);
    }

private:
    std::weak_ptr<engine_client> client_;
};

}  // namespace

process& add_metastore_engine(
    sim::cluster& cluster, std::string name, metastore_engine_options options) {
    process_options host{.name = name, .clock = cluster.draw_clock(name), .disk = {}};
    return cluster.add(std::move(host), [&cluster, options](process& self) {
        kv::store_options limits;
        limits.history.changes_max = options.watch_history_max;
        auto machine = std::make_unique<metastore_machine>(cluster.simulation, limits);
        const auto engine_process =
            self.own<engine>(cluster, self, std::move(machine), options.serving);
        self.spawn("serve", engine_process->serve());
    });
}

std::shared_ptr<metastore> open_metastore(
    sim::cluster& cluster,
    process& host,
    const std::string& engine,
    engine_client_options options) {
    return std::make_shared<client>(host.own<engine_client>(cluster, host, engine, options));
}

}  // namespace muster::sim

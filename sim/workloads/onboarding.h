#pragma once

#include "runtime/log.h"
#include "sim/workloads/onboarding_invariants.h"
#include "sim/workloads/onboarding_server.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::sim {

// Several servers on one ledger and one metastore take systems in, all at the same time and about
// the same few systems: they knock, are accepted, rejected, relabelled, moved, unregistered,
// deleted and evicted from a pool that is too small. The servers run the product's own code.
//
// Deleted stays deleted; a number is given once and to one system; who was acknowledged as accepted
// stays in the fleet until it is deleted; in the end every server knows what the ledger holds.
class onboarding final : public workload {
public:
    struct options {
        std::int64_t servers = 3;
        std::int64_t systems = 30;
        std::int64_t pool = 12;
        std::chrono::milliseconds think{300};
        std::int64_t blind_writers = 0;  // 1: somebody writes without looking at versions
    };

    explicit onboarding(options options) : options_(options) {}

    std::set<engine_kind> needs() const override {
        return {engine_kind::metastore, engine_kind::ledger, engine_kind::bus};
    }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    boost::asio::awaitable<void> disturb(process& self, std::shared_ptr<onboarding_server> server);
    async<void> do_something(process& self, std::shared_ptr<onboarding_server> server);
    async<void> accept(std::shared_ptr<onboarding_server> server, fingerprint print);
    async<void> remove(std::shared_ptr<onboarding_server> server, fingerprint print);
    async<void> knock(std::shared_ptr<onboarding_server> server, std::uint64_t number);
    boost::asio::awaitable<void> write_blindly(process& self, std::shared_ptr<ledger> ledger);
    boost::asio::awaitable<void> observe(process& self, std::shared_ptr<ledger> ledger);
    async<std::string> what_is_missing(std::shared_ptr<ledger> ledger);

    options options_;
    cluster* cluster_ = nullptr;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::optional<onboarding_invariants> invariants_;
    std::map<std::string, std::weak_ptr<onboarding_server>> servers_;
    std::int64_t actions_ = 0;
    std::int64_t refused_ = 0;
};

}  // namespace muster::sim

#pragma once

#include "adapters/net/http/server.h"
#include "adapters/os/data_directory.h"
#include "apps/muster/server/engine_factory.h"
#include "apps/muster/server/server_options.h"
#include "roles/assembly/server_roles.h"
#include "roles/gateway/gateway.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/settings/settings.h"
#include "runtime/signals.h"
#include "runtime/task_group.h"
#include "services/bootstrap/cluster_bootstrap.h"
#include "services/bootstrap/first_password_remover.h"
#include "services/bootstrap/server_certificate_manager.h"
#include "services/bootstrap/server_credentials.h"
#include "services/cluster/engines.h"
#include "services/cluster/readiness.h"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace muster::server {

// One `muster serve`: from opened data directory to drained listeners. Its control loop is the
// calling thread; connections are served by loops of the HTTP server.
//
// Health is answered from the first moment. While an engine is away at the start, the server waits
// for it and says so; what cannot be mended by waiting ends the start with one sentence.
class server final : runtime::signal_listener {
public:
    struct dependencies {
        runtime::logger& log;
        std::function<runtime::resolution()> read_again;  // the settings, for a reload
    };

    server(runtime::settings settings, server_options options, dependencies deps);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() override;

    // Until a signal asks it to stop, or it cannot start.
    result<void> run();

private:
    result<void> prepare();
    boost::asio::awaitable<void> start();
    async<void> start_up();
    void make_roles();
    result<void> open_public_port(pki::authority authority);
    void begin_work(const bootstrap::cluster_bootstrap::bootstrap_result& cluster);

    // Tries again with growing pauses while an engine is away; `asked` says which it is.
    template <class T>
    async<T> patiently(
        std::function<cluster::engine()> callback, std::function<async<T>()> attempt);
    async<void> check(
        bootstrap::cluster_bootstrap& origin, bootstrap::cluster_bootstrap::ca_source ca_source);

    async<void> turn_all_loops();  // from any executor
    boost::asio::awaitable<void> watch_clock();
    boost::asio::awaitable<void> feed_watchdog(monotonic::duration interval);

    void stop() override;
    void hurry() override;
    void reload() override;
    boost::asio::awaitable<void> shut_down();
    std::string instance();

    runtime::settings settings_;
    server_options options_;
    dependencies deps_;
    runtime::system_clock clock_;
    runtime::metrics metrics_;
    cluster::readiness state_;
    boost::asio::io_context loop_{1};
    runtime::task_group work_;     // cancelled first when stopping
    runtime::task_group control_;  // the stopping itself
    std::unique_ptr<runtime::signals> signals_;
    std::optional<error> failure_;
    bool stopping_ = false;

    std::unique_ptr<os::data_directory> data_;
    opened_engines engines_;
    // By what the server shows who it is. Certificates are there once the cluster is known.
    struct identity {
        std::optional<bootstrap::certificate_files> files;
        std::unique_ptr<bootstrap::server_certificate_manager> certificates;
        bootstrap::server_credentials credentials;
    };
    identity identity_;
    bootstrap::first_password_remover first_password_;
    gateway::gateway gateway_;
    std::unique_ptr<muster::roles::server_roles> roles_;
    std::optional<cluster::engine_monitor> monitor_;  // from when the roles have started
    // The health port is told of the public one's counters and loops, so it goes first.
    struct ports {
        std::unique_ptr<net::http::server> open;                   // for agents and people
        std::atomic<net::http::server*> open_elsewhere = nullptr;  // the same, for other threads
        std::unique_ptr<net::http::server> health;
    };
    ports ports_;
};

}  // namespace muster::server

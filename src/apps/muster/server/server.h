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

// One `muster serve` process, from the data directory to the drained listeners. The calling thread
// runs the control loop; the HTTP server has loops of its own for connections.
//
// Health requests are served from the beginning. While an engine is unavailable at the start, the
// server waits and reports it. Other failures end the start with an error.
class server final : runtime::signal_listener {
public:
    struct dependencies {
        runtime::logger& log;
        std::function<runtime::resolution()> read_settings;  // the settings, for a reload
    };

    server(runtime::settings settings, server_options options, dependencies deps);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() override;

    // Runs until a signal stops the server, or the start fails.
    result<void> run();

private:
    result<void> prepare();
    boost::asio::awaitable<void> start();
    async<void> start_up();
    void create_roles();
    result<void> open_public_port(pki::authority authority);
    void start_services(const bootstrap::cluster_bootstrap::bootstrap_result& cluster);

    // Retries with growing pauses while an engine is unavailable; `checked_engine` names it.
    template <class T>
    async<T> retry_until_available(
        std::function<cluster::engine()> checked_engine, std::function<async<T>()> attempt);
    async<void> check(
        bootstrap::cluster_bootstrap& bootstrapper,
        bootstrap::cluster_bootstrap::ca_source ca_source);

    async<void> check_event_loops();  // from any executor
    boost::asio::awaitable<void> watch_clock();
    boost::asio::awaitable<void> feed_watchdog(monotonic::duration interval);

    void stop() override;
    void stop_now() override;
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
    // The server's keys and certificates. The certificates exist once the cluster is known.
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
    // The health port reads counters and loops of the public port, so it is destroyed first.
    struct ports {
        std::unique_ptr<net::http::server> public_port;                // for agents and people
        std::atomic<net::http::server*> shared_public_port = nullptr;  // for other threads
        std::unique_ptr<net::http::server> health;
    };
    ports ports_;
};

}  // namespace muster::server

#pragma once

#include "adapters/net/http/server.h"
#include "adapters/os/data_directory.h"
#include "api/peer/join_api.h"
#include "apps/muster/server/engine_factory.h"
#include "apps/muster/server/server_options.h"
#include "roles/gateway/gateway.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/settings/settings.h"
#include "runtime/signals.h"
#include "runtime/task_group.h"
#include "services/bootstrap/cluster_bootstrap.h"
#include "services/bootstrap/server_certificate_manager.h"
#include "services/cluster/engines.h"
#include "services/cluster/readiness.h"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace muster::server {

class workforce;

// One `muster serve`: from opened data directory to drained listeners. Its control loop is the
// calling thread; connections are served by loops of the HTTP server.
//
// Health is answered from the first moment. While an engine is away at the start, the server waits
// for it and says so; what cannot be mended by waiting ends the start with one sentence.
class server {
public:
    struct dependencies {
        runtime::logger& log;
        std::function<runtime::resolution()> read_again;  // the settings, for a reload
    };

    server(runtime::settings settings, server_options options, dependencies deps);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    // Until a signal asks it to stop, or it cannot start.
    result<void> run();

private:
    result<void> prepare();
    boost::asio::awaitable<void> start();
    async<void> start_up();
    void make_roles();
    void drop_first_password();
    result<void> open_front(pki::authority authority);
    result<std::shared_ptr<const net::tls_client>> towards_peers() const;
    result<api::join_api::authority> shared_authority() const;
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

    void stop();
    void hurry();
    void reload();
    boost::asio::awaitable<void> shut_down();
    std::string instance();

    runtime::settings wanted_;
    server_options options_;
    dependencies deps_;
    runtime::system_clock time_;
    runtime::metrics counted_;
    cluster::readiness state_;
    boost::asio::io_context loop_{1};
    runtime::task_group work_;     // cancelled first when stopping
    runtime::task_group control_;  // the stopping itself
    std::unique_ptr<runtime::signals> signals_;
    std::optional<error> failure_;
    bool stopping_ = false;

    std::unique_ptr<os::data_directory> data_;
    opened_engines engines_;
    std::optional<bootstrap::certificate_files> keys_;
    std::unique_ptr<bootstrap::server_certificate_manager> front_;
    gateway::gateway gateway_;
    std::unique_ptr<workforce> roles_;
    bool at_work_ = false;
    std::optional<cluster::engine_monitor> monitor_;
    // The health port is told of the public one's counters and loops, so it goes first.
    std::unique_ptr<net::http::server> public_;
    std::atomic<net::http::server*> open_ = nullptr;  // the public one, for other threads
    std::unique_ptr<net::http::server> health_;
};

}  // namespace muster::server

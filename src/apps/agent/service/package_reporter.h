#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/tls_context.h"
#include "apps/agent/process/child_process.h"
#include "apps/agent/service/identity.h"
#include "apps/agent/service/log.h"
#include "core/model/facts.h"
#include "core/packages/list/package_list.h"
#include "core/session/agent_task.h"
#include "ports/async.h"
#include "ports/clock.h"
#include "runtime/async_event.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// Receives the notifications of a package reporter.
class package_reporter_listener {
public:
    package_reporter_listener() = default;
    package_reporter_listener(const package_reporter_listener&) = delete;
    package_reporter_listener& operator=(const package_reporter_listener&) = delete;
    virtual ~package_reporter_listener() = default;

    // package_reporter::reported_facts() changed.
    virtual void package_facts_changed() = 0;
    // The result of refresh(): the digest that the cluster has now.
    virtual void packages_refreshed(session::task_name task, const result<std::string>& digest) = 0;
};

// Reports the installed packages: after attaching, at an interval, and after a task changed them.
// The cluster gets a list only if no system sent the same list before. The facts packages.digest,
// packages.count and packages.family say which list a system has. Not thread-safe.
class package_reporter {
public:
    struct options {
        std::vector<std::string> entries;
        std::optional<net::endpoint> proxy;      // SOCKS5
        std::optional<packages::family> family;  // nullopt: packages are not reported
        std::vector<std::string> command;        // lists the packages, one per line
        monotonic::duration interval;
    };
    struct dependencies {
        muster::agent::log& log;
        muster::clock& clock;
        std::shared_ptr<const net::tls_client> tls;
        agent::identity identity;
    };

    package_reporter(options options, dependencies deps, package_reporter_listener& listener);

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run();

    // Packages are read only while the agent is attached.
    void attached();
    void channel_lost() { attached_ = false; }

    // Reads the packages again soon.
    void refresh_soon() { requested_.notify(); }
    // Reads the packages again for a task; notifies the listener, perhaps at once.
    void refresh(session::task_name task);

    // Restores the facts that were reported before this start.
    void restore(const facts& facts);
    // The facts that were reported last.
    const facts& reported_facts() const { return reported_facts_; }

private:
    async<std::string> report_once();
    async<std::string> run_list_command();
    async<void> upload(std::string digest, std::string text);

    options options_;
    dependencies deps_;
    package_reporter_listener& listener_;
    bool attached_ = false;
    facts reported_facts_;
    std::string reported_digest_;  // of the list that the cluster has
    std::size_t entry_ = 0;
    std::vector<session::task_name> refreshes_;  // notified after the next report
    runtime::async_event requested_;
};

// Options for dpkg-query or rpm. `family` is auto, rpm, deb or none. `command` replaces the default
// command: words separated by blanks.
result<package_reporter::options> package_reporter_options(
    const std::string& family, const std::string& command);

}  // namespace muster::agent

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

// What a package reporter tells whoever composes it.
class package_reporter_listener {
public:
    package_reporter_listener() = default;
    package_reporter_listener(const package_reporter_listener&) = delete;
    package_reporter_listener& operator=(const package_reporter_listener&) = delete;
    virtual ~package_reporter_listener() = default;

    // package_reporter::known() has others now.
    virtual void package_facts_changed() = 0;
    // What came of refresh(): the digest that the cluster knows now.
    virtual void packages_refreshed(session::task_name task, const result<std::string>& digest) = 0;
};

// What is installed on this machine: looked at when the agent is attached, every now and then, and
// after a task has changed it. The cluster gets a list only if it has not seen the same one from
// anybody; that a system has it is told as facts: packages.digest, packages.count and
// packages.family.
class package_reporter {
public:
    struct options {
        std::vector<std::string> entries;
        std::optional<net::endpoint> proxy;    // SOCKS5
        std::optional<packages::family> kind;  // nothing: this machine's packages are not told
        std::vector<std::string> command;      // that lists them, a line for each
        monotonic::duration interval;
    };
    struct dependencies {
        muster::agent::log& log;
        muster::clock& clock;
        std::shared_ptr<const net::tls_client> tls;
        identity self;
    };

    package_reporter(options options, dependencies deps, package_reporter_listener& listener);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Looks only between these two.
    void attached();
    void channel_lost() { attached_ = false; }

    // Looks again soon.
    void look() { wanted_.ring(); }
    // Looks again for a task; the listener is told what came of it, perhaps at once.
    void refresh(session::task_name task);

    // What was told before this start: it holds until something else is.
    void remember(const facts& facts);
    // The facts that were told last.
    const facts& known() const { return known_; }

private:
    async<std::string> look_once();
    async<std::string> list();
    async<void> offer(std::string digest, std::string text);

    options options_;
    dependencies deps_;
    package_reporter_listener& listener_;
    bool attached_ = false;
    facts known_;
    std::string told_;  // the digest that the cluster has
    std::size_t entry_ = 0;
    std::vector<session::task_name> refreshes_;  // to be answered after the next look
    runtime::async_event wanted_;
};

// dpkg-query's or rpm's, whichever machine this is. `family`: auto, rpm, deb or none; `command`:
// words with blanks between, in place of the usual one.
result<package_reporter::options> watch_options(
    const std::string& family, const std::string& command);

}  // namespace muster::agent

#include "apps/muster/server/startup_message.h"

#include "runtime/systemd.h"
#include "services/bootstrap/cluster_bootstrap.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace muster::server {
namespace {

void log_startup(const startup_message& message, bool first_login, runtime::logger& log) {
    if (message.is_new) log.info("cluster created", {{"cluster", message.cluster}});
    log.info(
        "server started",
        {{"cluster", message.cluster}, {"url", message.url}, {"advertised", message.advertised}});
    if (!first_login) return;
    log.info(
        "initial password not changed yet",
        {{"server", message.url},
         {"ca", message.authority.string()},
         {"user", bootstrap::first_user},
         {"password_file", message.first_password.string()},
         {"hint",
          "run: muster login --server URL --ca FILE --user NAME --password-file FILE && muster "
          "password"}});
}

void print_startup(const startup_message& message, bool first_login) {
    const auto authority = message.authority.string();
    const auto password = message.first_password.string();
    fmt::print("\n  muster {} is serving cluster {}\n\n", MUSTER_VERSION, message.cluster);
    fmt::print("  UI and API   {}\n  CA           {}\n", message.url, authority);
    if (first_login) {
        fmt::print("  user         {}, password in {}\n", bootstrap::first_user, password);
        fmt::print(
            "  log in       muster login --server {} --ca {} --user {} --password-file {}\n",
            message.url,
            authority,
            bootstrap::first_user,
            password);
    }
    fmt::print("\n");
    static_cast<void>(std::fflush(stdout));
}

}  // namespace

void announce(const startup_message& message, runtime::logger& log) {
    const bool first_login = std::filesystem::exists(message.first_password);
    log_startup(message, first_login, log);
    runtime::systemd::notify_status("serving cluster " + message.cluster + " at " + message.url);
    if (::isatty(STDOUT_FILENO) == 1) print_startup(message, first_login);
}

}  // namespace muster::server

#include "apps/muster/server/startup_message.h"

#include "runtime/systemd.h"
#include "services/bootstrap/cluster_bootstrap.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace muster::server {
namespace {

void tell_the_log(const announcement& announcement, bool first_login, runtime::logger& log) {
    log.info(
        announcement.is_new ? "founded a cluster and serving it" : "serving",
        {{"cluster", announcement.cluster},
         {"url", announcement.url},
         {"advertised", announcement.advertised}});
    if (!first_login) return;
    log.info(
        "log in with the first password and change it: muster login --server URL --ca FILE --user "
        "NAME --password-file FILE",
        {{"server", announcement.url},
         {"ca", announcement.authority.string()},
         {"user", bootstrap::first_user},
         {"password_file", announcement.first_password.string()}});
}

void tell_the_terminal(const announcement& announcement, bool first_login) {
    const auto authority = announcement.authority.string();
    const auto password = announcement.first_password.string();
    fmt::print("\n  muster {} serves cluster {}\n\n", MUSTER_VERSION, announcement.cluster);
    fmt::print("  UI and API   {}\n  CA           {}\n", announcement.url, authority);
    if (first_login) {
        fmt::print("  user         {}, password in {}\n", bootstrap::first_user, password);
        fmt::print(
            "  log in       muster login --server {} --ca {} --user {} --password-file {}\n",
            announcement.url,
            authority,
            bootstrap::first_user,
            password);
    }
    fmt::print("\n");
    static_cast<void>(std::fflush(stdout));
}

}  // namespace

void announce(const announcement& announcement, runtime::logger& log) {
    const bool first_login = std::filesystem::exists(announcement.first_password);
    tell_the_log(announcement, first_login, log);
    runtime::systemd::status("serving cluster " + announcement.cluster + " at " + announcement.url);
    if (::isatty(STDOUT_FILENO) == 1) tell_the_terminal(announcement, first_login);
}

}  // namespace muster::server
